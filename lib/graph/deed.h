/*
 * deed: what somebody did, or what was done to them, in one node of a wake graph, as typed data. The keys are those of its
 * record; tailblame-graph(5) lists every deed with its keys and its words. Words are made of a deed by graph/words.h, and
 * nothing makes a deed of words: a node whose record has no deed= is DEED_TEXT, whose text is printed as it is.
 *
 * Two deeds are the same if all their fields are: threads of one name do the same deed. All else that is known of one node
 * is its detail, which tells it from other nodes with that deed: numbers of threads, a sector, a frequency.
 *
 * A deed that a caller fills in points at the caller's texts; deed_copy() makes one that stands alone. All zero but for the kind
 * and the CPU (CPU_NONE) is a deed without keys.
 */
#ifndef GRAPH_DEED_H
#define GRAPH_DEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/fields.h"
#include "stream/line.h"

/*
 * The kinds: DEED(NUMBER, "as deed= spells it", traits). A new one is a line here and its words in graph/words.c. The traits: its row in a picture
 * is that of the thread that does it; it is work, which the threads of a pool share.
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
	/* and not */ \
	DEED(READY, "ready", DEED_BY_THREAD) \
	DEED(WAIT, "wait", DEED_BY_THREAD) \
	/* an interrupt took the CPU from a thread */ \
	DEED(INTERRUPT, "interrupt", 0) \
	/* what ended a wait, or began a work, and has no history of its own */ \
	DEED(SLEEP, "sleep", 0) \
	DEED(ALARM, "alarm", 0) \
	DEED(PACKET, "packet", 0) \
	DEED(OUTSIDE, "outside", 0) \
	DEED(HOUSEKEEPING, "housekeeping", 0) \
	DEED(DELIVER, "deliver", 0) \
	DEED(UNKNOWN, "unknown", 0) \
	DEED(POLL, "poll", 0) \
	DEED(HOLD_LOCK, "hold-lock", DEED_BY_THREAD) \
	DEED(STOP, "stop", DEED_BY_THREAD) /* by a signal or a tracer, and nobody let it go on */ \
	DEED(QUEUE_WORK, "queue-work", 0) \
	DEED(TIMER_WORK, "timer-work", 0) \
	DEED(UNKNOWN_WORK, "unknown-work", 0) \
	/* somebody was not let */ \
	DEED(THROTTLE_CPU, "throttle-cpu", 0) \
	DEED(THROTTLE_IO, "throttle-io", 0) \
	DEED(THROTTLE_DIRTY, "throttle-dirty", 0) \
	/* a block request: before the device, behind others in it, in service */ \
	DEED(HOLD_BACK, "hold-back", 0) \
	DEED(BEHIND, "behind", 0) \
	DEED(SERVICE, "service", DEED_SHARED) \
	/* nobody knows */ \
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
	int32_t cpu;	      /* DEED_HOLD_CPU: which; CPU_NONE: of several */
	bool pool;	      /* who: of several threads, with '*' for the numbers in which their names differ */
	bool pipe;	      /* who: a command of the pipe that recorded it, or a part of one */
	const char *text;     /* DEED_TEXT */
	/* names of threads: who did it; to whom, or for whom, it was done. Texts are NULL where there is nothing to say */
	const char *who, *whom;
	const char *irq, *softirq;		       /* the interrupt that did it */
	const char *syscall, *object, *lock, *purpose; /* what a wait was in, and for; see words_reason() */
	const char *queue;			       /* of works */
	const char *request, *dev, *scheduler;	       /* a block request: read, write ...; its device: 7:0; what queued it */
	const char *file;			       /* that is locked: its path */
	const char *group;			       /* the control group whose CPU quota was used up; by whom: who */
	const char *pace;			       /* low: the CPU's frequency was */
	const char *doubt;			       /* its end may have come unseen: cpu, overtaken; see tailblame-graph(5) */
	const char *function;			       /* in which a wait was; in which a run mostly was, or from which it woke another */

	/* of a copy */
	const char *name;	   /* in words */
	const char *spelled;	   /* private: its keys as records have them */
	const struct deed *family; /* in a graph: deeds of one family have the same; see graph/deed_family.h */
	const char *key;	   /* private: all of the fields, as bytes */
	size_t key_length;
};

struct deed_detail {
	int32_t cpu;			    /* CPU_NONE; of DEED_HOLD_CPU the deed tells it */
	uint32_t khz, khz_most, khz_limit;  /* mean frequency of a run; the highest that was seen, or allowed; 0: not known */
	uint64_t sector;		    /* NO_SECTOR */
	int64_t quota, period;		    /* CPU time that the group may use in each period; time between two tries; ns; 0: not known */
	uint32_t others;		    /* a wait for an answer: the number of others that got answers meanwhile; 0: few, or not known */
	const char *crowd;		    /* the name of most of these; NULL: they have several */
	const char *disk;		    /* the device's name: loop0 */
	const char *thread;		    /* the name of the node's own thread, where who is another or none */
	const char *kernel;		    /* the kernel's function that it waits in, or that its samples were in */
	const char *asker, *asker_function; /* the thread that waited for this run's wake-up, and where */
	uint32_t samples, in_function;	    /* of such runs that were taken, and those of them in the function of the deed; 0: none */
	const char *counters;		    /* what was counted in such a run: "page_faults:12,cycles:3400" */
	int64_t counted;		    /* and in how much CPU time, ns; 0: nothing was counted */
	const char *began;		    /* before: the data */
	const char *until;		    /* end: of the thread */
};

#define NO_SECTOR UINT64_MAX
#define DEED_DETAIL_NONE ((struct deed_detail){.cpu = CPU_NONE, .sector = NO_SECTOR})

/* A copy with its name in words, which the caller frees with free(). */
struct deed *deed_copy(const struct deed *deed);
struct deed *deed_text_copy(const char *text); /* of DEED_TEXT */
struct deed_detail *deed_detail_copy(const struct deed_detail *detail); /* likewise; NULL if it says nothing */

/* All fields as bytes, to find a copy by its key; returns their number, 0 where there is no room. */
size_t deed_key(const struct deed *deed, char *key, size_t room);

/* Of copies: whether all fields are the same; and an order, by name first, as strcmp() has it. */
bool deed_equal(const struct deed *a, const struct deed *b);
int deed_compare(const struct deed *a, const struct deed *b);

/* Adds the keys of a copy to a record; none for DEED_TEXT. */
void deed_spell(const struct deed *deed, struct line *line);
void deed_detail_spell(const struct deed_detail *detail, struct line *line);

/*
 * The deed that a record's keys tell, with texts of its own. False: it has no deed, or one that this program does not know. A number that is none
 * counts as not there. To be freed in either case.
 */
struct deed_record {
	struct deed deed;
	struct deed_detail detail;
	bool names_tids; /* it has who_tid= or whom_tid= */
	char *more, texts[1024]; /* private */
};
bool deed_record_read(struct deed_record *record, const struct fields *fields);
void deed_record_free(struct deed_record *record);

/* The deed alone, as a copy, which the caller frees; NULL: there is none. */
struct deed *deed_read(const struct fields *fields);

#endif
