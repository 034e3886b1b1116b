/*
 * selection: the kernel events to trace, for charts and by name, each of them once.
 *
 * An event that is wanted with several filters is traced if it passes one of them.
 *
 *	selection_new()
 *	selection_add(selection, ...)		each
 *	selection_enable(selection, ...)	in an instance: then each event has its id and format
 *	selection_by_id(selection)[id]		the selected event that a ring's event is of
 *	selection_free(selection)
 */
#ifndef SOURCE_SELECTION_H
#define SOURCE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <tracefs.h>
#include <uthash.h>

#include "base/memory.h"
#include "event/predicate.h"
#include "source/layout.h"

enum selection_flags {
	SELECT_REQUIRED = 1, /* fails if the kernel lacks the event; else the event is left out */
	SELECT_CONTEXT = 2,  /* traced for every process, even with -p */
	SELECT_STREAMED = 4, /* must not wait in the kernel until a reader asks */
	SELECT_QUIET = 8,	   /* is not written; it only gives names of threads */
	SELECT_WHOLE = 16,   /* the kernel does not filter it, because it gives names of threads; the filter is applied before writing */
	SELECT_PARTIAL = 32, /* many probes share its event in tracefs */
	SELECT_MAPS = 64,	   /* is not written; it shows which threads map code */
};

enum { SELECT_IDS = 1 << 16, SELECT_OWN_IDS = SELECT_IDS - 17 /* from it on: ids of stack:sleep and its like; below it: ids of parts */ };

struct selected {
	UT_hash_handle hh;   /* by `event`; of several with the same event, only the first is in the hash */
	char *event;	     /* its name in the stream, "system:name" */
	char *system, *name; /* its name in tracefs */
	char *origin;	     /* the place of a probe; NULL: it is no probe */
	bool at_exits;	     /* of a probe: it is at the instructions that leave a function */
	bool stepped;	     /* of a probe: the kernel has to step over the instruction at the first of its places */
	char *filter;	     /* NULL: none */
	unsigned flags;
	char *sampled;	     /* of a probe: name of the tracefs event at the same place by which stacks are sampled; NULL: none */
	int sample;	     /* number of `sampled` among the calls of program/stacks.h */
	char *waits; /* the field that names the thread that the event is about; NULL: it is about the thread in whose context it happened */

	/* how its payload is read */
	uint8_t exception; /* of a probe: what it tells of exceptions (source/exceptions.h), in the kernel's words; 0: nothing */
	struct argument_record *arguments; /* of a probe: turns its words into arguments; NULL: it has none */
	struct member_check *check; /* tells whether arguments at written-down places are right; NULL: all are. Not owned */
	struct predicate *predicate; /* the filter of a recorded event, or with SELECT_WHOLE; NULL: none. Its setter frees it */

	/* after selection_enable() */
	bool enabled;
	bool kept; /* it stays in the second instance until a reader asks */
	uint64_t seen; /* events that its reader has read so far */
	char *format; /* the text of its format file */
	int format_length;
	uint16_t id;
	bool introduced; /* something must be written before it; see struct event_writer_setup */
	struct layout layout; /* of its payload */
	ARRAY(struct selected *) parts; /* of an event that many functions share: the selected event of each, by its number; else empty */
};

struct selection;
struct tep_handle;

struct selection *selection_new(void);
void selection_free(struct selection *selection); /* with the selected events */

/* The selected event at a place in the order of adding; NULL: there are no more. And the number of selected events. */
struct selected *selection_at(const struct selection *selection, size_t place);
size_t selection_count(const struct selection *selection);

/*
 * Selects an event, "system:name"; system or name may be a pattern with * ? [], and a system alone means all its events.
 * `filter` and `waits` may be NULL. -1 after fail(): a required event is not there; the message suggests events with similar names.
 */
int selection_add(struct selection *selection, const char *event, const char *filter, const char *waits, unsigned flags);

/* Adds the events of threads that are made, are renamed, run another program, or end. Those not selected before are not written. */
int selection_add_lives(struct selection *selection);

/* Adds the event of threads that map code, if the kernel has it and it was not selected before. */
void selection_add_maps(struct selection *selection);

/* Selects a probe's event, which has another name in tracefs than in the stream. Several probes may share the latter. */
struct selected *selection_add_probe(struct selection *selection, const char *event, const char *name, const char *origin);

/* Tells whether a probe with this event and origin is selected already. */
bool selection_has_probe(const struct selection *selection, const char *event, const char *origin);

/*
 * One event in tracefs for the probes of many functions, because the kernel takes as long to remove one event as a thousand probes of one.
 * Each function's probes have an argument LAYOUT_PART with the function's number; selection_part() finds its selected event by that number.
 * The stream still has an event for each function, with an id that the kernel has not given to another event.
 *
 * selection_add_part() adds a function; its number is the count of parts before it.
 */
struct selected *selection_add_shared(struct selection *selection, const char *name);
struct selected *selection_add_part(struct selection *selection, struct selected *shared, const char *event, const char *origin);

/* Tells whether any event may stay in the kernel: one without SELECT_STREAMED that is not about threads' lives. */
bool selection_can_keep(const struct selection *selection);

/*
 * Sets filters and enables all events; with a `keeper`, events that may stay in the kernel are enabled there. -1 after fail(); if a filter is
 * wrong, the message has the kernel's own words.
 */
int selection_enable(struct selection *selection, struct tracefs_instance *instance, struct tracefs_instance *keeper);

/* Enables, while tracing, a probe that was added since, which is no part of a shared event. -1 after fail(): it stays off. */
int selection_enable_late(struct selection *selection, struct selected *selected, struct tracefs_instance *instance);

/*
 * Adds an event of a recording, by the text of its format. The caller may unset `enabled`, to leave it out, and set `predicate`. -1 after
 * fail(): the format cannot be read, or another event has its number.
 */
int selection_add_recorded(struct selection *selection, const char *system, const char *format, size_t length, struct tep_handle *tep);

/* The table of selected events by the kernel's id, with SELECT_IDS entries; an entry may be NULL. */
struct selected *const *selection_by_id(const struct selection *selection);

/* The selected event of the function with this number, of an event that many share; NULL: there is none. */
static inline struct selected *selection_part(const struct selected *shared, uint32_t number)
{
	return number < shared->parts.count ? shared->parts.items[number] : NULL;
}

#endif
