/* trace.dat files: merges their rings and writes the events as the collector writes those of the kernel's rings. */
#include <errno.h>
#include <event-parse.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "import/import_format.h"
#include "import/tracedat.h"
#include "source/event_writer.h"
#include "stream/stream.h"

/*
 * symbols: the functions of a traced kernel and the formats of its trace_printk(), as a trace.dat file saved them.
 *
 * A stream gets only what its events need: a `symbol` or `timer` record before the first event that has a function's address, and
 * all `printk` records before the first event that has a format's address.
 */

enum { IDS = 1 << 16, FIELDS_OF_TYPE = 4 };

struct symbol {
	uint64_t address;
	const char *name; /* ends at a blank or at the end of the line */
};

/* An event type: its fields that are addresses of functions. */
struct type {
	uint16_t at[FIELDS_OF_TYPE];
	uint8_t size, count;
	bool of_timer;
	bool prints; /* its events have the address of a format of trace_printk() */
};

struct seen {
	uint64_t address;
	UT_hash_handle hh;
};

struct symbols {
	struct stream *stream;
	char *functions, *printks;
	ARRAY(struct symbol) list; /* by address; made when first needed */
	bool listed;
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

/* Reads "ffffffff81000000 T _stext [module]". */
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

	symbols->listed = true;
	for (const char *line = symbols->functions; line && *line;) {
		const char *newline = strchr(line, '\n');

		if (read_symbol(line, &symbol))
			*ARRAY_ADD(&symbols->list) = symbol;
		line = newline ? newline + 1 : NULL;
	}
	if (symbols->list.count)
		qsort(symbols->list.items, symbols->list.count, sizeof(struct symbol), by_address);
}

/* No function is this large, in bytes: an address that is this far behind the last symbol before it is in no function. */
enum { FUNCTION_MOST = 1 << 20 };

static const struct symbol *find(struct symbols *symbols, uint64_t address)
{
	size_t count;

	if (!symbols->listed)
		make_list(symbols);
	count = COUNT_UNTIL(symbols->list.items, symbols->list.count, address, address);
	if (!count || address - symbols->list.items[count - 1].address >= FUNCTION_MOST)
		return NULL;
	return &symbols->list.items[count - 1];
}

/* --- types of events ---------------------------------------------------------------------------------------------- */

/* The offset of a field, from the text of a format; 0: there is no such field of this size. */
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

/* The letters of the next conversion at or behind `at`. NULL: there is none before the closing quote. */
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

/* The place behind the comma that ends an argument; NULL: it is the last argument. */
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

/* The offset of the field in an argument such as "(void *)REC->function". 0: the argument is no field of that size. */
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

/* Takes an event's type: its id, "system:name", and the text of its format file. True: its events name functions or formats. */
static bool symbols_type(struct symbols *symbols, uint16_t id, const char *name, const char *format, unsigned long_size)
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

/* Writes the record of a function's address when the address first occurs. -1 after fail(). */
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

/* Reads "0xffffffff82345678 : \"a text\\n\"" and writes its record; in the quotes, the kernel has escaped characters as \n and \". */
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

/* Writes all formats of trace_printk(), before the first event that needs one. */
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

/* Writes records of the functions and formats that an event names, before the event (see struct event_writer). 0; -1 after fail(). */
static int symbols_introduce(void *context, const struct record *record)
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

/* Takes the texts of /proc/kallsyms and printk_formats; symbols_free() frees them. NULL: the file lacks the text. */
static struct symbols *symbols_new(struct stream *stream, char *functions, char *printks)
{
	struct symbols *symbols = NEW(struct symbols);

	symbols->stream = stream;
	symbols->functions = functions;
	symbols->printks = printks;
	return symbols;
}

static void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	HASH_FREE(symbols->seen);
	for (int i = 0; i < IDS; i++)
		free(symbols->types[i]);
	free(symbols->list.items);
	free(symbols->functions);
	free(symbols->printks);
	line_free(&symbols->line);
	free(symbols);
}

#define MAGIC "\027\010\104tracing"

static size_t is_tracedat(const char *bytes, size_t length)
{
	return length >= strlen(MAGIC) && memcmp(bytes, MAGIC, strlen(MAGIC)) == 0 ? IMPORT_SURE : 0;
}

/* The files that become one stream: a single file, or all files to merge. */
struct recording {
	ARRAY(struct tracedat *) files;
	struct selection *selection;
	struct process everyone;
	struct event_writer *writer;
	struct merge merge;
	struct symbols *symbols;
	char clock[32];
	bool is_text; /* it was text of a latency tracer, and has been imported */
};

static void free_recording(void *state)
{
	struct recording *recording = state;

	tracedat_rings_free(&recording->merge);
	for (size_t i = 0; i < recording->files.count; i++) {
		free((char *)recording->files.items[i]->name);
		tracedat_close(recording->files.items[i]);
		free(recording->files.items[i]);
	}
	free(recording->files.items);
	event_writer_free(recording->writer);
	selection_free(recording->selection);
	symbols_free(recording->symbols);
	free(recording);
}

/* --- the parts of a file ------------------------------------------------------------------------------------------ */

static struct tep_handle *new_handle(const struct tracedat *file)
{
	struct tep_handle *tep = tep_alloc();
	bool big = tep_is_local_bigendian(tep) != file->layout.swapped;

	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, file->layout.long_size);
	tep_set_file_bigendian(tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	return tep;
}

static int learn_formats(struct import *import, struct recording *recording, const struct tracedat *file)
{
	struct tep_handle *tep = new_handle(file);
	size_t unreadable = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < file->formats.count; i++) {
		const struct tracedat_format *format = &file->formats.items[i];
		struct selection *selection = recording->selection;
		const struct event_choice *choice;
		struct selected *selected;

		if (selection_add_recorded(selection, format->system, format->text, format->length, tep) < 0) {
			if (unreadable++ == 0)
				import_say(import, true, "%s: %s", file->name, fail_text());
			continue;
		}
		selected = selection_at(selection, selection_count(selection) - 1);
		choice = import_choose(import, selected->system, selected->name);
		selected->enabled = choice && choice->wanted;
		selected->predicate = choice ? choice->predicate : NULL;
		status = choice ? 0 : -1;
	}
	if (unreadable > 1)
		import_say(import, true, "%s: %zu formats in all cannot be read", file->name, unreadable);
	tep_free(tep);
	return status;
}

/* A further file to merge must give its events the same numbers as the first. */
static int compare_formats(const struct recording *recording, const struct tracedat *file)
{
	const struct tracedat *first = recording->files.items[0];
	size_t i = 0;

	if (first->layout.swapped != file->layout.swapped)
		return fail("'%s' and '%s' are of machines of different byte order", first->name, file->name);
	for (; i < file->formats.count && i < first->formats.count; i++)
		if (file->formats.items[i].length != first->formats.items[i].length ||
		    memcmp(file->formats.items[i].text, first->formats.items[i].text, file->formats.items[i].length) != 0)
			break;
	if (i < file->formats.count || i < first->formats.count)
		return fail("'%s' and '%s' do not record the same events, so they cannot be merged", first->name, file->name);
	return 0;
}

static int take_clock(struct recording *recording, const struct tracedat *file, const struct tracedat_buffer *buffer)
{
	const char *clock;

	if (tracedat_clock(file, buffer, &clock) < 0)
		return -1;
	if (*recording->clock && strcmp(recording->clock, clock) != 0)
		return fail("%s: the clocks '%s' and '%s' cannot be merged", file->name, recording->clock, clock);
	snprintf(recording->clock, sizeof(recording->clock), "%s", clock);
	return 0;
}

static int add_buffers(struct import *import, struct recording *recording, struct tracedat *file)
{
	for (size_t i = 0; i < file->buffers.count; i++) {
		const struct tracedat_buffer *buffer = &file->buffers.items[i];

		if (buffer->text) {
			import_say(import, true, "%s: instance '%s' was recorded by a latency tracer; it is left out", file->name, buffer->name);
			continue;
		}
		if (*buffer->name && !import_options(import)->instances) {
			import_say(import, false, "%s: the events of instance '%s' are left out; see --instances", file->name,
				   buffer->name);
			continue;
		}
		if (take_clock(recording, file, buffer) < 0 || tracedat_rings(file, buffer, &recording->merge) < 0)
			return -1;
	}
	return 0;
}

/* A latency tracer records the text of the kernel's trace file. */
static int read_text(struct import *import, struct recording *recording, struct tracedat *file, struct import_input *input)
{
	int fd, status;

	if (import_options(import)->merge)
		return fail("%s: it was recorded by a latency tracer, which writes text; that cannot be merged", file->name);
	fd = tracedat_text(file, &file->buffers.items[0]);
	if (fd < 0)
		return -1;
	recording->is_text = true;
	lines_restart(&input->lines, fd);
	status = import_ftrace.read(import, input);
	close(fd);
	return status;
}

static int add_file(struct import *import, struct recording *recording, struct import_input *input, int fd)
{
	struct tracedat *file = NEW(struct tracedat);
	int status = tracedat_open(file, memory_text(input->name, strlen(input->name)), fd);

	*ARRAY_ADD(&recording->files) = file;
	if (status < 0)
		return -1;
	if (file->buffers.items[0].text)
		return read_text(import, recording, file, input);
	status = recording->files.count == 1 ? learn_formats(import, recording, file) : compare_formats(recording, file);
	return status < 0 ? -1 : add_buffers(import, recording, file);
}

/* --- its stream --------------------------------------------------------------------------------------------------- */

/* Writes the parts of "Linux HOST RELEASE MACHINE". */
static void describe_machine(struct line *line, const char *uname, const char *machine)
{
	enum { HOST = 1, KERNEL, MACHINE, KEYS };
	static const char *const keys[KEYS] = {[HOST] = "host", [KERNEL] = "kernel", [MACHINE] = "machine"};
	const char *at = uname;
	bool told = false;

	for (int i = 0; at && *at && i < KEYS; i++) {
		size_t length = strcspn(at, " ");

		if (keys[i] && length)
			line_bytes(line, keys[i], at, length);
		told = i == MACHINE && length;
		at += length + (at[length] == ' ');
	}
	if (machine && !told)
		line_text(line, "machine", machine);
}

static int write_stream_record(const struct import *import, const struct recording *recording)
{
	const struct tracedat *file = recording->files.items[0];
	struct line line = {0};
	int status;

	line_begin(&line, "stream");
	line_integer(&line, "version", STREAM_VERSION);
	describe_machine(&line, file->uname, import_options(import)->machine);
	if (file->cpus > 0 && file->cpus <= TRACEDAT_CPUS_MAX)
		line_unsigned(&line, "cpus", file->cpus);
	if (*recording->clock)
		line_text(&line, "clock", recording->clock);
	if (file->dated)
		line_time(&line, "wall", file->wall);
	status = stream_write_line(import_stream(import), &line);
	line_free(&line);
	return status;
}

/* Has the names of the kernel's functions, from the file, written before the events that have their addresses. */
static void take_symbols(struct recording *recording, struct stream *stream)
{
	struct tracedat *file = recording->files.items[0];

	recording->symbols = symbols_new(stream, file->symbols, file->printks);
	file->symbols = file->printks = NULL;
	for (size_t i = 0; i < selection_count(recording->selection); i++) {
		struct selected *selected = selection_at(recording->selection, i);

		selected->introduced = selected->enabled &&
				   symbols_type(recording->symbols, selected->id, selected->event, selected->format, file->layout.long_size);
	}
}

static int write_beginning(struct import *import, struct recording *recording)
{
	const struct import_options *options = import_options(import);
	struct stream *stream = import_stream(import);
	bool swapped = recording->files.items[0]->layout.swapped;

	if (import_begin(import, swapped) < 0 || write_stream_record(import, recording) < 0)
		return -1;
	for (size_t i = 0; i < selection_count(recording->selection); i++) {
		const struct selected *selected = selection_at(recording->selection, i);

		if (selected->enabled && event_writer_format(stream, selected, swapped) < 0)
			return -1;
	}
	take_symbols(recording, stream);
	return options->begun ? options->begun(options->context, stream) : 0;
}

static int write_losses_at_end(struct recording *recording)
{
	for (int i = 0; i < recording->merge.count; i++) {
		const struct ring *ring = &recording->merge.rings[i];
		uint64_t lost = tracedat_lost_at_end(ring);

		if (lost && event_writer_lost(recording->writer, ring, ring->ts, lost) < 0)
			return -1;
	}
	return 0;
}

static void say_what_was_wrong(struct import *import, const struct recording *recording)
{
	for (size_t i = 0; i < recording->files.count; i++) {
		const struct tracedat *file = recording->files.items[i];

		if (file->cut) {
			import_say(import, true, "%s: it was cut: %llu bytes of events are missing behind byte %llu", file->name,
				   (unsigned long long)file->cut, (unsigned long long)file->size);
			stream_mark_cut(import_stream(import));
		}
		if (file->damaged)
			import_say(import, true, "%s: %llu pages of events are damaged, the first at byte %llu", file->name,
				   (unsigned long long)file->damaged, (unsigned long long)file->damaged_first);
	}
	if (recording->writer && event_writer_strangers(recording->writer))
		import_say(import, true, "%s: %llu events are left out, because no format describes them",
			   recording->files.items[0]->name, (unsigned long long)event_writer_strangers(recording->writer));
}

static int write_recording(struct import *import, struct recording *recording)
{
	struct event_writer_setup setup = {
		.stream = import_stream(import),
		.selection = recording->selection,
		.process = &recording->everyone,
		.names = import_options(import)->names,
		.foreign = true,
		.gaps = true,
		.cmdlines = recording->files.items[0]->cmdlines,
		.introduce = symbols_introduce,
	};

	if (!setup.cmdlines)
		setup.cmdlines = "";
	if (write_beginning(import, recording) < 0)
		return -1;
	setup.context = recording->symbols;
	recording->writer = event_writer_new(&setup);
	return event_writer_round(recording->writer, &recording->merge, INT64_MAX) < 0 || write_losses_at_end(recording) < 0 ? -1 : 0;
}

/* --- files and pipes ---------------------------------------------------------------------------------------------- */

/* A trace.dat file is not read from front to back, so input from a pipe is copied into a nameless file first. */
static int spool(const struct import_input *input)
{
	FILE *copy = file_temporary(NULL);
	const char *at = input->lines.buffer;
	size_t left = input->lines.length;
	char *bytes;
	int fd = -1;

	if (!copy)
		return fail_prefix("cannot copy '%s'", input->name);
	bytes = memory_new(1, 1 << 20);
	for (;;) {
		ssize_t got;

		if (left > 0 && fwrite(at, left, 1, copy) != 1)
			break;
		got = read(input->fd, bytes, 1 << 20);
		if (got == 0 && fflush(copy) == 0)
			fd = dup(fileno(copy));
		if (got <= 0 && !(got < 0 && errno == EINTR))
			break;
		at = bytes;
		left = got > 0 ? (size_t)got : 0;
	}
	if (fd < 0)
		fail_errno("cannot copy '%s' into a temporary file", input->name);
	free(bytes);
	fclose(copy);
	return fd;
}

static int read_tracedat(struct import *import, struct import_input *input)
{
	bool merge = import_options(import)->merge;
	void **state = import_state(import, free_recording);
	struct recording *recording = *state;
	struct stat about;
	int fd = input->fd, status;

	if (!recording) {
		*state = recording = NEW(struct recording);
		recording->selection = selection_new();
	}
	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
		fd = spool(input);
	status = fd < 0 ? -1 : add_file(import, recording, input, fd);
	if (fd >= 0 && fd != input->fd)
		close(fd);
	if (status < 0 || merge)
		return status;
	status = recording->is_text ? 0 : write_recording(import, recording);
	if (status == 0)
		say_what_was_wrong(import, recording);
	free_recording(recording);
	*state = NULL;
	return status;
}

static int end_tracedat(struct import *import)
{
	struct recording *recording = *import_state(import, free_recording);

	int status = recording ? write_recording(import, recording) : 0;

	if (recording && status == 0)
		say_what_was_wrong(import, recording);
	return status;
}

const struct import_format import_tracedat = {.name = "trace.dat", .words = "trace.dat", .is = is_tracedat, .read = read_tracedat, .end = end_tracedat};
