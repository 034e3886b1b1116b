#include "stream/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/input.h"
#include "base/memory.h"
#include "stream/foreign.h"

enum { BUFFER = BUFFER_SIZE(1 << 18, 256) };

#define STANDARD_INPUT "standard input"
#define PLACE_TEXT (UINT64_C(1) << 47)
#define PLACE_POSITION (PLACE_TEXT - 1)

struct reader {
	char *const *files;
	int count, next; /* files, and the one to open next */
	const char *name;
	int fd;
	char *buffer;
	size_t room, start, length; /* start: the record at hand; length: bytes that are filled */
	uint64_t offset;	    /* of buffer[0] in the file */
	uint64_t at, line;	    /* of the record at hand: offset; line number in text */
	bool text, swapped, fresh;  /* fresh: nothing of this file was looked at yet */
	bool open, ended;	    /* a binary segment is under way; its end record was seen */
	bool parsed;
	struct fields fields;
	struct cuts cuts;
	char where[256];
	int (*wait)(void *context, int fd);
	void *context;
};

/* A file, or what is open already, is about to be read. */
static void begin_file(struct reader *reader, const char *name)
{
	reader->name = name;
	reader->offset = reader->start = reader->length = 0;
	reader->line = 0;
	reader->text = true;
	reader->fresh = true;
	reader->open = reader->swapped = false;
}

static int open_next(struct reader *reader)
{
	const char *name = reader->files[reader->next++];

	begin_file(reader, name);
	if (!strcmp(name, "-")) {
		reader->name = STANDARD_INPUT;
		reader->fd = STDIN_FILENO;
		return 0;
	}
	reader->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return fail_errno("cannot open '%s'", name);
	posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

static struct reader *reader_new(void)
{
	struct reader *reader = NEW(struct reader);

	reader->room = BUFFER;
	reader->buffer = memory_new(reader->room, 1);
	return reader;
}

struct reader *reader_attach(int fd, const char *name)
{
	struct reader *reader = reader_new();

	begin_file(reader, name);
	reader->fd = fd;
	return reader;
}

struct reader *reader_open(char *const *files, int count)
{
	static char *const standard_input[] = {"-"};
	struct reader *reader = reader_new();

	reader->files = count ? files : standard_input;
	reader->count = count ? count : 1;
	if (open_next(reader) < 0) {
		reader_close(reader);
		return NULL;
	}
	return reader;
}

void reader_close(struct reader *reader)
{
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	free(reader->buffer);
	free(reader->cuts.first);
	free(reader);
}

void reader_on_wait(struct reader *reader, int (*wait)(void *, int), void *context)
{
	reader->wait = wait;
	reader->context = context;
}

bool reader_swapped(const struct reader *reader)
{
	return reader->swapped;
}

void reader_saw_end(struct reader *reader, uint64_t missing)
{
	reader->ended = true;
	if (missing)
		cuts_add(&reader->cuts, memory_format("%s: %llu records are missing before the end of the stream", reader_where(reader),
					      (unsigned long long)missing));
}

const struct cuts *reader_cuts(const struct reader *reader)
{
	return &reader->cuts;
}

/* From the left: which file (15 bits, from 1), whether text, line or byte. */
uint64_t reader_place(const struct reader *reader)
{
	uint64_t position = reader->text ? reader->line : reader->at;

	return (uint64_t)reader->next << 48 | (uint64_t)reader->text << 47 | (position & PLACE_POSITION);
}

const char *reader_place_name(struct reader *reader, uint64_t place)
{
	const char *name = reader->files ? reader->files[(place >> 48) - 1] : reader->name;
	const char *unit = place & PLACE_TEXT ? ":" : ": byte ";

	snprintf(reader->where, sizeof(reader->where), "%s%s%llu", strcmp(name, "-") ? name : STANDARD_INPUT, unit,
		 (unsigned long long)(place & PLACE_POSITION));
	return reader->where;
}

static int fail_here(struct reader *reader, const char *sentence)
{
	return fail("%s: %s", reader_where(reader), sentence);
}

/* A segment that stops here without its end record was cut. */
static void close_segment(struct reader *reader)
{
	if (reader->open && !reader->ended)
		cuts_add(&reader->cuts, memory_format("%s: the stream was cut at byte %llu", reader->name,
					      (unsigned long long)(reader->offset + reader->length)));
	reader->open = false;
}

/* Reads more behind what is there. 1: got some; 0: end of file; -1 after fail(). */
static int fill(struct reader *reader)
{
	ssize_t got;

	if (reader->start > 0) {
		memmove(reader->buffer, reader->buffer + reader->start, reader->length - reader->start);
		reader->offset += reader->start;
		reader->length -= reader->start;
		reader->start = 0;
	}
	if (reader->length + 1 == reader->room) /* a NUL always fits behind */
		reader->buffer = memory_grow(reader->buffer, reader->room *= 2, 1);
	got = read_or_wait(reader->fd, reader->name, reader->buffer + reader->length, reader->room - reader->length - 1,
			   reader->wait, reader->context);
	if (got < 0)
		return -1;
	reader->length += (size_t)got;
	reader->buffer[reader->length] = '\0';
	return got > 0;
}

/* Makes `size` bytes of the record at hand available. 1: they are; 0: the file ends before; -1 after fail(). */
static int need(struct reader *reader, size_t size)
{
	int status = 1;

	while (status > 0 && reader->length - reader->start < size)
		status = fill(reader);
	return status;
}

static bool at_magic(const struct reader *reader)
{
	return reader->length - reader->start >= STREAM_MAGIC_SIZE &&
	       !memcmp(reader->buffer + reader->start, STREAM_MAGIC, STREAM_MAGIC_SIZE);
}

static enum reader_result begin_segment(struct reader *reader)
{
	struct stream_head head;
	int status = need(reader, sizeof(head));

	reader->text = false;
	if (status < 0)
		return READER_FAILED;
	if (status == 0)
		return fail_here(reader, "the file ends within its first 16 bytes");
	memcpy(&head, reader->buffer + reader->start, sizeof(head));
	reader->swapped = head.byte_order != STREAM_BYTE_ORDER;
	if (reader->swapped) {
		head.byte_order = __builtin_bswap16(head.byte_order);
		head.version = __builtin_bswap16(head.version);
	}
	if (head.byte_order != STREAM_BYTE_ORDER)
		return fail_here(reader, "the byte-order mark is damaged");
	if (head.version != STREAM_VERSION)
		return fail("%s: stream version %u; this program reads version %d", reader_where(reader), head.version, STREAM_VERSION);
	close_segment(reader);
	reader->start += sizeof(head);
	reader->open = true;
	reader->ended = false;
	return READER_SEGMENT;
}

/* Where a file begins. Text, which has no magic number, begins a segment where it is not the first file. */
static enum reader_result first_look(struct reader *reader)
{
	int status = need(reader, STREAM_MAGIC_SIZE);
	const char *hint;

	reader->fresh = false;
	if (status < 0)
		return READER_FAILED;
	hint = foreign_hint(reader->buffer, reader->length);
	if (hint)
		return fail("%s: %s", reader->name, hint);
	if (reader->length > 0 && reader->length < STREAM_MAGIC_SIZE && !memcmp(reader->buffer, STREAM_MAGIC, reader->length)) {
		reader->text = false;
		return fail_here(reader, "the file ends within its first 16 bytes");
	}
	return reader->next > 1 && !at_magic(reader) ? READER_SEGMENT : READER_RECORD;
}

/* A damaged event would mislead every later stage: refuse what cannot be. */
static enum reader_result read_event(struct reader *reader, struct record *record, const char *at, uint32_t size)
{
	struct packed_event event;

	if (size < PACKED_EVENT_HEAD + 2)
		return fail_here(reader, "an event record is too short");
	memcpy(&event.ts, at, sizeof(event.ts));
	memcpy(&event.cpu, at + 8, sizeof(event.cpu));
	record->ts = reader->swapped ? (int64_t)__builtin_bswap64((uint64_t)event.ts) : event.ts;
	record->cpu = reader->swapped ? __builtin_bswap32(event.cpu) : event.cpu;
	record->text = at + 12;
	record->length = size - PACKED_EVENT_HEAD;
	return READER_RECORD;
}

/* The line is the record: what it says, and that it can be read, counts for more than the kind in the head. */
static enum reader_result read_spelled(struct reader *reader, struct record *record)
{
	if (memchr(record->text, '\n', record->length))
		return fail_here(reader, "a spelled record contains a newline");
	if (fields_parse(&reader->fields, record->text, record->length) < 0)
		return fail_prefix("%s", reader_where(reader));
	reader->parsed = true;
	record->kind = kind_of(reader->fields.kind, reader->fields.kind_length);
	return READER_RECORD;
}

static enum reader_result next_binary(struct reader *reader, struct record *record)
{
	struct record_head head;
	int status = need(reader, sizeof(head));

	reader->at = reader->offset + reader->start;
	if (status < 0)
		return READER_FAILED;
	if (status > 0 && at_magic(reader))
		return begin_segment(reader);
	if (status > 0) {
		memcpy(&head, reader->buffer + reader->start, sizeof(head));
		if (reader->swapped)
			head.size = __builtin_bswap32(head.size);
		if (head.size < sizeof(head) || head.size > RECORD_SIZE_MAX)
			return fail("%s: a record of %u bytes cannot be; the stream is damaged", reader_where(reader), head.size);
		status = need(reader, head.size);
	}
	if (status < 0)
		return READER_FAILED;
	if (status == 0) {
		reader->ended &= reader->start == reader->length; /* half a record is none, and no end */
		close_segment(reader);
		reader->start = reader->length;
		return READER_END;
	}
	*record = (struct record){
		.kind = head.kind < KINDS ? (enum kind)head.kind : KIND_OTHER,
		.packed = head.form == RECORD_PACKED,
		.swapped = reader->swapped,
		.flags = head.flags & ~RECORD_MADE_UP, /* nobody writes that */
		.number = head.kind,
		.text = reader->buffer + reader->start + sizeof(head),
		.length = head.size - sizeof(head),
	};
	reader->start += head.size;
	if (!record->packed)
		return read_spelled(reader, record);
	return record->kind == KIND_EVENT ? read_event(reader, record, record->text, head.size) : READER_RECORD;
}

/* The next line that is a record. A last line without its newline is half a record, which is none. */
static enum reader_result next_text(struct reader *reader, struct record *record)
{
	for (;;) {
		char *line = reader->buffer + reader->start, *newline;
		size_t seen = 0, length, blank;

		while (!(newline = memchr(line + seen, '\n', reader->length - reader->start - seen))) {
			int status;

			seen = reader->length - reader->start;
			if (seen > RECORD_LINE_MAX)
				break;
			status = fill(reader);
			if (status < 0)
				return READER_FAILED;
			line = reader->buffer + reader->start;
			if (status == 0)
				break;
		}
		length = newline ? (size_t)(newline - line) : seen;
		if (!newline && length == 0) {
			if (reader->offset + reader->start == 0)
				cuts_add(&reader->cuts, memory_format("%s: no data", reader->name));
			return READER_END;
		}
		if (at_magic(reader))
			return begin_segment(reader);
		reader->line++;
		if (length > RECORD_LINE_MAX)
			return fail_here(reader, "a line is longer than 1 MiB less 8 bytes");
		reader->start += length + (newline != NULL);
		blank = strspn(line, " \t");
		if (blank >= length || line[blank] == '#')
			continue;
		*record = (struct record){.text = line, .length = length};
		if (fields_parse(&reader->fields, line, length) < 0 && (newline || reader->line == 1))
			return fail_prefix("%s", reader_where(reader));
		if (!newline) {
			cuts_add(&reader->cuts, memory_format("%s: the last line has no newline, so the text was cut there",
						      reader_where(reader)));
			return READER_END;
		}
		reader->parsed = true;
		record->kind = kind_of(reader->fields.kind, reader->fields.kind_length);
		record->flags = record->kind == KIND_END ? RECORD_OF_TEXT : 0;
		return READER_RECORD;
	}
}

enum reader_result reader_next(struct reader *reader, struct record *record)
{
	for (;;) {
		enum reader_result result;

		reader->parsed = false;
		if (reader->fresh && (result = first_look(reader)) != READER_RECORD)
			return result;
		result = reader->text ? next_text(reader, record) : next_binary(reader, record);
		if (result != READER_END)
			return result;
		close_segment(reader);
		if (reader->next == reader->count)
			return READER_END;
		if (reader->fd > STDIN_FILENO)
			close(reader->fd);
		if (open_next(reader) < 0)
			return READER_FAILED;
	}
}

const struct fields *reader_fields(struct reader *reader, const struct record *record)
{
	if (record->packed) {
		fail_here(reader, "a packed record has no text");
		return NULL;
	}
	if (!reader->parsed && fields_parse(&reader->fields, record->text, record->length) < 0) {
		fail_prefix("%s", reader_where(reader));
		return NULL;
	}
	reader->parsed = true;
	return &reader->fields;
}
