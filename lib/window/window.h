/*
 * window: passes the events around what is abnormal, and what came before it, which a ring has kept.
 *
 * Events are pushed as they come and wait in the ring. A signal opens a window from its start less `before` to its end
 * plus `after`; events in it are passed on in time order, others are dropped when they are too old to matter. Windows that
 * overlap are one. `lost` records wait with the events and are always passed on, at their place in time. A window
 * holds about WINDOW_CONTEXTS times `bytes` of events at most; then it is closed and another may begin where it ended.
 * What is cut is explained less well, for each window is explained by itself; but its reader must hold it in memory.
 *
 * Where a recorder keeps context in the kernel (window/recall.h), it is asked for that of each window, while the window is
 * open and not all at once, for the kernel overwrites it. Otherwise windows are the same.
 *
 * A window is complete if all events of its signals' intervals that were in the stream are in it, and none were lost there.
 * Functions return 0, or -1 after fail() where the output cannot be written.
 */
#ifndef WINDOW_WINDOW_H
#define WINDOW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"
#include "window/recall.h"

/*
 * What passes may be limited to a share of all that is pushed. Then a window waits for its end and passes its newest events, as
 * many as the share allows by then; one that goes on is ended whenever WINDOW_SLICE bytes may pass. So of a long incident every
 * signal is in a window, and the last moments of one now and then can be explained.
 */
struct window;

enum { WINDOW_SLICE = 1 << 16, WINDOW_CONTEXTS = 4 };

struct window *window_new(struct stream *stream, int64_t before, int64_t after, uint64_t bytes, double share);
void window_free(struct window *window);

/* Windows are numbered from 1, or behind one that was in the input already. */
void window_number_after(struct window *window, uint64_t id);

/* An `event` or `lost` record of this time. */
int window_push(struct window *window, const struct record *record, int64_t ts);

/* A signal's interval; the window that it falls in is opened if need be. */
int window_signal(struct window *window, uint64_t id, int64_t start, int64_t end);

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

/* The end of a stream: closes the window, empties the ring, lets the recorder go. */
int window_end(struct window *window);

#endif
