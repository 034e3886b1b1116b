#include "blame/waiting.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/memory.h"

struct window {
	char *id;
	double seconds;
	UT_hash_handle hh;
};

struct waiting {
	struct window *by_id;
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

	HASH_ITER(hh, waiting->by_id, window, next) {
		HASH_DEL(waiting->by_id, window);
		free(window->id);
		free(window);
	}
	free(waiting);
}

int waiting_signal(struct waiting *waiting, const struct fields *fields)
{
	int64_t start, ts;
	int has_start = fields_time(fields, "start", &start), has_ts = fields_time(fields, "ts", &ts);

	if (has_start < 0 || has_ts < 0)
		return -1;
	if (has_start && has_ts && ts > start) {
		waiting->since += ((uint64_t)ts - (uint64_t)start) / 1e9;
		waiting->whole += ((uint64_t)ts - (uint64_t)start) / 1e9;
	}
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
