/*
 * window: passes the events around what is abnormal, and what came before it.
 *
 * Events are pushed as they come and wait (window/past.h). A signal opens a window from its start less `before` to its
 * end plus `after`; events in it are passed on in time order, others are dropped when they are too old to matter. Windows
 * that overlap are one. A window holds about WINDOW_CONTEXTS times `bytes` of events at most; then it is closed and
 * another may begin where it ended. What is cut is explained less well, for each window is explained by itself; but its
 * reader must hold it in memory.
 *
 * What passes is paid from a budget (window/budget.h): `burst` bytes and `share` of the bytes of all events. As long as that lasts,
 * events pass while the window is open; with a recorder it is asked for its context bit by bit, for the kernel overwrites it.
 * Otherwise the window waits for its end, or for a slice, and passes so much of what came before the end of its worst
 * signal. So in a long incident every signal is in a window, how the worst of them came about is seen as far back as the
 * budget allows, and what comes after it has a budget, too.
 *
 * A window is complete if all events of its signals' intervals are in it, and none were lost there.
 * Functions return 0, or -1 after fail() where the output cannot be written.
 */
#ifndef WINDOW_WINDOW_H
#define WINDOW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"
#include "window/recall.h"
#include "window/thread_records.h"

struct window;

enum { WINDOW_CONTEXTS = 4 };

struct window_size {
	int64_t before, after; /* ns around what is abnormal */
	uint64_t bytes;	       /* room for what waits */
	uint64_t burst;	       /* bytes that may pass in any case */
	double share;	       /* and of all bytes; 1: no bound */
};

struct window *window_new(struct stream *stream, struct thread_records *threads, const struct window_size *size); /* as past_new() */
void window_free(struct window *window);

/* Windows are numbered from 1, or behind such an id. */
void window_number_after(struct window *window, uint64_t id);

/*
 * What an earlier filter wrote is in the input: from now on all events are of its windows, and wait for them as far as there is room. And
 * when such a window comes: passes what waits of it. 1: that was all of it, or was passed before; 0: some was left out.
 */
void window_expect(struct window *window);
int window_adopt(struct window *window, int64_t from, int64_t to);

/* As past_push(). */
int window_push(struct window *window, const struct record *record, int64_t ts);

/* The same for a record of a loss: events between these times were lost. */
int window_lost(struct window *window, const struct record *record, int64_t from, int64_t ts);

/* A signal's interval, and how bad it is; the window that it falls in is opened if need be. */
int window_signal(struct window *window, uint64_t id, int64_t start, int64_t end, double badness);

/* Something became abnormal that began at `start`: the window stays open until as many releases have come as holds. */
int window_hold(struct window *window, int64_t start, int64_t now);
void window_release(struct window *window, int64_t now);

/* Time goes on: what can be passed is. */
int window_advance(struct window *window, int64_t now);

/*
 * Whether the window at hand is over but for the question if another one overlaps it; the time by which whatever may
 * overlap it began. The caller calls window_close() when it knows.
 */
bool window_is_over(const struct window *window, int64_t now, int64_t *until);
int window_close(struct window *window);

/* Events before `horizon` less `before` are not needed any more, unless a window is open. */
int window_forget(struct window *window, int64_t horizon);

/* From this time on the stream lacks what the recorder keeps. Ours from now on; NULL: it cannot be asked. */
void window_recall(struct window *window, struct recall *recall, int64_t since);

/* Why the recorder could not be asked; NULL: it could, or there was none. */
const char *window_complaint(const struct window *window);

/* The end of a stream: closes the window, drops what waits, lets the recorder go. */
int window_end(struct window *window);

#endif
