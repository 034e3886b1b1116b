#include "blame/waiting.h"

#include <math.h>
#include <stdlib.h>
#include <uthash.h>

#include "base/memory.h"

struct window {
	char *id;
	double seconds;
	UT_hash_handle hh;
};

struct open_wait { /* had not ended at its signal; another signal may come when it has */
	struct {
		int64_t start, tid;
	} key;
	double seconds; /* counted so far */
	UT_hash_handle hh;
};

struct waiting {
	struct window *by_id;
	struct open_wait *open;
	double since; /* the last window */
	double whole;
};

struct waiting *waiting_new(void)
{
	return NEW(struct waiting);
}

void waiting_free(struct waiting *waiting)
{
	struct window *window, *next;
	struct open_wait *wait, *next_wait;

	HASH_ITER(hh, waiting->by_id, window, next) {
		HASH_DEL(waiting->by_id, window);
		free(window->id);
		free(window);
	}
	HASH_ITER(hh, waiting->open, wait, next_wait) {
		HASH_DEL(waiting->open, wait);
		free(wait);
	}
	free(waiting);
}

/* A plain number, a rate, a mean, and a level that changed are no wait. */
static bool is_wait(const struct fields *fields)
{
	return fields_find(fields, "start") && fields_find(fields, "ts") && !fields_find(fields, "unit") &&
	       !fields_is(fields, "mean", "yes") && !fields_is(fields, "rules", "shift");
}

/* How much of this wait is not counted yet. */
static double not_counted(struct waiting *waiting, int64_t start, int64_t tid, double seconds, bool open)
{
	struct open_wait *wait, key = {.key = {start, tid}};
	double more = seconds;

	HASH_FIND(hh, waiting->open, &key.key, sizeof(key.key), wait);
	if (wait)
		more = fmax(seconds - wait->seconds, 0);
	if (open && !wait) {
		wait = NEW(struct open_wait);
		wait->key = key.key;
		HASH_ADD(hh, waiting->open, key, sizeof(wait->key), wait);
	}
	if (open) {
		wait->seconds = seconds;
	} else if (wait) {
		HASH_DEL(waiting->open, wait);
		free(wait);
	}
	return more;
}

int waiting_signal(struct waiting *waiting, const struct fields *fields)
{
	int64_t start = 0, ts = 0, tid = 0;
	double more;

	if (fields_time(fields, "start", &start) < 0 || fields_time(fields, "ts", &ts) < 0 || fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (!is_wait(fields) || ts <= start)
		return 0;
	more = not_counted(waiting, start, tid, ((uint64_t)ts - (uint64_t)start) / 1e9, fields_is(fields, "open", "yes"));
	waiting->since += more;
	waiting->whole += more;
	return 0;
}

static struct window *window_of(struct waiting *waiting, char *id)
{
	struct window *window;

	HASH_FIND_STR(waiting->by_id, id, window);
	if (window) {
		free(id);
		return window;
	}
	window = NEW(struct window);
	window->id = id;
	HASH_ADD_KEYPTR(hh, waiting->by_id, id, strlen(id), window);
	return window;
}

void waiting_window(struct waiting *waiting, const struct fields *fields)
{
	char *id = fields_copy(fields, "id");

	if (id && waiting->since > 0)
		window_of(waiting, id)->seconds += waiting->since;
	else
		free(id);
	waiting->since = 0;
}

void waiting_add(struct waiting *waiting, double seconds)
{
	waiting->whole += seconds;
}

void waiting_claim(struct waiting *waiting, double seconds)
{
	double counted = fmin(waiting->since, seconds);

	waiting->since -= counted;
	waiting->whole += seconds - counted;
}

double waiting_take(struct waiting *waiting, const char *window)
{
	struct window *found;
	double seconds;

	HASH_FIND_STR(waiting->by_id, window, found);
	if (!found)
		return -1;
	seconds = found->seconds;
	found->seconds = 0;
	return seconds;
}

double waiting_whole(const struct waiting *waiting)
{
	return waiting->whole;
}
