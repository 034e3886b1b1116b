#include "trigger/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/series.h"
#include "stream/stream.h"
#include "trigger/handed_requests.h"
#include "trigger/matches.h"
#include "trigger/occasion.h"
#include "trigger/run_requests.h"
#include "trigger/totals.h"

/* The state of a trigger, which is idle, then logs, then is idle again. */
struct watched {
	const struct trigger *trigger;
	struct totals *totals; /* NULL: the trigger has no aggregates */
	struct totals_key *key; /* of the current occasion */
	double *values;	     /* values of the current occasion, by column */
	uint64_t salt;	     /* a hash of the trigger's name */
	uint64_t looked_at;  /* how many occasions it was evaluated for */
	bool logs, has_logged;
	int64_t fired, ended;
	uint64_t firing; /* number of the last request that had begun when it fired */
	uint64_t matched, unmatched; /* requests logged since it fired */
	bool given; /* a request got a window */
	int64_t next; /* ON Always: when it is evaluated next */
	struct matches matches; /* signals or exceptions that satisfied IF */
};

struct watch {
	struct stream *stream;
	struct filter *filter;
	struct watch *next; /* the watch of another host of the stream */
	bool shared;	    /* the stream is of several hosts */
	struct filter_watch handed;
	struct watch_options options;
	ARRAY(struct watched) items;
	bool began;	 /* a record with a time has come in this stream */
	bool lacks;	 /* events were lost, and no record with a time has come since */
	bool behind;	 /* the stream was filtered before */
	struct run_requests *requests;
	struct handed_requests *jobs;
	int64_t now;
	int64_t due;	 /* no limit of UNTIL and no multiple of EVERY comes before it */
	uint64_t begun;	 /* number of requests that have begun */
	uint64_t given;	 /* the last request that got a window */
	struct line line;
};

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const char *text)
{
	uint64_t number = UINT64_C(14695981039346656037);

	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		number = (number ^ *at) * UINT64_C(1099511628211);
	return number;
}

/* A number from 0 to 1 that depends only on trigger and request; the mixing is that of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static double share_of(const struct watched *watched, uint64_t request)
{
	uint64_t z = watched->salt + request * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return ldexp((double)(z ^ (z >> 31)), -64);
}

struct asked {
	struct watched *watched;
	const struct occasion *occasion;
};

static void value_of(void *context, int named, char room[VALUE_ROOM], struct value *value)
{
	const struct asked *asked = context;
	const struct trigger_value *wanted = &asked->watched->trigger->values.items[named];

	if (wanted->aggregate)
		totals_value(asked->watched->totals, asked->watched->key, named, asked->occasion->ts, value);
	else
		occasion_value(asked->occasion, wanted->field, wanted->shown, room, value);
}

static bool holds(struct watched *watched, const struct occasion *occasion)
{
	struct asked asked = {watched, occasion};

	return condition_truth(watched->trigger->condition, value_of, &asked) == TRUTH_YES;
}

static bool is_in_scope(struct watched *watched, const struct occasion *occasion)
{
	struct asked asked = {watched, occasion};

	for (size_t i = 0; i < watched->trigger->scope.count; i++)
		if (condition_truth(watched->trigger->scope.items[i], value_of, &asked) != TRUTH_YES)
			return false;
	return true;
}

/* Sets the key to that of an occasion. `counts`: adds the occasion to the trigger's aggregates if it is in their scope. */
static void look_at(struct watched *watched, const struct occasion *occasion, bool counts)
{
	const int *columns;
	size_t count;

	if (!watched->totals)
		return;
	watched->key = totals_key(watched->totals, occasion->on == ON_ALWAYS ? "" : occasion->key);
	if (!counts || !is_in_scope(watched, occasion))
		return;
	columns = totals_columns(watched->totals, &count);
	for (size_t i = 0; i < count; i++) {
		const struct trigger_value *wanted = &watched->trigger->values.items[columns[i]];

		watched->values[i] = occasion_number(occasion, wanted->field, wanted->shown);
	}
	totals_add(watched->totals, watched->key, occasion->ts, watched->values);
}

/* The deadline of an alternative of UNTIL whose counts are reached; INT64_MAX: it has no time, or its counts are not reached. */
static int64_t deadline_of(const struct watched *watched, const struct trigger_until *until)
{
	if (!until->time || watched->matched < until->match || watched->unmatched < until->unmatch)
		return INT64_MAX;
	return timestamp_add(watched->fired, until->time);
}

static int64_t deadline(const struct watched *watched)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; watched->logs && i < watched->trigger->until.count; i++) {
		int64_t time = deadline_of(watched, &watched->trigger->until.items[i]);

		first = time < first ? time : first;
	}
	return first;
}

/* Finds when the next limit of UNTIL or multiple of EVERY is due. */
static void find_due(struct watch *watch)
{
	watch->due = INT64_MAX;
	for (size_t i = 0; i < watch->items.count; i++) {
		const struct watched *watched = &watch->items.items[i];
		int64_t limit = deadline(watched);

		if (limit < watch->due)
			watch->due = limit;
		if (watched->trigger->on == ON_ALWAYS && watched->next < watch->due)
			watch->due = watched->next;
	}
}

static int end(struct watch *watch, struct watched *watched, int64_t ts, const char *reason)
{
	struct line *line = &watch->line;

	watched->logs = false;
	watched->has_logged = true;
	watched->ended = ts;
	line_begin(line, kind_name(KIND_TRIGGER));
	line_time(line, "ts", ts);
	line_text(line, "name", watched->trigger->name);
	line_text(line, "state", "ended");
	line_text(line, "reason", reason);
	line_unsigned(line, "matched", watched->matched);
	line_unsigned(line, "unmatched", watched->unmatched);
	find_due(watch);
	return stream_write_line(watch->stream, line);
}

/* Room for the texts of a firing's signal. */
struct signal_texts {
	char chart[VALUE_ROOM], key[VALUE_ROOM], text[2 * VALUE_ROOM];
};

/* Sets the text, such as "std::out_of_range: no such key". False: the occasion is no exception. */
static bool say_exception(const struct occasion *occasion, struct signal_texts *texts)
{
	char name[VALUE_ROOM] = "?", what[VALUE_ROOM - 1] = "";

	if (occasion->on != ON_EXCEPTION || !occasion->record)
		return false;
	fields_text(occasion->record, "name", name, sizeof(name));
	fields_text(occasion->record, "what", what, sizeof(what));
	snprintf(texts->text, sizeof(texts->text), "%s%s%s", name, *what ? ": " : "", what);
	return true;
}

/* The fields of the firing's signal. */
static struct filter_found found_at(const struct watched *watched, const struct occasion *occasion, struct signal_texts *texts)
{
	struct filter_found found = {.trigger = watched->trigger->name, .chart = watched->trigger->name, .start = occasion->ts, .end = occasion->ts, .tid = -1};
	const struct sample *request = occasion->request;
	int64_t tid = -1;

	found.request = request;
	if (request) {
		found.chart = request->series->chart;
		found.key = request->series->key;
		found.start = request->start;
		found.tid = request->tid;
	} else if (occasion->record) {
		if (fields_text(occasion->record, "chart", texts->chart, sizeof(texts->chart)) > 0)
			found.chart = texts->chart;
		if (fields_text(occasion->record, "key", texts->key, sizeof(texts->key)) > 0)
			found.key = texts->key;
		fields_time(occasion->record, "start", &found.start);
		if (fields_integer(occasion->record, "tid", &tid) > 0 && tid >= 0 && tid <= INT32_MAX)
			found.tid = (int32_t)tid;
		if (say_exception(occasion, texts))
			found.text = texts->text;
		if (found.start > found.end)
			found.start = found.end;
	}
	return found;
}

static int fire(struct watch *watch, struct watched *watched, const struct occasion *occasion)
{
	struct signal_texts texts;
	struct filter_found found = found_at(watched, occasion, &texts);
	struct line *line = &watch->line;

	watched->logs = true;
	watched->fired = occasion->ts;
	watched->firing = watch->begun;
	watched->matched = watched->unmatched = 0;
	find_due(watch);
	line_begin(line, kind_name(KIND_TRIGGER));
	line_time(line, "ts", occasion->ts);
	line_text(line, "name", watched->trigger->name);
	line_text(line, "state", "fired");
	to_log_spell(&watched->trigger->log, line);
	if (stream_write_line(watch->stream, line) < 0 || filter_found(watch->filter, &found) < 0)
		return -1;
	if (watch->options.fired)
		watch->options.fired(watch->options.context, &(struct watch_firing){
			.trigger = watched->trigger->name, .ts = occasion->ts, .tid = found.tid,
			.pid = found.tid > 0 ? events_tgid(occasion->events, found.tid) : 0});
	return 0;
}

/* Tells whether a trigger may fire: it is not logging, and its rest is over. */
static bool may_fire(const struct watch *watch, const struct watched *watched, int64_t ts)
{
	return !watched->logs && (!watched->has_logged || timestamp_add(watched->ended, watch->options.rest) <= ts);
}

/* The largest count of a class (Match or Unmatch) in UNTIL; UINT64_MAX: UNTIL does not limit the class. */
static uint64_t most_of(const struct trigger *trigger, bool match)
{
	uint64_t most = 0;

	for (size_t i = 0; i < trigger->until.count; i++) {
		uint64_t count = match ? trigger->until.items[i].match : trigger->until.items[i].unmatch;

		most = count > most ? count : most;
	}
	return most ? most : UINT64_MAX;
}

/* Tells whether the counts, and the time, have reached an alternative of UNTIL. */
static bool is_over(const struct watched *watched, int64_t ts)
{
	for (size_t i = 0; i < watched->trigger->until.count; i++) {
		const struct trigger_until *until = &watched->trigger->until.items[i];

		if (watched->matched >= until->match && watched->unmatched >= until->unmatch &&
		    (!until->time || timestamp_add(watched->fired, until->time) <= ts))
			return true;
	}
	return false;
}

static int write_request(struct watch *watch, const struct watched *watched, const struct sample *request, bool match, bool logged)
{
	struct line *line = &watch->line;

	line_begin(line, kind_name(KIND_REQUEST));
	line_time(line, "ts", request->end);
	line_time(line, "start", request->start);
	line_unsigned(line, "id", request->number);
	line_text(line, "trigger", watched->trigger->name);
	line_text(line, "match", match ? "yes" : "no");
	line_text(line, "logged", logged ? "yes" : "no");
	if (request->tid >= 0)
		line_integer(line, "tid", request->tid);
	line_text(line, "chart", request->series->chart);
	if (request->series->key)
		line_text(line, "key", request->series->key);
	line_time(line, "value", timestamp_between(request->start, request->end));
	sample_add_shown(line, request);
	return stream_write_line(watch->stream, line);
}

/* Gives a request its window, which opens before its `request` record. A request that several triggers log has only one window. */
static int give_window(struct watch *watch, struct watched *watched, const struct sample *request)
{
	watched->given = true;
	if (watch->given == request->number)
		return 0;
	watch->given = request->number;
	return filter_logged(watch->filter, request);
}

/* A request has ended while a trigger logs. */
static int log_request(struct watch *watch, struct watched *watched, const struct sample *request, bool match)
{
	const struct trigger *trigger = watched->trigger;
	uint64_t *count = match ? &watched->matched : &watched->unmatched;
	bool logged = *count < most_of(trigger, match) && share_of(watched, request->number) < (match ? trigger->match_share : trigger->unmatch_share);

	*count += logged;
	if ((logged && trigger->log.activity && give_window(watch, watched, request) < 0) || write_request(watch, watched, request, match, logged) < 0)
		return -1;
	find_due(watch);
	return logged && is_over(watched, request->end) ? end(watch, watched, request->end, "count") : 0;
}

/* Tells whether a trigger's FOR names the chart. */
static bool is_named(const struct watch *watch, const char *chart)
{
	for (size_t i = 0; i < watch->items.count; i++)
		if (watch->items.items[i].trigger->charts.count && trigger_has_chart(watch->items.items[i].trigger, chart))
			return true;
	return false;
}

/* Tells whether a request is paired by thread: all that its thread does meanwhile belongs to the request. */
static bool is_by_thread(const struct sample *request)
{
	return request->key_count == 0 && request->tid >= 0;
}

/* A request begins. Its `marks` keep which triggers ON RequestStart it matches, a bit for each trigger. */
static int see_begin(void *context, struct sample *request)
{
	struct watch *watch = context;
	struct occasion occasion = {.on = ON_REQUEST_START, .ts = request->start, .request = request, .events = filter_events(watch->filter)};
	char key[VALUE_ROOM];

	if (!run_requests_begin(watch->requests, request, is_named(watch, request->series->chart)))
		return 0;
	request->number = ++watch->begun;
	if (is_by_thread(request))
		handed_requests_begin(watch->jobs, request->tid, request->number);
	occasion_key(&occasion, key);
	for (size_t i = 0; i < watch->items.count; i++) {
		struct watched *watched = &watch->items.items[i];
		bool match;

		if (watched->trigger->on != ON_REQUEST_START || !trigger_has_chart(watched->trigger, request->series->chart))
			continue;
		watched->looked_at++;
		look_at(watched, &occasion, true);
		match = holds(watched, &occasion);
		request->marks |= (uint64_t)match << i;
		if (match && may_fire(watch, watched, occasion.ts) && fire(watch, watched, &occasion) < 0)
			return -1;
	}
	return 0;
}

/* Tells whether a request that has ended matches, and counts it in aggregates. */
static bool judge_end(struct watched *watched, struct occasion *occasion, size_t number)
{
	enum trigger_on on = watched->trigger->on;

	if (on == ON_REQUEST_START)
		return occasion->request->marks >> number & 1;
	if (on != ON_REQUEST_END && on != ON_ALWAYS)
		return matches_in(&watched->matches, occasion->request);
	watched->looked_at++;
	occasion->on = on;
	look_at(watched, occasion, true);
	return (on == ON_REQUEST_END || watched->logs) && holds(watched, occasion);
}

static int see_end(void *context, const struct sample *request)
{
	struct watch *watch = context;
	struct occasion occasion = {.ts = request->end, .request = request, .events = filter_events(watch->filter)};
	char key[VALUE_ROOM];

	if (!request->number)
		return 0;
	occasion_key(&occasion, key);
	for (size_t i = 0; i < watch->items.count; i++) {
		struct watched *watched = &watch->items.items[i];
		bool match;
		int status = 0;

		if (!trigger_has_chart(watched->trigger, request->series->chart))
			continue;
		match = judge_end(watched, &occasion, i);
		if (watched->logs && (watched->trigger->on != ON_REQUEST_START || request->number > watched->firing))
			status = log_request(watch, watched, request, match);
		else if (watched->trigger->on == ON_REQUEST_END && match && may_fire(watch, watched, request->end))
			status = fire(watch, watched, &occasion);
		if (status < 0)
			return -1;
	}
	return 0;
}

static void see_gone(void *context, const struct sample *request)
{
	struct watch *watch = context;

	run_requests_gone(watch->requests, request);
	if (request->number && is_by_thread(request))
		handed_requests_end(watch->jobs, request->tid, request->number);
}

static void see_event(void *context, const struct event *event)
{
	struct watch *watch = context;

	handed_requests_event(watch->jobs, filter_events(watch->filter), event);
}

/* Takes a signal, an exception or a `handoff` record. */
static int see_record(void *context, enum kind kind, const struct fields *fields)
{
	struct watch *watch = context;
	enum trigger_on on = kind == KIND_SIGNAL ? ON_SIGNAL : ON_EXCEPTION;
	struct occasion occasion = {.on = on, .record = fields, .events = filter_events(watch->filter)};
	int64_t tid = -1;
	char chart[VALUE_ROOM] = "", key[VALUE_ROOM];

	if (fields && kind == KIND_HANDOFF)
		handed_requests_record(watch->jobs, fields);
	if (!fields || kind == KIND_HANDOFF || fields_time(fields, "ts", &occasion.ts) <= 0)
		return 0;
	occasion_key(&occasion, key);
	fields_text(fields, "chart", chart, sizeof(chart));
	if (on == ON_EXCEPTION)
		fields_integer(fields, "tid", &tid);
	for (size_t i = 0; i < watch->items.count; i++) {
		struct watched *watched = &watch->items.items[i];

		if (watched->trigger->on != on || (on == ON_SIGNAL && !trigger_has_chart(watched->trigger, chart)))
			continue;
		watched->looked_at++;
		look_at(watched, &occasion, true);
		if (!holds(watched, &occasion))
			continue;
		matches_add(&watched->matches, occasion.ts, tid >= 0 && tid <= INT32_MAX ? (int32_t)tid : -1, watch->jobs);
		if (may_fire(watch, watched, occasion.ts) && fire(watch, watched, &occasion) < 0)
			return -1;
	}
	return 0;
}

/* The first multiple of EVERY behind this time. */
static int64_t multiple_behind(const struct trigger *trigger, int64_t ts)
{
	int64_t rest = ts % trigger->every;

	return timestamp_add(ts, trigger->every - (rest < 0 ? rest + trigger->every : rest));
}

/*
 * The multiple to evaluate after the one at `ts`. The multiples between the two could not have another result: no slot ends before them, and
 * the trigger may not fire. So a clock that jumps by years costs little.
 */
static int64_t next_multiple(const struct watch *watch, const struct watched *watched, int64_t ts, int64_t until, bool held)
{
	int64_t change = watched->totals ? totals_change(watched->totals, ts) : INT64_MAX, skip = until;

	if (held)
		skip = watched->logs ? deadline(watched) : timestamp_add(watched->ended, watch->options.rest);
	skip = change < skip ? change : skip;
	skip = until < skip ? until : skip;
	return multiple_behind(watched->trigger, skip - 1 > ts ? skip - 1 : ts);
}

/* Evaluates a trigger ON Always at its next multiple; `until`: the time that the stream has reached. */
static int evaluate(struct watch *watch, struct watched *watched, int64_t until)
{
	struct occasion occasion = {.on = ON_ALWAYS, .ts = watched->next, .events = filter_events(watch->filter)};
	bool held;

	look_at(watched, &occasion, false);
	held = holds(watched, &occasion);
	if (held && may_fire(watch, watched, occasion.ts) && fire(watch, watched, &occasion) < 0)
		return -1;
	watched->next = next_multiple(watch, watched, occasion.ts, until, held);
	return 0;
}

/* Handles all limits and multiples up to this time; at the same time, the limit first. None is due at INT64_MAX, which stands for never. */
static int catch_up(struct watch *watch, struct watched *watched, int64_t ts)
{
	for (;;) {
		int64_t limit = deadline(watched), first = limit < watched->next ? limit : watched->next;

		if (first > ts || first == INT64_MAX)
			return 0;
		if ((first == limit ? end(watch, watched, limit, "time") : evaluate(watch, watched, ts)) < 0)
			return -1;
	}
}

static void begin(struct watch *watch, int64_t ts)
{
	for (size_t i = 0; i < watch->items.count; i++) {
		struct watched *watched = &watch->items.items[i];

		if (!watch->began)
			watched->next = watched->trigger->on == ON_ALWAYS ? multiple_behind(watched->trigger, ts) : INT64_MAX;
		if (watched->totals)
			totals_begin(watched->totals, ts);
	}
	watch->began = true;
	watch->lacks = false;
	find_due(watch);
}

static int see_time(void *context, int64_t ts)
{
	struct watch *watch = context;

	if (watch->options.reload && *watch->options.reload) {
		*watch->options.reload = 0;
		watch->options.reloaded(watch->options.context, watch);
	}
	if (watch->began && ts >= watch->due) {
		for (size_t i = 0; i < watch->items.count; i++)
			if (catch_up(watch, &watch->items.items[i], ts) < 0)
				return -1;
		find_due(watch);
	}
	if (!watch->began || watch->lacks)
		begin(watch, ts);
	if (ts > watch->now)
		watch->now = ts;
	return 0;
}

static int see_lost(void *context)
{
	struct watch *watch = context;

	for (size_t i = 0; i < watch->items.count; i++)
		if (watch->items.items[i].totals)
			totals_lost(watch->items.items[i].totals);
	watch->lacks = true;
	handed_requests_forget(watch->jobs);
	return 0;
}

/* Behind a filter most events are missing, so requests and aggregates would be wrong. 0; -1 after fail(). */
static int check_behind(const struct trigger *trigger)
{
	if (trigger->on == ON_SIGNAL)
		return 0;
	return fail("trigger '%s' is ON %s, but the stream was filtered before; behind a filter triggers are ON Signal, others stand in its place",
		    trigger->name, trigger_on_name(trigger->on));
}

static int see_behind(void *context)
{
	struct watch *watch = context;

	watch->behind = true;
	for (size_t i = 0; i < watch->items.count; i++)
		if (check_behind(watch->items.items[i].trigger) < 0)
			return -1;
	return 0;
}

static int see_finish(void *context)
{
	struct watch *watch = context;

	for (size_t i = 0; i < watch->items.count; i++) {
		struct watched *watched = &watch->items.items[i];

		if (watched->logs && end(watch, watched, watch->now, "input") < 0)
			return -1;
		if (watched->totals)
			totals_forget(watched->totals);
		watched->has_logged = false;
		matches_forget(&watched->matches);
		watched->next = INT64_MAX;
	}
	run_requests_forget(watch->requests);
	handed_requests_forget(watch->jobs);
	watch->began = watch->lacks = watch->behind = false;
	watch->now = INT64_MIN;
	watch->due = INT64_MAX;
	return 0;
}

/* Takes a chart. 1: it may have requests; 0: it counts events, so it has none; -1 after fail(). */
static int see_chart(void *context, const struct chart *chart)
{
	struct watch *watch = context;

	if (!chart->method) {
		run_requests_chart(watch->requests, chart);
		return 1;
	}
	if (watch->options.own_charts)
		return fail("chart '%s' counts events, and has no requests", chart->name);
	return 0;
}

static struct watched new_watched(const struct trigger *trigger)
{
	struct watched watched = {.trigger = trigger, .next = INT64_MAX, .salt = hash(trigger->name), .totals = totals_new(trigger)};
	size_t columns = 0;

	if (watched.totals)
		totals_columns(watched.totals, &columns);
	watched.values = memory_new(columns + 1, sizeof(*watched.values));
	return watched;
}

static void free_watched(struct watched *watched)
{
	totals_free(watched->totals);
	free(watched->values);
	matches_free(&watched->matches);
}

static struct watched *find_watched(struct watch *watch, const struct trigger *trigger)
{
	for (size_t i = 0; i < watch->items.count; i++)
		if (watch->items.items[i].trigger == trigger)
			return &watch->items.items[i];
	return NULL;
}

static bool lists(const struct trigger_list *list, const struct trigger *trigger)
{
	for (size_t i = 0; i < list->items.count; i++)
		if (list->items.items[i] == trigger)
			return true;
	return false;
}

/* Ends and frees the triggers that are not in the list. */
static int drop_others(struct watch *watch, const struct trigger_list *list)
{
	size_t kept = 0;
	int status = 0;

	for (size_t i = 0; i < watch->items.count; i++) {
		struct watched *watched = &watch->items.items[i];

		if (lists(list, watched->trigger)) {
			watch->items.items[kept++] = *watched;
			continue;
		}
		if (watched->logs && end(watch, watched, watch->now, "input") < 0)
			status = -1;
		free_watched(watched);
	}
	watch->items.count = kept;
	return status;
}

int watch_replace(struct watch *watch, const struct trigger_list *list)
{
	ARRAY(struct watched) now = {0};
	int status = drop_others(watch, list);

	for (size_t i = 0; i < list->items.count; i++) {
		const struct trigger *trigger = list->items.items[i];
		struct watched *old = find_watched(watch, trigger), *watched = ARRAY_ADD(&now);

		*watched = old ? *old : new_watched(trigger);
		if (trigger->on == ON_REQUEST_START)
			watched->firing = watch->begun; /* in the marks of open requests, its bit may be another trigger's */
		if (!old && watch->began && trigger->on == ON_ALWAYS)
			watched->next = multiple_behind(trigger, watch->now);
		if (!old && watch->began && !watch->lacks && watched->totals)
			totals_begin(watched->totals, watch->now);
	}
	free(watch->items.items);
	watch->items.items = now.items;
	watch->items.count = now.count;
	watch->items.room = now.room;
	find_due(watch);
	return status;
}

int watch_check(const struct watch *watch, const struct trigger_list *list)
{
	if (watch->shared)
		return fail("the stream is of several hosts");
	for (size_t i = 0; watch->behind && i < list->items.count; i++)
		if (check_behind(list->items.items[i]) < 0)
			return -1;
	return 0;
}

static const struct filter_watch *another_watch(void *context, struct filter *filter);

static struct watch *empty_watch(struct stream *stream, const struct watch_options *options)
{
	struct watch *watch = NEW(struct watch);

	watch->stream = stream;
	watch->options = *options;
	watch->requests = run_requests_new(options->own_charts);
	watch->jobs = handed_requests_new();
	watch->now = INT64_MIN;
	watch->due = INT64_MAX;
	watch->handed = (struct filter_watch){.context = watch, .another = another_watch, .chart = see_chart, .time = see_time, .begins = see_begin,
					      .ends = see_end, .gone = see_gone, .event = see_event, .record = see_record, .lost = see_lost, .behind = see_behind, .finish = see_finish};
	return watch;
}

/* Makes a watch with the same triggers for another host of the stream. */
static const struct filter_watch *another_watch(void *context, struct filter *filter)
{
	struct watch *first = context, *watch = empty_watch(first->stream, &first->options);

	for (size_t i = 0; i < first->items.count; i++)
		*ARRAY_ADD(&watch->items) = new_watched(first->items.items[i].trigger);
	watch->filter = filter;
	watch->next = first->next;
	first->next = watch;
	first->shared = watch->shared = true;
	return &watch->handed;
}

struct watch *watch_new(struct stream *stream, const struct trigger_list *list, const struct watch_options *options)
{
	struct watch *watch = empty_watch(stream, options);

	for (size_t i = 0; i < list->items.count; i++)
		*ARRAY_ADD(&watch->items) = new_watched(list->items.items[i]);
	return watch;
}

void watch_free(struct watch *watch)
{
	if (watch->next)
		watch_free(watch->next);
	for (size_t i = 0; i < watch->items.count; i++)
		free_watched(&watch->items.items[i]);
	run_requests_free(watch->requests);
	handed_requests_free(watch->jobs);
	free(watch->items.items);
	line_free(&watch->line);
	free(watch);
}

const struct filter_watch *watch_of_filter(struct watch *watch)
{
	return &watch->handed;
}

void watch_filter(struct watch *watch, struct filter *filter)
{
	watch->filter = filter;
}

void watch_complaints(const struct watch *watch, void (*complain)(const char *format, ...))
{
	for (size_t i = 0; i < watch->items.count; i++) {
		const struct trigger *trigger = watch->items.items[i].trigger;
		bool looked_at = false, stackless = false;

		for (const struct watch *of = watch; of; of = of->next) {
			looked_at |= of->items.items[i].looked_at > 0;
			stackless |= of->items.items[i].given && !filter_has_stacks(of->filter);
		}
		if (!looked_at)
			complain("trigger '%s' had nothing to look at: no %s", trigger->name,
				 trigger->on == ON_EXCEPTION ? "exceptions" : trigger->on == ON_SIGNAL ? "signals" : "requests of its charts");
		else if (stackless && trigger->log.activity && (trigger->log.metrics & METRIC_STACK))
			complain("trigger '%s' logs stacks, but none of threads came; collect with --stack", trigger->name);
	}
}
