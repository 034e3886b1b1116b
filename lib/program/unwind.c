#include "program/unwind.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "program/demangle.h"
#include "program/lookup.h"

/* Names of kernel functions by address, as /proc/kallsyms has them. */
struct kallsyms {
	char *text, *modules; /* contents of /proc/kallsyms and /proc/modules */
	struct kallsym *symbols; /* sorted by address */
	size_t count;
};

struct kallsym {
	uint64_t address;
	const char *name; /* ends before a tab or a newline */
};

static int compare(const void *left, const void *right)
{
	const struct kallsym *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static void kallsyms_free(struct kallsyms *kallsyms)
{
	free(kallsyms->text);
	free(kallsyms->modules);
	free(kallsyms->symbols);
	*kallsyms = (struct kallsyms){0};
}

static bool is_current(const struct kallsyms *kallsyms, const char *modules)
{
	return kallsyms->text && strcmp(kallsyms->modules ? kallsyms->modules : "", modules ? modules : "") == 0;
}

/*
 * Lines are "ffffffff81000000 T name", with the module's "[name]" behind a tab; t, T, w and W are functions. Reads them unless they were
 * read already and no module has come or gone since. If the kernel hides them (kptr_restrict) or /proc is missing, no function is known.
 */
static void kallsyms_read(struct kallsyms *kallsyms)
{
	ARRAY(struct kallsym) found = {0};
	char *modules = file_read("/proc/modules", NULL), *text;

	if (is_current(kallsyms, modules)) {
		free(modules);
		return;
	}
	kallsyms_free(kallsyms);
	text = file_read("/proc/kallsyms", NULL);
	for (char *line = text, *end; line && *line; line = end + (*end == '\n')) {
		char *rest;
		uint64_t address = strtoull(line, &rest, 16);

		end = line + strcspn(line, "\n");
		if (address && end - rest > 3 && strchr("tTwW", rest[1]))
			*ARRAY_ADD(&found) = (struct kallsym){address, rest + 3};
	}
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), compare);
	*kallsyms = (struct kallsyms){text, modules, found.items, found.count};
}

/* The name of the function that the address lies in, without a NUL behind it; *length is its length. NULL: unknown. */
static const char *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, size_t *length)
{
	size_t low = COUNT_UNTIL(kallsyms->symbols, kallsyms->count, address, address);

	if (low == 0)
		return NULL;
	*length = strcspn(kallsyms->symbols[low - 1].name, "\t\n");
	return kallsyms->symbols[low - 1].name;
}

enum { REGISTER_STACK = 7, REGISTER_RETURN = STEP_RETURN, WORD = 8 }; /* of x86-64, by DWARF */

enum { RECENT = 4096 };

/*
 * Any program chooses where its code lies and what its functions are called. From PLACES_MAX on, all places are forgotten, and looked up again
 * when they are needed; TEXTS_MAX: bytes of texts, which stay, because stacks refer to them.
 */
enum { PLACES_MAX = 1 << 18, TEXTS_MAX = 128 << 20 };

/* A place in code that stacks go through. */
struct place {
	struct place_key {
		struct code *code; /* NULL: the kernel, or memory without a file */
		uint64_t at;	     /* offset in the file; address in the kernel; else 0 */
	} key;
	struct step step;
	UT_hash_handle hh;
	int count;
	int32_t *frames; /* frames of the functions there, innermost first; inlined ones come before the function that they are in */
};

/*
 * Where a call returns to, read from the stack when the call began. A return probe replaces that address by one of the kernel's, and from
 * then on only the kernel knows it.
 */
struct returning {
	struct returning_key {
		uint64_t at; /* the place on the stack */
		int64_t thread;
	} key;
	int32_t function; /* frame of the function that was called */
	uint64_t to;
	UT_hash_handle hh;
};

enum { RETURNING_MAX = 1 << 16 };

struct text {
	char *text;
	int32_t frame;
	UT_hash_handle hh;
};

struct unwinder {
	struct spaces *spaces;
	struct kallsyms kernel;
	struct place *places;
	struct returning *returning; /* the oldest first */
	struct place *recent[RECENT]; /* a cache: nearly all stacks go through few places */
	struct text *texts;
	ARRAY(const char *) by_frame;
	size_t bytes; /* of texts */
	int32_t unfinished, unknown; /* the frames "..." and "?" */
};

/* The number of the frame with this text. Takes over the text. */
static int32_t frame_of(struct unwinder *unwinder, char *text)
{
	struct text *known;

	HASH_FIND_STR(unwinder->texts, text, known);
	if (known) {
		free(text);
		return known->frame;
	}
	if (unwinder->bytes > TEXTS_MAX) {
		free(text);
		return unwinder->unknown;
	}
	unwinder->bytes += sizeof(*known) + strlen(text) + 1;
	known = NEW(struct text);
	known->text = text;
	known->frame = (int32_t)unwinder->by_frame.count;
	*ARRAY_ADD(&unwinder->by_frame) = text;
	HASH_ADD_KEYPTR(hh, unwinder->texts, known->text, strlen(known->text), known);
	return known->frame;
}

struct unwinder *unwinder_new(struct spaces *spaces)
{
	struct unwinder *unwinder = NEW(struct unwinder);

	unwinder->spaces = spaces;
	unwinder->unfinished = frame_of(unwinder, memory_format("..."));
	unwinder->unknown = frame_of(unwinder, memory_format("?"));
	return unwinder;
}

void unwinder_prepare(struct unwinder *unwinder)
{
	kallsyms_read(&unwinder->kernel);
}

static struct place **recent_at(struct unwinder *unwinder, const struct code *code, uint64_t at)
{
	return &unwinder->recent[(at ^ at >> 12 ^ (uintptr_t)code >> 4) % RECENT];
}

static void forget(struct unwinder *unwinder, struct place *place)
{
	struct place **recent = recent_at(unwinder, place->key.code, place->key.at);

	if (*recent == place)
		*recent = NULL;
	HASH_DEL(unwinder->places, place);
	free(place->frames);
	free(place);
}

static void forget_places(struct unwinder *unwinder)
{
	struct place *place, *next;

	HASH_ITER(hh, unwinder->places, place, next)
		forget(unwinder, place);
}

static void drop_returning(struct unwinder *unwinder, struct returning *returning)
{
	HASH_DEL(unwinder->returning, returning);
	free(returning);
}

void unwinder_lost(struct unwinder *unwinder)
{
	struct returning *returning, *next;

	HASH_ITER(hh, unwinder->returning, returning, next)
		drop_returning(unwinder, returning);
}

void unwinder_free(struct unwinder *unwinder)
{
	struct text *text, *next;

	if (!unwinder)
		return;
	forget_places(unwinder);
	HASH_ITER(hh, unwinder->texts, text, next) {
		HASH_DEL(unwinder->texts, text);
		free(text->text);
		free(text);
	}
	free(unwinder->by_frame.items);
	unwinder_lost(unwinder);
	kallsyms_free(&unwinder->kernel);
	free(unwinder);
}

void unwinder_sweep(struct unwinder *unwinder)
{
	struct place *place, *next;

	HASH_ITER(hh, unwinder->places, place, next) {
		if (place->key.code && !code_is_mapped(place->key.code))
			forget(unwinder, place);
	}
}

const char *unwind_text(const struct unwinder *unwinder, int32_t frame)
{
	return unwinder->by_frame.items[frame];
}

static struct place *place_at(struct unwinder *unwinder, struct code *code, uint64_t at, bool *is_new)
{
	struct place **recent = recent_at(unwinder, code, at), *place = *recent;
	struct place_key key;

	*is_new = false;
	if (place && place->key.code == code && place->key.at == at)
		return place;
	memset(&key, 0, sizeof(key));
	key.code = code;
	key.at = at;
	HASH_FIND(hh, unwinder->places, &key, sizeof(key), place);
	*is_new = !place;
	if (!place) {
		if (HASH_COUNT(unwinder->places) == PLACES_MAX)
			forget_places(unwinder);
		place = NEW(struct place);
		place->key = key;
		HASH_ADD(hh, unwinder->places, key, sizeof(key), place);
	}
	return *recent = place;
}

/* Takes over the text. Replaces ';', which separates frames: Rust's arrays contain it, and names of files may. */
static void add_frame(struct unwinder *unwinder, struct place *place, char *text)
{
	for (char *c = text; (c = strchr(c, ';')); c++)
		*c = ':';
	place->frames = memory_grow(place->frames, (size_t)place->count + 1, sizeof(*place->frames));
	place->frames[place->count++] = frame_of(unwinder, text);
}

/* Cuts long names, because a stack's record must hold all of its frames. */
static char *frame_text(const char *function, const char *file)
{
	bool is_long = strlen(function) > DEMANGLED_MAX;
	size_t length = is_long ? utf8_cut(function, DEMANGLED_MAX) : strlen(function);

	return memory_format("%.*s%s (%s)", (int)length, function, is_long ? "..." : "", file);
}

static void describe(struct unwinder *unwinder, struct place *place, const struct lookup_place *found)
{
	const char *file = code_name(place->key.code);

	for (int i = 0; i < found->count; i++) {
		add_frame(unwinder, place, frame_text(found->functions[i], file));
		free(found->functions[i]);
	}
	if (found->count == 0)
		add_frame(unwinder, place, memory_format("%s+0x%" PRIx64, file, place->key.at + found->step.interrupted));
}

/*
 * The place of an address in a mapping. Code in no file, such as code compiled at run time, cannot be walked: it is not known whether it
 * keeps a frame pointer, and if one function does not, the walk would skip callers.
 */
static const struct place *place_in(struct unwinder *unwinder, const struct mapping *mapping, uint64_t pc)
{
	uint64_t offset = mapping->code ? pc - mapping->start + mapping->offset : 0;
	struct lookup_place found;
	bool is_new;
	struct place *place = place_at(unwinder, mapping->code, offset, &is_new);

	if (!is_new)
		return place;
	if (!mapping->code) {
		add_frame(unwinder, place, memory_format("?"));
		return place;
	}
	code_look(mapping->code, offset, &found);
	place->step = found.step;
	describe(unwinder, place, &found);
	return place;
}

/* The walk's state at a function of the stack: its registers when it called the function before. */
struct walker {
	const struct sampled_record *record;
	uint64_t registers[SAMPLE_REGISTERS];
	uint32_t known; /* one bit for each register that is known */
	uint64_t return_at; /* place on the stack of the return address to this function */
	bool called;	/* else it was stopped at its address */
};

enum { SAVED_BY_CALLED = 1 << 3 | 1 << 6 | 0xf << 12 }; /* by the ABI: rbx, rbp, r12 to r15 */

/* Reads a word of the sampled part of the stack. False: it lies outside. */
static bool read_word(const struct sampled_record *record, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - record->registers[REGISTER_STACK];

	if (address < record->registers[REGISTER_STACK] || record->stack_size < WORD || offset > record->stack_size - WORD)
		return false;
	memcpy(word, record->stack + offset, WORD);
	return true;
}

enum walked { WALK_ON, WALK_OVER, WALK_STUCK };

static bool is_saved(const struct step *step, int number)
{
	return step->registers[number].rule == STEP_SAVED || step->registers[number].rule == STEP_ASIDE;
}

/* Goes up to the caller: replaces the function's registers by the caller's. */
static enum walked walk(struct walker *walker, const struct step *step)
{
	struct walker caller = *walker;
	uint64_t base = walker->registers[step->base], frame = base + (uint64_t)(int64_t)step->offset;

	if (!step->known || !(walker->known & 1u << step->base) || (step->indirect && !read_word(walker->record, frame, &frame)) ||
	    (!step->interrupted && frame <= walker->registers[REGISTER_STACK]))
		return WALK_STUCK;
	if (!is_saved(step, REGISTER_RETURN))
		return WALK_OVER;
	for (int i = 0; i < SAMPLE_REGISTERS; i++) {
		uint64_t from = step->registers[i].rule == STEP_ASIDE ? base : frame, at = from + (uint64_t)(int64_t)step->registers[i].at;

		if (step->registers[i].rule == STEP_LOST)
			caller.known &= ~(1u << i);
		if (!is_saved(step, i))
			continue;
		if (!read_word(walker->record, at, &caller.registers[i]))
			return WALK_STUCK;
		caller.known |= 1u << i;
		if (i == REGISTER_RETURN)
			caller.return_at = at;
	}
	caller.registers[REGISTER_STACK] = frame;
	caller.known |= 1u << REGISTER_STACK;
	caller.called = !step->interrupted;
	*walker = caller;
	return walker->registers[REGISTER_RETURN] ? WALK_ON : WALK_OVER;
}

static struct returning *find_returning(const struct unwinder *unwinder, const struct sampled_record *record, uint64_t at)
{
	struct returning_key key = {.at = at, .thread = record->thread};
	struct returning *returning;

	HASH_FIND(hh, unwinder->returning, &key, sizeof(key), returning);
	return returning;
}

static bool is_code(struct unwinder *unwinder, const struct sampled_record *record, uint64_t address)
{
	const struct mapping *mapping = spaces_find(unwinder->spaces, record->process, address);

	return mapping && mapping->code;
}

/*
 * Remembers where a call that begins now returns to. A tail call begins after a return probe of its caller may have replaced that address;
 * then only the function is updated.
 */
static void remember_call(struct unwinder *unwinder, const struct sampled_record *record, const struct place *place)
{
	uint64_t at = record->registers[REGISTER_STACK], to;
	struct returning *returning = find_returning(unwinder, record, at);

	if (!read_word(record, at, &to))
		return;
	if (!is_code(unwinder, record, to - 1)) {
		if (returning)
			returning->function = place->frames[place->count - 1];
		return;
	}
	if (!returning) {
		if (HASH_COUNT(unwinder->returning) == RETURNING_MAX)
			drop_returning(unwinder, unwinder->returning);
		returning = NEW(struct returning);
		returning->key = (struct returning_key){.at = at, .thread = record->thread};
		HASH_ADD(hh, unwinder->returning, key, sizeof(returning->key), returning);
	}
	returning->function = place->frames[place->count - 1];
	returning->to = to;
}

/* Corrects the return address if it is not one of code, and the address that the call began with is known. */
static void correct_return(struct unwinder *unwinder, const struct place *place, struct walker *walker)
{
	const struct returning *returning;

	if (!unwinder->returning || is_code(unwinder, walker->record, walker->registers[REGISTER_RETURN] - 1))
		return;
	returning = find_returning(unwinder, walker->record, walker->return_at);
	if (returning && returning->function == place->frames[place->count - 1])
		walker->registers[REGISTER_RETURN] = returning->to;
}

int unwind_user(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames)
{
	struct walker walker = {.record = record, .known = SAVED_BY_CALLED | 1 << REGISTER_STACK | 1 << REGISTER_RETURN};
	enum walked walked = WALK_ON;
	int count = 0;

	if (!record->user)
		return 0;
	memcpy(walker.registers, record->registers, sizeof(walker.registers));
	while (walked == WALK_ON && count < UNWIND_USER - 1) {
		/* A return address may lie behind the function's end if the call was its last instruction. */
		uint64_t pc = walker.registers[REGISTER_RETURN] - walker.called;
		const struct mapping *mapping = spaces_find(unwinder->spaces, record->process, pc);
		const struct place *place = mapping ? place_in(unwinder, mapping, pc) : NULL;

		walked = WALK_STUCK;
		if (!place || count + place->count > UNWIND_USER - 1)
			break;
		memcpy(frames + count, place->frames, (size_t)place->count * sizeof(*frames));
		if (record->kind == SAMPLED_CALL && count == 0)
			remember_call(unwinder, record, place);
		count += place->count;
		walked = walk(&walker, &place->step);
		if (walked == WALK_ON)
			correct_return(unwinder, place, &walker);
	}
	if (walked != WALK_OVER)
		frames[count++] = unwinder->unfinished;
	return count;
}

enum { CONTEXTS = 4095 }; /* PERF_CONTEXT_KERNEL and the like: marks, not addresses */

static int32_t kernel_frame(struct unwinder *unwinder, uint64_t address)
{
	bool is_new;
	struct place *place = place_at(unwinder, NULL, address, &is_new);
	const char *name;
	size_t length;

	if (!is_new)
		return place->frames[0];
	kallsyms_read(&unwinder->kernel); /* the address may lie in a new module */
	name = kallsyms_find(&unwinder->kernel, address, &length);
	add_frame(unwinder, place, name ? memory_text(name, length) : memory_format("?"));
	return place->frames[0];
}

/* The kernel's functions that call the sampler do not belong to the stack. */
static bool is_tracing(const char *frame)
{
	static const char prefix[] = "__traceiter_";

	return strncmp(frame, prefix, sizeof(prefix) - 1) == 0;
}

int unwind_kernel(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames)
{
	int count = 0;

	for (size_t i = 0; i < record->kernel_count && count < UNWIND_KERNEL; i++) {
		if (record->kernel[i] >= (uint64_t)-CONTEXTS)
			continue;
		frames[count] = kernel_frame(unwinder, record->kernel[i] - (i > 0));
		if (count > 0 || !is_tracing(unwind_text(unwinder, frames[count])))
			count++;
	}
	return count;
}
