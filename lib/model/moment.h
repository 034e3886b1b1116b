/*
 * moment: a window of the filter with its signals, the stories of the graphs that explain them, and its words. A graph without a window (a request
 * activity graph, written by hand) is a moment of its own.
 *
 * The caller frees every text that is returned.
 */
#ifndef MODEL_MOMENT_H
#define MODEL_MOMENT_H

#include "model/story.h"

struct moment {
	uint64_t number; /* 1, 2, ... */
	char *window;	 /* the window's id; NULL: a graph without a window, or signals whose window never came */
	int64_t from, to;
	struct clock clock;
	char *host;	 /* "": unknown */
	bool complete;
	bool lost;	    /* the stream lost events up to this moment, perhaps some of this moment */
	int64_t data_from;  /* the start of the window; INT64_MIN: there is none */
	uint64_t signals; /* number of signals; `worst` may have fewer */
	ARRAY(struct signal *) worst; /* the worst first when told, by signal_compare() */
	ARRAY(struct story *) stories;
};

void moment_free(struct moment *moment); /* NULL is allowed */

/* The subject of a moment: its first story (NULL: none), and the signal of that story or, without stories, the worst signal (NULL: none). */
const struct story *moment_story(const struct moment *moment);
const struct signal *moment_signal(const struct moment *moment);

/* Tells whether at least half of the blame is on the pipe that recorded the moment, which then says little about the machine. */
bool moment_is_own(const struct moment *moment);

/* The trace time at which a story of the moment began; `story` NULL: its worst signal or, without signals, the moment. False: unknown. */
bool moment_began(const struct moment *moment, const struct story *story, int64_t *at);

/*
 * A signal of a traced function has two graphs, one of threads and one of calls, but is printed once, with the graph of threads.
 * moment_companion() returns the story of the graph of calls that belongs to a story of threads; NULL: there is none.
 * moment_is_companion() tells whether a story is the companion of an earlier one.
 */
const struct story *moment_companion(const struct moment *moment, const struct story *story);
bool moment_is_companion(const struct moment *moment, const struct story *story);

/* The subject of a moment in words: its first story or, without stories, its worst signal. */
char *moment_words(const struct site *site, const struct moment *moment);

/* "211 more signals between 15:43:10.912 and 15:43:13.200", besides the first `told` signals; NULL: there are no more. */
char *moment_rest(const struct moment *moment, uint64_t told);

/* "first sign 22:48:19.123, 40.0 ms (normal 12.0 ms), then 3 more"; NULL: no signs came before the signals. */
char *moment_signs(const struct moment *moment);

/* The reason for which a moment is incomplete; NULL: it is complete. */
char *moment_gap(const struct moment *moment);

/* Writes a time of a moment, by clock_words(); as "2026-11-20 23:58:20" if the moment began on another day. `text`: TIME_ROOM bytes. */
void moment_time(const struct moment *moment, int64_t ts, char *text);

/* Writes the time of moment_began() by moment_time(); "": unknown. */
void moment_began_words(const struct moment *moment, const struct story *story, char *text);

#endif
