/*
 * record: the records of a stream. tailblame-stream(5) describes them for users; this header does for programmers.
 *
 * A record is either packed or spelled. Two kinds are packed: `event` with the kernel's raw payload, and `format` with the
 * kernel's description of an event. All others are spelled: their logfmt line is the record, in a binary stream, too, where
 * it is length-prefixed. So a record that was text once stays that text to the byte, unknown kinds and keys pass through,
 * and there is one codec.
 *
 * A binary stream is STREAM_MAGIC, a byte-order mark, a version, then blocks (stream/block.h) of records, each after a record
 * head. The first version has no blocks, so readers do not find damage in it. Streams can be concatenated: the magic number may
 * stand in place of a block's head, or, in the first version, of a record's head (the magic number's first four bytes, read as a
 * size, exceed the largest record). Readers forget all formats and thread names there.
 */
#ifndef STREAM_RECORD_H
#define STREAM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Binary streams contain these numbers: add a new kind at the end. */
enum kind {
	KIND_OTHER, /* unknown to this version: passed on */
	KIND_STREAM,
	KIND_FORMAT, /* packed only: system, NUL, the text of the tracefs format file */
	KIND_TASK,   /* ts tid comm? tgid? began? program? cgroup? read? ended? : a thread's name, before its first event */
	KIND_DEVICE, /* dev name disk? scheduler? : a block device, before its first event */
	KIND_CHART,  /* name definition : a chart whose events the collector traced */
	KIND_TICK,   /* ts : every event before this time has been written */
	KIND_EVENT,
	KIND_LOST,   /* ts cpu count from? : lost events; or ts from? bytes : damaged bytes of the stream */
	KIND_SAMPLE,
	KIND_LIMITS,
	KIND_SIGNAL,
	KIND_WINDOW,
	KIND_GRAPH,
	KIND_NODE,
	KIND_EDGE,
	KIND_PATH,
	KIND_BLAME,
	KIND_USAGE, /* command events kept bytes kept_bytes cpu setup? wall began? : work and cost of a stage */
	KIND_END,
	KIND_RECORDER, /* socket pipe events, or ts : offer of a recorder, which keeps context until a reader asks; never stored */
	KIND_STACK,    /* id user? kernel? : frames of a stack, before the first event that names it */
	KIND_FILE,     /* ts tid fd kind inode? : kind of a thread's descriptor: "pipe", "tty", "socket", or "file" */
	KIND_QUOTA,    /* ts since? group quota period timers? count? time? tids? : a group's CPU quota, and each time it ran out */
	KIND_DIFF,     /* rank? name? difference? good? bad? p? sure? good_moments bad_moments good_hosts? bad_hosts? algorithm : two streams compared */
	KIND_TRACED,   /* tids, gone, within ts, command, or process asked? asks? listens? seen? takes? stopped? call? : threads and processes when tracing began */
	KIND_OPEN,     /* ts start chart key? count : intervals begun, not ended, and judged by no limits */
	KIND_SHED,     /* ts what name? events? cost share? limit : no longer traced, to bound the cost of tracing */
	KIND_STAGE,    /* command tid : a thread of the pipe that records, as trace-collect found it */
	KIND_RUN,      /* id node? job ts elapsed program exit? partial? complete? children? light? class? : a program's run, from exec to exit */
	KIND_FEATURES, /* run NAME... : what sets a run apart, numbers and words */
	KIND_CONFIG,   /* run name value? error? : a setting of the machine that the run was on */
	KIND_CLUSTER,  /* groups k? silhouette? ... : how runs were grouped by performance */
	KIND_LABEL,    /* run class : a run's group */
	KIND_RULE,     /* rank feature cut gain right runs leaves p sure bad? explains? text : what tells bad runs from good */
	KIND_SAME,     /* rank feature cut bad? explains? : a feature that divides the runs as the rule's feature does */
	KIND_OUTSIDE,  /* call runs_good runs_bad ... : a call that not every node made */
	KIND_TIMER,    /* address function : the function of a kernel timer, before the first event that names it */
	KIND_SUMMARY,  /* chart key? count mean p50 p95 p99 max max_ts unit? : the values of a chart and key in a few numbers */
	KIND_SYMBOL,  /* address name offset? : a function of the kernel, before the first event that has the address */
	KIND_PRINTK,  /* address format : a format string of trace_printk(), before the first event that uses it */
	KIND_TRIGGER,  /* ts name state reason? matched? unmatched? : a trigger fired, or stopped logging */
	KIND_REQUEST,  /* ts start id trigger match logged tid? chart key? value : a request that ended while a trigger logged */
	KIND_EXCEPTION, /* ts tid pid? object? name what? function? cause? again? stack? calls? : an exception was thrown */
	KIND_STATE,   /* ts path value? since? : the new value of an attribute that a state file defines */
	KIND_SOCKET,  /* ts from inode cookie local peer side? bytes_in? bytes_out? tid? fd? : a TCP connection from before the trace */
	KIND_SPAN,    /* id parent? trace? ts start host? pid? tid? service? kind? peer? bytes_in? bytes_out? sure? candidates? width? follows? error? name? : a request's part at one service */
	KIND_HOST,    /* name kernel? machine? cpus? boot? waits? : the host of the records that follow, until the next `host` */
	KIND_CLOCK,   /* host reference by? a b from to pairs width : reference time = a * host's time + b */
	KIND_CALL,    /* ts start tid function request? trigger? match? arg.NAME? ret? left? : a logged call of a blamed function */
	KIND_HANDOFF, /* from from_key to to_key again? process? : a call `to` was caused by the last call `from` with the same value */
	KIND_ASYNC,   /* ts op pid tid? id? parent? name? on? mode? result? count? prompt? before? : what a program's own task did, as it reported */
	KIND_VIEW,    /* kind path title? : which attributes to draw, according to a state file */
	KIND_STEP,    /* ts tid what depth function? at? last? to? back? result? number? why? ... : what a thread did, block by block */
	KIND_GAP,     /* ts until cpu : events of a CPU were lost between these times; the `lost` record that counts them comes at the end */
	KINDS
};

/* "event", and back; kind_of() returns KIND_OTHER for an unknown name. */
const char *kind_name(enum kind kind);
enum kind kind_of(const char *name, size_t length);
bool kind_has_name(enum kind kind, const char *name, size_t length);

#define STREAM_MAGIC "\211tailb\r\n"
enum { STREAM_MAGIC_SIZE = 8, STREAM_HEAD_SIZE = 16, STREAM_VERSION = 1, STREAM_BYTE_ORDER = 0x0102 };

/* STREAM_VERSION is the version of records, binary or text; this is the form of a binary stream. */
enum stream_form { STREAM_OF_RECORDS = 1, STREAM_OF_BLOCKS = 2 };

struct stream_head { /* the first 16 bytes of a binary stream */
	char magic[STREAM_MAGIC_SIZE];
	uint16_t byte_order; /* STREAM_BYTE_ORDER as the writer's machine stores it */
	uint16_t form;	     /* one of enum stream_form */
	uint32_t reserved;
};

enum record_form { RECORD_SPELLED, RECORD_PACKED };
enum {
	RECORD_IMPLIED = 1, /* an `end` that the text input lacked; binary only */
	RECORD_OF_TEXT = 2, /* an `end` from text, which people edit, and which lacks formats: its count is not checked */
	RECORD_MADE_UP = 4, /* a `stream` or `host` record that the loop made up; never written in binary */
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

/* The largest record, with its head; and the longest line, without, so that binary and text hold the same records. */
enum { RECORD_SIZE_MAX = 1 << 20, RECORD_LINE_MAX = RECORD_SIZE_MAX - 8, PACKED_EVENT_HEAD = 8 + 12 };

/* A record as a handler sees it. All pointers are valid until the handler returns. */
struct record {
	enum kind kind;
	bool packed;
	bool swapped;  /* packed in the other byte order: payload numbers must be swapped */
	uint8_t flags;
	uint8_t number;   /* KIND_OTHER: the kind's number in the binary stream */
	const char *text; /* spelled: the line without newline; packed: the bytes after the head (of an event: its payload) */
	size_t length;
	int64_t ts;    /* packed event */
	uint32_t cpu;  /* packed event */
};

/* Tells whether the record is an event or a loss of events. */
static inline bool record_is_of_events(const struct record *record)
{
	return record->kind == KIND_EVENT || record->kind == KIND_LOST;
}

/*
 * Tells whether the record reports damaged bytes of the stream. They may have held any records, such as new names of threads or
 * devices. So forget everything that earlier records said, except formats of events, which do not change within a stream.
 */
static inline bool record_tells_damage(const struct record *record)
{
	return record->kind == KIND_LOST && memmem(record->text, record->length, " bytes=", 7) != NULL;
}

/* The record's size in a binary stream, with its head. All byte counts of events use this. */
static inline size_t record_size(const struct record *record)
{
	return record->length + (record->packed && record->kind == KIND_EVENT ? PACKED_EVENT_HEAD : sizeof(struct record_head));
}

#endif
