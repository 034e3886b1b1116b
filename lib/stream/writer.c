#include "stream/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/memory.h"
#include "stream/block.h"

enum { BUFFER = 1 << 18 };

/* Room for the largest record after a full buffer. Without such records, its pages are never touched. */
enum { ROOM = BUFFER + STREAM_HEAD_SIZE + BLOCK_HEAD_SIZE + RECORD_SIZE_MAX };

struct writer {
	int fd;
	bool text, swapped, closed;
	bool terminal; /* fd is a terminal: clean the lines */
	char *buffer;
	size_t length;
	size_t block;	 /* offset of the current block's head, which is filled in when the block is full or flushed */
	size_t limit;	 /* offset of the block's end; 0: no block is open */
	uint32_t number; /* of the next block */
	bool others;	 /* something other than packed events was put since the last flush */
	stream_sink *sink; /* NULL: write to fd */
	void *sink_context;
	event_speller *speller;
	void *context;
	struct line line; /* an event as text */
};

struct writer *writer_open(int fd, bool text)
{
	struct writer *writer = NEW(struct writer);

	writer->fd = fd;
	writer->text = text;
	writer->terminal = isatty(fd);
	writer->buffer = memory_new(ROOM, 1);
	return writer;
}

int writer_close(struct writer *writer)
{
	int status = writer_flush(writer);

	line_free(&writer->line);
	free(writer->buffer);
	free(writer);
	return status;
}

void writer_speller(struct writer *writer, event_speller *speller, void *context)
{
	writer->speller = speller;
	writer->context = context;
}

void writer_sink(struct writer *writer, stream_sink *sink, void *context)
{
	writer->sink = sink;
	writer->sink_context = context;
}

bool writer_closed(const struct writer *writer)
{
	return writer->closed;
}

bool writer_is_text(const struct writer *writer)
{
	return writer->text;
}

/* Another process may make our output non-blocking, as ssh(1) does with files that it shares. */
static void wait_for_room(const struct writer *writer)
{
	struct pollfd room = {.fd = writer->fd, .events = POLLOUT};

	poll(&room, 1, -1);
}

static int write_all(struct writer *writer, const char *bytes, size_t length)
{
	if (writer->sink)
		return length > 0 ? writer->sink(writer->sink_context, bytes, length, !writer->others) : 0;
	while (length > 0 && !writer->closed) {
		ssize_t done = write(writer->fd, bytes, length);

		if (done < 0 && errno == EPIPE)
			writer->closed = true;
		else if (done < 0 && errno == EAGAIN)
			wait_for_room(writer);
		else if (done < 0 && errno != EINTR)
			return fail_errno("cannot write %s", writer->fd == STDOUT_FILENO ? "to standard output" : "the stream");
		if (done > 0) {
			bytes += done;
			length -= (size_t)done;
		}
	}
	return 0;
}

static void seal(struct writer *writer)
{
	if (!writer->limit)
		return;
	block_seal(writer->buffer + writer->block, writer->length - writer->block - BLOCK_HEAD_SIZE, writer->number++, writer->swapped);
	writer->limit = 0;
}

int writer_flush(struct writer *writer)
{
	size_t length;
	int status;

	seal(writer);
	length = writer->length;
	writer->length = 0;
	status = write_all(writer, writer->buffer, length);
	writer->others = false;
	return status;
}

static int put_text(struct writer *writer, const char *text, size_t length)
{
	if (writer->length + length > BUFFER) {
		if (writer_flush(writer) < 0)
			return -1;
		if (length > BUFFER / 2)
			return write_all(writer, text, length);
	}
	memcpy(writer->buffer + writer->length, text, length);
	writer->length += length;
	return 0;
}

/* Begins a block that has room for a record of this size. */
static int begin_block(struct writer *writer, size_t size)
{
	seal(writer);
	if (writer->length + BLOCK_HEAD_SIZE + size > BUFFER && writer_flush(writer) < 0)
		return -1;
	writer->block = writer->length;
	writer->length += BLOCK_HEAD_SIZE;
	writer->limit = writer->length + (size > BLOCK_SIZE ? size : BLOCK_SIZE);
	return 0;
}

/* Makes room for a record of this size: in the current block, or a new one. */
static inline int make_room(struct writer *writer, size_t size)
{
	return writer->length + size > writer->limit ? begin_block(writer, size) : 0;
}

static int put_record(struct writer *writer, struct record_head head, const char *bytes, size_t length)
{
	if (make_room(writer, sizeof(head) + length) < 0)
		return -1;
	writer->others = true;
	memcpy(writer->buffer + writer->length, &head, sizeof(head));
	memcpy(writer->buffer + writer->length + sizeof(head), bytes, length);
	writer->length += sizeof(head) + length;
	return 0;
}

int writer_segment(struct writer *writer, bool swapped)
{
	struct stream_head head = {STREAM_MAGIC, STREAM_BYTE_ORDER, STREAM_OF_BLOCKS, 0};

	if (writer->text)
		return 0;
	seal(writer);
	if (writer->length + sizeof(head) > BUFFER && writer_flush(writer) < 0)
		return -1;
	writer->number = 0;
	writer->others = true;
	writer->swapped = swapped;
	if (swapped) {
		head.byte_order = __builtin_bswap16(head.byte_order);
		head.form = __builtin_bswap16(head.form);
	}
	memcpy(writer->buffer + writer->length, &head, sizeof(head));
	writer->length += sizeof(head);
	return 0;
}

static struct record_head record_head(const struct writer *writer, size_t size, enum kind kind, enum record_form form)
{
	uint32_t whole = (uint32_t)(sizeof(struct record_head) + size);

	return (struct record_head){writer->swapped ? __builtin_bswap32(whole) : whole, (uint8_t)kind, (uint8_t)form, 0, 0};
}

static int put_line(struct writer *writer, const char *line, size_t length)
{
	char *clean = writer->terminal ? clean_text(line, length) : NULL;
	int status = put_text(writer, clean ? clean : line, clean ? strlen(clean) : length) || put_text(writer, "\n", 1) ? -1 : 0;

	free(clean);
	return status;
}

/* Refuses a record that readers would refuse. */
static int fail_size(enum kind kind, size_t length)
{
	return fail("cannot write a record '%s' of %zu bytes; the limit is 1 MiB", kind_name(kind), length);
}

int writer_line(struct writer *writer, enum kind kind, const char *line, size_t length, uint8_t flags)
{
	struct record_head head = record_head(writer, length, kind, RECORD_SPELLED);

	if (length > RECORD_LINE_MAX)
		return fail_size(kind, length);
	if (writer->text)
		return flags & RECORD_IMPLIED ? 0 : put_line(writer, line, length);
	head.flags = flags;
	return put_record(writer, head, line, length);
}

static int spell_packed(struct writer *writer, const struct record *record)
{
	if (!writer->speller)
		return fail("packed events cannot be spelled here");
	if (writer->speller(writer->context, record, &writer->line) < 0)
		return -1;
	return writer_line(writer, KIND_EVENT, writer->line.text, writer->line.length, 0);
}

/* Payloads are a few whole words: calling memcpy() would cost more than the copy. */
static inline void copy_payload(char *to, const char *from, size_t length)
{
	size_t at = 0;

	if (length % 4 != 0 || length > 256) {
		memcpy(to, from, length);
		return;
	}
	for (; at + 8 <= length; at += 8)
		memcpy(to + at, from + at, 8);
	if (at < length)
		memcpy(to + at, from + at, 4);
}

struct event_head {
	struct record_head head;
	int64_t ts; /* struct packed_event */
	uint32_t cpu;
} __attribute__((packed));

/* Builds the record in the buffer: to build it elsewhere and copy it would wait for the stores of its parts, half an event's time here. */
static int put_event(struct writer *writer, const struct record *record)
{
	size_t size = PACKED_EVENT_HEAD + record->length;
	struct event_head *to;

	if (make_room(writer, size) < 0)
		return -1;
	to = (struct event_head *)(writer->buffer + writer->length);
	to->head = (struct record_head){(uint32_t)size, KIND_EVENT, RECORD_PACKED, 0, 0};
	to->ts = record->ts;
	to->cpu = record->cpu;
	if (__builtin_expect(writer->swapped, false)) {
		to->head.size = __builtin_bswap32(to->head.size);
		to->ts = (int64_t)__builtin_bswap64((uint64_t)record->ts);
		to->cpu = __builtin_bswap32(record->cpu);
	}
	copy_payload((char *)(to + 1), record->text, record->length);
	writer->length += size;
	return 0;
}

int writer_record(struct writer *writer, const struct record *record)
{
	struct record_head head;

	if (!record->packed)
		return writer_line(writer, record->kind, record->text, record->length, record->flags);
	if (writer->text)
		return spell_packed(writer, record);
	if (record_size(record) > RECORD_SIZE_MAX)
		return fail_size(record->kind, record->length);
	if (record->kind == KIND_EVENT)
		return put_event(writer, record);
	head = record_head(writer, record->length, record->kind, RECORD_PACKED);
	if (record->kind == KIND_OTHER)
		head.kind = record->number;
	return put_record(writer, head, record->text, record->length);
}
