/*
 * wishes: the kernel events to trace, for charts and by name, each of them once.
 *
 * An event that is wanted with several filters is traced if it passes one of them.
 *
 *	wishes_new()
 *	wishes_add(wishes, ...)		each
 *	wishes_enable(wishes, ...)	in an instance: then each wish has its id and format
 *	wishes_by_id(wishes)[id]	the wish of an event
 *	wishes_free(wishes)
 */
#ifndef SOURCE_WISHES_H
#define SOURCE_WISHES_H

#include <stdbool.h>
#include <stdint.h>

#include <tracefs.h>
#include <uthash.h>

#include "base/memory.h"
#include "event/predicate.h"
#include "source/layout.h"

enum wish_flags {
	WISH_REQUIRED = 1, /* a kernel without this event is a failure; else the event is left out */
	WISH_CONTEXT = 2,  /* traced for every process, even with -p */
	WISH_STREAMED = 4, /* must not wait in the kernel until a reader asks */
	WISH_QUIET = 8,	   /* is not written; it only gives names of threads */
	WISH_WHOLE = 16,   /* the kernel does not filter it, because it gives names of threads; the filter is applied before writing */
	WISH_PARTIAL = 32, /* many probes share its event in tracefs */
	WISH_MAPS = 64,	   /* is not written; it shows which threads map code */
};

enum { WISH_IDS = 1 << 16, WISH_OWN_IDS = WISH_IDS - 16 /* of stack:sleep and its like; those of parts lie below */ };

struct wish {
	UT_hash_handle hh;   /* by event; the first of those that share it */
	char *event;	     /* its name in the stream, "system:name" */
	char *system, *name; /* its name in tracefs */
	char *origin;	     /* the place of a probe; NULL: it is no probe */
	bool at_exits;	     /* of a probe: at instructions that leave a function */
	bool stepped;	     /* of a probe: the kernel has to step over the first of its instructions */
	char *filter;	     /* NULL: none */
	unsigned flags;
	char *waits; /* the field that names the thread it is about; NULL: the one in whose context it happened */

	/* of a recorded event, or one that the kernel gives whole */
	uint8_t exception; /* of a probe: what it tells of exceptions (source/exceptions.h), in the kernel's words; 0: nothing */
	struct argument_record *arguments; /* of a probe: what becomes of its words; NULL: it has none */
	struct member_check *check; /* by which some of its arguments may be told; NULL: all may. Not the wish's own */
	struct predicate *predicate; /* the filter that is applied here; NULL: none. Its setter frees it */

	/* after wishes_enable() */
	bool enabled;
	bool kept; /* in the second instance, until a reader asks */
	uint64_t seen; /* events so far, by its reader */
	char *format; /* the text of its format file */
	int format_length;
	uint16_t id;
	bool introduced; /* something must be written before it; see struct scribe_setup */
	struct layout layout; /* of its payload */
	ARRAY(struct wish *) parts; /* of an event that many probes share: each one's, by its number; else empty */
};

struct wishes;
struct tep_handle;

struct wishes *wishes_new(void);
void wishes_free(struct wishes *wishes); /* with the wishes */

/* A wish by its place in the order of adding; NULL: there are no more. And the number of wishes. */
struct wish *wishes_at(const struct wishes *wishes, size_t place);
size_t wishes_count(const struct wishes *wishes);

/*
 * Wants an event, "system:name"; system or name may be a pattern with * ? [], and a system alone means all its events.
 * `waits` may be NULL. -1 after fail(): a required event is not there; its message names those with a like name.
 */
int wishes_add(struct wishes *wishes, const char *event, const char *filter, const char *waits, unsigned flags);

/* Adds the events by which threads are made, renamed, run another program, or end; unless they were wanted before, they are not written. */
int wishes_add_lives(struct wishes *wishes);

/* Adds the event by which code is mapped, if the kernel has it and it was not wanted before. */
void wishes_add_maps(struct wishes *wishes);

/* Wants a probe's event, which has another name in tracefs than in the stream. Several probes may share the latter. */
struct wish *wishes_add_probe(struct wishes *wishes, const char *event, const char *name, const char *origin);

/* Tells whether a probe with this event and origin is wanted already. */
bool wishes_has_probe(const struct wishes *wishes, const char *event, const char *origin);

/*
 * One event in tracefs for the probes of many functions, because the kernel takes as long to remove one event as a thousand probes of one.
 * Each probe of it has an argument LAYOUT_PART with a number of its own; wishes_part() finds the function's wish by that number. The stream
 * has an event for each function all the same, with numbers that the kernel has not given to others.
 *
 * wishes_add_part() adds a function; its number is that of the parts before.
 */
struct wish *wishes_add_shared(struct wishes *wishes, const char *name);
struct wish *wishes_add_part(struct wishes *wishes, struct wish *shared, const char *event, const char *origin);

/* Tells whether any event may stay in the kernel: one without WISH_STREAMED that is not about threads' lives. */
bool wishes_can_keep(const struct wishes *wishes);

/*
 * Sets filters and enables all events; with a `keeper`, those that may stay in the kernel there. -1 after fail(); if a filter is wrong, the
 * message has the kernel's own words.
 */
int wishes_enable(struct wishes *wishes, struct tracefs_instance *instance, struct tracefs_instance *keeper);

/*
 * The same of probes that were added since, from this place on, while tracing. None may be part of a shared event. -1 after fail().
 */
int wishes_enable_late(struct wishes *wishes, size_t first, struct tracefs_instance *instance);

/*
 * Adds an event of a recording, by the text of its format. The caller may unset `enabled`, to leave it out, and set `predicate`. -1 after
 * fail(): the format cannot be read, or another event has its number.
 */
int wishes_add_recorded(struct wishes *wishes, const char *system, const char *format, size_t length, struct tep_handle *tep);

/* The table of wishes by the number of their event, with WISH_IDS entries; an entry may be NULL. */
struct wish *const *wishes_by_id(const struct wishes *wishes);

/* The wish of the function with this number, of an event that many share; NULL: there is none. */
static inline struct wish *wishes_part(const struct wish *shared, uint32_t number)
{
	return number < shared->parts.count ? shared->parts.items[number] : NULL;
}

#endif
