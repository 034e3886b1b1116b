#include "stream/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/input.h"
#include "base/memory.h"
#include "stream/block.h"
#include "stream/foreign.h"
#include "stream/guess.h"

struct reader {
	char *const *files;
	int count, next; /* files, and the one to open next */
	const char *name;
	int fd;
	char *buffer;
	size_t room, start, length; /* start: the current record; length: bytes filled */
	uint64_t offset;	    /* of buffer[0] in the file */
	uint64_t at, line;	    /* of the current record: offset; line number in text */
	bool text, swapped, fresh;  /* fresh: nothing of this file was read yet */
	bool open, ended;	    /* within a binary segment; its end record came */
	bool parsed;
	enum kind kind; /* of the last spelled record */
	bool blocks;	   /* the segment has blocks; the next fields are of the current block */
	bool unchecked;	   /* the block was cut, so its checksum is not checked */
	size_t left;	   /* bytes of the block not read yet, all in the buffer */
	uint32_t number;   /* of the next block */
	bool headless;	   /* the block is the first of a stream whose head was damaged */
	bool damaged;	   /* the segment has damage */
	bool gap;	   /* damage was found and is not reported yet */
	uint64_t lost;	   /* bytes of that damage */
	int64_t last;	   /* time of the last event; TIME_UNKNOWN: none yet */
	struct line loss;  /* the `lost` record that reports the damage */
	struct fields fields;
	struct guess guesses[GUESSES];
	struct cuts cuts;
	char *where; /* text of reader_place_name() */
	int (*wait)(void *context, int fd);
	void *context;
};

#define TIME_UNKNOWN INT64_MIN
#define STANDARD_INPUT "standard input" /* the name of "-" */

/* Result of reader_find_block(). */
enum found { FOUND_FAILED = -1, FOUND_END, FOUND_BLOCK, FOUND_STREAM, FOUND_DAMAGE };

#define TEXT_BEHIND_BINARY "text cannot stand behind binary in the same file; give it as a file of its own"

enum { BUFFER = 1 << 18 };

/* Prepares to read a file from its beginning. */
static void begin_file(struct reader *reader, const char *name)
{
	reader->name = name;
	reader->offset = reader->start = reader->length = 0;
	reader->line = 0;
	reader->text = true;
	reader->fresh = true;
	reader->open = reader->swapped = reader->blocks = false;
	reader->left = 0;
}

/* Opens the next file, and closes the one before. 1; 0: there is no other; -1 after fail(). */
static int reader_open_next(struct reader *reader)
{
	const char *name;

	if (reader->next == reader->count)
		return 0;
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	name = reader->files[reader->next++];
	begin_file(reader, name);
	if (!strcmp(name, "-")) {
		reader->name = STANDARD_INPUT;
		reader->fd = STDIN_FILENO;
		return 1;
	}
	reader->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return fail_errno("cannot open '%s'", name);
	posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 1;
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
	if (reader_open_next(reader) < 0) {
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
	free(reader->where);
	line_free(&reader->loss);
	free(reader);
}

void reader_on_wait(struct reader *reader, int (*wait)(void *, int), void *context)
{
	reader->wait = wait;
	reader->context = context;
}

/* Reads more bytes into the buffer. 1: got some; 0: end of file; -1 after fail(). */
static int reader_fill(struct reader *reader)
{
	ssize_t got;

	if (reader->start > 0) {
		memmove(reader->buffer, reader->buffer + reader->start, reader->length - reader->start);
		reader->offset += reader->start;
		reader->length -= reader->start;
		reader->start = 0;
	}
	if (reader->length + 1 == reader->room) /* keep room for a NUL */
		reader->buffer = memory_grow(reader->buffer, reader->room *= 2, 1);
	got = read_or_wait(reader->fd, reader->name, reader->buffer + reader->length, reader->room - reader->length - 1,
			   reader->wait, reader->context);
	if (got < 0)
		return -1;
	reader->length += (size_t)got;
	reader->buffer[reader->length] = '\0';
	return got > 0;
}

/* Reads until `size` bytes of the current record are in the buffer. 1; 0: the file ends before; -1 after fail(). */
static inline int reader_need(struct reader *reader, size_t size)
{
	int status = 1;

	while (status > 0 && reader->length - reader->start < size)
		status = reader_fill(reader);
	return status;
}

/* Blocks: the reader checks each block before it reads the first record; it skips damage and reports it. */

static const char *at_start(const struct reader *reader)
{
	return reader->buffer + reader->start;
}

static size_t there(const struct reader *reader)
{
	return reader->length - reader->start;
}

/* Compares as many bytes as the buffer has. */
static bool begins_with(const struct reader *reader, const char *magic)
{
	return !memcmp(at_start(reader), magic, there(reader) < STREAM_MAGIC_SIZE ? there(reader) : STREAM_MAGIC_SIZE);
}

/* Tells whether the next 8 bytes are text. */
static bool reader_is_at_text(const struct reader *reader)
{
	const char *at = at_start(reader);
	size_t i = 0;

	while (i < STREAM_MAGIC_SIZE && (at[i] == '\n' || at[i] == '\t' || (at[i] >= ' ' && at[i] < 0x7f)))
		i++;
	return i == STREAM_MAGIC_SIZE;
}

static enum found leave_out(struct reader *reader, size_t size)
{
	if (!reader->gap)
		cuts_note(&reader->cuts, memory_format("%s: byte %llu: the stream is damaged", reader->name,
						       (unsigned long long)(reader->offset + reader->start)));
	reader->gap = reader->damaged = true;
	reader->lost += size;
	reader->start += size;
	return FOUND_DAMAGE;
}

/* Searches the buffer for the next head. It does not read on, because a live stream would wait. */
static enum found search(struct reader *reader)
{
	const char *found = block_search(at_start(reader) + 1, there(reader) - 1, reader->swapped);

	/* keep the last bytes: they may be the beginning of a head */
	return leave_out(reader, found ? (size_t)(found - at_start(reader)) : there(reader) - BLOCK_HEAD_SIZE + 1);
}

/*
 * Takes a block that was cut: the file ends, or another stream begins, within it. The reader cannot check its records, but reads
 * them all the same, and reports the cut.
 */
static enum found take_unchecked(struct reader *reader, size_t size)
{
	reader->start += BLOCK_HEAD_SIZE;
	reader->left = size;
	reader->unchecked = true;
	reader->ended = false;
	return size ? FOUND_BLOCK : FOUND_DAMAGE;
}

/* Takes a block. If blocks are missing before it, they were removed, or damaged beyond recognition. */
static enum found take(struct reader *reader, const struct block_head *head)
{
	if (head->number != reader->number)
		leave_out(reader, 0);
	reader->headless = head->number == 0 && reader->number != 0;
	reader->number = head->number + 1;
	reader->start += BLOCK_HEAD_SIZE;
	reader->left = head->size;
	reader->unchecked = false;
	return FOUND_BLOCK;
}

static enum found open_block(struct reader *reader, const struct block_head *head)
{
	int status = reader_need(reader, BLOCK_HEAD_SIZE + head->size);
	size_t size = status > 0 ? head->size : there(reader) - BLOCK_HEAD_SIZE;
	const char *records = at_start(reader) + BLOCK_HEAD_SIZE, *stream;

	if (status < 0)
		return FOUND_FAILED;
	if (status > 0 && block_is_whole(records, head))
		return take(reader, head);
	stream = memmem(records, size, STREAM_MAGIC, STREAM_MAGIC_SIZE);
	if (stream)
		return take_unchecked(reader, (size_t)(stream - records));
	return status > 0 ? leave_out(reader, BLOCK_HEAD_SIZE + size) : take_unchecked(reader, size);
}

/*
 * Goes to the next block and reads all of it. FOUND_END: the file ends, perhaps within a block's head; FOUND_STREAM: another stream
 * begins here; FOUND_DAMAGE: it skipped damaged bytes, so call it again.
 */
static enum found reader_find_block(struct reader *reader)
{
	struct block_head head;
	int status = reader_need(reader, STREAM_MAGIC_SIZE);

	reader->at = reader->offset + reader->start;
	if (status > 0 && begins_with(reader, STREAM_MAGIC))
		return FOUND_STREAM;
	if (status > 0)
		status = reader_need(reader, BLOCK_HEAD_SIZE);
	if (status < 0)
		return FOUND_FAILED;
	if (status > 0 && block_read_head(at_start(reader), reader->swapped, &head))
		return open_block(reader, &head);
	if (status > 0 && !reader->gap && reader_is_at_text(reader))
		return fail("%s: %s", reader_where(reader), TEXT_BEHIND_BINARY);
	if (status > 0)
		return search(reader);
	if (begins_with(reader, BLOCK_MAGIC) || begins_with(reader, STREAM_MAGIC)) /* the file ends here, or within the head */
		return FOUND_END;
	return leave_out(reader, there(reader));
}

static bool read_time(struct reader *reader, const struct record_head *head, const char *body, size_t length, int64_t *ts)
{
	if (head->form != RECORD_PACKED)
		return fields_parse(&reader->fields, body, length) == 0 && fields_time(&reader->fields, "ts", ts) > 0;
	if (head->kind != KIND_EVENT || length < sizeof(*ts))
		return false;
	memcpy(ts, body, sizeof(*ts));
	if (reader->swapped)
		*ts = (int64_t)__builtin_bswap64((uint64_t)*ts);
	return true;
}

/* The time of the block's first event; without one, the time of the last event before the block. */
static int64_t next_time(struct reader *reader)
{
	size_t at = 0;
	int64_t ts;

	while (reader->left - at >= sizeof(struct record_head)) {
		const char *record = at_start(reader) + at;
		struct record_head head;

		memcpy(&head, record, sizeof(head));
		if (reader->swapped)
			head.size = __builtin_bswap32(head.size);
		if (head.size < sizeof(head) || head.size > reader->left - at)
			break;
		if (read_time(reader, &head, record + sizeof(head), head.size - sizeof(head), &ts))
			return ts;
		at += head.size;
	}
	return reader->last == TIME_UNKNOWN ? 0 : reader->last;
}

/* Makes the `lost` record for the damage that was skipped. */
static void reader_tell_damage(struct reader *reader, struct record *record)
{
	line_begin(&reader->loss, kind_name(KIND_LOST));
	line_time(&reader->loss, "ts", next_time(reader));
	if (reader->last != TIME_UNKNOWN)
		line_time(&reader->loss, "from", reader->last);
	line_unsigned(&reader->loss, "bytes", reader->lost);
	*record = (struct record){.kind = KIND_LOST, .text = reader->loss.text, .length = reader->loss.length};
	reader->gap = false;
	reader->lost = 0;
}

#define PLACE_TEXT (UINT64_C(1) << 47)
#define PLACE_POSITION (PLACE_TEXT - 1)

bool reader_swapped(const struct reader *reader)
{
	return reader->swapped;
}

void reader_saw_end(struct reader *reader, uint64_t missing)
{
	reader->ended = true;
	if (missing && !reader->damaged) /* damage was reported */
		cuts_add(&reader->cuts, memory_format("%s: %llu records are missing before the end of the stream", reader_where(reader),
					      (unsigned long long)missing));
}

const struct cuts *reader_cuts(const struct reader *reader)
{
	return &reader->cuts;
}

/* Bits from the left: number of the file (15, from 1), text or not (1), line or byte (48). */
uint64_t reader_place(const struct reader *reader)
{
	uint64_t position = reader->text ? reader->line : reader->at;

	return (uint64_t)reader->next << 48 | (uint64_t)reader->text << 47 | (position & PLACE_POSITION);
}

const char *reader_place_name(struct reader *reader, uint64_t place)
{
	const char *name = reader->files ? reader->files[(place >> 48) - 1] : reader->name;
	const char *unit = place & PLACE_TEXT ? ":" : ": byte ";

	free(reader->where);
	reader->where = memory_format("%s%s%llu", strcmp(name, "-") ? name : STANDARD_INPUT, unit,
				      (unsigned long long)(place & PLACE_POSITION));
	return reader->where;
}

static int fail_here(struct reader *reader, const char *sentence)
{
	return fail("%s: %s", reader_where(reader), sentence);
}

/* Ends the segment. If its end record did not come, the segment was cut. */
static void close_segment(struct reader *reader)
{
	if (reader->open && !reader->ended)
		cuts_add(&reader->cuts, memory_format("%s: the stream was cut at byte %llu", reader->name,
					      (unsigned long long)(reader->offset + reader->start)));
	reader->open = false;
}

/* Begins a segment with a head of `head` bytes, and ends the segment before. */
static enum reader_result open_segment(struct reader *reader, size_t head)
{
	reader->start -= head;
	close_segment(reader);
	reader->start += head;
	reader->open = true;
	reader->ended = reader->damaged = reader->unchecked = false;
	reader->left = 0;
	reader->last = TIME_UNKNOWN;
	return READER_SEGMENT;
}

static bool at_magic(const struct reader *reader)
{
	return reader->length - reader->start >= STREAM_MAGIC_SIZE &&
	       !memcmp(reader->buffer + reader->start, STREAM_MAGIC, STREAM_MAGIC_SIZE);
}

static enum reader_result begin_segment(struct reader *reader)
{
	struct stream_head head;
	int status = reader_need(reader, sizeof(head));

	reader->text = false;
	if (status < 0)
		return READER_FAILED;
	if (status == 0)
		return fail_here(reader, "the file ends within its first 16 bytes");
	memcpy(&head, reader->buffer + reader->start, sizeof(head));
	reader->swapped = head.byte_order != STREAM_BYTE_ORDER;
	if (reader->swapped) {
		head.byte_order = __builtin_bswap16(head.byte_order);
		head.form = __builtin_bswap16(head.form);
	}
	if (head.byte_order != STREAM_BYTE_ORDER)
		return fail_here(reader, "the byte-order mark is damaged");
	if (head.form != STREAM_OF_RECORDS && head.form != STREAM_OF_BLOCKS)
		return fail("%s: stream version %u; this program reads versions %d and %d", reader_where(reader), head.form,
			    STREAM_OF_RECORDS, STREAM_OF_BLOCKS);
	reader->blocks = head.form == STREAM_OF_BLOCKS;
	reader->number = 0;
	reader->start += sizeof(head);
	return open_segment(reader, sizeof(head));
}

/* Looks at the beginning of a file. Text has no magic number, so a file of text begins a segment here, unless it is the first file. */
static enum reader_result first_look(struct reader *reader)
{
	int status = reader_need(reader, STREAM_MAGIC_SIZE);
	const char *hint;

	if (status < 0)
		return READER_FAILED;
	reader->fresh = false;
	hint = foreign_hint(reader->buffer, reader->length);
	if (hint)
		return fail("%s: %s", reader->name, hint);
	if (reader->length > 0 && reader->length < STREAM_MAGIC_SIZE && !memcmp(reader->buffer, STREAM_MAGIC, reader->length)) {
		reader->text = false;
		return fail_here(reader, "the file ends within its first 16 bytes");
	}
	return reader->next > 1 && !at_magic(reader) ? READER_SEGMENT : READER_RECORD;
}

static struct record_head head_at(const struct reader *reader, size_t at)
{
	struct record_head head;

	memcpy(&head, reader->buffer + at, sizeof(head));
	if (reader->swapped)
		head.size = __builtin_bswap32(head.size);
	return head;
}

static bool is_size(uint32_t size)
{
	return size >= sizeof(struct record_head) && size <= RECORD_SIZE_MAX;
}

/*
 * Tells whether to search the record for the head of another stream. If a stream was cut and another follows, as in "cat *.tb",
 * the last record runs on into the second stream. The bytes after the record show that, if they are in the buffer; waiting for
 * them would hold back a live stream. The record is doubtful if no record head follows it, or the head of a stream's first record,
 * or of a record of kind 0: such records are rare, and zero bytes end a stream's head. Formats are always searched: they are few,
 * and long.
 */
static bool is_doubtful(const struct reader *reader, const struct record *record, size_t size)
{
	size_t behind = reader->start + size;
	struct record_head next;

	if (record->packed && record->kind != KIND_EVENT)
		return true;
	if (reader->length - behind < sizeof(next))
		return false;
	next = head_at(reader, behind);
	return !is_size(next.size) || next.kind <= KIND_STREAM || next.form > RECORD_PACKED;
}

/* Goes to the magic number that begins within the next `size` bytes; false: there is none. */
static bool skip_to_magic(struct reader *reader, size_t size)
{
	size_t there = reader->length - reader->start, reach = size - 1 + STREAM_MAGIC_SIZE;
	const char *from = reader->buffer + reader->start;
	const char *magic = memmem(from, there < reach ? there : reach, STREAM_MAGIC, STREAM_MAGIC_SIZE);

	if (!magic)
		return false;
	reader->start += (size_t)(magic - from);
	reader->at = reader->offset + reader->start;
	reader->ended = false; /* half a record follows the end */
	return true;
}

/* Refuses a bad record, unless another stream begins within it. */
static enum reader_result refuse(struct reader *reader, size_t size, const char *sentence)
{
	return !reader->blocks && skip_to_magic(reader, size) ? begin_segment(reader) : (enum reader_result)fail_here(reader, sentence);
}

static enum reader_result refuse_head(struct reader *reader, uint32_t size)
{
	char sentence[80];

	if (reader_is_at_text(reader))
		return fail_here(reader, TEXT_BEHIND_BINARY);
	snprintf(sentence, sizeof(sentence), "a record of %u bytes cannot be; the stream is damaged", size);
	return refuse(reader, sizeof(struct record_head), sentence);
}

/* A damaged event would mislead every later stage: refuse impossible sizes. */
static enum reader_result read_event(struct reader *reader, struct record *record, const char *at, uint32_t size)
{
	struct packed_event event;

	if (size < PACKED_EVENT_HEAD + 2)
		return refuse(reader, size, "an event record is too short");
	memcpy(&event.ts, at, sizeof(event.ts));
	memcpy(&event.cpu, at + 8, sizeof(event.cpu));
	record->ts = reader->swapped ? (int64_t)__builtin_bswap64((uint64_t)event.ts) : event.ts;
	record->cpu = reader->swapped ? __builtin_bswap32(event.cpu) : event.cpu;
	reader->last = record->ts;
	record->text = at + 12;
	record->length = size - PACKED_EVENT_HEAD;
	return READER_RECORD;
}

/* The kind that the line begins with: often that of the record before. */
static enum kind spelled_kind(struct reader *reader)
{
	const char *name = reader->fields.kind;

	if (!kind_has_name(reader->kind, name, reader->fields.kind_length))
		reader->kind = kind_of(name, reader->fields.kind_length);
	return reader->kind;
}

/* Checks that the line can be parsed, and takes the kind from it, not from the head. */
static enum reader_result read_spelled(struct reader *reader, struct record *record)
{
	if (memchr(record->text, '\n', record->length))
		return refuse(reader, sizeof(struct record_head) + record->length, "a spelled record contains a newline");
	if (fields_parse_next(&reader->fields, reader->guesses, record->text, record->length) < 0)
		return fail_prefix("%s", reader_where(reader));
	reader->parsed = true;
	record->kind = spelled_kind(reader);
	if (record->kind == KIND_EVENT)
		fields_time(&reader->fields, "ts", &reader->last);
	return READER_RECORD;
}

/* Ends the file. Drops half a record at its end; the stream was then cut. */
static enum reader_result end_file(struct reader *reader)
{
	if (reader->start < reader->length) {
		if (skip_to_magic(reader, reader->length - reader->start))
			return begin_segment(reader);
		reader->ended = false;
		reader->start = reader->length;
	}
	close_segment(reader);
	return READER_END;
}

/* Reads the current record, which is in the buffer. Inlined, because a call per event would be a tenth of the cost of reading. */
static inline __attribute__((always_inline)) enum reader_result read_record(struct reader *reader, struct record *record, struct record_head head)
{
	enum reader_result result;

	*record = (struct record){
		.kind = head.kind < KINDS ? (enum kind)head.kind : KIND_OTHER,
		.packed = head.form == RECORD_PACKED,
		.swapped = reader->swapped,
		.flags = head.flags & ~RECORD_MADE_UP, /* never written */
		.number = head.kind,
		.text = reader->buffer + reader->start + sizeof(head),
		.length = head.size - sizeof(head),
	};
	if (!reader->blocks && is_doubtful(reader, record, head.size) && skip_to_magic(reader, head.size))
		return begin_segment(reader);
	result = !record->packed	       ? read_spelled(reader, record)
		 : record->kind == KIND_EVENT ? read_event(reader, record, record->text, head.size)
					      : READER_RECORD;
	if (result == READER_RECORD)
		reader->start += head.size;
	return result;
}

static enum reader_result next_plain(struct reader *reader, struct record *record)
{
	struct record_head head;
	int status = reader_need(reader, sizeof(head));

	reader->at = reader->offset + reader->start;
	if (status > 0) {
		head = head_at(reader, reader->start);
		if (!is_size(head.size)) /* a magic number is no size either */
			return at_magic(reader) ? begin_segment(reader) : refuse_head(reader, head.size);
		status = reader_need(reader, head.size);
	}
	if (status <= 0)
		return status < 0 ? READER_FAILED : end_file(reader);
	return read_record(reader, record, head);
}

/* Goes to the next block. READER_RECORD: a block begins; or, if *told, `record` reports damage. */
static enum reader_result next_block(struct reader *reader, struct record *record, bool *told)
{
	enum found found = FOUND_BLOCK;

	*told = false;
	if (reader->left == 0 && reader->unchecked)
		reader->ended = reader->unchecked = false;
	while (reader->left == 0 && (found = reader_find_block(reader)) == FOUND_DAMAGE) {
	}
	reader->at = reader->offset + reader->start;
	if (found == FOUND_FAILED)
		return READER_FAILED;
	if (reader->gap) {
		reader_tell_damage(reader, record);
		*told = true;
		return READER_RECORD;
	}
	if (reader->headless) {
		size_t left = reader->left;

		reader->headless = false;
		open_segment(reader, 0);
		reader->left = left;
		return READER_SEGMENT;
	}
	return found == FOUND_STREAM ? begin_segment(reader) : found == FOUND_END ? end_file(reader) : READER_RECORD;
}

/* Refuses the rest of a block; but skips it in a block that was cut, whose last record may be cut, too. */
static enum reader_result refuse_rest(struct reader *reader, uint32_t size)
{
	char sentence[80];

	if (reader->unchecked) {
		reader->start += reader->left;
		reader->left = 0;
		return READER_END;
	}
	snprintf(sentence, sizeof(sentence), "a record of %u bytes cannot be; the stream is damaged", size);
	return fail_here(reader, sentence);
}

static enum reader_result next_of_blocks(struct reader *reader, struct record *record)
{
	enum reader_result result;
	struct record_head head = {0};
	bool told;

	do {
		if (reader->left == 0 || reader->gap || reader->headless) {
			result = next_block(reader, record, &told);
			if (result != READER_RECORD || told)
				return result;
		}
		reader->at = reader->offset + reader->start;
		if (reader->left >= sizeof(head))
			head = head_at(reader, reader->start);
		result = reader->left >= sizeof(head) && is_size(head.size) && head.size <= reader->left
			     ? read_record(reader, record, head)
			     : refuse_rest(reader, head.size);
	} while (result == READER_END); /* end of a block */
	if (result == READER_RECORD)
		reader->left -= head.size;
	return result;
}

static enum reader_result next_binary(struct reader *reader, struct record *record)
{
	return reader->blocks ? next_of_blocks(reader, record) : next_plain(reader, record);
}

/* Reads the next line that is a record. A last line without newline was cut: drops it. */
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
			status = reader_fill(reader);
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
		if (fields_parse_next(&reader->fields, reader->guesses, line, length) < 0 && (newline || reader->line == 1))
			return fail_prefix("%s", reader_where(reader));
		if (!newline) {
			cuts_add(&reader->cuts, memory_format("%s: the last line has no newline, so the text was cut there",
						      reader_where(reader)));
			return READER_END;
		}
		reader->parsed = true;
		record->kind = spelled_kind(reader);
		record->flags = record->kind == KIND_END ? RECORD_OF_TEXT : 0;
		return READER_RECORD;
	}
}

enum reader_result reader_next(struct reader *reader, struct record *record)
{
	for (;;) {
		enum reader_result result;
		int opened;

		reader->parsed = false;
		if (reader->fresh && (result = first_look(reader)) != READER_RECORD)
			return result;
		result = reader->text ? next_text(reader, record) : next_binary(reader, record);
		if (result != READER_END)
			return result;
		opened = reader_open_next(reader);
		if (opened <= 0)
			return opened < 0 ? READER_FAILED : READER_END;
	}
}

const struct fields *reader_fields(struct reader *reader, const struct record *record)
{
	if (record->packed) {
		fail_here(reader, "a packed record has no text");
		return NULL;
	}
	if (!reader->parsed && fields_parse_next(&reader->fields, reader->guesses, record->text, record->length) < 0) {
		fail_prefix("%s", reader_where(reader));
		return NULL;
	}
	reader->parsed = true;
	return &reader->fields;
}
