#include "chart/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "chart/measure_state.h"

/* BY_HAND_MAX bounds the charts and keys of values by hand, whose names may be anything. */
enum { CHARTS_MAX = 4096, BY_HAND_MAX = 1024, PIPE_MAX = 64 };

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

		measure->wakes[i] = (struct wake_type){type, event_type_field(type, "pid"), event_type_field(type, "target_cpu"), i > 0};
	}
}

struct measure *measure_new(struct events *events, const struct policy *policy,
			    const struct measure_listener *listener)
{
	struct measure *measure = NEW(struct measure);

	measure->events = events;
	measure->judge = (struct judge){.policy = policy, .tell = *listener};
	measure->world.events = events;
	measure->pairs = pairs_new();
	measure->patience.next = measure->patience.whole = measure->patience.awaited = INT64_MAX;
	measure->exit = events_type(events, "sched:sched_process_exit");
	see_execs(measure);
	see_switches(measure);
	see_wakes(measure);
	call_meanings_shipped(); /* before the process is confined */
	measure->now = measure->ended = measure->recompute_at = measure->gap_end = INT64_MIN;
	return measure;
}

static void active_chart_free(struct active_chart *chart)
{
	if (chart->pairs)
		pair_table_free(chart->pairs);
	disarmed_keys_free(chart->disarmed);
	traffic_free(chart->traffic);
	polled_free(chart->polled);
	series_set_free(&chart->set);
	chart_free(chart->chart);
	free(chart->name);
	free(chart->policy);
	free(chart->bindings);
	for (size_t i = 0; i < chart->matched.count; i++)
		free(chart->matched.items[i]);
	free(chart->matched.items);
	free(chart);
}

void measure_free(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		active_chart_free(measure->charts.items[i]);
	for (size_t i = 0; i < measure->routes.count; i++)
		free(measure->routes.items[i].bindings.items);
	pairs_free(measure->pairs);
	recorded_clear(&measure->recorded);
	process_free(&measure->traced);
	free(measure->pipe.items);
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

static struct route *route_of(struct measure *measure, int index)
{
	while (measure->routes.count <= (size_t)index)
		*ARRAY_ADD(&measure->routes) = (struct route){0};
	return &measure->routes.items[index];
}

static void add_route(struct measure *measure, struct binding *binding)
{
	static const int order[] = {[CHART_END] = 0, [CHART_DROP] = 0, [CHART_ARM] = 1, [CHART_START] = 2, [CHART_COUNT] = 3, [CHART_CALL] = 3};
	struct route *route = route_of(measure, binding->type->index);
	size_t at;

	ARRAY_ADD(&route->bindings);
	for (at = route->bindings.count - 1; at > 0; at--) {
		if (order[route->bindings.items[at - 1]->role] <= order[binding->role])
			break;
		route->bindings.items[at] = route->bindings.items[at - 1];
	}
	route->bindings.items[at] = binding;
}

/* Tells whether a pattern with a '*' at its end matches the name of an event. */
static bool matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern) - 1;

	return pattern[length] == '*' && !strncmp(pattern, name, length) && strcmp(pattern, name) != 0;
}

/* Binds an event to the lines of a chart that match it. -1 after fail(). */
static int match_event(struct measure *measure, struct active_chart *chart, const char *name)
{
	for (int i = 0; i < chart->count; i++) {
		struct binding *binding;
		struct chart_event event;

		if (!matches(chart->chart->events[i].event, name))
			continue;
		event = chart->chart->events[i];
		event.event = (char *)name;
		binding = *ARRAY_ADD(&chart->matched) = NEW(struct binding);
		if (binding_make(binding, measure->events, &event) < 0)
			return -1;
		binding->chart = chart;
		memcpy(binding->instead, chart->bindings[i].instead, sizeof(binding->instead));
		add_route(measure, binding);
	}
	return 0;
}

static int match_events(struct measure *measure, const struct event_type *type)
{
	int before = route_of(measure, type->index)->matched, number = 0;

	if (before == measure->defined)
		return 0;
	measure->routes.items[type->index].matched = measure->defined;
	for (size_t i = 0; i < measure->charts.count; i++)
		if (measure->charts.items[i]->chart && number++ >= before && match_event(measure, measure->charts.items[i], type->name) < 0)
			return -1;
	return 0;
}

/* The first line of this event; NULL: there is none. */
static const struct binding *binding_of(const struct active_chart *chart, const char *event)
{
	for (int i = 0; i < chart->count; i++)
		if (strcmp(chart->bindings[i].type->name, event) == 0)
			return &chart->bindings[i];
	return NULL;
}

/* Sets the lines that a line stands in for, as many as there is room for. */
static void find_stand_in(const struct active_chart *chart, struct binding *binding, const char *instead)
{
	char *names = instead ? memory_text(instead, strlen(instead)) : NULL, *rest = names;
	int count = 0;

	for (char *name; rest && (name = strsep(&rest, ",")) && count < CHART_KEYS_MAX;)
		binding->instead[count++] = binding_of(chart, name);
	free(names);
}

static int bind_events(struct measure *measure, struct active_chart *chart)
{
	const struct chart_event *events = chart->chart->events;

	chart->bindings = memory_new((size_t)chart->chart->count, sizeof(*chart->bindings));
	for (; chart->count < chart->chart->count; chart->count++) {
		struct binding *binding = &chart->bindings[chart->count];

		if (binding_make(binding, measure->events, &events[chart->count]) < 0)
			return -1;
		binding->chart = chart;
		measure->patterns |= strchr(events[chart->count].event, '*') != NULL;
		chart->for_cpu |= binding->role == CHART_END && binding->type == measure->switches;
		measure->for_cpu |= chart->for_cpu;
	}
	for (int i = 0; i < chart->count; i++)
		find_stand_in(chart, &chart->bindings[i], events[i].instead);
	return 0;
}

static void prepare_pairs(struct measure *measure, struct active_chart *added)
{
	const struct chart_event *start = added->chart->events;
	bool lasting; /* its waits for answers outlast their time limits */

	while (start->role != CHART_START)
		start++;
	if (added->chart->calls && !added->judge.policy->idle)
		added->traffic = traffic_new();
	added->by_thread = binding_is_by_thread(start);
	lasting = added->traffic && added->by_thread && start->keys <= 1 && !start->length && !added->chart->nest;
	added->pairs = pair_table_new(measure->pairs, added, start->length != NULL, added->chart->nest,
				      lasting ? 2 : start->keys ? start->keys : 1);
	if (lasting)
		added->polled = polled_new(measure, call_meanings_shipped());
	added->silences = (struct silences){.waits = lasting ? added->pairs : NULL, .traffic = added->traffic, .swept = INT64_MIN};
}

static void prepare_turns(struct measure *measure, struct active_chart *added)
{
	added->turns = true;
	added->traffic = traffic_new();
	added->silences = (struct silences){.traffic = added->traffic, .count = 1, .swept = INT64_MIN};
	added->pairs = pair_table_new(measure->pairs, added, false, false, 2);
}

static void prepare_counts(struct measure *measure, struct active_chart *added)
{
	added->counts = true;
	added->policy = NEW(struct policy);
	*added->policy = policy_of_rates(measure->judge.policy, added->chart);
	added->judge.policy = added->policy;
}

static void prepare_each(struct measure *measure, struct active_chart *added)
{
	added->policy = NEW(struct policy);
	*added->policy = policy_of_each(measure->judge.policy, added->name);
	added->judge.policy = added->policy;
}

/* The chart of this name; NULL: there is none. */
static struct active_chart *defined(const struct measure *measure, const char *name)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		if (measure->charts.items[i]->chart && !strcmp(measure->charts.items[i]->name, name))
			return measure->charts.items[i];
	return NULL;
}

int measure_chart(struct measure *measure, struct chart *chart)
{
	struct active_chart *added, *found = defined(measure, chart->name);
	int64_t definition = chart_field_hash(chart->definition);

	if (found) {
		found->others_of_name |= definition != found->definition;
		chart_free(chart);
		return 0;
	}
	if (measure->defined == CHARTS_MAX) {
		chart_free(chart);
		return fail("more than %d charts", CHARTS_MAX);
	}
	if (chart->calls && !call_meanings_shipped()) {
		chart_free(chart);
		return -1;
	}
	chart_forget_context(chart);
	if (measure->judge.policy->known)
		limits_book_build(measure->judge.policy->known, chart->name, chart->build);
	added = NEW(struct active_chart);
	added->chart = chart;
	added->definition = definition;
	added->name = memory_text(chart->name, strlen(chart->name));
	added->judge = measure->judge;
	if (chart->each)
		prepare_each(measure, added);
	if (chart->method)
		prepare_counts(measure, added);
	else if (chart->events[0].role == CHART_CALL)
		prepare_turns(measure, added);
	else
		prepare_pairs(measure, added);
	added->set.policy = added->judge.policy;
	added->set.shortest = chart->shortest;
	added->set.disturbances = chart->common && chart_has_keys(chart) ? disturbances_new(added->set.policy, chart->shortest) : NULL;
	added->set.bursts = chart->bursts || (chart->common && !added->set.disturbances); /* what hits one key only comes in bursts of it */
	added->set.due = INT64_MIN;
	if (bind_events(measure, added) < 0) {
		active_chart_free(added);
		return -1;
	}
	for (int i = 0; i < added->count; i++) {
		add_route(measure, &added->bindings[i]);
		if (added->bindings[i].role == CHART_ARM && !added->disarmed)
			added->disarmed = disarmed_keys_new();
	}
	*ARRAY_ADD(&measure->charts) = added;
	measure->defined++;
	return 0;
}

/* Two calls are never at the same place of the stack at once, so an earlier start of this depth has ended unseen. */
static int forget_dead(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key, int64_t *depth)
{
	int64_t to;

	*depth = binding_depth(binding, event, &to);
	if (!*depth)
		return 0;
	return outcome_abandon(measure, pair_end_between(binding->chart->pairs, key, *depth, *depth), event->ts, false);
}

/* Tells whether a thread that enters a system call waits for work there. *waits: for many descriptors. *no_try: see struct start. */
static bool is_idle(struct measure *measure, const struct binding *binding, const struct event *event, bool *waits, bool *no_try)
{
	enum { OPERATION = 1, SET_LOCK = 6, SET_DESCRIPTION_LOCK = 37 };
	struct traffic *traffic = binding->chart->traffic;
	int64_t argument[3] = {0};
	enum call_use use;

	*waits = *no_try = false;
	if (!traffic)
		return false;
	use = binding_call(binding, &measure->world, traffic, event, argument);
	*waits = use == CALL_MANY;
	*no_try = use == CALL_FCNTL && argument[OPERATION] != SET_LOCK && argument[OPERATION] != SET_DESCRIPTION_LOCK;
	if (binding->chart->polled && (use == CALL_IDLE || use == CALL_MANY))
		polled_sleeps(binding->chart->polled, event->tid, event->ts);
	if (call_is_condition_of_musl(use, argument) && events_has_musl(measure->events, event->tid))
		return true;
	return traffic_enter(traffic, event->tid, use < CALL_MANY ? 0 : events_tgid(measure->events, event->tid), use, argument, event->ts);
}

static int start_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct active_chart *chart = binding->chart;
	int64_t length = binding->length ? event_number(event, binding->length) : 0, depth, place[CHART_KEYS_MAX];
	bool idle, waits, no_try, goes_on;
	struct start *start, *over;

	if (chart->by_thread && *key == 0)
		return 0; /* the idle thread */
	if (chart->chart->first && pair_find(chart->pairs, key))
		return 0;
	if (chart->shed || (binding->length && length <= 0) || (chart->disarmed && disarmed_keys_has(chart->disarmed, key)))
		return 0;
	if (outcome_abandon(measure, silence_unended(&chart->silences, event->tid), event->ts, false) < 0)
		return -1;
	idle = is_idle(measure, binding, event, &waits, &no_try);
	over = silence_enter(&chart->silences, event->tid, waits, &goes_on);
	if (over && outcome_silence(measure, over) < 0)
		return -1;
	if (goes_on)
		return 0;
	silence_key(&chart->silences, key, waits, place);
	if (waits && chart->silences.waits && outcome_abandon(measure, pair_forget(chart->pairs, key), event->ts, false) < 0)
		return -1; /* the end of the call before was not seen */
	key = place;
	if (idle) {
		chart->idle++;
		return outcome_abandon(measure, pair_forget(chart->pairs, key), event->ts, false);
	}
	if (forget_dead(measure, binding, event, key, &depth) < 0 || start_begin(measure, binding, event, key, length, &start) < 0)
		return -1;
	if (start)
		start->no_try = no_try;
	if (start)
		start->depth = depth;
	return 0;
}

static int end_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct active_chart *chart = binding->chart;
	int64_t length = binding->length ? event_number(event, binding->length) : 0, to;
	int64_t depth = binding_depth(binding, event, &to), result = chart->traffic ? event_number(event, binding->call.result) : 0;
	int64_t place[CHART_KEYS_MAX];
	bool waits = chart->silences.waits && traffic_waits(chart->traffic, event->tid);
	struct start *start, *over;

	silence_key(&chart->silences, key, waits, place);
	if (waits && silence_return(&chart->silences, event->tid, result, event->ts))
		start = NULL;
	else
		start = depth		 ? pair_end_between(chart->pairs, place, depth, to)
			: binding->whole ? pair_end_whole(chart->pairs, place, length)
					 : pair_end(chart->pairs, place, length);
	if (chart->disarmed)
		disarmed_keys_add(chart->disarmed, key);
	if (chart->polled)
		polled_wakes(chart->polled, event->tid, result, event->ts);
	if (chart->polled && start && polled_return(chart->polled, start, result, event->ts) < 0)
		return -1;
	if (chart->traffic && result > 0 && traffic_is_new(chart->traffic, event->tid))
		traffic_cut(chart->traffic, event->tid, binding_use(binding, &measure->world, chart->traffic, event));
	else if (chart->traffic)
		traffic_return(chart->traffic, event->tid, result);
	over = silence_transfer(&chart->silences, event->tid);
	if (over && outcome_silence(measure, over) < 0)
		return -1;
	return outcome_event(measure, binding, event, start);
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

static int call_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	(void)key;
	return binding->chart->shed ? 0 : turn_event(measure, binding, event);
}

/* A start that is still open when its key is armed has ended unseen. */
static int arm_event(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	disarmed_keys_remove(binding->chart->disarmed, key);
	return outcome_abandon(measure, pair_forget(binding->chart->pairs, key), event->ts, false);
}

/* A thread has ended: its starts will have no end. */
static int forget_thread(struct measure *measure, int64_t tid, int64_t now, bool certain)
{
	int64_t key[CHART_KEYS_MAX] = {tid};
	struct start *over, *unended;

	for (size_t i = 0; i < measure->charts.count; i++) {
		struct active_chart *chart = measure->charts.items[i];

		if (chart->polled && polled_exit(chart->polled, (int32_t)tid) < 0)
			return -1;
		if (chart->traffic && traffic_exit(chart->traffic, (int32_t)tid) && chart->turns &&
		    turn_exit(measure, chart, tid, now) < 0)
			return -1;
		over = silence_exit(&chart->silences, (int32_t)tid, &unended);
		if ((over && outcome_silence(measure, over) < 0) || outcome_abandon(measure, unended, now, certain) < 0)
			return -1;
		if (chart->by_thread && outcome_abandon(measure, pair_forget(chart->pairs, key), now, certain) < 0)
			return -1;
	}
	return 0;
}

/* A thread that execs becomes the leader of its process: its old tid is gone without an exit, and its call returns under the new tid. */
static int exec_event(struct measure *measure, const struct event *event)
{
	int64_t before = event_has(event, measure->before) ? event_number(event, measure->before) : event->tid;

	return before != event->tid ? forget_thread(measure, before, event->ts, false) : 0;
}

static bool is_measured(const struct measure *measure, int32_t tid)
{
	for (size_t i = 0; i < measure->pipe.count; i++)
		if (measure->pipe.items[i] == tid)
			return false;
	return process_has(&measure->traced, tid);
}

/* Tells whether a start, a count or a call is of a thread that is not measured. An end often happens in the context of another thread. */
static bool is_of_others(const struct measure *measure, const struct binding *binding, const struct event *event)
{
	if ((binding->role != CHART_START && binding->role != CHART_COUNT && binding->role != CHART_CALL) ||
	    is_measured(measure, binding_tid(binding, event)))
		return false;
	binding->chart->others++;
	return true;
}

/* A wake-up has put a thread that waits into this CPU's queue. */
static void choose_cpu(struct measure *measure, int64_t tid, int64_t cpu)
{
	int64_t key[CHART_KEYS_MAX] = {tid};

	for (size_t i = 0; i < measure->charts.count; i++) {
		struct active_chart *chart = measure->charts.items[i];
		struct start *start = chart->for_cpu && chart->by_thread ? pair_find(chart->pairs, key) : NULL;

		if (start)
			start->cpu = (int)cpu;
	}
}

static void see_wake(struct measure *measure, const struct wake_type *wake, const struct event *event)
{
	int64_t cpu = event_has(event, wake->target) ? event_number(event, wake->target) : -1;

	if (cpu < 0 || cpu >= RECORDED_CPUS_MAX)
		return;
	recorded_woken(&measure->recorded, cpu, event->ts, wake->chosen);
	if (wake->chosen)
		choose_cpu(measure, event_number(event, wake->tid), cpu);
}

/* Notes which CPUs a recording has. */
static void see_cpus(struct measure *measure, const struct event *event)
{
	if (event->type == measure->switches && event_number(event, measure->next) == 0)
		recorded_idle(&measure->recorded, event->cpu, event->ts);
	for (size_t i = 0; i < sizeof(measure->wakes) / sizeof(*measure->wakes); i++)
		if (event->type == measure->wakes[i].type)
			see_wake(measure, &measure->wakes[i], event);
}

/* Tells whether an event has come that this line stands in for. */
static bool has_come(const struct binding *binding)
{
	for (int i = 0; i < CHART_KEYS_MAX && binding->instead[i]; i++)
		if (binding->instead[i]->came)
			return true;
	return false;
}

int measure_event(struct measure *measure, const struct event *event)
{
	static int (*const act[])(struct measure *, struct binding *, const struct event *, const int64_t *) = {
		[CHART_START] = start_event, [CHART_END] = end_event, [CHART_DROP] = end_event, [CHART_ARM] = arm_event,
		[CHART_COUNT] = count_event, [CHART_CALL] = call_event,
	};
	size_t index = (size_t)event->type->index;
	int64_t key[CHART_KEYS_MAX] = {0};

	measure_now(measure, event->ts);
	if (!measure->vouched) {
		recorded_event(&measure->recorded, event->cpu, event->ts);
		if (event->ts >= measure->patience.awaited)
			patience_heard(measure);
	}
	if (event->type == measure->switches && measure->for_cpu)
		recorded_switch(&measure->recorded, event->cpu, event->ts, (int32_t)event_number(event, measure->prev),
			      (int32_t)event_number(event, measure->next));
	if (measure->patterns && match_events(measure, event->type) < 0)
		return -1;
	for (size_t i = 0; index < measure->routes.count && i < measure->routes.items[index].bindings.count; i++) {
		struct binding *binding = measure->routes.items[index].bindings.items[i];

		if (binding->instead[0] && has_come(binding))
			continue;
		if (binding->where.raw && !chart_field_number(&binding->where, &measure->world, event))
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

static void take_stream(struct measure *measure, const struct fields *fields)
{
	struct limits_book *known = measure->judge.policy->known;
	struct origin origin = {"", ""};
	char *kernel = fields_copy(fields, "kernel");

	*measure->world.machine = '\0';
	fields_text(fields, "machine", measure->world.machine, sizeof(measure->world.machine));
	if (known)
		limits_book_kernel(known, kernel);
	free(kernel);
	fields_text(fields, "host", origin.host, sizeof(origin.host));
	fields_text(fields, "boot", origin.boot, sizeof(origin.boot));
	measure->elsewhere |= strcmp(origin.host, measure->origin.host) || strcmp(origin.boot, measure->origin.boot);
	measure->origin = origin;
	measure->vouched = *origin.boot != '\0'; /* no saved trace of another tool tells it */
	measure->recorded.expected = 0;
	fields_unsigned(fields, "cpus", &measure->recorded.expected);
}

/* The chart of values by hand with this name: it has no definition. */
static struct active_chart *find_chart(const struct measure *measure, const char *name)
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct active_chart *chart = measure->charts.items[i];

		if (!chart->chart && !strcmp(chart->name, name))
			return chart;
	}
	return NULL;
}

static struct active_chart *add_chart(struct measure *measure, const char *name)
{
	struct active_chart *chart = NEW(struct active_chart);

	chart->name = memory_text(name, strlen(name));
	chart->judge = measure->judge;
	chart->set.policy = measure->judge.policy;
	return *ARRAY_ADD(&measure->charts) = chart;
}

static void remove_chart(struct measure *measure, size_t at)
{
	struct active_chart *chart = measure->charts.items[at];

	measure->gone.ends += chart->ends;
	measure->gone.forgotten += chart->set.forgotten;
	measure->gone.judged |= chart->set.judged;
	active_chart_free(chart);
	ARRAY_REMOVE(&measure->charts, at, 1);
}

/* If there are too many keys of values by hand, drops the least recent one, and its chart if that has no other. */
static void make_room(struct measure *measure)
{
	struct series *coldest = NULL;
	int64_t least = INT64_MAX;
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct active_chart *chart = measure->charts.items[i];
		struct series *series = chart->chart ? NULL : series_set_coldest(&chart->set);
		int64_t touched = series ? series->touched : INT64_MIN;

		if (chart->chart)
			continue;
		kept += 1 + HASH_COUNT(chart->set.series);
		if (touched <= least) {
			least = touched;
			coldest = series;
			at = i;
		}
	}
	if (kept < BY_HAND_MAX)
		return;
	if (coldest)
		series_set_drop(&measure->charts.items[at]->set, coldest);
	if (!measure->charts.items[at]->set.series)
		remove_chart(measure, at);
}

static struct active_chart *find_or_add_chart(struct measure *measure, const char *name)
{
	struct active_chart *chart = find_chart(measure, name);

	return chart ? chart : add_chart(measure, name);
}

int measure_value(struct measure *measure, const char *name, const char *key, struct sample *sample)
{
	int64_t id[CHART_KEYS_MAX] = {key ? chart_field_hash(key) : 0, key != NULL};
	struct active_chart *chart;

	measure_now(measure, sample->end);
	chart = find_chart(measure, name);
	sample->series = chart ? series_set_find(&chart->set, id) : NULL;
	if (!sample->series) {
		make_room(measure);
		chart = find_or_add_chart(measure, name);
		sample->series = series_set_add(&chart->set, id, name, key);
	}
	if (!sample->series->unit)
		series_be_in(sample->series, measure->judge.policy, sample->unit);
	sample->series->touched = sample->end;
	if (judge_tell_limits(&measure->judge, sample->series, sample->end) < 0)
		return -1;
	chart->ends++;
	return outcome_value(measure, &chart->judge, &chart->set, sample, false);
}

/* The chart of a function that the user named: the collector knows the build of its program. */
static void take_build(const struct measure *measure, struct chart *chart, const struct fields *fields)
{
	struct chart *told = chart->function && !chart->build ? chart_recorded(fields) : NULL;

	if (told && told->build) {
		chart->build = memory_text(told->build, strlen(told->build));
		if (measure->judge.policy->known)
			limits_book_build(measure->judge.policy->known, chart->name, chart->build);
	}
	chart_free(told);
}

/* If we have a chart of this name, the collector traced its events. */
static void take_chart(struct measure *measure, const struct fields *fields)
{
	char *name = fields_copy(fields, "name");
	struct active_chart *found = defined(measure, name ? name : "");

	if (found) {
		found->chart->collected = true;
		take_build(measure, found->chart, fields);
	}
	free(name);
}

static int shed_event(struct measure *measure, const char *event, int64_t now)
{
	size_t index = (size_t)events_type(measure->events, event)->index;
	bool shed = false;

	for (size_t i = 0; index < measure->routes.count && i < measure->routes.items[index].bindings.count; i++)
		shed = measure->routes.items[index].bindings.items[i]->chart->shed = true;
	return shed ? measure_lost(measure, now) : 0;
}

/* If an event comes no longer, the missing events are no count of zero, and starts that they would end are open: charts with it rest. */
static int take_shed(struct measure *measure, const struct fields *fields, int64_t now)
{
	char *events = fields_copy(fields, "events"), *rest = events;
	int status = 0;

	for (char *event; status == 0 && rest && (event = strsep(&rest, ","));)
		status = shed_event(measure, event, now);
	free(events);
	return status;
}

static int take_stage(struct measure *measure, const struct fields *fields)
{
	int64_t tid = 0;

	if (fields_integer(fields, "tid", &tid) > 0 && measure->pipe.count < PIPE_MAX)
		*ARRAY_ADD(&measure->pipe) = (int32_t)tid;
	return 0;
}

/* A record tells the kind of a descriptor. If it is a connection, a thread that sleeps in a read() of it may wait for work. */
static int take_file(struct measure *measure, const struct fields *fields, int64_t now)
{
	int64_t tid = 0, fd = -1;
	char kind[16] = "";

	if (fields_integer(fields, "tid", &tid) <= 0 || fields_integer(fields, "fd", &fd) <= 0 ||
	    fields_text(fields, "kind", kind, sizeof(kind)) <= 0)
		return 0;
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct active_chart *chart = measure->charts.items[i];
		int64_t key[CHART_KEYS_MAX] = {tid};

		if (chart->traffic &&
		    traffic_file(chart->traffic, (int32_t)tid, events_tgid(measure->events, (int32_t)tid), (int32_t)fd, kind) && !chart->turns &&
		    outcome_abandon(measure, pair_forget(chart->pairs, key), now, false) < 0)
			return -1;
	}
	return 0;
}

static void take_side(struct measure *measure, const struct fields *fields, int64_t process, bool asks)
{
	char *fds = fields_copy(fields, asks ? "asks" : "asked"), *rest = fds;
	uint64_t number;

	for (char *fd; rest && (fd = strsep(&rest, ","));) {
		if (number_count(fd, strlen(fd), &number) < 0 || number > INT32_MAX)
			continue;
		for (size_t i = 0; i < measure->charts.count; i++)
			if (measure->charts.items[i]->traffic)
				traffic_side(measure->charts.items[i]->traffic, (int32_t)process, (int32_t)number, asks);
	}
	free(fds);
}

static int take_traced(struct measure *measure, const struct fields *fields)
{
	int64_t process = 0, command = 0;

	if (fields_integer(fields, "command", &command) > 0)
		measure->world.command = command;
	if (fields_integer(fields, "process", &process) > 0 && process > 0 && process < PROCESS_TIDS) {
		take_side(measure, fields, process, true);
		take_side(measure, fields, process, false);
	}
	return traced_read(&measure->traced, fields);
}

int measure_record(struct measure *measure, enum kind kind, const struct fields *fields, int64_t now)
{
	switch (kind) {
	case KIND_STREAM:
		take_stream(measure, fields);
		return 0;
	case KIND_CHART:
		take_chart(measure, fields);
		return 0;
	case KIND_TICK:
		measure->vouched = true;
		if (fields_find(fields, "every"))
			patience_whole(&measure->patience, now);
		patience_heard(measure);
		return 0;
	case KIND_GAP:
		outcome_gap(measure, fields);
		return 0;
	case KIND_SAMPLE:
		measure->summaries = true;
		return 0;
	case KIND_STAGE:
		return take_stage(measure, fields);
	case KIND_FILE:
		return take_file(measure, fields, now);
	case KIND_TRACED:
		return take_traced(measure, fields);
	case KIND_SHED:
		return take_shed(measure, fields, now);
	default:
		return 0;
	}
}
