/*
 * deed: what a thread, an interrupt or a device did, or what was done to it, in one node of a wake graph, as typed data. The fields are
 * the keys of the node's record; tailblame-graph(5) lists every deed with its keys and its words. graph/words.h makes words of a deed;
 * nothing makes a deed of words. A node whose record has no deed= is DEED_TEXT, and its text is printed as it is.
 *
 * Two deeds are the same if all their fields are: threads of one name do the same deed. What else is known of one node
 * is its detail, which tells it from other nodes with that deed: numbers of threads, a sector, a frequency.
 *
 * A deed that a caller fills in points at the caller's texts; deed_copy() makes one that owns its texts. A deed without keys
 * is all zero except for its kind and its CPU (CPU_NONE).
 */
#ifndef GRAPH_DEED_H
#define GRAPH_DEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/fields.h"
#include "stream/line.h"

/*
 * The kinds: DEED(NUMBER, "as deed= spells it", traits). A new kind is a line here and its words in graph/words.c. DEED_BY_THREAD: its row in a
 * picture is the row of the thread that does it. DEED_SHARED: the deed is work, which the threads of a pool share.
 */
enum deed_trait { DEED_BY_THREAD = 1, DEED_SHARED = 2, DEED_WORK_OF_THREAD = DEED_BY_THREAD | DEED_SHARED };

#define DEED_KINDS(DEED) \
	DEED(TEXT, "text", 0) \
	/* a thread on a CPU */ \
	DEED(RUN, "run", DEED_WORK_OF_THREAD) \
	DEED(SERVE, "serve", DEED_WORK_OF_THREAD) \
	DEED(WORK, "work", DEED_WORK_OF_THREAD) \
	DEED(RECLAIM, "reclaim", DEED_WORK_OF_THREAD) \
	DEED(SPIN, "spin", DEED_WORK_OF_THREAD) \
	DEED(DIE, "die", DEED_BY_THREAD) \
	DEED(CRASH, "crash", DEED_BY_THREAD) \
	DEED(HOLD_CPU, "hold-cpu", DEED_SHARED) /* by a thread or an interrupt */ \
	/* a thread not on a CPU */ \
	DEED(READY, "ready", DEED_BY_THREAD) \
	DEED(WAIT, "wait", DEED_BY_THREAD) \
	/* an interrupt took the CPU from a thread */ \
	DEED(INTERRUPT, "interrupt", 0) \
	/* what ended a wait, or queued a work item, and has no history of its own */ \
	DEED(SLEEP, "sleep", 0) \
	DEED(ALARM, "alarm", 0) \
	DEED(PACKET, "packet", 0) \
	DEED(OUTSIDE, "outside", 0) \
	DEED(HOUSEKEEPING, "housekeeping", 0) \
	DEED(DELIVER, "deliver", 0) \
	DEED(UNKNOWN, "unknown", 0) \
	DEED(POLL, "poll", 0) \
	DEED(HOLD_LOCK, "hold-lock", DEED_BY_THREAD) \
	DEED(STOP, "stop", DEED_BY_THREAD) /* by a signal or a tracer; nobody is seen to let it go on */ \
	DEED(QUEUE_WORK, "queue-work", 0) \
	DEED(TIMER_WORK, "timer-work", 0) \
	DEED(UNKNOWN_WORK, "unknown-work", 0) \
	/* a thread or its requests were held back */ \
	DEED(THROTTLE_CPU, "throttle-cpu", 0) \
	DEED(THROTTLE_IO, "throttle-io", 0) \
	DEED(THROTTLE_DIRTY, "throttle-dirty", 0) \
	/* a block request: queued before the device, behind others in the device, in service */ \
	DEED(HOLD_BACK, "hold-back", 0) \
	DEED(BEHIND, "behind", 0) \
	DEED(SERVICE, "service", DEED_SHARED) \
	/* the data do not tell */ \
	DEED(UNSEEN, "unseen", 0) \
	DEED(LOST, "lost", 0) \
	DEED(GAP, "gap", 0) \
	DEED(BEFORE_DATA, "before-data", 0) \
	DEED(CIRCLE, "circle", 0) \
	DEED(NOT_IN_DATA, "not-in-data", 0)

#define DEED_NUMBER(NUMBER, name, traits) DEED_##NUMBER,
enum deed_kind { DEED_KINDS(DEED_NUMBER) DEEDS };
#undef DEED_NUMBER

static inline bool deed_is(enum deed_kind kind, enum deed_trait trait)
{
#define DEED_TRAITS(NUMBER, name, traits) traits,
	static const unsigned char traits[DEEDS] = {DEED_KINDS(DEED_TRAITS)};
#undef DEED_TRAITS

	return traits[kind] & trait;
}

enum { CPU_NONE = -1 };

struct deed {
	enum deed_kind kind;
	int32_t cpu;	      /* DEED_HOLD_CPU: the CPU's number; CPU_NONE: several CPUs */
	bool pool;	      /* who names several threads, with '*' for the numbers in which their names differ */
	bool pipe;	      /* who is a command of the pipe that recorded the events, or a part of a command */
	const char *text;     /* DEED_TEXT */
	/* names of threads: who did it; to whom, or for whom, it was done. A text that does not apply is NULL */
	const char *who, *whom;
	const char *irq, *softirq;		       /* the interrupt that did it */
	const char *syscall, *object, *lock, *purpose; /* what a wait was in, and for; see words_reason() */
	const char *queue;			       /* the work queue */
	const char *request, *dev, *scheduler;	       /* a block request: read, write ...; its device: 7:0; the scheduler that queued it */
	const char *file;			       /* path of the file whose lock is wanted */
	const char *group;			       /* the control group whose CPU quota was used up, most of it by who */
	const char *pace;			       /* "low": the CPU's frequency was low */
	const char *doubt;			       /* why the end may have come unseen: cpu, overtaken; see tailblame-graph(5) */
	const char *function;			       /* in which a wait was; in which a run mostly was, or from which it woke another */

	/* set only in a copy */
	const char *name;	   /* the deed in words */
	const char *spelled;	   /* private: its keys as records spell them */
	const struct deed *family; /* in a graph: one pointer for all deeds of a family; see graph/deed_family.h */
	const char *key;	   /* private: all fields above, as bytes */
	size_t key_length;
};

struct deed_detail {
	int32_t cpu;			    /* CPU_NONE: not known; DEED_HOLD_CPU has it in the deed */
	uint32_t khz, khz_most, khz_limit;  /* a run: mean frequency; the highest seen or allowed; the limit at its end; 0: not known */
	uint64_t sector;		    /* NO_SECTOR: not known */
	int64_t quota, period;		    /* CPU time that the group may use in each period; a poll: time between two tries; ns; 0: not known */
	uint32_t others;		    /* a wait for an answer: how many answers others got meanwhile; 0: few, or not known */
	const char *crowd;		    /* the name of most of these others; NULL: they have several names */
	const char *disk;		    /* the device's name: loop0 */
	const char *thread;		    /* the name of the node's own thread, if neither who nor whom is this thread */
	const char *kernel;		    /* the kernel's function that it waits in, or that its samples were in */
	const char *asker, *asker_function; /* the thread that this run woke at its end, and the function in which that thread had waited */
	uint32_t samples, in_function;	    /* samples taken of a run, and how many of them were in the deed's function; 0: none */
	const char *counters;		    /* what was counted in a run: "page_faults:12,cycles:3400" */
	int64_t counted;		    /* CPU time in which it was counted, ns; 0: nothing was counted */
	const char *began;		    /* "before": the node began before the data */
	const char *until;		    /* "end": the wait ended with its thread; "signal": a signal broke it off */
};

#define NO_SECTOR UINT64_MAX
#define DEED_DETAIL_NONE ((struct deed_detail){.cpu = CPU_NONE, .sector = NO_SECTOR})

/* A copy in one block with its texts, its name in words and its key. The caller frees it with free(). */
struct deed *deed_copy(const struct deed *deed);
struct deed *deed_text_copy(const char *text); /* of DEED_TEXT */
struct deed_detail *deed_detail_copy(const struct deed_detail *detail); /* a copy with its texts, likewise; NULL if no field is set */

/* Writes all fields as bytes, which are the same as the key of a copy; returns their number, 0 if `room` is too small. */
size_t deed_key(const struct deed *deed, char *key, size_t room);

/* Of copies: whether all fields are the same; an order as of strcmp(), by name first. */
bool deed_equal(const struct deed *a, const struct deed *b);
int deed_compare(const struct deed *a, const struct deed *b);

/* Adds the keys of a copy to a record; none for DEED_TEXT. */
void deed_spell(const struct deed *deed, struct line *line);
void deed_detail_spell(const struct deed_detail *detail, struct line *line);

/*
 * Reads deed and detail from a record's keys, with texts of its own. False: the record has no deed=, or one that this program does not know. A
 * malformed number counts as absent. The caller calls deed_record_free() in either case.
 */
struct deed_record {
	struct deed deed;
	struct deed_detail detail;
	bool names_tids; /* the record has who_tid= or whom_tid= */
	char *more, texts[1024]; /* private */
};
bool deed_record_read(struct deed_record *record, const struct fields *fields);
void deed_record_free(struct deed_record *record);

/* The record's deed alone, as a copy that the caller frees; NULL where deed_record_read() returns false. */
struct deed *deed_read(const struct fields *fields);

#endif
