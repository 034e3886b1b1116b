/*
 * record: what flows through the pipe. tailblame-stream(5) is the user's description; this is the programmer's.
 *
 * A record is either packed or spelled. Packed are only the kinds that come in masses or in the kernel's own form:
 * `event` with the kernel's raw payload, and `format` with the kernel's description of an event. All others are
 * spelled: their logfmt line is the record, in a binary stream too, where it is length-prefixed. So a record that
 * was text once stays that text to the byte, unknown kinds and keys pass through, and there is one codec.
 *
 * A binary stream is STREAM_MAGIC, then a byte-order mark and a version, then blocks (stream/block.h) of records, each with a
 * record head before it; in the first version records without blocks, so that damage is not seen. Streams can be concatenated:
 * where a block's head would be, the magic may stand again (or a record's: no size is as large as its first four bytes), and
 * what is known of formats and threads is forgotten there.
 */
#ifndef STREAM_RECORD_H
#define STREAM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The numbers stand in binary streams: a new kind comes last. */
enum kind {
	KIND_OTHER, /* a kind that this version does not know: passed on */
	KIND_STREAM,
	KIND_FORMAT, /* packed only: system, NUL, the text of the tracefs format file */
	KIND_TASK,   /* ts tid comm? tgid? began? program? cgroup? read? ended? : a thread's name, before its first event */
	KIND_DEVICE, /* dev name disk? scheduler? : a block device, before its first event */
	KIND_CHART,  /* name definition : a chart that the events were collected for */
	KIND_TICK,   /* ts : every event before this time has been written */
	KIND_EVENT,
	KIND_LOST,   /* ts cpu count from? : of events; or ts from? bytes : of the stream, which were damaged */
	KIND_SAMPLE,
	KIND_LIMITS,
	KIND_SIGNAL,
	KIND_WINDOW,
	KIND_GRAPH,
	KIND_NODE,
	KIND_EDGE,
	KIND_PATH,
	KIND_BLAME,
	KIND_USAGE, /* command events kept bytes kept_bytes cpu setup? wall began? : what a stage did and cost */
	KIND_END,
	KIND_RECORDER, /* socket pipe events, or ts : where context is kept until it is asked for; between two commands only */
	KIND_STACK,    /* id user? kernel? : frames of a stack, before the first event that names it */
	KIND_FILE,     /* ts tid fd kind : what the thread's descriptor is: "pipe", "tty", "socket", or "file" */
	KIND_QUOTA,    /* ts since? group quota period timers? count? time? tids? : a group's CPU quota, and that it was used up */
	KIND_DIFF,     /* rank? name? difference? good? bad? p? sure? good_moments bad_moments algorithm : what is blamed more in one stream */
	KIND_TRACED,   /* tids, or gone : threads whose latencies alone are measured, from here on; or no longer */
	KIND_OPEN,     /* ts start chart key? count : what had begun and not ended, and no limits judged it */
	KINDS
};

/* "event", and back; kind_of() gives KIND_OTHER for what it does not know. */
const char *kind_name(enum kind kind);
enum kind kind_of(const char *name, size_t length);

#define STREAM_MAGIC "\211tailb\r\n"
enum { STREAM_MAGIC_SIZE = 8, STREAM_HEAD_SIZE = 16, STREAM_VERSION = 1, STREAM_BYTE_ORDER = 0x0102 };

/* STREAM_VERSION is that of the records, of either spelling; these are of the binary one. */
enum stream_form { STREAM_OF_RECORDS = 1, STREAM_OF_BLOCKS = 2 };

struct stream_head { /* the first 16 bytes of a binary stream */
	char magic[STREAM_MAGIC_SIZE];
	uint16_t byte_order; /* STREAM_BYTE_ORDER as the writer's machine stores it */
	uint16_t form;	     /* one of enum stream_form */
	uint32_t reserved;
};

enum record_form { RECORD_SPELLED, RECORD_PACKED };
enum {
	RECORD_IMPLIED = 1, /* an `end` that stands only in binary: the text had none */
	RECORD_OF_TEXT = 2, /* an `end` that was text, which people edit, and which has no formats: its count is not checked */
	RECORD_MADE_UP = 4, /* a `stream` that stands only in text: in binary the magic number tells; never written */
};

struct record_head { /* before each record of a binary stream */
	uint32_t size; /* with this head */
	uint8_t kind;
	uint8_t form;
	uint8_t flags;
	uint8_t reserved;
};

/* A packed event: record_head, this, then the kernel's payload, which begins with its 16-bit event id. */
struct packed_event {
	int64_t ts; /* nanoseconds of the trace clock */
	uint32_t cpu;
};

/* The largest record, with its head, and the longest line, which is that without: what one form holds, the other does too. */
enum { RECORD_SIZE_MAX = 1 << 20, RECORD_LINE_MAX = RECORD_SIZE_MAX - 8, PACKED_EVENT_HEAD = 8 + 12 };

/* A record as a handler sees it. All pointers are valid until the handler returns. */
struct record {
	enum kind kind;
	bool packed;
	bool swapped;  /* packed in the other byte order: payload numbers must be swapped */
	uint8_t flags;
	uint8_t number;   /* of a kind that is not known, as it came */
	const char *text; /* spelled: the line without newline; packed: what follows the record head (for an event, its payload) */
	size_t length;
	int64_t ts;    /* packed event */
	uint32_t cpu;  /* packed event */
};

/* An event, or what tells that some were lost: what a time, or a number of bytes, of events is made of. */
static inline bool record_is_of_events(const struct record *record)
{
	return record->kind == KIND_EVENT || record->kind == KIND_LOST;
}

/*
 * Whether it tells that bytes of the stream were damaged: which records they were, nobody knows. What was announced before may have
 * been announced anew in them, so that it holds no more; only the formats of events do not change within a stream.
 */
static inline bool record_tells_damage(const struct record *record)
{
	return record->kind == KIND_LOST && memmem(record->text, record->length, " bytes=", 7) != NULL;
}

/* How many bytes it is in a binary stream, with its head: what all that counts bytes of events goes by. */
static inline size_t record_size(const struct record *record)
{
	return record->length + (record->packed && record->kind == KIND_EVENT ? PACKED_EVENT_HEAD : sizeof(struct record_head));
}

#endif
