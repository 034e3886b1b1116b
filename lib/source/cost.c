#include "source/cost.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/now.h"
#include "base/number.h"
#include "program/helpers.h"
#include "program/stacks.h"
#include "source/clock.h"
#include "source/cost_history.h"
#include "source/selection.h"
#include "stream/stream.h"

/*
 * The cost of an event for the traced thread, in nanoseconds of CPU time. `make bench` measures EVENT_NS anew (tests/bench/overhead.sh, row
 * "kernel ring alone": 154). PROBE_NS is the cost of a probe at a function's entry or return: from 800 to 1,800, by its first instruction. A
 * probe at an instruction that leaves a function costs far more, EXIT_NS, because the kernel steps over it (rows "probe" of `make bench`).
 * STACK_NS is the cost of a stack's sample; STACK_WALK_NS is what it costs the collector to walk the stack up.
 */
enum { EVENT_NS = 150, PROBE_NS = 1400, EXIT_NS = 11000, STACK_NS = 1700, STACK_WALK_NS = 1200 };

/* Context with less than this part of the spent time, 1 in MATTERS, is too little to spare charts by shedding it. */
enum { MATTERS = 100 };

#define NEVER INT64_MIN
#define PERIOD (COST_SECONDS * (int64_t)NSEC_PER_SEC)

struct wanted { /* an event of a chart */
	char *event;
	bool measured;
};

struct costed { /* a chart */
	char *name;
	ARRAY(struct wanted) wanted;
	ARRAY(size_t) selected; /* the events that it measures, and its context of the same systems */
	bool shed;
};

struct decision { /* it sheds in steps, one a round, so that the rings are read meanwhile */
	double spent, left; /* shares of all CPUs; left: what is expected to be spent after the steps so far */
	bool begun; /* something that matters was shed */
	bool spares_charts;
};

struct cost {
	double limit;
	ARRAY(struct costed) charts;
	size_t charts_left;
	size_t steps; /* taken so far */
	bool is_last; /* all that is left costs too much */
	char *complaint;

	struct cost_history history;

	/* by number of the selected event, once tracing has begun; count: of those that were taken in */
	size_t count;
	unsigned *charts_of; /* number of charts that have the event and were not shed */
	bool *off;
	double *share; /* of all CPUs' time that the event cost when it was counted */
	double stacks_share;
	bool stacks_off;

	/* while events are counted */
	bool counting;
	struct cost_sums since;
	uint64_t *seen;	   /* how often each event had come by then */
	struct hits *hits; /* of kept events; NULL: they cannot be counted */

	bool deciding;
	struct decision decision;

	int64_t doubt_from, doubt_at; /* calls and waits between these times are in doubt; doubt_at NEVER: none are */
};

/* --- how often events come that stay in rings which nobody reads --------------------------------------------------- */

struct hit_counter {
	size_t selected;
	int fd; /* on one CPU */
};

/*
 * perf_event_open(2) counts these events, over all CPUs. While it does, each of them costs a little more: so it is done for a second now and then.
 */
struct hits {
	ARRAY(struct hit_counter) counters;
};

static void hits_end(struct hits *hits)
{
	if (!hits)
		return;
	for (size_t i = 0; i < hits->counters.count; i++)
		close(hits->counters.items[i].fd);
	free(hits->counters.items);
	free(hits);
}

/* Tells whether the kernel filters this event: then only hits that pass the filter are counted. */
static bool is_filtered(const struct selected *selected)
{
	return selected->filter && !(selected->flags & SELECT_WHOLE);
}

static int open_counter(const struct selected *selected, int cpu)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = selected->id};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && is_filtered(selected) && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, selected->filter) < 0) {
		close(fd);
		errno = EOPNOTSUPP;
		return -1;
	}
	return fd;
}

static int count_selected(struct hits *hits, const struct selected *selected, size_t number)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_counter(selected, cpu);

		if (fd < 0 && errno != ENODEV && errno != EINVAL) /* the CPU is offline, or there is none of this number */
			return fail_errno("cannot count the event '%s'", selected->event);
		if (fd >= 0)
			*ARRAY_ADD(&hits->counters) = (struct hit_counter){number, fd};
	}
	return 0;
}

/* Counts the hits of kept events from now on. NULL after fail(): not permitted, or this kernel cannot. */
static struct hits *hits_count(const struct selection *selection)
{
	struct hits *hits = NEW(struct hits);

	for (size_t i = 0; i < selection_count(selection); i++) {
		const struct selected *selected = selection_at(selection, i);

		if (selected->enabled && selected->kept && count_selected(hits, selected, i) < 0) {
			hits_end(hits);
			return NULL;
		}
	}
	return hits;
}

/* How often event number `i` of the selection has come and passed its filter; 0 if it is not kept. */
static uint64_t hits_of(const struct hits *hits, size_t i)
{
	uint64_t sum = 0, value;

	for (size_t n = 0; n < hits->counters.count; n++)
		if (hits->counters.items[n].selected == i && read(hits->counters.items[n].fd, &value, sizeof(value)) == sizeof(value))
			sum += value;
	return sum;
}

/* --- life ------------------------------------------------------------------------------------------------------------- */

struct cost *cost_new(double limit)
{
	struct cost *cost = NEW(struct cost);

	cost->limit = limit;
	cost->doubt_at = NEVER;
	return cost;
}

void cost_free(struct cost *cost)
{
	if (!cost)
		return;
	for (size_t i = 0; i < cost->charts.count; i++) {
		struct costed *chart = &cost->charts.items[i];

		for (size_t j = 0; j < chart->wanted.count; j++)
			free(chart->wanted.items[j].event);
		free(chart->wanted.items);
		free(chart->selected.items);
		free(chart->name);
	}
	free(cost->charts.items);
	free(cost->charts_of);
	free(cost->off);
	free(cost->share);
	free(cost->seen);
	hits_end(cost->hits);
	free(cost->complaint);
	free(cost);
}

void cost_want(struct cost *cost, const char *chart, const char *event, bool measured)
{
	struct costed *last = cost->charts.count ? &cost->charts.items[cost->charts.count - 1] : NULL;

	if (!last || strcmp(last->name, chart) != 0) {
		last = ARRAY_ADD(&cost->charts);
		*last = (struct costed){.name = memory_text(chart, strlen(chart))};
	}
	*ARRAY_ADD(&last->wanted) = (struct wanted){memory_text(event, strlen(event)), measured};
}

/* --- what belongs to what ------------------------------------------------------------------------------------------ */

static bool is_of_system(const struct wanted *wanted, const struct selected *selected)
{
	size_t length = strcspn(selected->event, ":") + 1;

	return wanted->measured && strncmp(wanted->event, selected->event, length) == 0;
}

static bool belongs(const struct costed *chart, const struct selected *selected)
{
	bool named = false, of_system = false;

	for (size_t i = 0; i < chart->wanted.count; i++) {
		const struct wanted *wanted = &chart->wanted.items[i];
		bool same = strcmp(wanted->event, selected->event) == 0;

		if (same && wanted->measured)
			return true;
		named |= same;
		of_system |= is_of_system(wanted, selected);
	}
	return named && of_system;
}

/* Makes room for the events that were selected since: a program that begins may be probed then. */
static void take_in(struct cost *cost, const struct selection *selection)
{
	size_t count = selection_count(selection);

	if (!cost->off)
		cost->charts_left = cost->charts.count;
	cost->charts_of = memory_grow(cost->charts_of, count, sizeof(*cost->charts_of));
	cost->off = memory_grow(cost->off, count, sizeof(*cost->off));
	cost->share = memory_grow(cost->share, count, sizeof(*cost->share));
	cost->seen = memory_grow(cost->seen, count, sizeof(*cost->seen));
	for (; cost->count < count; cost->count++) {
		size_t i = cost->count;

		cost->charts_of[i] = 0;
		cost->off[i] = false;
		cost->share[i] = 0;
		cost->seen[i] = 0;
		for (size_t c = 0; c < cost->charts.count; c++)
			if (!cost->charts.items[c].shed && belongs(&cost->charts.items[c], selection_at(selection, i))) {
				*ARRAY_ADD(&cost->charts.items[c].selected) = i;
				cost->charts_of[i]++;
			}
	}
}

/* Tells whether the event is on and may be shed. */
static bool is_on(const struct cost *cost, const struct selected *selected, size_t i)
{
	return selected->enabled && !cost->off[i] && !(selected->flags & (SELECT_QUIET | SELECT_WHOLE));
}

/* Probes are no context: the one where stacks are thrown away belongs to no chart, but without it calls of any chart would seem to go on. */
static bool is_context(const struct cost *cost, const struct selected *selected, size_t i)
{
	return is_on(cost, selected, i) && !selected->origin && cost->charts_of[i] == 0;
}

/* --- what was spent ------------------------------------------------------------------------------------------------ */

static int64_t price(const struct selected *selected)
{
	return !selected->origin ? EVENT_NS : selected->at_exits ? EXIT_NS : PROBE_NS;
}

static int64_t extra_of_probes(const struct selection *selection)
{
	int64_t extra = 0;

	for (size_t i = 0; i < selection_count(selection); i++)
		extra += (int64_t)selection_at(selection, i)->seen * (price(selection_at(selection, i)) - EVENT_NS);
	return extra;
}

static struct cost_sums sums_now(const struct cost_subject *subject)
{
	struct cost_sums sums = {.at = now_by(CLOCK_MONOTONIC)};

	sums.stacks = subject->stacks ? stacks_taken(subject->stacks) : 0;
	sums.lookups = helpers_spent();
	sums.own = now_by(CLOCK_PROCESS_CPUTIME_ID) + sums.lookups;
	sums.traced = (int64_t)subject->traced * EVENT_NS + extra_of_probes(subject->selection) + (int64_t)sums.stacks * STACK_NS;
	return sums;
}

/* The time of all CPUs between the two, in nanoseconds. */
static double capacity(const struct cost_sums *from, const struct cost_sums *to)
{
	return (double)(to->at - from->at) * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static double share_between(const struct cost_sums *from, const struct cost_sums *to)
{
	return (double)(to->own - from->own + to->traced - from->traced) / capacity(from, to);
}

/* --- what costs how much ------------------------------------------------------------------------------------------- */

static bool is_unread(const struct cost_subject *subject, const struct selected *selected)
{
	return selected->kept && subject->recording;
}

static void start_counting(struct cost *cost, const struct cost_subject *subject, const struct cost_sums *now)
{
	for (size_t i = 0; i < selection_count(subject->selection); i++)
		if (!is_unread(subject, selection_at(subject->selection, i)))
			cost->seen[i] = selection_at(subject->selection, i)->seen;
	cost->hits = subject->recording ? hits_count(subject->selection) : NULL;
	cost->since = *now;
	cost->counting = true;
}

/* How often the event came since start_counting(). If kept events cannot be counted, all of them are assumed to come equally often. */
static double times_of(const struct cost *cost, const struct cost_subject *subject, size_t i)
{
	const struct selected *selected = selection_at(subject->selection, i);

	if (!is_unread(subject, selected))
		return (double)(selected->seen - cost->seen[i]);
	return cost->hits ? (double)hits_of(cost->hits, i) : 1;
}

/* The CPU time that stacks cost the collector and its helpers. */
static double stacks_own(const struct cost_sums *from, const struct cost_sums *to)
{
	return (double)(to->stacks - from->stacks) * STACK_WALK_NS + (double)(to->lookups - from->lookups);
}

/* What reading an event costs the collector. */
static double reading_ns(const struct cost *cost, const struct cost_subject *subject, const struct cost_sums *now)
{
	double own = (double)(now->own - cost->since.own) - stacks_own(&cost->since, now), read = 0;

	for (size_t i = 0; i < selection_count(subject->selection); i++)
		if (!is_unread(subject, selection_at(subject->selection, i)))
			read += times_of(cost, subject, i);
	return read > 0 && own > 0 ? own / read : 0;
}

/* Computes each event's share, scaled so that their sum is `spent`: the cost over the longer time for which it was too much. */
static void stop_counting(struct cost *cost, const struct cost_subject *subject, const struct cost_sums *now, double spent)
{
	double reading = reading_ns(cost, subject, now), all = capacity(&cost->since, now);
	double scale = spent / share_between(&cost->since, now);

	cost->stacks_share = ((double)(now->stacks - cost->since.stacks) * STACK_NS + stacks_own(&cost->since, now)) / all * scale;
	for (size_t i = 0; i < selection_count(subject->selection); i++) {
		const struct selected *selected = selection_at(subject->selection, i);
		double each = (double)price(selected) + (is_unread(subject, selected) ? 0 : reading);

		cost->share[i] = times_of(cost, subject, i) * each / all * scale;
	}
	hits_end(cost->hits);
	cost->hits = NULL;
	cost->counting = false;
}

/* --- a step -------------------------------------------------------------------------------------------------------- */

struct load {
	const char *what, *name; /* as in the record; name NULL: none */
	double share;		 /* what it is expected to save */
	struct costed *chart;	 /* NULL: none */
	bool stacks;
};

/* Tells whether the step turns this event off. */
static bool goes(const struct cost *cost, const struct selected *selected, size_t i, const struct load *load)
{
	if (load->chart) {
		bool its = false;

		for (size_t n = 0; n < load->chart->selected.count && !its; n++)
			its = load->chart->selected.items[n] == i;
		return its && is_on(cost, selected, i) && cost->charts_of[i] == 1;
	}
	return load->name && is_context(cost, selected, i) && strcmp(selected->system, load->name) == 0;
}

/* Finds the system with the costliest context; false: no context costs anything. */
static bool costliest_context(const struct cost *cost, const struct cost_subject *subject, struct load *load)
{
	const struct selection *selection = subject->selection;

	*load = (struct load){.what = "context"};
	for (size_t i = 0; i < selection_count(selection); i++) {
		struct load system = {.name = selection_at(selection, i)->system};

		if (!is_context(cost, selection_at(selection, i), i))
			continue;
		for (size_t j = 0; j < selection_count(selection); j++)
			if (goes(cost, selection_at(selection, j), j, &system))
				system.share += cost->share[j];
		if (system.share > load->share) {
			load->name = system.name;
			load->share = system.share;
		}
	}
	return load->name;
}

static void costliest_chart(const struct cost *cost, struct load *load)
{
	*load = (struct load){.what = "chart", .share = -1};
	for (size_t c = 0; c < cost->charts.count; c++) {
		struct costed *chart = &cost->charts.items[c];
		double share = 0;

		for (size_t n = 0; n < chart->selected.count; n++)
			if (cost->charts_of[chart->selected.items[n]] == 1)
				share += cost->share[chart->selected.items[n]];
		if (!chart->shed && share > load->share)
			*load = (struct load){.what = "chart", .name = chart->name, .share = share, .chart = chart};
	}
}

static int switch_off(const struct cost_subject *subject, const struct selected *selected)
{
	struct tracefs_instance *instance = selected->kept ? subject->keeper : subject->instance;

	if (tracefs_event_file_write(instance, selected->system, selected->name, "enable", "0") < 0)
		return fail_errno("cannot turn off the event '%s'", selected->event);
	return 0;
}

static int write_step(struct cost *cost, const struct cost_subject *subject, const struct load *load, const char *events, double spent)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_SHED));
	line_time(&line, "ts", clock_now(subject->clock));
	line_text(&line, "what", load->what);
	if (load->name)
		line_text(&line, "name", load->name);
	if (*events)
		line_text(&line, "events", events);
	line_double(&line, "cost", spent);
	line_double(&line, "share", load->share);
	line_double(&line, "limit", cost->limit);
	status = stream_write_line(subject->stream, &line);
	line_free(&line);
	stream_mark_incomplete(subject->stream);
	return status;
}

/* Turns off the load's events. Returns their names with commas between them, which the caller frees; NULL after fail(). */
static char *switch_all_off(struct cost *cost, const struct cost_subject *subject, const struct load *load)
{
	char *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);
	int status = 0;

	for (size_t i = 0; status == 0 && i < selection_count(subject->selection); i++) {
		const struct selected *selected = selection_at(subject->selection, i);

		if (!goes(cost, selected, i, load))
			continue;
		fprintf(out, "%s%s", ftell(out) > 0 ? "," : "", selected->event);
		status = switch_off(subject, selected);
		cost->off[i] = true;
	}
	fclose(out);
	if (status == 0)
		return names;
	free(names);
	return NULL;
}

static void forget_chart(struct cost *cost, struct costed *chart)
{
	for (size_t n = 0; n < chart->selected.count; n++)
		cost->charts_of[chart->selected.items[n]]--;
	chart->shed = true;
	cost->charts_left--;
}

static enum cost_verdict take_step(struct cost *cost, const struct cost_subject *subject, const struct load *load, double spent, int64_t until)
{
	char *events = load->stacks && stacks_stop(subject->stacks) < 0 ? NULL : switch_all_off(cost, subject, load);
	int status = events ? write_step(cost, subject, load, events, spent) : -1;

	free(events);
	if (load->chart)
		forget_chart(cost, load->chart);
	cost->stacks_off |= load->stacks;
	cost->steps++;
	if (cost->doubt_at == NEVER)
		cost->doubt_from = until;
	cost->doubt_at = clock_now(subject->clock);
	return status < 0 ? COST_FAILED : COST_SHED;
}

/* --- when ---------------------------------------------------------------------------------------------------------- */

/* Tells whether nothing but the load is left: with charts, it is the last one; without, the last system. */
static bool is_last(const struct cost *cost, const struct cost_subject *subject, const struct load *load)
{
	if (cost->charts.count)
		return load->chart && cost->charts_left == 1;
	for (size_t i = 0; i < selection_count(subject->selection) && load->name; i++) {
		const struct selected *selected = selection_at(subject->selection, i);

		if (is_context(cost, selected, i) && strcmp(selected->system, load->name) != 0)
			return false;
	}
	return !load->stacks;
}

static enum cost_verdict end(struct cost *cost, const struct cost_subject *subject, double spent)
{
	const struct load all = {.what = "all", .share = spent};

	cost->is_last = true;
	return write_step(cost, subject, &all, "", spent) < 0 ? COST_FAILED : COST_END;
}

/* Chooses the next part to shed; false: sheds nothing more until the cost was measured again. */
static bool choose(const struct cost *cost, const struct cost_subject *subject, struct load *load)
{
	*load = (struct load){.what = "stacks", .share = cost->stacks_share, .stacks = true};
	if (subject->stacks && !cost->stacks_off)
		return true;
	if (costliest_context(cost, subject, load))
		return true;
	if (cost->charts.count == 0)
		return !cost->decision.begun;
	if (cost->decision.spares_charts)
		return false;
	costliest_chart(cost, load);
	return true;
}

/* Tells whether the load is large enough to matter. Rare context may be missing in the count, so charts are shed without waiting for it. */
static bool matters(const struct load *load, const struct decision *decision)
{
	return load->share >= decision->spent / MATTERS;
}

/* Takes one step of a decision. The user asked for the charts, so a decision sheds them only if it found no context that matters. */
static enum cost_verdict shed(struct cost *cost, const struct cost_subject *subject, int64_t until)
{
	struct decision *decision = &cost->decision;
	struct load load;
	bool last;

	cost->deciding = decision->left > cost->limit && choose(cost, subject, &load);
	if (!cost->deciding)
		return COST_FINE;
	last = is_last(cost, subject, &load);
	if (last && !decision->begun)
		return end(cost, subject, decision->spent);
	cost->deciding = !last;
	if (last)
		return COST_FINE;
	decision->begun |= load.chart || matters(&load, decision);
	decision->spares_charts |= !load.chart && matters(&load, decision);
	decision->left -= load.share;
	return take_step(cost, subject, &load, decision->spent, until);
}

/* The end of a call or wait that began before may have been turned off. One that begins from now on has both ends or none. */
bool cost_doubts(struct cost *cost, int64_t until, int64_t *from)
{
	if (cost->doubt_at == NEVER || until <= cost->doubt_at)
		return false;
	cost->doubt_at = NEVER;
	*from = cost->doubt_from;
	return true;
}

static void look_at(struct cost *cost, const struct cost_subject *subject, const struct cost_sums *now)
{
	const struct cost_sums *before = cost_history_before(&cost->history, PERIOD);
	double spent = before ? share_between(before, now) : 0;

	if (cost->counting) {
		stop_counting(cost, subject, now, spent);
		cost->deciding = true;
		cost->decision = (struct decision){.spent = spent, .left = spent};
		cost->history.count = 0; /* from now on the load is another */
	} else if (spent > cost->limit)
		start_counting(cost, subject, now);
}

enum cost_verdict cost_look(struct cost *cost, const struct cost_subject *subject, int64_t until)
{
	struct cost_sums now;

	if (!cost->off || cost->count < selection_count(subject->selection))
		take_in(cost, subject->selection);
	if (cost->deciding)
		return shed(cost, subject, until);
	if (!cost_history_is_due(&cost->history, now_by(CLOCK_MONOTONIC), PERIOD))
		return COST_FINE;
	now = sums_now(subject);
	cost_history_add(&cost->history, &now, PERIOD);
	look_at(cost, subject, &now);
	return COST_FINE;
}

const char *cost_complaint(struct cost *cost)
{
	if (!cost->steps && !cost->is_last)
		return NULL;
	free(cost->complaint);
	cost->complaint = memory_format("tracing cost more than %g %% of all CPUs' time: %s", 100 * cost->limit,
					!cost->is_last ? "some of it was shed"
					: cost->steps  ? "some of it was shed, and then ended"
						       : "ended");
	return cost->complaint;
}
