#include "source/argument_record.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "event/event.h"

enum { WORDS_MAX = 63 /* the kernel's limit for one value */, NAME_ROOM = 8, NONE = -1 };

/* The kernel is asked for the texts of arguments, for texts that tell whether places can be read, and for one that is always there. */
enum { TEXTS_MAX = 3 * ARGUMENTS_MAX + 1 };

struct recorded_argument {
	char label[ARGUMENT_WORD];
	struct argument_found found;
	int text;	 /* its number among texts; NONE: it is a number */
	int look, length_look; /* the text that tells whether it, or its length, could be read; NONE: it always can be */
	uint16_t at, length_at; /* offsets in the kernel's event; `at` of a text: unused */
	uint16_t out;		/* offset in the stream's event */
};

struct argument_record {
	struct recorded_argument items[ARGUMENTS_MAX];
	int count;
	bool at_end, alike;
	int descriptor; /* its place among the items; NONE: there is none */
	struct argument_path looks[TEXTS_MAX];
	int texts; /* without the one that is always there */
	bool last;  /* the one that is always there is asked for, too */
	uint16_t text_at[TEXTS_MAX];
	uint16_t told_at; /* of an end: offset of the flag whether the function returns */
	uint16_t head;	  /* bytes before the arguments */
	uint16_t unknown_at, size; /* in the stream's event */
	unsigned first;	  /* number of fields before the arguments, without the common ones */
};

#if defined(__x86_64__)
static const char *const registers[] = {"%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp",
					"%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15"};
enum { STACK = 7 };
#elif defined(__aarch64__)
static const char *const registers[] = {"%x0",	"%x1",	"%x2",	"%x3",	"%x4",	"%x5",	"%x6",	"%x7",	"%x8",	"%x9",	"%x10",
					"%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18", "%x19", "%x20", "%x21",
					"%x22", "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%x30", "%sp"};
enum { STACK = 31 };
#else
static const char *const registers[] = {NULL};
enum { STACK = 0 };
#endif

static bool is_text(const struct argument_found *found)
{
	return found->form >= ARGUMENT_FORM_TEXT;
}

/* Tells whether the path's end can be read for certain: it is in a register, on the stack, or in a variable of the program. */
static bool is_certain(const struct argument_path *path)
{
	return path->derefs == 0 || (path->derefs == 1 && (path->start == STACK || path->start == ARGUMENT_AT_FILE));
}

/* Tells whether both lead into the same object. */
static bool is_near(const struct argument_path *a, const struct argument_path *b)
{
	return a->start == b->start && a->derefs == b->derefs &&
	       memcmp(a->offset, b->offset, (size_t)(a->derefs - 1) * sizeof(a->offset[0])) == 0;
}

/* Returns the text that tells whether the path's end could be read; NONE: it always can be. */
static int look_for(struct argument_record *record, const struct argument_path *path, int first)
{
	if (is_certain(path))
		return NONE;
	for (int i = first; i < record->texts; i++)
		if (is_near(&record->looks[i], path))
			return i;
	record->looks[record->texts] = *path;
	return record->texts++;
}

static void move(int *text, int from, int to)
{
	*text = *text == from ? to : *text == to ? from : *text;
}

/*
 * Puts a text whose address is in a register last: if the kernel cannot read such a text, its length is 0. If there is no such text, asks for
 * one more that is always there, which costs a tenth of a hit.
 */
static void order_texts(struct argument_record *record)
{
	int last = record->texts - 1, simple = last;
	struct argument_path path;

	while (simple >= 0 && record->looks[simple].derefs > 1)
		simple--;
	record->last = record->texts > 0 && simple < 0;
	if (simple < 0)
		return;
	path = record->looks[simple];
	record->looks[simple] = record->looks[last];
	record->looks[last] = path;
	for (int i = 0; i < record->count; i++) {
		move(&record->items[i].text, simple, last);
		move(&record->items[i].look, simple, last);
		move(&record->items[i].length_look, simple, last);
	}
}

static void find_texts(struct argument_record *record)
{
	int first;

	for (int i = 0; i < record->count; i++)
		if (is_text(&record->items[i].found) && !record->items[i].found.absent) {
			record->looks[record->texts] = record->items[i].found.value;
			record->items[i].text = record->texts++;
		}
	first = record->texts;
	for (int i = 0; i < record->count; i++) {
		struct recorded_argument *argument = &record->items[i];

		if (argument->found.absent)
			continue;
		if (argument->text == NONE)
			argument->look = look_for(record, &argument->found.value, first);
		else if (argument->found.form == ARGUMENT_FORM_COUNTED)
			argument->length_look = look_for(record, &argument->found.length, first);
	}
	order_texts(record);
}

static struct argument_record *new_record(const struct arguments *arguments, const struct argument_found *found, bool at_end, bool alike)
{
	struct argument_record *record = NEW(struct argument_record);

	record->at_end = at_end;
	record->alike = alike;
	record->descriptor = NONE;
	for (int i = 0; i < arguments->count; i++)
		if ((arguments->items[i].base == ARGUMENT_RESULT) == at_end) {
			struct recorded_argument *argument = &record->items[record->count++];

			*argument = (struct recorded_argument){.found = found[i], .text = NONE, .look = NONE, .length_look = NONE};
			memcpy(argument->label, arguments->items[i].label, sizeof(argument->label));
			if (found[i].by_members && !is_text(&found[i]) && strcmp(argument->label, ARGUMENT_DESCRIPTOR) == 0)
				record->descriptor = record->count - 1;
		}
	find_texts(record);
	return record;
}

struct argument_record *argument_record_new(const struct arguments *arguments, const struct argument_found *found, bool at_end)
{
	struct argument_record *record = new_record(arguments, found, at_end, false);

	if (record->count)
		return record;
	free(record);
	return NULL;
}

struct argument_record *argument_record_new_alike(const struct arguments *arguments, const struct argument_found *found, bool at_end)
{
	return new_record(arguments, found, at_end, true);
}

void argument_record_free(struct argument_record *record)
{
	free(record);
}

/* --- what the kernel is asked ------------------------------------------------------------------------------------------ */

/* Spells the path as uprobes do: "+8(+16(%di))". The caller frees it. NULL after fail(). */
static char *spell_path(const struct argument_path *path, enum argument_end end)
{
	const char *start = path->start == ARGUMENT_AT_RESULT ? end == ARGUMENT_END_BEHIND ? "$retval" : registers[0]
			    : path->start < sizeof(registers) / sizeof(registers[0]) ? registers[path->start] : NULL;
	char *text, *inner;
	int from = 0;

	if (path->start == ARGUMENT_AT_FILE)
		text = memory_format("@+%lld", (long long)path->offset[from++]);
	else if (start)
		text = memory_text(start, strlen(start));
	else
		return fail("an argument is in a register that this machine does not have"), NULL;
	for (int i = from; i < path->derefs; i++) {
		inner = text;
		text = memory_format("%+lld(%s)", (long long)path->offset[i], inner);
		free(inner);
	}
	if (strlen(text) <= WORDS_MAX - NAME_ROOM)
		return text;
	free(text);
	return fail("an argument is too many steps away for the kernel"), NULL;
}

/* Appends " NAME=WHERE:TYPE". -1 after fail(). */
static int add(char **words, char kind, int number, const struct argument_path *path, const char *type, enum argument_end end)
{
	char *where = spell_path(path, end), *before = *words;

	if (!where)
		return -1;
	*words = memory_format("%s%s%c%d=%s:%s", before, *before ? " " : "", kind, number, where, type);
	free(before);
	free(where);
	return 0;
}

static const char *number_type(const struct argument_found *found)
{
	static const char *const types[][9] = {{[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"}, {[1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64"}};

	return types[found->form == ARGUMENT_FORM_SIGNED][found->size];
}

static int add_numbers(const struct argument_record *record, char **words, enum argument_end end)
{
	for (int i = 0; i < record->count; i++) {
		const struct argument_found *found = &record->items[i].found;

		if (found->absent)
			continue;
		if (!is_text(found) && add(words, 'a', i, &found->value, number_type(found), end) < 0)
			return -1;
		if (found->form == ARGUMENT_FORM_COUNTED && add(words, 'n', i, &found->length, "u64", end) < 0)
			return -1;
	}
	return 0;
}

/* Refuses texts if panic_on_warn is set: the kernel warns of a text that does not fit into an event, and the machine would stop. */
static int check_warnings(void)
{
	size_t size;
	char *text = file_read("/proc/sys/kernel/panic_on_warn", &size);
	bool stops = text && *text != '0';

	free(text);
	return stops ? fail("this machine stops at warnings of its kernel, and long text among arguments causes one: tell what is in registers only, "
			    "or set kernel.panic_on_warn=0")
		     : 0;
}

char *argument_record_fetch(const struct argument_record *record, enum argument_end end)
{
	char *words = memory_text("", 0), *before;
	int status = record->texts ? check_warnings() : 0;

	if (status == 0)
		status = add_numbers(record, &words, end);
	for (int i = 0; i < record->texts && status == 0; i++)
		status = add(&words, 't', i, &record->looks[i], "string", end);
	before = words;
	words = memory_format("%s%s%s", before, record->last ? " last=$comm:string" : "",
			      !record->at_end ? "" : end == ARGUMENT_END_JUMP ? " told=\\0:u8" : " told=\\1:u8");
	free(before);
	if (status == 0)
		return words;
	free(words);
	return NULL;
}

/* --- formats ------------------------------------------------------------------------------------------------------------- */

static int offset_of(struct tep_event *event, uint16_t *at, const char *format, int number)
{
	struct tep_format_field *field;
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), format, number);
	field = tep_find_field(event, name);
	if (!field)
		return fail("the kernel has lost the argument '%s'", name);
	*at = (uint16_t)field->offset;
	if (field->flags & TEP_FIELD_IS_DYNAMIC && field->size != sizeof(uint32_t))
		return fail("the kernel's argument '%s' is not understood", name);
	return 0;
}

static int find_all(struct argument_record *record, struct tep_event *event)
{
	int status = 0;

	for (int i = 0; i < record->count && status == 0; i++) {
		struct recorded_argument *argument = &record->items[i];

		if (argument->found.absent)
			continue;
		if (argument->text == NONE)
			status = offset_of(event, &argument->at, "a%d", i);
		else if (argument->found.form == ARGUMENT_FORM_COUNTED)
			status = offset_of(event, &argument->length_at, "n%d", i);
	}
	for (int i = 0; i < record->texts && status == 0; i++)
		status = offset_of(event, &record->text_at[i], "t%d", i);
	if (record->last && status == 0)
		status = offset_of(event, &record->text_at[record->texts], "last", 0);
	return status == 0 && record->at_end ? offset_of(event, &record->told_at, "told", 0) : status;
}

static uint16_t least(uint16_t a, uint16_t b)
{
	return a < b ? a : b;
}

/* Keeps the fields before the first argument, unless events are to be alike. NULL after fail(). */
static const char *find_head(struct argument_record *record, struct tep_event *event)
{
	record->first = 0;
	if (record->alike && event->format.fields) {
		record->head = (uint16_t)event->format.fields->offset;
		return event->format.fields->name;
	}
	record->head = UINT16_MAX;
	for (int i = 0; i < record->count; i++) {
		const struct recorded_argument *argument = &record->items[i];

		if (argument->text == NONE)
			record->head = least(record->head, argument->at);
		else if (argument->found.form == ARGUMENT_FORM_COUNTED)
			record->head = least(record->head, argument->length_at);
	}
	if (record->texts)
		record->head = least(record->head, record->text_at[0]);
	for (struct tep_format_field *field = event->format.fields; field; field = field->next) {
		if (field->offset == record->head)
			return field->name;
		record->first++;
	}
	return fail("the kernel has lost all arguments"), NULL;
}

/* The line of the format text that has this field. */
static const char *line_of(const char *format, const char *name)
{
	char *end = memory_format(" %s;\toffset:", name);
	const char *at = strstr(format, end);

	free(end);
	while (at && at > format && at[-1] != '\n')
		at--;
	return at;
}

static uint16_t aligned(uint16_t at, uint16_t size)
{
	return (uint16_t)((at + size - 1) / size * size);
}

/* Appends a field, and its parts of the print format; returns its offset. */
static uint16_t add_field(char **fields, char **print, char **values, uint16_t *at, const char *type, uint16_t size, bool has_sign, const char *label,
			  const char *form, bool text)
{
	uint16_t here = aligned(*at, size);
	char *before[] = {*fields, *print, *values};

	*at = (uint16_t)(here + size);
	*fields = memory_format("%s\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", before[0], type, label, here, size, has_sign);
	*print = memory_format("%s %s=%s", before[1], label, form);
	*values = memory_format("%s, %s%s%s", before[2], text ? "__get_str(" : "REC->", label, text ? ")" : "");
	for (size_t i = 0; i < 3; i++)
		free(before[i]);
	return here;
}

static char *make_format(struct argument_record *record, const char *kernels, const char *head_end)
{
	static const struct {
		const char *type, *print;
	} forms[][9] = {
		[ARGUMENT_FORM_UNSIGNED] = {[1] = {"u8", "%u"}, [2] = {"u16", "%u"}, [4] = {"u32", "%u"}, [8] = {"u64", "%Lu"}},
		[ARGUMENT_FORM_SIGNED] = {[1] = {"s8", "%d"}, [2] = {"s16", "%d"}, [4] = {"s32", "%d"}, [8] = {"s64", "%Ld"}},
		[ARGUMENT_FORM_HEX] = {[8] = {"void *", "0x%Lx"}},
	};
	char *fields = memory_text("", 0), *print = memory_text("", 0), *values = memory_text("", 0), *whole;
	uint16_t at = record->head;

	for (int i = 0; i < record->count; i++) {
		struct recorded_argument *argument = &record->items[i];
		const struct argument_found *found = &argument->found;
		enum argument_form form = found->form == ARGUMENT_FORM_HEX && found->size != 8 ? ARGUMENT_FORM_UNSIGNED : found->form;

		argument->out = is_text(found) ? add_field(&fields, &print, &values, &at, "__data_loc char[]", 4, true, argument->label, "\\\"%s\\\"", true)
					   : add_field(&fields, &print, &values, &at, forms[form][found->size].type, found->size,
						       form == ARGUMENT_FORM_SIGNED, argument->label, forms[form][found->size].print, false);
	}
	record->unknown_at = add_field(&fields, &print, &values, &at, "u64", 8, false, EVENT_UNKNOWN, "0x%Lx", false);
	record->size = at;
	whole = memory_format("%.*s%s\nprint fmt: \"%s\"%s\n", (int)(head_end - kernels), kernels, fields, print + 1, values);
	free(fields);
	free(print);
	free(values);
	return whole;
}

int argument_record_learn(struct argument_record *record, struct tep_event *event, char **format, int *length)
{
	const char *first = find_all(record, event) < 0 ? NULL : find_head(record, event), *line;
	char *made;

	if (!first)
		return -1;
	line = line_of(*format, first);
	if (!line)
		return fail("cannot understand the format of a function's event");
	made = make_format(record, *format, line);
	free(*format);
	*format = made;
	*length = (int)strlen(made);
	return 0;
}

/* --- records ------------------------------------------------------------------------------------------------------------- */

static uint64_t number_at(const char *payload, uint16_t at, unsigned size)
{
	uint64_t number = 0;

	memcpy(&number, payload + at, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	number >>= 64 - 8 * size;
#endif
	return number;
}

static uint32_t place_of(const struct argument_record *record, const char *payload, int text)
{
	return (uint32_t)number_at(payload, record->text_at[text], sizeof(uint32_t));
}

/*
 * Tells whether the kernel could read this text. If it could not, the text's length is 0. If it could not even read the text's address, it
 * leaves the field as prepared, and so the text has the place of the next one.
 */
static bool was_read(const struct argument_record *record, const char *payload, int text)
{
	uint32_t place = place_of(record, payload, text);

	if (text + 1 == record->texts && !record->last)
		return place >> 16;
	return place >> 16 && (place & 0xffff) != (place_of(record, payload, text + 1) & 0xffff);
}

/* A number that the kernel could not read is zero; if it could not even read a place on the path before it, the number may be anything. */
static bool is_known(const struct argument_record *record, const char *payload, const struct argument_path *path, int look, uint64_t number)
{
	return look == NONE || (path->derefs == 1 && number) || was_read(record, payload, look);
}

static uint64_t take_bits(const struct argument_found *found, uint64_t number)
{
	unsigned unused;

	if (!found->bits)
		return number;
	number >>= found->bit;
	unused = 64u - found->bits;
	number <<= unused;
	return found->form == ARGUMENT_FORM_SIGNED ? (uint64_t)((int64_t)number >> unused) : number >> unused;
}

static bool take_number(const struct argument_record *record, const struct recorded_argument *argument, const char *payload, char *bytes)
{
	uint64_t raw = number_at(payload, argument->at, argument->found.size), number = take_bits(&argument->found, raw);

	if (!is_known(record, payload, &argument->found.value, argument->look, raw))
		return false;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	number <<= 64 - 8 * argument->found.size;
#endif
	memcpy(bytes + argument->out, &number, argument->found.size);
	return true;
}

static size_t path_length(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && (unsigned char)text[length] > ' ' && text[length] != '?' && text[length] != 0x7f)
		length++;
	return length;
}

/* Finds the text and its length, which is at most that of the argument. False: unknown. */
static bool find_text(const struct argument_record *record, const struct recorded_argument *argument, const char *payload, size_t size,
		      const char **text, size_t *length)
{
	uint32_t place = place_of(record, payload, argument->text), at = place & 0xffff;
	bool read = was_read(record, payload, argument->text) && at + (place >> 16) <= size;
	uint64_t most = argument->found.size;

	if (argument->found.form == ARGUMENT_FORM_COUNTED) {
		most = number_at(payload, argument->length_at, 8);
		if (!is_known(record, payload, &argument->found.length, argument->length_look, most) || (most && !read))
			return false;
		most = most < argument->found.size ? most : argument->found.size;
	} else if (!read) {
		return false;
	}
	*text = payload + at;
	*length = most ? strnlen(*text, most < place >> 16 ? most : place >> 16) : 0;
	*length = argument->found.path ? path_length(*text, *length) : *length;
	return true;
}

/* Puts the text at the end of the stream's event. */
static bool take_text(const struct argument_record *record, const struct recorded_argument *argument, const char *payload, size_t size, char *bytes,
		      size_t *used)
{
	const char *text;
	size_t length;
	uint32_t place;

	if (!find_text(record, argument, payload, size, &text, &length))
		return false;
	place = (uint32_t)*used | (uint32_t)(length + 1) << 16;
	memcpy(bytes + argument->out, &place, sizeof(place));
	memcpy(bytes + *used, text, length);
	bytes[*used + length] = '\0';
	*used += length + 1;
	return true;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Where the fields of the kernel's event end, before the texts. */
static size_t end_of(const struct argument_record *record)
{
	size_t end = record->head;

	for (int i = 0; i < record->count; i++) {
		const struct recorded_argument *argument = &record->items[i];

		if (argument->found.absent)
			continue;
		if (argument->text == NONE)
			end = most(end, argument->at + (size_t)argument->found.size);
		else if (argument->found.form == ARGUMENT_FORM_COUNTED)
			end = most(end, argument->length_at + sizeof(uint64_t));
	}
	for (int i = 0; i < record->texts + record->last; i++)
		end = most(end, record->text_at[i] + sizeof(uint32_t));
	return record->at_end ? most(end, record->told_at + 1u) : end;
}

bool argument_record_has_descriptor(const struct argument_record *record)
{
	return record->descriptor != NONE;
}

bool argument_record_descriptor(const struct argument_record *record, const char *payload, size_t size, int64_t *fd)
{
	const struct recorded_argument *argument = &record->items[record->descriptor == NONE ? 0 : record->descriptor];
	uint64_t raw;

	if (record->descriptor == NONE || end_of(record) > size)
		return false;
	raw = number_at(payload, argument->at, argument->found.size);
	if (!is_known(record, payload, &argument->found.value, argument->look, raw))
		return false;
	raw = take_bits(&argument->found, raw);
	*fd = argument->found.size == sizeof(int32_t) ? (int32_t)raw : (int64_t)raw;
	return true;
}

size_t argument_record_take(const struct argument_record *record, const char *payload, size_t size, bool trusted, char bytes[ARGUMENT_RECORD_ROOM])
{
	bool told_at_all = true;
	size_t used = record->size;
	uint64_t unknown = 0;

	if (end_of(record) > size)
		return 0;
	if (record->at_end)
		told_at_all = payload[record->told_at];
	memset(bytes, 0, record->size);
	memcpy(bytes, payload, record->head);
	for (int i = 0; i < record->count; i++) {
		const struct recorded_argument *argument = &record->items[i];
		bool held = argument->found.absent || (argument->found.by_members && !trusted);
		bool known = told_at_all && !held && (argument->text == NONE ? take_number(record, argument, payload, bytes)
								: take_text(record, argument, payload, size, bytes, &used));

		unknown |= (uint64_t)!known << (record->first + (unsigned)i);
	}
	memcpy(bytes + record->unknown_at, &unknown, sizeof(unknown));
	return used;
}

bool argument_record_number(const struct argument_record *record, int which, const char *payload, size_t size, uint64_t *number)
{
	const struct recorded_argument *argument = &record->items[which];

	if (end_of(record) > size)
		return false;
	*number = number_at(payload, argument->at, argument->found.size);
	return is_known(record, payload, &argument->found.value, argument->look, *number);
}

bool argument_record_text(const struct argument_record *record, int which, const char *payload, size_t size, char text[ARGUMENT_TEXT_MOST + 1])
{
	const char *found;
	size_t length;

	if (end_of(record) > size || !find_text(record, &record->items[which], payload, size, &found, &length))
		return false;
	memcpy(text, found, length);
	text[length] = '\0';
	return true;
}
