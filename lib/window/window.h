/*
 * window: passes the events around each signal, and their context.
 *
 * Events wait in the past (window/past.h). A signal opens a window from its start less `before` to its end plus `after`. Events in the
 * window pass in the order of time; other events are dropped once they are too old. Windows that overlap become one. A window holds at most
 * about WINDOW_CONTEXTS times `bytes` of events; then it closes, and another may begin at its end. That cut costs explanations, because
 * graph-build explains each window by itself; but graph-build must hold a window in memory.
 *
 * A budget limits the events that pass: `burst` bytes and `share` of the bytes of all events. While the budget lasts, events pass as long as
 * the window is open, and the window asks a recorder for its context bit by bit, before the kernel overwrites it. Once the budget is short,
 * the window waits for its end, or until a slice is due, and passes only a slice of events before the end of its worst signal. So in a long
 * incident every signal is in a window, the cause of the worst signal is shown as far back as the budget allows, and later windows have a
 * budget, too.
 *
 * A suspect, which window_hold() announces, may end without a signal. So its window passes nothing before a signal comes, unless its events
 * fill half of the room.
 *
 * If the caller wants all events, they pass as they are pushed, and nothing waits: a window is then no more than its record.
 *
 * A window is complete if it has all events of its signals' intervals, and none were lost there.
 * Functions return 0; -1 after fail() if the output cannot be written.
 */
#ifndef WINDOW_WINDOW_H
#define WINDOW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"
#include "window/past.h"

struct window;

enum { WINDOW_CONTEXTS = 4 };

struct window_size {
	int64_t before, after; /* ns around a signal */
	uint64_t bytes;	       /* room for events that wait */
	uint64_t burst;	       /* bytes that may pass in any case */
	double share;	       /* fraction of all bytes that may pass besides; 1: no bound */
	bool all;	       /* all events pass, as they come; `window` records say so */
	bool alone;	       /* a window is over at its end, and does not wait for later signals */
};

/* The usual values of a struct window_size; and the options by which users change its room and budget. */
#define WINDOW_SIZE_USUAL .before = NSEC_PER_SEC, .after = NSEC_PER_SEC / 100, .bytes = 64 << 20, .burst = 256 << 20, .share = 0.01
#define OPTIONS_ROOM(size)                                                                                                          \
	{OPTION_SIZE, 0, "context", &(size).bytes, "SIZE", "room for the context, a fourth of the largest window (64M)"},           \
	{OPTION_NUMBER, 0, "keep", &(size).share, "SHARE", "pass this share of all bytes of events (0.01); 1: no bound"},           \
	{OPTION_SIZE, 0, "burst", &(size).burst, "SIZE", "and this many bytes in any case (256M)"}

/* `past` must outlive the window: it gets the stream's records, and the window passes events from it. */
struct window *window_new(struct stream *stream, struct past *past, const struct window_size *size);
void window_free(struct window *window);

/* Events between these times were lost. */
void window_lost(struct window *window, int64_t from, int64_t to);

/* Adds a signal: its interval and its badness. Opens a window for it if need be. */
int window_signal(struct window *window, uint64_t id, int64_t start, int64_t end, double badness);

/*
 * Adds a request, which has a window of its own, as around a signal, but not from before the end of the last window. If it overlaps the open
 * window, that window is widened, and its record is followed by the request's; but a window with a signal does not end later for a request. If the
 * input was filtered before, the request's events are those that the earlier filter passed.
 */
int window_request(struct window *window, uint64_t request, int64_t start, int64_t end);

/* An unfinished interval that began at `start` is abnormal: the window stays open until each hold has its release. */
int window_hold(struct window *window, int64_t start, int64_t now);
void window_release(struct window *window, int64_t now);

/* Advances the time: passes the events of the open window that are due, and closes it if it is full. */
int window_advance(struct window *window, int64_t now);

/* Tells whether the open window has no room for more events, though some interval of it has not ended. */
bool window_is_spent(const struct window *window);

/*
 * Tells whether the open window is over unless another interval overlaps it; sets *until to the time before which such an interval
 * must have begun; INT64_MIN: none is waited for. The caller calls window_close() once there can be none.
 */
bool window_is_over(const struct window *window, int64_t now, int64_t *until);
int window_close(struct window *window);

/* Drops events older than `horizon` less `before`, unless a window with a signal or request is open, or an earlier filter's windows are awaited. */
int window_forget(struct window *window, int64_t horizon);

/* At the end of a stream: closes the window. past_end() follows. */
int window_end(struct window *window);

/*
 * For an input that was filtered before. window_expect() numbers the next window above `id`. From then on all events belong to windows of
 * the earlier filter and wait for them, as far as there is room. window_adopt() passes the waiting events of such a window, its record, with
 * complete=no if some were left out, and records of the requests in it. If the signals of the open window are all in that window, the open
 * window ends without a record.
 */
void window_expect(struct window *window, uint64_t id);
int window_adopt(struct window *window, const struct record *record, const struct fields *fields);

#endif
