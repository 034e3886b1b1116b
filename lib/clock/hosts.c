#include "clock/hosts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "clock/feasible.h"
#include "span/connections.h"

struct host {
	char *name;
	int64_t first, last; /* first > last: no records */
	int64_t wall;
	bool walled;
	const struct clock_steps *clock_steps; /* NULL: its clock was not set back */
	const struct flows *flows;
	/* set by hosts_find(): */
	int parent; /* the lines lead to this host's clock; HOST_NONE: this is the reference, or is not placed yet */
	ARRAY(struct clock_line) lines;
	double width; /* sum of the widths of the links up to the reference */
	bool placed;
};

struct link { /* between two hosts that talked */
	int host, other;
	struct clock_line *lines; /* from the host's clock to the other's */
	size_t count, known; /* known: how many were found from messages */
	double width;
	bool one_way; /* it can place `host` only: when the other's clock was set back is not exact */
};

struct hosts {
	ARRAY(struct host) hosts;
	ARRAY(struct link) links;
	int reference;
};

struct hosts *hosts_new(void)
{
	return NEW(struct hosts);
}

void hosts_free(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->hosts.count; i++) {
		free(hosts->hosts.items[i].name);
		free(hosts->hosts.items[i].lines.items);
	}
	for (size_t i = 0; i < hosts->links.count; i++)
		free(hosts->links.items[i].lines);
	free(hosts->hosts.items);
	free(hosts->links.items);
	free(hosts);
}

int hosts_named(const struct hosts *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->hosts.count; i++)
		if (!strcmp(hosts->hosts.items[i].name, name))
			return (int)i;
	return HOST_NONE;
}

int hosts_add(struct hosts *hosts, const char *name)
{
	if (hosts_named(hosts, name) != HOST_NONE)
		return fail("two streams are of host '%s'; give one of them another name, as in NAME=FILE", name);
	*ARRAY_ADD(&hosts->hosts) = (struct host){.name = memory_text(name, strlen(name)), .first = INT64_MAX, .last = INT64_MIN,
						  .parent = HOST_NONE};
	return (int)hosts->hosts.count - 1;
}

void hosts_times(struct hosts *hosts, int host, int64_t first, int64_t last)
{
	hosts->hosts.items[host].first = first;
	hosts->hosts.items[host].last = last;
}

void hosts_wall(struct hosts *hosts, int host, int64_t wall)
{
	hosts->hosts.items[host].wall = wall;
	hosts->hosts.items[host].walled = true;
}

void hosts_flows(struct hosts *hosts, int host, const struct flows *flows)
{
	hosts->hosts.items[host].flows = flows;
}

void hosts_clock_steps(struct hosts *hosts, int host, const struct clock_steps *clock_steps)
{
	hosts->hosts.items[host].clock_steps = clock_steps;
}

/* --- who talked to whom ------------------------------------------------------------------------------------------- */

static struct connections *gather(const struct hosts *hosts)
{
	struct connections *connections = connections_new();

	for (size_t i = 0; i < hosts->hosts.count; i++)
		if (hosts->hosts.items[i].flows)
			connections_add(connections, (int)i, hosts->hosts.items[i].flows);
	return connections;
}

struct bounds {
	ARRAY(struct bound) items;
};

/* Adds a bound for each arrival: the latest time before which its last byte, or a byte before it, had not left. */
static void add_bounds(struct bounds *bounds, const struct end *from, const struct moves *to, bool upper)
{
	int64_t left = INT64_MIN;
	uint64_t begin = from->sent.before; /* position of the first byte of the next send */
	size_t next = 0;

	for (size_t i = 0; i < to->count; i++) {
		const struct moved *arrival = &to->items[i];

		for (; next < from->sent.count && begin < arrival->end; next++) {
			if (from->sent.items[next].since != INT64_MIN)
				left = from->sent.items[next].since;
			begin = from->sent.items[next].end;
		}
		if (left != INT64_MIN)
			*ARRAY_ADD(&bounds->items) = (struct bound){upper ? left : arrival->ts, upper ? arrival->ts : left, upper};
	}
}

static void add_direction(struct bounds *bounds, const struct end *from, const struct end *to, bool upper)
{
	add_bounds(bounds, from, &to->received, upper);
	if (!from->again)
		add_bounds(bounds, from, &to->arrived, upper);
}

static void add_connection(struct bounds *bounds, const struct connection *connection, int host, int other)
{
	int side = connection->host[0] == host ? 0 : 1;
	const struct end *here = connection->end[side], *there = connection->end[!side];

	if (connection->host[side] != host || connection->host[!side] != other)
		return;
	add_direction(bounds, here, there, true);
	add_direction(bounds, there, here, false);
}

static int by_time(const void *left, const void *right)
{
	const struct bound *a = left, *b = right;

	return (a->x > b->x) - (a->x < b->x);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static size_t era_of(const struct clock_steps *clock_steps, int64_t ts)
{
	return clock_steps ? clock_steps_before(clock_steps, ts) : 0;
}

static size_t steps_of(const struct host *host)
{
	return host->clock_steps ? clock_steps_count(host->clock_steps) : 0;
}

/* A step between two eras of one of two hosts. */
struct cut {
	int64_t x; /* by the first host's clock */
	bool here; /* the first host's clock was set back; false: the other's */
};

struct cuts_between {
	ARRAY(struct cut) items;
};

static int by_place(const void *left, const void *right)
{
	const struct cut *a = left, *b = right;

	return (a->x > b->x) - (a->x < b->x);
}

/* The time of the host at which the other's clock was set back: midway between the bounds before the step and those after it. */
static int64_t place_of(const struct bounds *bounds, int64_t step, const struct host *host)
{
	int64_t before = host->first, behind = host->last;

	for (size_t i = 0; i < bounds->items.count; i++) {
		const struct bound *bound = &bounds->items.items[i];

		if (bound->y < step && bound->x > before)
			before = bound->x;
		if (bound->y >= step && bound->x < behind)
			behind = bound->x;
	}
	return (int64_t)(((__int128)before + behind) / 2);
}

static struct cuts_between find_cuts(const struct bounds *bounds, const struct host *host, const struct host *other)
{
	struct cuts_between cuts = {0};

	for (size_t i = 0; i < steps_of(host); i++)
		*ARRAY_ADD(&cuts.items) = (struct cut){clock_steps_time(host->clock_steps, i), true};
	for (size_t i = 0; i < steps_of(other); i++)
		*ARRAY_ADD(&cuts.items) = (struct cut){place_of(bounds, clock_steps_time(other->clock_steps, i), host), false};
	if (cuts.items.count)
		qsort(cuts.items.items, cuts.items.count, sizeof(struct cut), by_place);
	return cuts;
}

static void add_lines(struct link *link, const struct clock_line *lines, size_t count)
{
	link->lines = memory_grow(link->lines, link->count + count, sizeof(*link->lines));
	memcpy(link->lines + link->count, lines, count * sizeof(*lines));
	link->count += count;
}

/*
 * Adds the lines between two cuts, found from the bounds of one era of each host. A bound that begins before a step of the other's clock and ends
 * after it holds for either line: shifted times stand still at a step.
 */
static void add_part(struct link *link, const struct bounds *bounds, const struct host *host, const struct host *other, const size_t eras[2],
		     int64_t from, int64_t to)
{
	struct clock_line unknown = {.from = from, .to = to, .width = INFINITY}, *lines;
	struct bounds part = {0};
	size_t count;

	if (from > to)
		return;
	for (size_t i = 0; i < bounds->items.count; i++)
		if (era_of(host->clock_steps, bounds->items.items[i].x) == eras[0] && era_of(other->clock_steps, bounds->items.items[i].y) == eras[1])
			*ARRAY_ADD(&part.items) = bounds->items.items[i];
	count = feasible_lines(part.items.items, part.items.count, from, to, &lines);
	add_lines(link, count ? lines : &unknown, count ? count : 1);
	link->known += count;
	free(lines);
	free(part.items.items);
}

/* If the size of a step is unknown, continues the line of the other side of the step, with an unknown error. */
static void extend(struct clock_line *line, const struct clock_line *other)
{
	if (isinf(line->width) && other->bounds)
		*line = (struct clock_line){line->from, line->to, other->origin, other->offset, other->slope, INFINITY, other->bounds};
}

static void add_link(struct hosts *hosts, const struct connections *connections, int number, int other_number)
{
	const struct host *host = &hosts->hosts.items[number], *other = &hosts->hosts.items[other_number];
	struct link link = {.host = number, .other = other_number, .one_way = steps_of(other) > 0};
	struct cuts_between cuts;
	struct bounds bounds = {0};
	size_t eras[2] = {0, 0};
	int64_t from = host->first;

	for (const struct connection *connection = NULL; (connection = connections_next(connections, connection));)
		if (!connection->loopback)
			add_connection(&bounds, connection, number, other_number);
	if (bounds.items.count)
		qsort(bounds.items.items, bounds.items.count, sizeof(struct bound), by_time);
	cuts = find_cuts(&bounds, host, other);
	for (size_t i = 0; i <= cuts.items.count; i++) {
		const struct cut *cut = i < cuts.items.count ? &cuts.items.items[i] : NULL;

		add_part(&link, &bounds, host, other, eras, from, cut ? cut->x : host->last);
		if (cut)
			eras[!cut->here]++;
		from = cut && cut->x > from ? cut->x : from;
	}
	for (size_t i = 1; i < link.count; i++)
		extend(&link.lines[i], &link.lines[i - 1]);
	for (size_t i = link.count; i-- > 1;)
		extend(&link.lines[i - 1], &link.lines[i]);
	for (size_t i = 0; i < link.count; i++)
		link.width = fmax(link.width, link.lines[i].width);
	if (link.known)
		*ARRAY_ADD(&hosts->links) = link;
	else
		free(link.lines);
	free(cuts.items.items);
	free(bounds.items.items);
}

/* Turns a line around: it then leads from the other clock to this one. */
static struct clock_line turned(const struct clock_line *line)
{
	struct clock_line turned = *line;

	turned.origin = timestamp_add(line->origin, line->offset);
	turned.offset = timestamp_difference(0, line->offset);
	turned.slope = 1 / (1 + line->slope) - 1;
	turned.from = line_at(line, line->from);
	turned.to = line_at(line, line->to);
	return turned;
}

static void join(struct hosts *hosts, const struct link *link, int host, int parent)
{
	struct host *joined = &hosts->hosts.items[host];

	joined->parent = parent;
	joined->placed = true;
	joined->width = hosts->hosts.items[parent].width + link->width;
	for (size_t i = 0; i < link->count; i++)
		*ARRAY_ADD(&joined->lines) = link->host == host ? link->lines[i] : turned(&link->lines[i]);
}

/* Tells whether the link leads from a host that is not placed to one that is, or can be turned so. */
static bool joins(const struct hosts *hosts, const struct link *link)
{
	bool host = hosts->hosts.items[link->host].placed, other = hosts->hosts.items[link->other].placed;

	return host != other && (other || !link->one_way);
}

/* Places another host, by the narrowest link that can. False: no link can. */
static bool join_next(struct hosts *hosts)
{
	const struct link *best = NULL;

	for (size_t i = 0; i < hosts->links.count; i++) {
		const struct link *link = &hosts->links.items[i];

		if (joins(hosts, link) && (!best || link->width < best->width))
			best = link;
	}
	if (!best)
		return false;
	if (hosts->hosts.items[best->host].placed)
		join(hosts, best, best->other, best->host);
	else
		join(hosts, best, best->host, best->other);
	return true;
}

static void place_by_wall(struct hosts *hosts, struct host *host)
{
	const struct host *reference = &hosts->hosts.items[hosts->reference];
	struct clock_line line = {.from = host->first, .to = host->last, .width = INFINITY};

	if (!host->walled || !reference->walled || __builtin_sub_overflow(host->wall, reference->wall, &line.offset))
		line.offset = 0;
	*ARRAY_ADD(&host->lines) = line;
	host->width = INFINITY;
	host->parent = hosts->reference;
}

void hosts_find(struct hosts *hosts, int reference)
{
	struct connections *connections = gather(hosts);
	int count = (int)hosts->hosts.count;

	hosts->reference = reference;
	for (int i = 0; i < count; i++)
		for (int k = 0; k < i; k++) {
			bool stepped[2] = {steps_of(&hosts->hosts.items[i]), steps_of(&hosts->hosts.items[k])};

			if (stepped[0] || !stepped[1])
				add_link(hosts, connections, i, k);
			if (stepped[1])
				add_link(hosts, connections, k, i);
		}
	connections_free(connections);
	hosts->hosts.items[reference].placed = true;
	while (join_next(hosts))
		;
	for (int i = 0; i < count; i++)
		if (!hosts->hosts.items[i].placed)
			place_by_wall(hosts, &hosts->hosts.items[i]);
}

/* The line that holds at this time of the host: the last one that has begun. */
static const struct clock_line *line_for(const struct host *host, int64_t ts)
{
	size_t begun = COUNT_UNTIL(host->lines.items, host->lines.count, from, ts);

	return &host->lines.items[begun ? begun - 1 : 0];
}

/* Turns a time of the host into the time of another host of its chain. */
static int64_t map_to(const struct hosts *hosts, int host, int other, int64_t ts)
{
	for (; host != other; host = hosts->hosts.items[host].parent)
		ts = line_at(line_for(&hosts->hosts.items[host], ts), ts);
	return ts;
}

int64_t hosts_map(const struct hosts *hosts, int host, int64_t ts)
{
	return map_to(hosts, host, hosts->reference, ts);
}

size_t hosts_steps(const struct hosts *hosts, int host)
{
	const struct host *at = &hosts->hosts.items[host];
	size_t told = at->parent == HOST_NONE ? 0 : steps_of(at) + steps_of(&hosts->hosts.items[at->parent]);

	return at->lines.count > told + 1 ? at->lines.count - told - 1 : 0;
}

bool hosts_is_reference(const struct hosts *hosts, int host)
{
	return host == hosts->reference;
}

bool hosts_is_guess(const struct hosts *hosts, int host)
{
	return !hosts->hosts.items[host].placed;
}

bool hosts_is_unknown(const struct hosts *hosts, int host)
{
	return isinf(hosts->hosts.items[host].width) || steps_of(&hosts->hosts.items[hosts->reference]);
}

/* Writes a `clock` record, reference = a * time + b, for a piece of the host's time in which no clock of the chain has a step. */
static int write_piece(const struct hosts *hosts, int host, int64_t from, int64_t to, struct stream *stream, struct line *line)
{
	const struct host *at = &hosts->hosts.items[host];
	int64_t shift = at->clock_steps ? clock_steps_total(at->clock_steps, clock_steps_before(at->clock_steps, from)) : 0;
	long double slope = 0, width = 0, x = (long double)from - shift, y = hosts_map(hosts, host, from);

	for (int i = host; i != hosts->reference; i = hosts->hosts.items[i].parent) {
		const struct clock_line *piece = line_for(&hosts->hosts.items[i], map_to(hosts, host, i, from));

		slope = (1 + slope) * (1 + (long double)piece->slope) - 1;
		width += piece->width;
	}
	width += steps_of(&hosts->hosts.items[hosts->reference]) ? INFINITY : 0;
	line_begin(line, "clock");
	line_text(line, "host", at->name);
	line_text(line, "reference", hosts->hosts.items[hosts->reference].name);
	if (at->parent != hosts->reference)
		line_text(line, "by", hosts->hosts.items[at->parent].name);
	line_double(line, "a", (double)(1 + slope));
	line_time(line, "b", line_rounded(y - x - slope * x));
	line_time(line, "from", from - shift);
	line_time(line, "to", to - shift);
	line_unsigned(line, "pairs", line_for(at, from)->bounds);
	if (isinf(width))
		line_text(line, "width", "unknown");
	else
		line_time(line, "width", line_rounded(ceill(width)));
	return stream_write_line(stream, line);
}

/* The host's first time that is not before `ts`, a time of another host of its chain. */
static int64_t time_of(const struct hosts *hosts, int host, int other, int64_t ts)
{
	int64_t low = hosts->hosts.items[host].first, high = hosts->hosts.items[host].last;

	while (low < high) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (map_to(hosts, host, other, middle) < ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds the host's times at which a clock of its chain has a step. */
static void add_steps(const struct hosts *hosts, int host, struct bounds *steps)
{
	for (size_t i = 0; i < steps_of(&hosts->hosts.items[host]); i++)
		*ARRAY_ADD(&steps->items) = (struct bound){.x = clock_steps_time(hosts->hosts.items[host].clock_steps, i)};
	for (int i = host; i != hosts->reference; i = hosts->hosts.items[i].parent)
		for (size_t n = 1; n < hosts->hosts.items[i].lines.count; n++)
			*ARRAY_ADD(&steps->items) = (struct bound){.x = time_of(hosts, host, i, hosts->hosts.items[i].lines.items[n].from)};
	if (steps->items.count)
		qsort(steps->items.items, steps->items.count, sizeof(struct bound), by_time);
}

static int write_host(const struct hosts *hosts, int host, struct stream *stream, struct line *line)
{
	const struct host *at = &hosts->hosts.items[host];
	struct bounds steps = {0};
	int64_t from = at->first;
	int status = 0;

	add_steps(hosts, host, &steps);
	for (size_t i = 0; i <= steps.items.count && status == 0; i++) {
		int64_t to = i < steps.items.count ? steps.items.items[i].x : at->last;

		if (to > from || i == steps.items.count)
			status = write_piece(hosts, host, from, to, stream, line);
		from = to > from ? to : from;
	}
	free(steps.items.items);
	return status;
}

int hosts_write(const struct hosts *hosts, int host, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	if (host != hosts->reference && hosts->hosts.items[host].first <= hosts->hosts.items[host].last)
		status = write_host(hosts, host, stream, &line);
	line_free(&line);
	return status;
}
