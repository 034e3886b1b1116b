/* Blocks: checks each before its first record is read; skips damage and reports it. */
#include "stream/reader_state.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stream/block.h"

static const char *at_start(const struct reader *reader)
{
	return reader->buffer + reader->start;
}

static size_t there(const struct reader *reader)
{
	return reader->length - reader->start;
}

/* Compares as many bytes as there are. */
static bool begins_with(const struct reader *reader, const char *magic)
{
	return !memcmp(at_start(reader), magic, there(reader) < STREAM_MAGIC_SIZE ? there(reader) : STREAM_MAGIC_SIZE);
}

bool reader_is_at_text(const struct reader *reader)
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

	/* the last bytes may be the beginning of a head */
	return leave_out(reader, found ? (size_t)(found - at_start(reader)) : there(reader) - BLOCK_HEAD_SIZE + 1);
}

/*
 * Takes a block that was cut: the file ends, or another stream begins, within it. Its records cannot be checked, but are read all
 * the same; the cut is reported.
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

enum found reader_find_block(struct reader *reader)
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

void reader_tell_damage(struct reader *reader, struct record *record)
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
