#include "import/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"

enum { IDS = 1 << 16, FIELDS_OF_TYPE = 4 };

struct symbol {
	uint64_t address;
	const char *name; /* ends at a blank or at the end of the line */
};

/* The fields of a type of event that are functions' addresses. */
struct type {
	uint16_t at[FIELDS_OF_TYPE];
	uint8_t size, count;
	bool of_timer;
	bool prints; /* names a format of trace_printk() */
};

struct seen {
	uint64_t address;
	UT_hash_handle hh;
};

struct symbols {
	struct stream *stream;
	char *functions, *printks;
	ARRAY(struct symbol) list; /* by address, once it is needed */
	struct type *types[IDS];
	bool printed; /* the formats of trace_printk() were written */
	struct seen *seen;
	struct line line;
};

/* --- the list ----------------------------------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right)
{
	const struct symbol *one = left, *other = right;

	return (one->address > other->address) - (one->address < other->address);
}

/* "ffffffff81000000 T _stext [module]" */
static bool read_symbol(const char *line, struct symbol *symbol)
{
	char *end;

	symbol->address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ' || symbol->address == 0)
		return false;
	symbol->name = end + 3;
	return *symbol->name > ' ';
}

static void make_list(struct symbols *symbols)
{
	struct symbol symbol;

	for (const char *line = symbols->functions; line && *line;) {
		const char *newline = strchr(line, '\n');

		if (read_symbol(line, &symbol))
			*ARRAY_ADD(&symbols->list) = symbol;
		line = newline ? newline + 1 : NULL;
	}
	if (symbols->list.count)
		qsort(symbols->list.items, symbols->list.count, sizeof(struct symbol), by_address);
}

/* A function is not as large: what lies farther behind the last symbol before it is none. */
enum { FUNCTION_MOST = 1 << 20 };

static const struct symbol *find(struct symbols *symbols, uint64_t address)
{
	size_t count;

	if (!symbols->list.count && symbols->functions)
		make_list(symbols);
	count = COUNT_UNTIL(symbols->list.items, symbols->list.count, address, address);
	if (!count || address - symbols->list.items[count - 1].address >= FUNCTION_MOST)
		return NULL;
	return &symbols->list.items[count - 1];
}

/* --- types of events ---------------------------------------------------------------------------------------------- */

/* The offset of a field in the text of a format; 0: there is none of this size. */
static uint16_t offset_of(const char *format, const char *name, size_t length, unsigned size)
{
	for (const char *line = strstr(format, "\tfield:"); line; line = strstr(line + 1, "\tfield:")) {
		const char *end = strchr(line, ';');
		unsigned offset, bytes;

		if (!end || (size_t)(end - line) < length + 1 || memcmp(end - length, name, length) != 0 ||
		    !strchr(" *", end[-(long)length - 1]))
			continue;
		if (sscanf(end, ";\toffset:%u;\tsize:%u;", &offset, &bytes) == 2 && bytes == size && offset <= UINT16_MAX)
			return (uint16_t)offset;
	}
	return 0;
}

/* The next conversion at or behind `at`: its letters. NULL: there is none before the closing quote. */
static const char *next_conversion(const char *at)
{
	for (; *at && *at != '"'; at++) {
		if (*at == '\\' && at[1]) {
			at++;
		} else if (*at == '%') {
			at += 1 + strspn(at + 1, "-+ #0123456789.*");
			if (*at != '%')
				return at;
		}
	}
	return NULL;
}

/* Behind the comma that ends an argument; NULL: it is the last one. */
static const char *next_argument(const char *at)
{
	int depth = 0;

	for (; *at && *at != '\n'; at++) {
		depth += *at == '(' || *at == '{';
		depth -= *at == ')' || *at == '}';
		if (*at == ',' && depth <= 0)
			return at + 1;
	}
	return NULL;
}

/* The field of an argument: "(void *)REC->function". 0: the argument is no field of that size. */
static uint16_t argument_at(const char *format, const char *argument, unsigned size)
{
	static const char mark[] = "REC->";
	const char *end = next_argument(argument), *at = strstr(argument, mark);
	size_t length;

	if (!at || (end && at >= end))
		return 0;
	at += sizeof(mark) - 1;
	length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return offset_of(format, at, length, size);
}

bool symbols_type(struct symbols *symbols, uint16_t id, const char *name, const char *format, unsigned long_size)
{
	const char *print = strstr(format, "print fmt: \""), *letters, *argument;
	struct type type = {.size = (uint8_t)long_size, .of_timer = strncmp(name, "timer:", strlen("timer:")) == 0};

	type.prints = symbols->printks && (strcmp(name, "ftrace:bprint") == 0 || strcmp(name, "ftrace:bputs") == 0);
	if (!print || symbols->types[id])
		return false;
	print += strlen("print fmt: \"");
	argument = strstr(print, "\",");
	argument = argument ? argument + 2 : NULL;
	for (; argument && (letters = next_conversion(print)) && type.count < FIELDS_OF_TYPE; argument = next_argument(argument)) {
		uint16_t at = letters[0] == 'p' && letters[1] && strchr("sSfFB", letters[1]) ? argument_at(format, argument, long_size) : 0;

		if (at)
			type.at[type.count++] = at;
		print = letters;
	}
	if (!symbols->functions)
		type.count = 0;
	if (!type.count && !type.prints)
		return false;
	symbols->types[id] = memory_new(1, sizeof(type));
	*symbols->types[id] = type;
	return true;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void begin_record(struct symbols *symbols, const char *kind, uint64_t address)
{
	char text[NUMBER_ROOM];

	line_begin(&symbols->line, kind);
	line_bytes(&symbols->line, "address", text, number_spell_hex(text, address));
}

/* Tells the stream of an address the first time. -1 after fail(). */
static int tell(struct symbols *symbols, uint64_t address, bool of_timer)
{
	const struct symbol *symbol;
	struct seen *seen;

	HASH_FIND(hh, symbols->seen, &address, sizeof(address), seen);
	if (seen)
		return 0;
	seen = NEW(struct seen);
	seen->address = address;
	HASH_ADD(hh, symbols->seen, address, sizeof(address), seen);
	symbol = find(symbols, address);
	if (!symbol)
		return 0;
	begin_record(symbols, of_timer ? "timer" : "symbol", address);
	line_bytes(&symbols->line, of_timer ? "function" : "name", symbol->name, strcspn(symbol->name, " \t\r\n"));
	if (!of_timer && address != symbol->address)
		line_unsigned(&symbols->line, "offset", address - symbol->address);
	return stream_write_line(symbols->stream, &symbols->line);
}

static uint64_t number_at(const struct record *record, uint16_t at, uint8_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == sizeof(wide)) {
		memcpy(&wide, record->text + at, sizeof(wide));
		return record->swapped ? __builtin_bswap64(wide) : wide;
	}
	memcpy(&narrow, record->text + at, sizeof(narrow));
	return record->swapped ? __builtin_bswap32(narrow) : narrow;
}

/* "0xffffffff82345678 : \"a text\\n\"": between the quotes, with \n and \" as the kernel writes them. */
static int write_printk(struct symbols *symbols, const char *line, size_t length)
{
	const char *open = memchr(line, '"', length), *close = open ? memrchr(line, '"', length) : NULL;
	char *text, *end;
	uint64_t address = strtoull(line, &end, 16);
	size_t used = 0;
	int status;

	if (end == line || !open || close == open)
		return 0;
	text = memory_new((size_t)(close - open), 1);
	for (const char *at = open + 1; at < close; at++) {
		bool escaped = *at == '\\' && at + 1 < close;

		at += escaped;
		text[used++] = escaped && *at == 'n' ? '\n' : escaped && *at == 't' ? '\t' : *at;
	}
	begin_record(symbols, "printk", address);
	line_bytes(&symbols->line, "format", text, used);
	status = stream_write_line(symbols->stream, &symbols->line);
	free(text);
	return status;
}

/* All of them, before the first event that needs one. */
static int write_printks(struct symbols *symbols)
{
	symbols->printed = true;
	for (const char *line = symbols->printks; line && *line;) {
		size_t length = strcspn(line, "\n");

		if (write_printk(symbols, line, length) < 0)
			return -1;
		line += length + (line[length] == '\n');
	}
	return 0;
}

int symbols_introduce(void *context, const struct record *record)
{
	struct symbols *symbols = context;
	const struct type *type;
	uint16_t id;

	if (!record->packed || record->length < sizeof(id))
		return 0;
	memcpy(&id, record->text, sizeof(id));
	type = symbols->types[record->swapped ? __builtin_bswap16(id) : id];
	if (type && type->prints && !symbols->printed && write_printks(symbols) < 0)
		return -1;
	for (int i = 0; type && i < type->count; i++)
		if ((size_t)type->at[i] + type->size <= record->length &&
		    tell(symbols, number_at(record, type->at[i], type->size), type->of_timer) < 0)
			return -1;
	return 0;
}

struct symbols *symbols_new(struct stream *stream, char *functions, char *printks)
{
	struct symbols *symbols = NEW(struct symbols);

	symbols->stream = stream;
	symbols->functions = functions;
	symbols->printks = printks;
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	struct seen *seen, *next;

	if (!symbols)
		return;
	HASH_ITER(hh, symbols->seen, seen, next) {
		HASH_DEL(symbols->seen, seen);
		free(seen);
	}
	for (int i = 0; i < IDS; i++)
		free(symbols->types[i]);
	free(symbols->list.items);
	free(symbols->functions);
	free(symbols->printks);
	line_free(&symbols->line);
	free(symbols);
}
