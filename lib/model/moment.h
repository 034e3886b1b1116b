/*
 * moment: a window of the filter with its signals, and the stories of the graphs that explain them; its words. A graph without window (a request
 * activity graph, written by hand) is a moment of its own.
 *
 * The caller frees every text that is returned.
 */
#ifndef MODEL_MOMENT_H
#define MODEL_MOMENT_H

#include "model/story.h"

struct moment {
	uint64_t number; /* 1, 2, ... */
	char *window;	 /* its id; NULL: a graph without window, or signals whose window never came */
	int64_t from, to;
	struct clock clock;
	char *host;	 /* "" where not given */
	bool complete;
	bool lost;	    /* events of the stream were lost until then, perhaps some of this moment */
	int64_t data_from;  /* where the window begins; INT64_MIN: there is none */
	uint64_t signals; /* how many it has; the model keeps the worst of a great many */
	ARRAY(struct signal *) worst; /* the worst first when told, by signal_compare() */
	ARRAY(struct story *) stories;
};

void moment_free(struct moment *moment); /* NULL is allowed */

/* The subject of a moment: its first story, NULL if it has none; and the signal of that story, else its worst one, NULL if it has none. */
const struct story *moment_story(const struct moment *moment);
const struct signal *moment_signal(const struct moment *moment);

/* Tells whether the pipe that recorded it is to blame for half of it or more: it says little about the machine. */
bool moment_is_own(const struct moment *moment);

/* When one of its stories began, in trace time; without story: its worst signal, or the moment. False: not known. */
bool moment_began(const struct moment *moment, const struct story *story, int64_t *at);

/*
 * A signal of a traced function has two graphs, one of threads and one of calls, but is printed once: with the first graph, whose
 * companion is the second. NULL: it has none. Whether a story is the companion of an earlier one.
 */
const struct story *moment_companion(const struct moment *moment, const struct story *story);
bool moment_is_companion(const struct moment *moment, const struct story *story);

/* The subject of a moment in words: its first story, else its worst signal. */
char *moment_words(const struct site *site, const struct moment *moment);

/* "211 more signals between 15:43:10.912 and 15:43:13.200", besides those that the reader has seen; NULL: there are no more. */
char *moment_rest(const struct moment *moment, uint64_t told);

/* "first sign 22:48:19.123, 40.0 ms (normal 12.0 ms), then 3 more"; NULL: nothing came before it. */
char *moment_signs(const struct moment *moment);

/* Why a moment is incomplete; NULL: it is complete. */
char *moment_gap(const struct moment *moment);

/* A time of a moment, by clock_words(); as "2026-11-20 23:58:20" on another day than the time at its head. `text`: TIME_ROOM. */
void moment_time(const struct moment *moment, int64_t ts, char *text);

/* When a story of a moment began, by moment_time(): as moment_began(). "": not known. */
void moment_began_words(const struct moment *moment, const struct story *story, char *text);

#endif
