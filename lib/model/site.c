#include "model/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/display.h"

/* A time after the year 2001 is not from a trace clock: somebody wrote the stream by hand, in Unix time. */
static const int64_t unix_least = INT64_C(1000000000) * NSEC_PER_SEC;

struct site *site_new(struct stream *stream)
{
	struct site *site = NEW(struct site);

	site->host = memory_format("%s", "");
	site->kernel = memory_format("%s", "");
	site->seen = site->over = site->data = site->watched = NO_TIMES;
	site->events = events_new(stream);
	site->who = process_table_new();
	return site;
}

static void free_host(struct site *site)
{
	free(site->within.items);
	free(site->host);
	free(site->kernel);
	events_free(site->events);
	process_table_free(site->who);
}

void site_free(struct site *site)
{
	for (size_t i = 0; i < site->others.count; i++) {
		if (i != site->number)
			free_host(site->others.items[i]);
		free(site->others.items[i]);
	}
	free(site->others.items);
	for (size_t i = 0; i < site->hosts.count; i++)
		free(site->hosts.items[i]);
	free(site->hosts.items);
	free_host(site);
	free(site);
}

size_t site_add_host(struct site *site, struct stream *stream)
{
	size_t number;

	if (site->others.count == 0)
		*ARRAY_ADD(&site->others) = NEW(struct site); /* the entry of the first host */
	number = site->others.count;
	*ARRAY_ADD(&site->others) = site_new(stream);
	site->others.items[number]->number = number;
	return number;
}

/* Exchanges the part of the current stream, and keeps the part of all streams. */
void site_enter(struct site *site, size_t number)
{
	struct site old = *site, *away;

	site->is_of_several = true;
	if (number == site->number)
		return;
	away = site->others.items[site->number];
	*site = *site->others.items[number];
	site->is_of_several = true;
	memcpy(&site->hosts, &old.hosts, sizeof(site->hosts));
	memcpy(&site->others, &old.others, sizeof(site->others));
	site->more_hosts = old.more_hosts;
	site->has_wall = old.has_wall;
	site->seen = old.seen;
	site->over = old.over;
	*away = old;
}

int site_traced(struct site *site, const struct fields *fields)
{
	int64_t tid, ts;
	int found = fields_integer(fields, "within", &tid);

	if (found <= 0 || site->within.count == SITE_WITHIN)
		return found;
	found = time_read(fields, "ts", &ts);
	if (found > 0)
		*ARRAY_ADD(&site->within) = (struct site_within){(int32_t)tid, ts};
	return found;
}

bool site_is_within(const struct site *site, int32_t tid, int64_t start)
{
	for (size_t i = 0; i < site->within.count; i++)
		if (site->within.items[i].tid == tid && site->within.items[i].ts == start)
			return true;
	return false;
}

void site_see_host(struct site *site)
{
	size_t i = 0;

	while (i < site->hosts.count && strcmp(site->hosts.items[i], site->host) != 0)
		i++;
	if (i < site->hosts.count)
		return;
	if (i < SITE_HOSTS)
		*ARRAY_ADD(&site->hosts) = memory_format("%s", site->host);
	else
		site->more_hosts = true;
}

/* Notes a wall clock. At the first one, forgets the times of earlier streams without one, which are not comparable with later times. */
static void see_wall(struct site *site)
{
	site->clock.has_wall = true;
	if (site->has_wall)
		return;
	site->has_wall = true;
	site->seen = site->over = site->data = NO_TIMES;
}

bool site_is_dated(const struct site *site)
{
	return site->clock.has_wall || !site->has_wall;
}

int site_stream(struct site *site, const struct fields *fields)
{
	int found;

	process_table_forget(site->who);
	site->within.count = 0;
	free(site->host);
	free(site->kernel);
	site->host = display_field(fields, "host");
	site->kernel = display_field(fields, "kernel");
	site->cpus = 0;
	site->clock = (struct clock){0};
	if (fields_unsigned(fields, "cpus", &site->cpus) < 0)
		return -1;
	found = time_read(fields, "wall", &site->clock.wall);
	if (found < 0)
		return -1;
	if (found)
		see_wall(site);
	site_see_host(site);
	site->has_stream = true;
	return 0;
}

void site_see(struct site *site, int64_t ts)
{
	int64_t at = time_sum(ts, site->clock.wall);

	if (!site->has_stream && ts > unix_least)
		see_wall(site);
	if (!site_is_dated(site))
		return;
	times_widen(&site->seen, at, at);
	times_widen(&site->data, at, at);
}

void site_watch(struct site *site, int64_t from, int64_t to)
{
	times_widen(&site->watched, from, to);
}

bool site_span(const struct site *site, int64_t *first, int64_t *last)
{
	bool watched = site->has_wall && site->watched.first <= site->watched.last;
	const struct times *here = watched ? &site->watched : &site->data;
	struct times all = site->over;

	times_widen(&all, here->first, here->last);
	*first = all.first;
	*last = all.last;
	return *first <= *last;
}

void site_stream_over(struct site *site)
{
	struct times all;

	site_span(site, &all.first, &all.last);
	site->over = all;
	site->data = site->watched = NO_TIMES;
	site->is_of_several = false;
}

bool site_has_days(const struct site *site)
{
	char from[TIME_ROOM], to[TIME_ROOM];
	int64_t first, last;

	if (!site->has_wall || !site_span(site, &first, &last))
		return false;
	time_day(first, from);
	time_day(last, to);
	return strcmp(from, to) != 0;
}
