#include "source/exceptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/machine.h"
#include "program/code.h"
#include "program/lookup.h"
#include "program/lookup_program.h"
#include "program/symbol.h"
#include "source/exception_ask.h"
#include "source/exception_python.h"
#include "source/exception_return.h"
#include "source/instance.h"
#include "stream/line.h"

/*
 * The C++ ABI (Itanium C++ ABI, sections 2.9.5 and "Exception Handling") and libstdc++'s unwind-cxx.h: a type_info holds a pointer to its
 * class's virtual table, and one to the type's name. Before that table lies a pointer to the class's own type_info. If the type has a single
 * base, a pointer to the base's type_info follows the name's. The unwinder's header lies before a thrown object. Before that header, from
 * THROWN_AT on, lies libstdc++'s, which begins with a pointer to the type_info or, of a rethrown exception_ptr, to the object that it holds.
 */
enum { NAME_AT = 8, BASE_AT = 16, TABLE_TYPE_AT = -8, UNWIND_SIZE = 32, THROWN_AT = -80 };
#define UNWIND_CLASS UINT64_C(0x474e5543432b2b00) /* "GNUCC++\0"; a rethrown exception_ptr has 1 as the last byte */

/* std::runtime_error and std::logic_error hold a pointer to their text behind the one to their virtual table. */
enum { WHAT_AT = 8 };

/* CALL_AT: where the words of raw_syscalls:sys_exit begin. ERRNO_END: the first of the kernel's own errors, which no program sees. */
enum { CALL_AT = 8, ERRNO_END = 512 };

enum { BASES = 3, HANDLED_MAX = 16, THREADS_MAX = 65536, NAMES_MAX = 4096, CODES_MAX = 32, MAPS_MAX = 65536 };

/* Reading where a thread's code lies takes some 50 us, so it is done at most PLACES_MAX times a second. */
enum { PLACES_MAX = 200 };

enum moment { MOMENT_THROW = 1, MOMENT_RETHROW, MOMENT_RETHROW_POINTER, MOMENT_CATCH, MOMENT_CAUGHT, MOMENTS, MOMENT_CALL = MOMENTS, MOMENT_RETURN, MOMENT_PYTHON /* and the next two numbers */ };

#define RETURN "return:"

/* The event of tracefs by which the stacks of throws are sampled, at the same places as the events of throws. */
#define THROWS "throws"

/* Numbers of the arguments in the event of a moment. */
enum { SLOT_OBJECT, SLOT_CALLER, SLOT_CLASS = 1, SLOT_PRIMARY, SLOT_WHAT = 2, SLOT_NAMES, SLOT_KINDS = SLOT_NAMES + BASES + 1 };

struct handled {
	uint64_t object;
	char *name;
	unsigned count; /* of handlers */
};

struct thrower {
	int32_t tid;
	struct throw_place {
		uint32_t stack; /* by its number; 0: not known */
		int32_t process;
		char *function; /* NULL: not known */
	} next; /* the place of its next throw */
	struct python_set python;
	int depth; /* number of exceptions that it handles; those beyond HANDLED_MAX are only counted */
	struct handled stack[HANDLED_MAX];
	UT_hash_handle hh;
};

struct spelled {
	char *mangled, *name;
	UT_hash_handle hh;
};

/* A file that some thrower has mapped. */
struct mapped {
	dev_t device;
	uint64_t inode;
	struct code *code;
};

struct exceptions {
	struct lookup *lookup;
	ARRAY(char *) sources; /* files that have probes */
	bool throws; /* at some sources the stacks of throws can be sampled */
	struct thrower *throwers;
	struct spelled *names;
	struct mapped codes[CODES_MAX];
	size_t code_count, code_next;
	int64_t second; /* the present second, by events */
	int places;	/* read in it */
	uint32_t machine; /* whose system calls they are */
	struct line line;
};

struct exceptions *exceptions_new(struct lookup *lookup)
{
	struct exceptions *exceptions = NEW(struct exceptions);
	struct utsname name;

	exceptions->lookup = lookup;
	if (uname(&name) == 0)
		exceptions->machine = machine_of(name.machine);
	return exceptions;
}

static void forget_thrower(struct exceptions *exceptions, struct thrower *thrower)
{
	HASH_DEL(exceptions->throwers, thrower);
	free(thrower->next.function);
	exception_python_forget(&thrower->python);
	for (int i = 0; i < thrower->depth && i < HANDLED_MAX; i++)
		free(thrower->stack[i].name);
	free(thrower);
}

void exceptions_forget(struct exceptions *exceptions, int32_t tid)
{
	struct thrower *thrower, *next;

	if (tid) {
		HASH_FIND(hh, exceptions->throwers, &tid, sizeof(tid), thrower);
		if (thrower)
			forget_thrower(exceptions, thrower);
		return;
	}
	HASH_ITER(hh, exceptions->throwers, thrower, next)
		forget_thrower(exceptions, thrower);
}

static void forget_names(struct exceptions *exceptions)
{
	struct spelled *spelled, *next;

	HASH_ITER(hh, exceptions->names, spelled, next) {
		HASH_DEL(exceptions->names, spelled);
		free(spelled->mangled);
		free(spelled->name);
		free(spelled);
	}
}

void exceptions_free(struct exceptions *exceptions)
{
	if (!exceptions)
		return;
	exceptions_forget(exceptions, 0);
	forget_names(exceptions);
	for (size_t i = 0; i < exceptions->code_count; i++)
		code_free(exceptions->codes[i].code);
	for (size_t i = 0; i < exceptions->sources.count; i++)
		free(exceptions->sources.items[i]);
	free(exceptions->sources.items);
	line_free(&exceptions->line);
	free(exceptions);
}

/* --- probes ------------------------------------------------------------------------------------------------------------ */

/* Asks for the names of a type and of its bases, and of their classes. The type_info is `count` steps from the register. */
static void ask_type(struct asked *asked, uint8_t start, const int *steps, int count)
{
	for (int kind = 0; kind < 2; kind++)
		for (int base = 0; base <= BASES; base++) {
			int offsets[ARGUMENT_DEREFS], derefs = 0;

			for (int i = 0; i < count; i++)
				offsets[derefs++] = steps[i];
			for (int i = 0; i < base; i++)
				offsets[derefs++] = BASE_AT;
			if (kind) {
				offsets[derefs++] = 0;
				offsets[derefs++] = TABLE_TYPE_AT;
			}
			offsets[derefs++] = NAME_AT;
			offsets[derefs++] = 0;
			exception_ask(asked, ARGUMENT_FORM_TEXT, start, offsets, derefs);
		}
}

/* Asks for the address that the function returns to. */
static void ask_caller(struct asked *asked)
{
#if defined(__x86_64__)
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_STACK, (const int[]){0}, 1);
#else
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_LINK, NULL, 0);
#endif
}

static void ask_throw(struct asked *asked)
{
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, NULL, 0);
	ask_caller(asked);
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_FIRST, (const int[]){WHAT_AT, 0}, 2);
	ask_type(asked, ASK_SECOND, NULL, 0);
}

/* The object of a rethrow is known from the thread's handlers. So is that of a handler's end, whose event asks for nothing. */
static void ask_thread(struct asked *asked)
{
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_STACK, NULL, 0);
	ask_caller(asked);
}

/* The exception_ptr is passed by its address. */
static void ask_pointer(struct asked *asked)
{
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, (const int[]){0}, 1);
	ask_caller(asked);
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_FIRST, (const int[]){0, WHAT_AT, 0}, 3);
	ask_type(asked, ASK_FIRST, (const int[]){0, THROWN_AT - UNWIND_SIZE}, 2);
}

/* The function gets the unwinder's header. The object lies behind it or, of a rethrown exception_ptr, where libstdc++'s header points to. */
static void ask_catch(struct asked *asked)
{
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, NULL, 0);
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, (const int[]){0}, 1);
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, (const int[]){THROWN_AT}, 1);
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_FIRST, (const int[]){THROWN_AT, NAME_AT, 0}, 3);
}

static const struct {
	const char *function, *event;
	void (*ask)(struct asked *asked);
} moments[MOMENTS] = {
	[MOMENT_THROW] = {"__cxa_throw", "exception:throw", ask_throw},
	[MOMENT_RETHROW] = {"__cxa_rethrow", "exception:rethrow", ask_thread},
	[MOMENT_RETHROW_POINTER] = {"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", "exception:pointer", ask_pointer},
	[MOMENT_CATCH] = {"__cxa_begin_catch", "exception:catch", ask_catch},
	[MOMENT_CAUGHT] = {"__cxa_end_catch", "exception:caught", NULL},
};

/* Finds libstdc++ where distributions have it. The caller frees the path; NULL after fail(). */
static char *find_library(void)
{
	static const char *const places[] = {
#if defined(__x86_64__)
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
#elif defined(__aarch64__)
		"/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
#endif
		"/usr/lib64/libstdc++.so.6", "/usr/lib/libstdc++.so.6"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (access(places[i], R_OK) == 0)
			return realpath(places[i], NULL);
	return fail("there is no libstdc++.so.6 where libraries are; say --exceptions=c++:PATH"), NULL;
}

/* The file that has the runtime: the program's own if it is linked statically, else the system's library. The caller frees it. */
static char *find_runtime(struct exceptions *exceptions, const char *binary)
{
	char *path = symbol_binary(binary), *real;
	uint64_t offset;

	if (!path)
		return NULL;
	if (lookup_offset(exceptions->lookup, path, moments[MOMENT_THROW].function, &offset) < 0) {
		free(path);
		return find_library();
	}
	real = realpath(path, NULL);
	if (!real)
		return path;
	free(path);
	return real;
}

/* Adds, at a function that throws, a second probe for samples of the stack. */
static int probe_throw(struct exceptions *exceptions, enum moment moment, const char *path, uint64_t offset)
{
	if (moment > MOMENT_RETHROW_POINTER)
		return 0;
	exceptions->throws = true;
	return probes_bare(path, offset, THROWS);
}

/* A function that is not linked into the program gets no probe, because the program does not call it there. __cxa_throw must be there. */
static int probe_runtime(struct exceptions *exceptions, struct probes *probes, struct selection *selection, const char *path)
{
	for (int moment = MOMENT_THROW; moment < MOMENTS; moment++) {
		struct asked asked = {0};
		uint64_t offset;

		if (lookup_offset(exceptions->lookup, path, moments[moment].function, &offset) < 0) {
			if (moment == MOMENT_THROW)
				return -1;
			continue;
		}
		if (moments[moment].ask)
			moments[moment].ask(&asked);
		if (probe_throw(exceptions, (enum moment)moment, path, offset) < 0 ||
		    probes_told(probes, path, moments[moment].function, &asked.arguments, asked.found, moments[moment].event) < 0)
			return -1;
		selection_at(selection, selection_count(selection) - 1)->exception = (uint8_t)moment;
		selection_at(selection, selection_count(selection) - 1)->flags |= SELECT_QUIET;
	}
	return 0;
}

static char *find_interpreter(const char *binary)
{
	char *path = symbol_binary(binary), *real = path ? realpath(path, NULL) : NULL;

	if (path && !real)
		fail_errno("cannot find '%s'", path);
	free(path);
	return real;
}

/* SOURCE or SOURCE:BINARY */
static bool is_of(const char *name, const char *source)
{
	size_t length = strlen(name);

	return strncmp(source, name, length) == 0 && (source[length] == '\0' || source[length] == ':');
}

/* Selects the failures of system calls; their event is written only if it was selected before. */
static int want_calls(struct selection *selection)
{
	static const char event[] = "raw_syscalls:sys_exit";
	size_t before = selection_count(selection);
	struct selected *selected = NULL;

	if (selection_add(selection, event, "ret < 0 && ret > -512", NULL, SELECT_REQUIRED | SELECT_STREAMED) < 0)
		return -1;
	for (size_t i = 0; (selected = selection_at(selection, i)) && strcmp(selected->event, event) != 0; i++)
		;
	if (!selected)
		return fail("this kernel has no '%s'", event);
	selected->exception = MOMENT_CALL;
	if (selection_count(selection) > before)
		selected->flags |= SELECT_QUIET;
	return 0;
}

/* Probes the return of a function that the user names; the kernel gives only calls that failed. */
static int want_return(struct exceptions *exceptions, struct probes *probes, struct selection *selection, const char *text)
{
	if (exception_return_probe(exceptions->lookup, probes, selection, text) < 0)
		return -1;
	selection_at(selection, selection_count(selection) - 1)->exception = MOMENT_RETURN;
	selection_at(selection, selection_count(selection) - 1)->flags |= SELECT_QUIET;
	return 0;
}

int exceptions_add(struct exceptions *exceptions, struct probes *probes, struct selection *selection, const char *source)
{
	const char *colon = strchr(source, ':');
	bool is_python;
	char *path;

	if (!strcmp(source, "syscall"))
		return want_calls(selection);
	if (strncmp(source, RETURN, strlen(RETURN)) == 0)
		return want_return(exceptions, probes, selection, source + strlen(RETURN));
	is_python = is_of("python", source);
	if (!is_python && !is_of("c++", source))
		return fail("unknown source of exceptions '%s'; there are c++[:BINARY], python[:BINARY], node, return:BINARY:FUNCTION:COND and syscall", source);
	if (is_python)
		path = find_interpreter(colon ? colon + 1 : "/usr/bin/python3");
	else
		path = colon ? find_runtime(exceptions, colon + 1) : find_library();
	if (!path)
		return -1;
	for (size_t i = 0; i < exceptions->sources.count; i++)
		if (!strcmp(exceptions->sources.items[i], path)) {
			free(path);
			return 0;
		}
	*ARRAY_ADD(&exceptions->sources) = path;
	return is_python ? exception_python_probe(exceptions->lookup, probes, selection, path, MOMENT_PYTHON) : probe_runtime(exceptions, probes, selection, path);
}

bool exceptions_throws(const struct exceptions *exceptions, uint64_t *event)
{
	int length;
	char *text = exceptions->throws ? tracefs_event_file_read(NULL, instance_probe_group(), THROWS, "id", &length) : NULL;
	bool found = text && number_count(text, strcspn(text, "\n"), event) == 0;

	free(text);
	return found;
}

/* --- names ------------------------------------------------------------------------------------------------------------- */

/* The type as it is written in C++. NULL: this is no type's name. */
static const char *spell(struct exceptions *exceptions, const char *mangled)
{
	struct spelled *spelled;

	if (*mangled == '*') /* says that the type is compared by the name's address */
		mangled++;
	if (!*mangled)
		return NULL;
	HASH_FIND_STR(exceptions->names, mangled, spelled);
	if (spelled)
		return spelled->name;
	if (HASH_COUNT(exceptions->names) >= NAMES_MAX)
		forget_names(exceptions);
	spelled = NEW(struct spelled);
	spelled->mangled = memory_text(mangled, strlen(mangled));
	spelled->name = lookup_type(exceptions->lookup, mangled);
	HASH_ADD_KEYPTR(hh, exceptions->names, spelled->mangled, strlen(spelled->mangled), spelled);
	return spelled->name;
}

static struct code *find_code(struct exceptions *exceptions, int32_t tid, const char *path, uint64_t start, uint64_t end, dev_t device, uint64_t inode)
{
	struct code_identity identity = {.inode = inode, .device = device};
	struct mapped *mapped;

	for (size_t i = 0; i < exceptions->code_count; i++)
		if (exceptions->codes[i].device == device && exceptions->codes[i].inode == inode)
			return exceptions->codes[i].code;
	mapped = &exceptions->codes[exceptions->code_next];
	exceptions->code_next = (exceptions->code_next + 1) % CODES_MAX;
	if (exceptions->code_count == CODES_MAX)
		code_free(mapped->code);
	else
		exceptions->code_count++;
	*mapped = (struct mapped){device, inode, code_open(exceptions->lookup, path, &tid, 0, start, end, &identity)};
	return mapped->code;
}

/* The innermost function at an address in the thread's process; the caller frees it. NULL: unknown. */
static char *look_up(struct exceptions *exceptions, int32_t tid, FILE *maps, uint64_t address)
{
	uint64_t start, end, offset, inode;
	unsigned major, minor;
	struct lookup_place place;
	char line[4352];
	int path;

	for (int i = 0; i < MAPS_MAX && fgets(line, sizeof(line), maps); i++) {
		path = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64 " %x:%x %" SCNu64 " %n", &start, &end, &offset, &major, &minor, &inode, &path) < 6 ||
		    !path || address < start || address >= end)
			continue;
		if (line[path] != '/' || !inode)
			return NULL;
		line[strcspn(line, "\n")] = '\0';
		code_look(find_code(exceptions, tid, line + path, start, end, makedev(major, minor), inode), offset + (address - start), &place);
		for (int n = 1; n < place.count; n++)
			free(place.functions[n]);
		return place.count ? place.functions[0] : NULL;
	}
	return NULL;
}

static char *function_of(struct exceptions *exceptions, int32_t tid, int64_t ts, uint64_t address)
{
	char path[40], *function;
	FILE *maps;

	if (exceptions->second != ts / 1000000000) {
		exceptions->second = ts / 1000000000;
		exceptions->places = 0;
	}
	if (address < 2 || exceptions->places++ >= PLACES_MAX)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	maps = fopen(path, "re");
	if (!maps)
		return NULL;
	function = look_up(exceptions, tid, maps, address - 1);
	fclose(maps);
	return function;
}

/* --- what happens ------------------------------------------------------------------------------------------------------ */

/* Tells whether the type holds a text: it is std::runtime_error or std::logic_error, or has one of these as a base. */
static bool has_what(const struct exception_event *event)
{
	char name[ARGUMENT_TEXT_MOST + 1], kind[ARGUMENT_TEXT_MOST + 1];

	for (int base = 0; base <= BASES; base++) {
		if (!exception_text(event, SLOT_NAMES + base, name))
			return false;
		if (!strcmp(name, "St13runtime_error") || !strcmp(name, "St11logic_error"))
			return true;
		if (!exception_text(event, SLOT_KINDS + base, kind) || strcmp(kind, "N10__cxxabiv120__si_class_type_infoE") != 0)
			return false;
	}
	return false;
}

static struct thrower *find_thrower(struct exceptions *exceptions, int32_t tid, bool make)
{
	struct thrower *thrower;

	HASH_FIND(hh, exceptions->throwers, &tid, sizeof(tid), thrower);
	if (thrower || !make)
		return thrower;
	if (HASH_COUNT(exceptions->throwers) >= THREADS_MAX)
		exceptions_forget(exceptions, 0);
	thrower = NEW(struct thrower);
	thrower->tid = tid;
	HASH_ADD(hh, exceptions->throwers, tid, sizeof(thrower->tid), thrower);
	return thrower;
}

void exceptions_stack(struct exceptions *exceptions, int32_t tid, int32_t process, uint32_t stack, char *function)
{
	struct thrower *thrower = find_thrower(exceptions, tid, true);

	free(thrower->next.function);
	thrower->next = (struct throw_place){stack, process, function};
}

/* Takes the place where the thread throws now. The caller frees its function. */
static struct throw_place take_place(struct exceptions *exceptions, const struct exception_event *event)
{
	struct thrower *thrower = find_thrower(exceptions, event->tid, false);
	struct throw_place place = thrower ? thrower->next : (struct throw_place){0};

	if (thrower) {
		thrower->next = (struct throw_place){0};
		if (thrower->depth == 0 && !thrower->python.name)
			forget_thrower(exceptions, thrower);
	}
	if (!place.function)
		place.function = function_of(exceptions, event->tid, event->ts, exception_number(event, SLOT_CALLER));
	return place;
}

/* The exception that the thread handles; NULL: none, or unknown. */
static struct handled *handled_by(struct exceptions *exceptions, int32_t tid)
{
	struct thrower *thrower = find_thrower(exceptions, tid, false);

	return thrower && thrower->depth > 0 && thrower->depth <= HANDLED_MAX ? &thrower->stack[thrower->depth - 1] : NULL;
}

static void begin_catch(struct exceptions *exceptions, const struct exception_event *event)
{
	uint64_t class = exception_number(event, SLOT_CLASS), object = 0;
	struct handled *now = handled_by(exceptions, event->tid);
	char mangled[ARGUMENT_TEXT_MOST + 1];
	struct thrower *thrower;
	const char *name = NULL;

	if (class == UNWIND_CLASS)
		object = exception_number(event, SLOT_OBJECT) + UNWIND_SIZE;
	else if (class == (UNWIND_CLASS | 1))
		object = exception_number(event, SLOT_PRIMARY);
	if (now && object && now->object == object) {
		now->count++;
		return;
	}
	thrower = find_thrower(exceptions, event->tid, true);
	if (class == UNWIND_CLASS && exception_text(event, SLOT_PRIMARY + 1, mangled))
		name = spell(exceptions, mangled);
	if (thrower->depth < HANDLED_MAX)
		thrower->stack[thrower->depth] = (struct handled){object, name ? memory_text(name, strlen(name)) : NULL, 1};
	thrower->depth++;
}

static void end_catch(struct exceptions *exceptions, const struct exception_event *event)
{
	struct thrower *thrower = find_thrower(exceptions, event->tid, false);

	if (!thrower || thrower->depth == 0) /* the handler began before tracing, or its begin was lost */
		return;
	if (thrower->depth > HANDLED_MAX) {
		thrower->depth--;
		return;
	}
	if (--thrower->stack[thrower->depth - 1].count > 0)
		return;
	free(thrower->stack[--thrower->depth].name);
	if (thrower->depth == 0 && !thrower->python.name)
		forget_thrower(exceptions, thrower);
}

/* An object of address 0 is not known. */
static void add_object(struct line *line, const char *key, uint64_t object)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, object);
	if (object)
		line_text(line, key, text);
}

static int tell(struct exceptions *exceptions, struct stream *stream, const struct exception_event *event, uint64_t object, const char *name, bool has_text)
{
	const struct handled *handled = handled_by(exceptions, event->tid);
	uint64_t cause = handled && handled->object != object ? handled->object : 0;
	struct throw_place place = take_place(exceptions, event);
	struct line *line = &exceptions->line;
	char text[ARGUMENT_TEXT_MOST + 1];

	line_begin(line, kind_name(KIND_EXCEPTION));
	line_time(line, "ts", event->ts);
	line_integer(line, "tid", event->tid);
	if (place.stack)
		line_integer(line, "pid", place.process);
	add_object(line, "object", object);
	line_text(line, "name", name ? name : "?");
	if (has_text && exception_text(event, SLOT_WHAT, text))
		line_text(line, "what", text);
	if (place.function)
		line_text(line, "function", place.function);
	add_object(line, "cause", cause);
	if (event->selected->exception != MOMENT_THROW)
		line_text(line, "again", "yes");
	if (place.stack)
		line_unsigned(line, "stack", place.stack);
	free(place.function);
	return stream_write_line(stream, line);
}

static int see_throw(struct exceptions *exceptions, struct stream *stream, const struct exception_event *event)
{
	char mangled[ARGUMENT_TEXT_MOST + 1];
	const char *name = exception_text(event, SLOT_NAMES, mangled) ? spell(exceptions, mangled) : NULL;

	return tell(exceptions, stream, event, exception_number(event, SLOT_OBJECT), name, has_what(event));
}

/* `throw;` */
static int see_rethrow(struct exceptions *exceptions, struct stream *stream, const struct exception_event *event)
{
	const struct handled *handled = handled_by(exceptions, event->tid);

	return tell(exceptions, stream, event, handled ? handled->object : 0, handled ? handled->name : NULL, false);
}

/* A system call has failed. The event has the common fields, the call's number, and its result, in the kernel's words. */
static int see_call(struct exceptions *exceptions, struct stream *stream, const struct exception_event *event)
{
	struct line *line = &exceptions->line;
	const char *name;
	char call[64];
	long words[2];

	if (event->size < CALL_AT + sizeof(words))
		return 0;
	memcpy(words, event->payload + CALL_AT, sizeof(words));
	name = words[1] < 0 && words[1] > -ERRNO_END ? strerrorname_np((int)-words[1]) : NULL;
	if (!name)
		return 0;
	machine_spell_call(exceptions->machine, words[0], call, sizeof(call));
	line_begin(line, kind_name(KIND_EXCEPTION));
	line_time(line, "ts", event->ts);
	line_integer(line, "tid", event->tid);
	line_text(line, "name", name);
	line_text(line, "function", call);
	return stream_write_line(stream, line);
}

/* A call has returned what the user calls a failure. */
static int see_return(struct exceptions *exceptions, struct stream *stream, const struct exception_event *event)
{
	struct line *line = &exceptions->line;
	char *function, *name = exception_return_name(event->selected, event->payload, event->size, &function);
	int status = 0;

	if (!name)
		return 0;
	line_begin(line, kind_name(KIND_EXCEPTION));
	line_time(line, "ts", event->ts);
	line_integer(line, "tid", event->tid);
	line_text(line, "name", name);
	line_text(line, "function", function);
	status = stream_write_line(stream, line);
	free(name);
	free(function);
	return status;
}

/* An exception of Python: the innermost of its calls is the function that raises it. */
static int see_python(struct exceptions *exceptions, struct stream *stream, const struct exception_event *event)
{
	struct python_set *set = &find_thrower(exceptions, event->tid, true)->python;
	struct line *line = &exceptions->line;

	if (!exception_python_see(set, event, MOMENT_PYTHON))
		return 0;
	line_begin(line, kind_name(KIND_EXCEPTION));
	line_time(line, "ts", event->ts);
	line_integer(line, "tid", event->tid);
	line_text(line, "name", set->name);
	if (set->what)
		line_text(line, "what", set->what);
	if (set->calls) {
		line_bytes(line, "function", set->calls, strcspn(set->calls, ";"));
		line_text(line, "calls", set->calls);
	}
	exception_python_forget(set);
	return stream_write_line(stream, line);
}

int exceptions_see(struct exceptions *exceptions, struct stream *stream, const struct selected *selected, int32_t tid, int64_t ts, const char *payload, size_t size)
{
	const struct exception_event event = {selected, payload, size, tid, ts};

	switch (selected->exception) {
	case MOMENT_RETHROW:
		return see_rethrow(exceptions, stream, &event);
	case MOMENT_CATCH:
		begin_catch(exceptions, &event);
		return 0;
	case MOMENT_CAUGHT:
		end_catch(exceptions, &event);
		return 0;
	case MOMENT_CALL:
		return see_call(exceptions, stream, &event);
	case MOMENT_RETURN:
		return see_return(exceptions, stream, &event);
	case MOMENT_PYTHON:
	case MOMENT_PYTHON + 1:
	case MOMENT_PYTHON + 2:
		return see_python(exceptions, stream, &event);
	default:
		return see_throw(exceptions, stream, &event);
	}
}
