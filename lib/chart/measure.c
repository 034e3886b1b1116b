#include "chart/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/measured.h"

enum { SPLIT_ROOM = 128, CHARTS_MAX = 4096 };

static void see_execs(struct measure *measure)
{
	struct event_type *type = events_type(measure->events, "sched:sched_process_exec");

	measure->exec = type;
	measure->before = event_type_field(type, "old_pid");
}

static void see_switches(struct measure *measure)
{
	struct event_type *type = events_type(measure->events, "sched:sched_switch");

	measure->switches = type;
	measure->prev = event_type_field(type, "prev_pid");
	measure->next = event_type_field(type, "next_pid");
}

static void see_wakes(struct measure *measure)
{
	static const char *const names[] = {"sched:sched_waking", "sched:sched_wakeup", "sched:sched_wakeup_new"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct event_type *type = events_type(measure->events, names[i]);

		measure->wakes[i] = (struct wake){type, event_type_field(type, "pid"), event_type_field(type, "target_cpu"), i > 0};
	}
}

struct measure *measure_new(struct events *events, const struct judgement *judgement,
			    const struct measure_listener *listener)
{
	struct measure *measure = NEW(struct measure);

	measure->events = events;
	measure->judge = (struct judge){.judgement = judgement, .tell = *listener};
	measure->world.events = events;
	measure->pairs = pairs_new();
	measure->patience.next = INT64_MAX;
	measure->exit = events_type(events, "sched:sched_process_exit");
	see_execs(measure);
	see_switches(measure);
	see_wakes(measure);
	measure->now = measure->ended = measure->recompute_at = INT64_MIN;
	return measure;
}

void measured_free(struct measured *chart)
{
	if (chart->pairs)
		pair_table_free(chart->pairs);
	disarmed_free(chart->disarmed);
	series_set_free(&chart->set);
	chart_free(chart->chart);
	free(chart->name);
	free(chart->judgement);
	free(chart->bindings);
	free(chart);
}

void measure_free(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		measured_free(measure->charts.items[i]);
	for (size_t i = 0; i < measure->routes.count; i++)
		free(measure->routes.items[i].bindings.items);
	pairs_free(measure->pairs);
	hidden_clear(&measure->hidden);
	recorded_clear(&measure->recorded);
	process_free(&measure->traced);
	free(measure->charts.items);
	free(measure->routes.items);
	line_free(&measure->scratch);
	free(measure);
}

bool measure_needs(const struct measure *measure, const char *event)
{
	const struct event_type *type = events_type(measure->events, event);

	return type == measure->exit || type == measure->exec ||
	       ((size_t)type->index < measure->routes.count && measure->routes.items[type->index].bindings.count > 0);
}

int measure_charts(const struct measure *measure)
{
	return measure->defined;
}

static void add_route(struct measure *measure, struct binding *binding)
{
	static const int order[] = {[CHART_END] = 0, [CHART_DROP] = 0, [CHART_ARM] = 1, [CHART_START] = 2, [CHART_COUNT] = 3};
	struct route *route;
	size_t at;

	while (measure->routes.count <= (size_t)binding->type->index)
		*ARRAY_ADD(&measure->routes) = (struct route){0};
	route = &measure->routes.items[binding->type->index];
	ARRAY_ADD(&route->bindings);
	for (at = route->bindings.count - 1; at > 0; at--) {
		if (order[route->bindings.items[at - 1]->role] <= order[binding->role])
			break;
		route->bindings.items[at] = route->bindings.items[at - 1];
	}
	route->bindings.items[at] = binding;
}

/* The first line of this event; NULL: there is none. */
static const struct binding *binding_of(const struct measured *chart, const char *event)
{
	for (int i = 0; i < chart->count; i++)
		if (strcmp(chart->bindings[i].type->name, event) == 0)
			return &chart->bindings[i];
	return NULL;
}

static int bind_events(struct measure *measure, struct measured *chart)
{
	const struct chart_event *events = chart->chart->events;

	chart->bindings = memory_new((size_t)chart->chart->count, sizeof(*chart->bindings));
	for (; chart->count < chart->chart->count; chart->count++) {
		struct binding *binding = &chart->bindings[chart->count];

		if (binding_make(binding, measure->events, &events[chart->count]) < 0)
			return -1;
		binding->chart = chart;
		chart->for_cpu |= binding->role == CHART_END && binding->type == measure->switches;
		measure->for_cpu |= chart->for_cpu;
	}
	for (int i = 0; i < chart->count; i++)
		if (events[i].instead)
			chart->bindings[i].instead = binding_of(chart, events[i].instead);
	return 0;
}

static void prepare_pairs(struct measure *measure, struct measured *added)
{
	const struct chart_event *start = added->chart->events;

	while (start->role != CHART_START)
		start++;
	added->by_thread = binding_is_by_thread(start);
	added->pairs = pair_table_new(measure->pairs, start->length != NULL, added->chart->nest,
				      start->keys ? start->keys : 1);
}

static void prepare_counts(struct measure *measure, struct measured *added)
{
	added->counts = true;
	added->judgement = NEW(struct judgement);
	*added->judgement = judgement_of_rates(measure->judge.judgement, added->chart);
	added->judge.judgement = added->judgement;
}

/* The chart of this name; NULL: there is none. */
static struct measured *defined(const struct measure *measure, const char *name)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		if (measure->charts.items[i]->chart && !strcmp(measure->charts.items[i]->name, name))
			return measure->charts.items[i];
	return NULL;
}

void measure_collected(struct measure *measure, const char *name)
{
	struct measured *found = defined(measure, name);

	if (found)
		found->chart->collected = true;
}

int measure_shed(struct measure *measure, const char *event, int64_t now)
{
	size_t index = (size_t)events_type(measure->events, event)->index;
	bool shed = false;

	for (size_t i = 0; index < measure->routes.count && i < measure->routes.items[index].bindings.count; i++)
		shed = measure->routes.items[index].bindings.items[i]->chart->shed = true;
	return shed ? measure_lost(measure, now) : 0;
}

int measure_chart(struct measure *measure, struct chart *chart)
{
	struct measured *added, *found = defined(measure, chart->name);
	int64_t definition = reading_hash(chart->definition);

	if (found) {
		found->others_of_name |= definition != found->definition;
		chart_free(chart);
		return 0;
	}
	if (measure->defined == CHARTS_MAX) {
		chart_free(chart);
		return fail("more than %d charts", CHARTS_MAX);
	}
	chart_forget_context(chart);
	added = NEW(struct measured);
	added->chart = chart;
	added->definition = definition;
	added->name = memory_text(chart->name, strlen(chart->name));
	added->judge = measure->judge;
	if (chart->method)
		prepare_counts(measure, added);
	else
		prepare_pairs(measure, added);
	added->set.judgement = added->judge.judgement;
	added->set.shortest = chart->shortest;
	if (bind_events(measure, added) < 0) {
		measured_free(added);
		return -1;
	}
	for (int i = 0; i < added->count; i++) {
		add_route(measure, &added->bindings[i]);
		if (added->bindings[i].role == CHART_ARM && !added->disarmed)
			added->disarmed = disarmed_new();
	}
	*ARRAY_ADD(&measure->charts) = added;
	measure->defined++;
	return 0;
}

static struct series *series_of(struct measure *measure, struct binding *binding, const struct event *event)
{
	struct measured *chart = binding->chart;
	int64_t id[CHART_KEYS_MAX];
	char text[SPLIT_ROOM];
	struct series *series = chart->recent;

	binding_split(binding, &measure->world, event, id);
	if (!series || memcmp(series->id, id, sizeof(id))) {
		chart->recent = NULL; /* adding one may drop another */
		series = series_find(&chart->set, id);
	}
	if (!series) {
		binding_spell_split(binding, &measure->world, event, text, sizeof(text));
		series = series_add(&chart->set, id, chart->chart->name, binding->splits ? text : NULL);
	}
	if (series)
		series->touched = event->ts;
	return chart->recent = series;
}

/* Two calls are never at the same place of the stack at once: of the one that was there before, the end was not seen. */
static int forget_dead(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key, int64_t *depth)
{
	int64_t to;

	*depth = binding_depth(binding, event, &to);
	if (!*depth)
		return 0;
	return outcome_abandon(measure, pair_end_between(binding->chart->pairs, key, *depth, *depth), event->ts, false);
}

static int start_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct measured *chart = binding->chart;
	int64_t length = binding->length ? event_number(event, binding->length) : 0, depth;
	struct start *start, *pushed_out;
	struct series *series;

	if (chart->shed || (binding->length && length <= 0) || (chart->disarmed && disarmed_has(chart->disarmed, key)))
		return 0;
	series = series_of(measure, binding, event);
	if (!series) {
		chart->refused++;
		return 0;
	}
	if (judge_tell_limits(&measure->judge, series, event->ts) < 0)
		return -1;
	if (forget_dead(measure, binding, event, key, &depth) < 0)
		return -1;
	start = pair_start(chart->pairs, key, length, event->ts, &pushed_out);
	start->depth = depth;
	start->sample.series = series;
	series->starts++;
	start->for_cpu = chart->for_cpu;
	start->cpu = -1;
	start->ended_before = series->ended;
	start->sample.tid = binding_tid(binding, event);
	start->sample.keys = binding->key;
	start->sample.key_count = binding->keys;
	binding_spelling(binding, event, start->sample.spelling);
	binding_spell_show(binding, &measure->world, event, start->sample.spelling, &measure->scratch, start->sample.show,
			   sizeof(start->sample.show));
	patience_add(&measure->patience, start);
	return outcome_abandon(measure, pushed_out, event->ts, false);
}

/* Of a recording that lacks a CPU: it may have run there, slept, been woken, and come back. */
static bool ended_before(const struct measure *measure, const struct start *start, const struct event *event)
{
	return !measure->vouched && start->for_cpu &&
	       recorded_may_lack_run(&measure->recorded, start->sample.start, start->cpu, event->cpu);
}

static int end_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct measured *chart = binding->chart;
	int64_t length = binding->length ? event_number(event, binding->length) : 0, to;
	int64_t depth = binding_depth(binding, event, &to);
	struct start *start = depth	       ? pair_end_between(chart->pairs, key, depth, to)
			      : binding->whole ? pair_end_whole(chart->pairs, key, length)
					       : pair_end(chart->pairs, key, length);

	if (chart->disarmed)
		disarmed_add(chart->disarmed, key);
	for (struct start *next; start; start = next) {
		next = start->next;
		if (ended_before(measure, start, event)) {
			if (outcome_doubt(measure, start) < 0)
				return -1;
			continue;
		}
		if ((binding->role == CHART_DROP ? outcome_drop : outcome_end)(measure, chart, start, event->ts) < 0)
			return -1;
	}
	return 0;
}

static int count_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct series *series = series_of(measure, binding, event);

	(void)key;
	if (binding->chart->shed)
		return 0;
	if (series)
		return rate_count(measure, binding, event, series);
	binding->chart->refused++;
	return 0;
}

/* A start that is still open where its key is armed ended unseen. */
static int arm_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	disarmed_remove(binding->chart->disarmed, key);
	return outcome_abandon(measure, pair_forget(binding->chart->pairs, key), event->ts, false);
}

/* A thread that is no more ends nothing, but what it began will not end either. */
static int forget_thread(struct measure *measure, int64_t tid, int64_t now, bool certain)
{
	int64_t key[CHART_KEYS_MAX] = {tid};

	for (size_t i = 0; i < measure->charts.count; i++) {
		struct measured *chart = measure->charts.items[i];

		if (chart->by_thread && outcome_abandon(measure, pair_forget(chart->pairs, key), now, certain) < 0)
			return -1;
	}
	return 0;
}

/* An exec by a thread that does not lead its process makes it the leader: its number is gone without an exit, its call returns by the other. */
static int exec_event(struct measure *measure, const struct event *event)
{
	int64_t before = event_has(event, measure->before) ? event_number(event, measure->before) : event->tid;

	return before != event->tid ? forget_thread(measure, before, event->ts, false) : 0;
}

int measure_traced(struct measure *measure, const struct fields *fields)
{
	return traced_read(&measure->traced, fields);
}

/* What ends a start is often in the context of another thread. */
static bool is_of_others(const struct measure *measure, const struct binding *binding, const struct event *event)
{
	if ((binding->role != CHART_START && binding->role != CHART_COUNT) ||
	    process_has(&measure->traced, binding_tid(binding, event)))
		return false;
	binding->chart->others++;
	return true;
}

/* The wake-up of a thread that waits for a CPU has put it into this one's queue. */
static void choose_cpu(struct measure *measure, int64_t tid, int64_t cpu)
{
	int64_t key[CHART_KEYS_MAX] = {tid};

	for (size_t i = 0; i < measure->charts.count; i++) {
		struct measured *chart = measure->charts.items[i];
		struct start *start = chart->for_cpu && chart->by_thread ? pair_find(chart->pairs, key) : NULL;

		if (start)
			start->cpu = (int)cpu;
	}
}

static void see_wake(struct measure *measure, const struct wake *wake, const struct event *event)
{
	int64_t cpu = event_has(event, wake->target) ? event_number(event, wake->target) : -1;

	if (cpu < 0 || cpu >= RECORDED_CPUS_MAX)
		return;
	recorded_woken(&measure->recorded, cpu, event->ts, wake->chosen);
	if (wake->chosen)
		choose_cpu(measure, event_number(event, wake->tid), cpu);
}

/* Which CPUs a recording tells of. */
static void see_cpus(struct measure *measure, const struct event *event)
{
	if (event->type == measure->switches && event_number(event, measure->next) == 0)
		recorded_idle(&measure->recorded, event->cpu, event->ts);
	for (size_t i = 0; i < sizeof(measure->wakes) / sizeof(*measure->wakes); i++)
		if (event->type == measure->wakes[i].type)
			see_wake(measure, &measure->wakes[i], event);
}

void measure_vouched(struct measure *measure)
{
	measure->vouched = true;
}

int measure_event(struct measure *measure, const struct event *event)
{
	static int (*const act[])(struct measure *, struct binding *, const struct event *, const int64_t *) = {
		[CHART_START] = start_event, [CHART_END] = end_event, [CHART_DROP] = end_event, [CHART_ARM] = arm_event,
		[CHART_COUNT] = count_event,
	};
	size_t index = (size_t)event->type->index;
	int64_t key[CHART_KEYS_MAX];

	measured_now(measure, event->ts);
	if (!measure->vouched)
		recorded_event(&measure->recorded, event->cpu, event->ts);
	if (event->type == measure->switches && measure->for_cpu)
		hidden_switch(&measure->hidden, event->cpu, event->ts, (int32_t)event_number(event, measure->prev),
			      (int32_t)event_number(event, measure->next));
	for (size_t i = 0; index < measure->routes.count && i < measure->routes.items[index].bindings.count; i++) {
		struct binding *binding = measure->routes.items[index].bindings.items[i];

		if (binding->instead && binding->instead->came)
			continue;
		binding->came = true;
		if (binding->seen++ == 0)
			binding_check(binding, event);
		binding_key(binding, &measure->world, event, key);
		if (is_of_others(measure, binding, event))
			continue;
		if (act[binding->role](measure, binding, event, key) < 0)
			return -1;
	}
	if (!measure->vouched)
		see_cpus(measure, event);
	if (event->type == measure->exec)
		return exec_event(measure, event);
	return event->type == measure->exit ? forget_thread(measure, event->tid, event->ts, true) : 0;
}

void measure_summary(struct measure *measure)
{
	measure->summaries = true;
}

static void save_set(const struct series_set *set, struct limits_book *book)
{
	const struct series *series;

	for (series = set->series; series; series = series->hh.next)
		if (series->judges)
			limits_book_set(book, series->chart, series->key, &series->limits);
}

void measure_save(const struct measure *measure, struct limits_book *book)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		save_set(&measure->charts.items[i]->set, book);
}
