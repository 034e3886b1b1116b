/*
 * words: the model in plain English. Every text returned is the caller's to free, and is fit for any output.
 */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "graph/words.h"
#include "report/model.h"

enum { WORDS_CLOCK_ROOM = 64 };

/*
 * Text from outside made fit to print: valid UTF-8; what is not, control characters, and those that turn the
 * direction of writing become \xHH.
 */
char *words_clean(const char *text);

/* How many columns of a terminal it takes: a character one, two, or none. The text is valid UTF-8. */
size_t words_columns(const char *text);

/* At most so many columns, by "..." in the middle: both ends of a name tell it from others. */
char *words_shorten(const char *text, size_t columns);

/* The same with whole words at both sides of " ... ", where there are words: no name that matters is cut. */
char *words_abridge(const char *text, size_t columns);

/* "1 thread", "9,412 requests". */
char *words_count(uint64_t count, const char *noun);

/* What was shed, when and why, as a sentence; the caller frees it. */
char *words_shed(const struct shed *shed);

/* A duration for people, from seconds: "2.293 s"; "0" for none. */
char *words_seconds(double seconds);

/* "15:43:11.203" (UTC) where the stream tells the wall clock, else "11.203456 s" of the trace clock. */
void words_clock(const struct clock *clock, int64_t ts, char *text);

/* "host web1", "hosts web1, web2 and others"; NULL: none has a name. */
char *words_hosts(const struct model *model);

/* Unix time as "2026-11-20", as "2026-11-20 15:43:07", and as "2026-11-20T15:43:07.123456789Z". */
void words_day(int64_t unix_time, char *text);
void words_date(int64_t unix_time, char *text);
void words_iso_time(int64_t unix_time, char *text);

/* "read of loop0 sector 1880432 by reader/3312 took 2.293 s". */
char *words_signal(const struct model *model, const struct signal *signal);

/* Several of one chart, key and thread name: "24 recvfrom of python3", "3 reads of loop0 by reader". */
char *words_signals(const struct model *model, const struct signal *signal, uint64_t count);

/* What a story is about: its signal's sentence, or its graph: "A took 12 s (graph 1)". */
char *words_story(const struct model *model, const struct story *story);

/* A time of a moment, by words_clock(); as "2026-11-20 23:58:20" where that is of another day than the time at its head. */
void words_time(const struct moment *moment, int64_t ts, char *text);

/* When a story of a moment began, by words_time(): its signal, or its graph; of none, the worst signal, or the moment. "": not known. */
void words_began(const struct moment *moment, const struct story *story, char *text);

/* What a moment is about: its first story, else its worst signal. */
char *words_moment(const struct model *model, const struct moment *moment);

/* "211 more signals between 15:43:10.912 and 15:43:13.200", besides so many that are told; NULL: there are no more. */
char *words_rest(const struct moment *moment, uint64_t told);

/* Why a moment is incomplete; NULL: it is complete. */
char *words_gap(const struct moment *moment);

/* A value: "2.293 s", "12 %", "4,123 a second", "17", "10,000,090". */
char *words_value(enum unit unit, double value);

/*
 * "took 2.293 s" alone is not enough where limits differ: "limit 41.2 ms, median 4.5 ms", of rates "limit 1.3 %, normally 0.1 %"; NULL
 * where none is known.
 */
char *words_limits(enum unit unit, double center, double limit);

/* "block of loop0 became slower at 12:03:04.127 and stayed so: median 127 us -> 410 us; limits relearnt". */
char *words_shift(const struct model *model, const struct track *track, const struct shift *shift);

/* What went on meanwhile: " while 9,412 requests of 319 others were served"; "" where the graph tells nothing. */
char *words_meanwhile(const struct graph *graph, int32_t node);

/* Raw words made clean, and freed. */
char *words_cleaned(char *raw);

/* Of how many moments the changes are: "moments compared: 4 good, 4 bad"; NULL: nothing was compared. */
char *words_changes(const struct model *model);

/* A ranked deed: "reader (318 threads of 2 processes): read of loop0 in service". */
char *words_culprit(const struct deed *deed, uint64_t threads, uint64_t processes);

/* What it is blamed for: "2.28 s"; of an exception how far it was from the throw: "threw", "2 calls up". */
char *words_score(const struct culprit *culprit);

#endif
