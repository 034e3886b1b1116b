/*
 * silence: a quiet time after which a start either goes on or is over. The start ends where its silence began, once nothing can go on any more.
 *
 * A turn is in a silence after each answer, because another may follow. A wait for an answer is in a silence after its time limit or a signal: a
 * thread that waits for many descriptors with a limit goes right back to waiting, as curl does. All these waits are one start, which lasts
 * until the answer is there. If no answer comes, it lasted until its last time limit.
 *
 * A server that only collects metrics never answers. So as long as no answer is to be expected (traffic_question()), the wait is not reported
 * while it lasts, and without an answer it lasted until its first time limit.
 *
 * No function here ends a start: it returns the start that is over, and the caller ends that with the beginning of its silence.
 */
#ifndef CHART_SILENCE_H
#define CHART_SILENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct start;
struct pair_table;
struct traffic;

/* The silence of a start; all zero: it is in none. */
struct silence {
	int64_t since;	  /* when the last answer of a turn was sent, or a wait last reached its time limit */
	int64_t question; /* of a wait: when its thread asked */
	int64_t first;	  /* of a wait: its first time limit, if there may be no answer */
	bool again;	  /* of a wait: its thread waits again, so only an answer ends it */
};

/* The silences of a chart: of turns, or of waits for answers. */
struct silences {
	struct pair_table *waits; /* NULL: the chart's starts are no such waits, and the functions below do nothing */
	struct traffic *traffic;
	size_t count; /* starts that may be in a silence; of turns never 0 */
	int64_t swept; /* when silences that are over were last looked for; INT64_MIN: never */
};

/* silence_deadline(): until when a start in a silence may go on. silence_end(): when it ended if it does not go on. */
int64_t silence_deadline(const struct silence *silence);
int64_t silence_end(const struct silence *silence);

/* Sets `place` to the key of a start in the table: waits have keys of their own, because their threads make other calls in between. */
void silence_key(const struct silences *silences, const int64_t *key, bool waits, int64_t place[]);

/* A thread enters a call: hands out its wait if that has not ended yet, because the end was not seen; NULL: there is none. */
struct start *silence_unended(struct silences *silences, int32_t tid);

/* The same call; `waits`: it is a wait. Returns the start that is over; NULL: none is. Sets *goes_on if the call is part of the earlier wait. */
struct start *silence_enter(struct silences *silences, int32_t tid, bool waits, bool *goes_on);

/* A wait is about to return. True: its start is now in a silence. */
bool silence_return(struct silences *silences, int32_t tid, int64_t result, int64_t now);

/* A thread has transferred something, perhaps its answer. Returns the start that is over; NULL: none is. */
struct start *silence_transfer(struct silences *silences, int32_t tid);

/* A thread ends. Returns the start that is over, or hands out in *unended a wait that is in no silence; NULL: there is none. */
struct start *silence_exit(struct silences *silences, int32_t tid, struct start **unended);

#endif
