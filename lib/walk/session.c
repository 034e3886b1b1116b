#include "walk/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/number.h"
#include "graph/graph_record.h"
#include "walk/answer.h"
#include "walk/back.h"
#include "walk/interval.h"
#include "walk/node_name.h"
#include "walk/similar.h"
#include "walk/vote.h"

enum { WORDS_MOST = 16, REPEATS_MOST = 16, DAY_ROOM = 32 };

struct session {
	const struct whole *whole;
	struct session_options how;
	struct answer *answer;
	uint32_t node; /* that was found last; NUMBER_NONE: none was */
	struct vote found; /* what `at` found, as a verdict, where that was no wait; without steps */
	bool incomplete;
};

/* A command with its operands, options first. */
struct request {
	struct session *session;
	char *words[WORDS_MOST];
	int count;
	bool any_thread, again; /* --thread=any, -r */
	uint64_t edge;		/* --edge=N */
};

struct session *session_new(const struct whole *whole, const struct session_options *options)
{
	struct session *session = NEW(struct session);

	session->whole = whole;
	session->how = *options;
	session->answer = answer_new(options->out, options->as_json, options->most);
	session->node = NUMBER_NONE;
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	answer_free(session->answer);
	free(session);
}

bool session_incomplete(const struct session *session)
{
	return session->incomplete;
}

/* The time of the day, or of the trace clock. */
static void day_words(const struct session *session, int64_t ts, char *text)
{
	int64_t unix_time = session->how.wall == TIME_NONE ? 0 : session->how.wall + ts;
	time_t seconds = (time_t)(unix_time / NSEC_PER_SEC);
	struct tm day;

	if (session->how.wall == TIME_NONE || unix_time < 0 || !localtime_r(&seconds, &day))
		snprintf(text, DAY_ROOM, "%.6f s", (double)ts / (double)NSEC_PER_SEC);
	else
		snprintf(text, DAY_ROOM, "%02d:%02d:%02d.%03d", day.tm_hour, day.tm_min, day.tm_sec,
			 (int)(unix_time % NSEC_PER_SEC / (NSEC_PER_SEC / 1000)));
}

static void set_text(json_t *object, const char *key, const char *text)
{
	char *clean = clean_text(text, strlen(text));

	json_object_set_new(object, key, json_string(clean));
	free(clean);
}

static void set_node(json_t *object, const char *key, const struct session *session, uint32_t segment)
{
	char *name = node_name(session->whole, segment);

	json_object_set_new(object, key, json_string(name));
	free(name);
}

static void set_wait(json_t *object, const struct session *session, uint32_t number)
{
	struct identity identity = whole_identity_at(session->whole, number);
	char *name = wait_name(session->whole, number);

	json_object_set_new(object, "in", json_string(name));
	if (identity.syscall)
		set_text(object, "syscall", whole_text(session->whole, identity.syscall));
	if (identity.object)
		set_text(object, "object", whole_text(session->whole, identity.object));
	if (identity.function)
		set_text(object, "function", whole_text(session->whole, identity.function));
	free(name);
}

static int64_t wait_of(const struct session *session, uint32_t segment)
{
	return segment_at(session->whole, segment)->end - segment_at(session->whole, segment)->wait_from;
}

/* The node that a command means: its word, or the one found last. NUMBER_NONE after fail(). */
static uint32_t meant(const struct request *request, int word)
{
	struct session *session = request->session;

	if (word < request->count)
		return node_find(session->whole, request->words[word]);
	if (session->node == NUMBER_NONE)
		fail("which node? 'at' finds one, such as 'at 1'; or name one: THREAD/TID#N");
	return session->node;
}

static void tell_lost(struct session *session, int64_t from, int64_t to)
{
	if (!whole_lost(session->whole, from, to))
		return;
	session->incomplete = true;
	answer_last(session->answer, json_pack("{s:b}", "lost", 1), "events were lost meanwhile: what is said here may be wrong");
}

static int run_windows(struct request *request)
{
	struct session *session = request->session;
	const struct whole *whole = session->whole;

	for (size_t i = 0; i < whole->windows.count; i++) {
		const struct whole_window *window = &whole->windows.items[i];
		const struct whole_signal *signal = window->signal == NUMBER_NONE ? NULL : &whole->signals.items[window->signal];
		uint32_t number = signal && signal->tid ? whole_thread_of(whole, signal->tid) : NUMBER_NONE;
		int64_t from = signal ? signal->start : window->from, to = signal ? signal->ts : window->to;
		char *thread = number == NUMBER_NONE ? memory_text("-", 1) : thread_name(whole, number);
		const char *raw = signal ? whole_text(whole, signal->name) : "-";
		char *chart = clean_text(raw, strlen(raw)), day[DAY_ROOM];
		json_t *object = json_pack("{s:I, s:s, s:s}", "window", (json_int_t)(i + 1), "signal", chart, "thread", thread);

		json_object_set_new(object, "from", answer_seconds(from));
		json_object_set_new(object, "to", answer_seconds(to));
		day_words(session, from, day);
		answer_line(session->answer, object, "%zu  %s  %.3f s  %s  %s", i + 1, day, (double)(to - from) / (double)NSEC_PER_SEC, chart, thread);
		free(chart);
		free(thread);
	}
	if (!whole->windows.count)
		answer_line(session->answer, json_object(), "no windows: nothing was abnormal, or nothing was charted; say 'at THREAD FROM TO'");
	return 0;
}

static void tell_yielding(struct session *session, const struct state *state, const char *thread, const char *in, json_t *object)
{
	json_object_set_new(object, "waits", json_integer(state->waits));
	json_object_set_new(object, "timed", json_integer(state->timed));
	answer_line(session->answer, object, "yielding: %s waits %u times in %s, %s in all; its own timer ended %u", thread, state->waits, in,
		    answer_duration(state->time), state->timed);
}

static void tell_blocked(struct session *session, const struct state *state, const char *in, int64_t from, int64_t to, json_t *object)
{
	char *node = node_name(session->whole, state->segment);

	json_object_set_new(object, "wait", answer_seconds(wait_of(session, state->segment)));
	answer_line(session->answer, object, "blocked: %s waits %s in %s; %.0f %% of the time", node,
		    answer_duration(wait_of(session, state->segment)), in, 100.0 * (double)state->time / (double)(to - from));
	free(node);
}

static void tell_state(struct session *session, uint32_t number, const struct state *state, int64_t from, int64_t to)
{
	static const char *const kinds[] = {"busy", "starved", "blocked", "unknown"};
	char *thread = thread_name(session->whole, number);
	json_t *object = json_pack("{s:s, s:s}", "state", state->yielding ? "yielding" : kinds[state->kind], "thread", thread);
	char *in;

	if (state->segment != NUMBER_NONE)
		set_node(object, "node", session, state->segment);
	if (state->kind != STATE_NONE) {
		json_object_set_new(object, "time", answer_seconds(state->time));
		json_object_set_new(object, "share", json_real((double)state->time / (double)(to - from)));
	}
	switch (state->kind) {
	case STATE_RUNNING:
		answer_line(session->answer, object, "busy: %s runs %s of %s", thread, answer_duration(state->time), answer_duration(to - from));
		break;
	case STATE_RUNNABLE:
		answer_line(session->answer, object, "starved: %s could run and has no CPU, %s of %s", thread, answer_duration(state->time),
			    answer_duration(to - from));
		break;
	case STATE_WAIT:
		in = wait_name(session->whole, state->identity);
		set_wait(object, session, state->identity);
		if (state->yielding)
			tell_yielding(session, state, thread, in, object);
		else
			tell_blocked(session, state, in, from, to, object);
		free(in);
		break;
	default:
		answer_line(session->answer, object, "unknown: nothing is known of %s then", thread);
	}
	free(thread);
}

/* Of the threads that had a tid one after the other, the one that did something in the interval. */
static uint32_t thread_then(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	int32_t tid = whole->threads.items[thread].tid;

	for (uint32_t i = 0; i < whole->threads.count; i++) {
		size_t count, first;
		const uint32_t *segments = whole_segments(whole, i, &count);

		if (whole->threads.items[i].tid != tid)
			continue;
		first = whole_first(whole, i, from);
		if (first < count && segment_at(whole, segments[first])->start < to)
			return i;
	}
	return thread;
}

static int tell_at(struct session *session, uint32_t thread, int64_t from, int64_t to)
{
	struct state state;

	if (from >= to)
		return fail("FROM must be before TO");
	thread = thread_then(session->whole, thread, from, to);
	state = state_of(session->whole, thread, from, to);
	session->node = state.segment;
	session->found = (struct vote){.from = from, .to = to, .thread = thread, .state = state};
	tell_state(session, thread, &state, from, to);
	tell_lost(session, from, to);
	return 0;
}

static int at_window(struct session *session, uint64_t number)
{
	const struct whole *whole = session->whole;
	const struct whole_window *window = number > 0 && number <= whole->windows.count ? &whole->windows.items[number - 1] : NULL;
	const struct whole_signal *signal = window && window->signal != NUMBER_NONE ? &whole->signals.items[window->signal] : NULL;
	uint32_t thread = signal && signal->tid ? whole_thread_of(whole, signal->tid) : NUMBER_NONE;

	if (!window)
		return fail("there is no window %llu", (unsigned long long)number);
	if (!signal || !signal->tid)
		return fail("the signals of window %llu are of no thread; say 'at THREAD FROM TO'", (unsigned long long)number);
	if (thread == NUMBER_NONE)
		return fail("of thread %d, whose signal window %llu has, nothing is in the data", signal->tid, (unsigned long long)number);
	return tell_at(session, thread, signal->start, signal->ts);
}

static int at_interval(struct session *session, char **words)
{
	uint32_t thread = thread_find_named(session->whole, words[0]);
	int64_t from, to;

	if (thread == NUMBER_NONE || number_time(words[1], strlen(words[1]), &from) < 0 || number_time(words[2], strlen(words[2]), &to) < 0)
		return -1;
	return tell_at(session, thread, from, to);
}

static int run_at(struct request *request)
{
	struct session *session = request->session;
	uint64_t number;
	uint32_t segment;

	if (request->count == 3)
		return at_interval(session, request->words);
	if (request->count == 2)
		return fail("it is 'at THREAD FROM TO', 'at WINDOW' or 'at NODE'");
	if (number_count(request->words[0], strlen(request->words[0]), &number) == 0)
		return at_window(session, number);
	segment = node_find(session->whole, request->words[0]);
	if (segment == NUMBER_NONE)
		return -1;
	return tell_at(session, segment_at(session->whole, segment)->thread, segment_at(session->whole, segment)->start,
		       segment_at(session->whole, segment)->end);
}

static int run_similar(struct request *request)
{
	struct session *session = request->session;
	uint32_t node = meant(request, 0);
	struct similar_list list;

	if (node == NUMBER_NONE)
		return -1;
	list = similar_find(session->whole, node, request->any_thread);
	for (size_t i = 0; i < list.found.count; i++) {
		const struct similar *similar = &list.found.items[i];
		char *name = node_name(session->whole, similar->segment), day[DAY_ROOM];
		double likeness = similar->either ? (double)similar->both / similar->either : 1;
		json_t *object = json_pack("{s:s, s:f}", "node", name, "likeness", likeness);

		json_object_set_new(object, "wait", answer_seconds(wait_of(session, similar->segment)));
		day_words(session, segment_at(session->whole, similar->segment)->start, day);
		answer_line(session->answer, object, "%s  %s  waits %s  %.0f %% alike", name, day, answer_duration(wait_of(session, similar->segment)),
			    100 * likeness);
		free(name);
	}
	if (!list.found.count)
		answer_line(session->answer, json_object(), "none is similar: no normal wait for the same thing took less than half as long");
	tell_lost(session, segment_at(session->whole, node)->wait_from, segment_at(session->whole, node)->end);
	similar_free(&list);
	return 0;
}

static const char *end_words(const struct segment *segment)
{
	static const char *const words[ENDINGS] = {"", "has not ended", "was ended by a thread", "was ended by its own timer", "was ended by a device",
						   "was ended from outside", "was ended by nobody who is known"};

	return words[segment->ended];
}

static void tell_step(struct session *session, const struct back_step *step)
{
	const struct segment *segment = segment_at(session->whole, step->segment);
	char *name = node_name(session->whole, step->segment), *in = wait_name(session->whole, segment->identity);
	char *from = step->edge ? node_name(session->whole, step->edge->from) : NULL;
	json_t *object = json_pack("{s:s, s:s}", "node", name, "ended", ending_name(segment->ended) ? ending_name(segment->ended) : "not");

	set_wait(object, session, segment->identity);
	json_object_set_new(object, "wait", answer_seconds(wait_of(session, step->segment)));
	if (from) {
		json_object_set_new(object, "by", json_string(from));
		json_object_set_new(object, "kind", json_string(edge_kind_name(step->edge->kind)));
		json_object_set_new(object, "weak", json_boolean(step->edge->weak));
		answer_line(session->answer, object, "%s  waits %s in %s; ended by %s%s%s", name, answer_duration(wait_of(session, step->segment)), in,
			    from, step->edge->kind == EDGE_WAKE ? "" : step->edge->kind == EDGE_TIMER ? ", by a timer" : ", otherwise",
			    step->edge->weak ? " (weak)" : "");
	} else {
		answer_line(session->answer, object, "%s  waits %s in %s; %s", name, answer_duration(wait_of(session, step->segment)), in,
			    end_words(segment));
	}
	free(name);
	free(in);
	free(from);
}

/* Of several edges the user chooses. */
static void list_edges(struct session *session, uint32_t node)
{
	size_t count, number = 0;
	const struct whole_edge *edges = whole_arriving(session->whole, node, &count);

	for (size_t i = 0; i < count; i++) {
		char *from;

		if (edges[i].weak || edges[i].ts < segment_at(session->whole, node)->wait_from)
			continue;
		from = node_name(session->whole, edges[i].from);
		number++;
		answer_line(session->answer, json_pack("{s:I, s:s}", "edge", (json_int_t)number, "from", from), "--edge=%zu: %s from %s", number,
			    edge_kind_name(edges[i].kind), from);
		free(from);
	}
}

static int run_back(struct request *request)
{
	static const char *const ends[] = {
		[BACK_NO_WAIT] = "that segment came out of no wait that is known",
		[BACK_EARLIER] = "what that segment came out of was over before the first node began",
		[BACK_ITSELF] = "that is the thread of the first node itself",
		[BACK_TWICE] = "a segment comes twice: a circle",
		[BACK_SEVERAL] = "several ended it: choose, with 'back NODE --edge=N'",
	};
	struct session *session = request->session;
	uint32_t node = meant(request, 0), last;
	struct back back;

	if (node == NUMBER_NONE)
		return -1;
	if (!segment_waits(segment_at(session->whole, node)))
		return fail("that segment has no wait");
	back = back_walk(session->whole, node, (size_t)request->edge, session->how.asks);
	for (size_t i = 0; i < back.steps.count; i++)
		tell_step(session, &back.steps.items[i]);
	last = back.steps.items[back.steps.count - 1].segment;
	if (back.end == BACK_SEVERAL)
		list_edges(session, last);
	if (ends[back.end])
		answer_last(session->answer, json_pack("{s:s}", "end", ends[back.end]), "%s", ends[back.end]);
	tell_lost(session, segment_at(session->whole, node)->wait_from, segment_at(session->whole, node)->end);
	back_free(&back);
	return 0;
}

static void tell_vote_step(struct session *session, const struct vote_step *step)
{
	char *thread = thread_name(session->whole, step->thread), *in = wait_name(session->whole, step->identity);
	char *source = thread_name(session->whole, step->source);
	json_t *object = json_pack("{s:s, s:s, s:I, s:I}", "thread", thread, "usually", source, "votes", (json_int_t)step->votes, "normal",
				   (json_int_t)step->normal);

	set_wait(object, session, step->identity);
	answer_line(session->answer, object, "%-24s  %-32s  is usually ended by %s (%zu of %zu)", thread, in, source, step->votes, step->normal);
	free(thread);
	free(in);
	free(source);
}

static void say_culprit_wait(struct session *session, const struct vote *vote, json_t *object)
{
	const struct vote_step *step = &vote->steps.items[vote->steps.count - 1];
	char *node = node_name(session->whole, step->segment), *in = wait_name(session->whole, step->identity), *why;
	const char *waits = answer_duration(wait_of(session, step->segment));
	char *source = step->source == NUMBER_NONE ? NULL : thread_name(session->whole, step->source);

	set_node(object, "node", session, step->segment);
	set_wait(object, session, step->identity);
	json_object_set_new(object, "wait", answer_seconds(wait_of(session, step->segment)));
	switch (vote->verdict) {
	case VERDICT_NEVER:
		why = memory_format("this never ended normally");
		break;
	case VERDICT_TIMER:
		why = memory_format("its own timer usually ends this");
		break;
	case VERDICT_OUTSIDE:
		why = memory_format("a device, or another host, usually ends this");
		break;
	case VERDICT_UNASKED:
		why = memory_format("nobody was asked, for %s usually ends this; it is the last that was", source);
		break;
	default:
		why = memory_format("no thread is known to end this");
	}
	answer_last(session->answer, object, "culprit: %s waits %s in %s: %s", node, waits, in, why);
	free(node);
	free(in);
	free(why);
	free(source);
}

static void say_culprit(struct session *session, const struct vote *vote)
{
	static const char *const verdicts[] = {"never", "nobody", "timer", "outside", "busy", "starved", "unasked", "unknown"};
	char *thread = thread_name(session->whole, vote->thread);
	json_t *object = json_pack("{s:s, s:s}", "culprit", thread, "verdict", verdicts[vote->verdict]);

	if (vote->verdict == VERDICT_BUSY)
		answer_last(session->answer, object, "culprit: %s is busy: it runs %s of %s", thread, answer_duration(vote->state.time),
			    answer_duration(vote->to - vote->from));
	else if (vote->verdict == VERDICT_STARVED)
		answer_last(session->answer, object, "culprit: %s is starved: it could run and has no CPU, %s of %s", thread,
			    answer_duration(vote->state.time), answer_duration(vote->to - vote->from));
	else if (vote->verdict == VERDICT_UNKNOWN)
		answer_last(session->answer, object, "unknown: nothing is known of %s then", thread);
	else
		say_culprit_wait(session, vote, object);
	free(thread);
}

static void say_circle(struct session *session, const struct vote *vote)
{
	char *breaker = thread_name(session->whole, vote->breaker), *after = NULL;
	json_t *object = json_pack("{s:s}", "circle", breaker);
	const struct whole_edge *ender;

	if (vote->broke_after != NUMBER_NONE && segment_waits(segment_at(session->whole, vote->broke_after))) {
		ender = whole_ender(session->whole, vote->broke_after);
		set_node(object, "after", session, vote->broke_after);
		if (segment_timed(session->whole, vote->broke_after))
			after = memory_format(", after its own timer of %s", answer_duration(wait_of(session, vote->broke_after)));
		else if (ender)
			after = memory_format(", which %s had woken", whole_text(session->whole, session->whole->threads.items[segment_at(session->whole, ender->from)->thread].name));
	}
	if (after) {
		char *clean = clean_text(after, strlen(after));

		free(after);
		after = clean;
	}
	answer_last(session->answer, object, "circle: %s ended it%s", breaker, after ? after : "");
	free(breaker);
	free(after);
}

/* Where it is on the steps that few normal waits voted. */
static void say_few(struct session *session, const struct vote *vote)
{
	for (size_t i = 0; i < vote->steps.count; i++) {
		const struct vote_step *step = &vote->steps.items[i];
		char *thread;

		if (step->normal >= FEW_NORMAL || (!step->normal && vote->verdict == VERDICT_NEVER))
			continue;
		thread = thread_name(session->whole, step->thread);
		answer_last(session->answer, json_pack("{s:s, s:I}", "few", thread, "normal", (json_int_t)step->normal),
			    "few normal cases: %s has %zu", thread, step->normal);
		free(thread);
		return;
	}
}

static int tell_culprit(struct session *session, uint32_t node, uint32_t *wait)
{
	struct vote result;
	int status = vote(session->whole, node, &result);

	*wait = NUMBER_NONE;
	if (status == 0) {
		for (size_t i = 0; i < result.steps.count; i++)
			if (result.steps.items[i].source != NUMBER_NONE)
				tell_vote_step(session, &result.steps.items[i]);
		say_culprit(session, &result);
		if (result.circle)
			say_circle(session, &result);
		say_few(session, &result);
		tell_lost(session, result.from, result.to);
		*wait = vote_wait(&result);
	}
	vote_free(&result);
	return status;
}

/* The wait that whoever really ended this one came out of; NUMBER_NONE: there is none. */
static uint32_t wait_behind(const struct whole *whole, uint32_t wait)
{
	const struct whole_edge *ender = wait == NUMBER_NONE ? NULL : whole_ender(whole, wait);
	uint32_t before = ender ? segment_at(whole, ender->from)->before : NUMBER_NONE;

	return before != NUMBER_NONE && segment_waits(segment_at(whole, before)) ? before : NUMBER_NONE;
}

/* A thread that did not wait is the culprit itself. */
static bool tell_itself(struct session *session)
{
	enum state_kind kind = session->found.state.kind;

	if (session->found.from == session->found.to || (kind != STATE_RUNNING && kind != STATE_RUNNABLE))
		return false;
	session->found.verdict = kind == STATE_RUNNING ? VERDICT_BUSY : VERDICT_STARVED;
	say_culprit(session, &session->found);
	tell_lost(session, session->found.from, session->found.to);
	return true;
}

static int run_culprit(struct request *request)
{
	struct session *session = request->session;
	uint32_t node, seen[REPEATS_MOST + 1], wait;
	int count = 0;

	if (!request->count && tell_itself(session))
		return 0;
	node = meant(request, 0);
	if (node == NUMBER_NONE)
		return -1;
	for (;;) {
		seen[count++] = node;
		if (tell_culprit(session, node, &wait) < 0)
			return -1;
		node = request->again && count <= REPEATS_MOST ? wait : NUMBER_NONE;
		if (node == seen[count - 1])
			node = wait_behind(session->whole, wait);
		for (int i = 0; i < count && node != NUMBER_NONE; i++)
			if (seen[i] == node)
				node = NUMBER_NONE;
		if (node == NUMBER_NONE)
			return 0;
	}
}

static void tell_set(struct session *session, uint32_t set, const char *title)
{
	size_t count;
	const uint32_t *words = whole_members(session->whole, set, &count);

	for (size_t i = 0; i < count; i++) {
		const char *text = whole_text(session->whole, words[i]);
		char *clean = clean_text(text, strlen(text));

		answer_line(session->answer, json_pack("{s:s}", title, clean), "%s %s", title, clean);
		free(clean);
	}
}

static void tell_edge(struct session *session, const struct whole_edge *edge, size_t number, bool in)
{
	char *other = node_name(session->whole, in ? edge->from : edge->to), day[DAY_ROOM];

	day_words(session, edge->ts, day);
	answer_line(session->answer,
		    json_pack("{s:I, s:s, s:s, s:b}", "edge", (json_int_t)number, in ? "from" : "to", other, "kind", edge_kind_name(edge->kind),
			      "weak", edge->weak),
		    "%zu  %s %s  %s%s  %s", number, in ? "from" : "to", other, edge_kind_name(edge->kind), edge->weak ? " (weak)" : "", day);
	free(other);
}

static void tell_edges(struct session *session, uint32_t node)
{
	size_t count, number = 0;
	const struct whole_edge *edges = whole_arriving(session->whole, node, &count);

	for (size_t i = 0; i < count; i++)
		tell_edge(session, &edges[i], ++number, true);
	for (size_t i = 0; i < session->whole->edges.count; i++)
		if (session->whole->edges.items[i].from == node)
			tell_edge(session, &session->whole->edges.items[i], ++number, false);
}

static int run_show(struct request *request)
{
	struct session *session = request->session;
	uint32_t node = meant(request, 0);
	const struct segment *segment;
	char *name, *in, day[DAY_ROOM];
	json_t *object;

	if (node == NUMBER_NONE)
		return -1;
	segment = segment_at(session->whole, node);
	name = node_name(session->whole, node);
	in = wait_name(session->whole, segment->identity);
	day_words(session, segment->start, day);
	object = json_pack("{s:s}", "node", name);
	json_object_set_new(object, "start", answer_seconds(segment->start));
	json_object_set_new(object, "end", answer_seconds(segment->end));
	json_object_set_new(object, "run", answer_seconds(segment->run));
	json_object_set_new(object, "runnable", answer_seconds(segment->runnable));
	answer_line(session->answer, object, "%s  %s  runs %s, could run %s", name, day, answer_duration(segment->run), answer_duration(segment->runnable));
	if (segment_waits(segment)) {
		object = json_object();
		json_object_set_new(object, "wait", answer_seconds(wait_of(session, node)));
		json_object_set_new(object, "ended", json_string(ending_name(segment->ended) ? ending_name(segment->ended) : "not"));
		set_wait(object, session, segment->identity);
		answer_line(session->answer, object, "waits %s in %s; %s", answer_duration(wait_of(session, node)), in, end_words(segment));
	}
	tell_edges(session, node);
	tell_set(session, segment->set, "event");
	if (segment->flags & SEGMENT_LOST) {
		session->incomplete = true;
		answer_last(session->answer, json_pack("{s:b}", "lost", 1), "events were lost in it, or it began before the data: nobody knows how long it waited");
	}
	free(name);
	free(in);
	return 0;
}

static void tell_times(struct session *session, uint32_t node)
{
	const struct segment *segment = segment_at(session->whole, node);
	char *name = node_name(session->whole, node), *in = wait_name(session->whole, segment->identity);
	json_t *object = json_pack("{s:s}", "node", name);

	json_object_set_new(object, "wait", answer_seconds(wait_of(session, node)));
	json_object_set_new(object, "run", answer_seconds(segment->run));
	json_object_set_new(object, "runnable", answer_seconds(segment->runnable));
	set_wait(object, session, segment->identity);
	if (segment->has_ret)
		json_object_set_new(object, "ret", json_integer(segment->ret));
	answer_line(session->answer, object, "%s  waits %s in %s, runs %s, could run %s", name, answer_duration(wait_of(session, node)), in,
		    answer_duration(segment->run), answer_duration(segment->runnable));
	free(name);
	free(in);
}

/* What happened in the one and not in the other. */
static void tell_only(struct session *session, uint32_t node, uint32_t other)
{
	size_t count, others;
	const uint32_t *words = whole_members(session->whole, segment_at(session->whole, node)->set, &count);
	const uint32_t *theirs = whole_members(session->whole, segment_at(session->whole, other)->set, &others);
	char *name = node_name(session->whole, node);

	for (size_t i = 0, k = 0; i < count; i++) {
		const char *text = whole_text(session->whole, words[i]);
		char *clean;

		while (k < others && theirs[k] < words[i])
			k++;
		if (k < others && theirs[k] == words[i])
			continue;
		clean = clean_text(text, strlen(text));
		answer_line(session->answer, json_pack("{s:s, s:s}", "only", name, "event", clean), "only %s: %s", name, clean);
		free(clean);
	}
	free(name);
}

static int run_compare(struct request *request)
{
	struct session *session = request->session;
	uint32_t a = meant(request, 0), b = a == NUMBER_NONE ? NUMBER_NONE : meant(request, 1);
	const struct segment *one, *other;

	if (b == NUMBER_NONE)
		return -1;
	one = segment_at(session->whole, a);
	other = segment_at(session->whole, b);
	tell_times(session, a);
	tell_times(session, b);
	if (one->has_ret && other->has_ret && one->ret != other->ret && one->identity == other->identity) {
		char *in = wait_name(session->whole, one->identity);

		answer_line(session->answer, json_pack("{s:I, s:I}", "result", (json_int_t)one->ret, "other", (json_int_t)other->ret),
			    "%s returned %lld, and %lld", in, (long long)one->ret, (long long)other->ret);
		free(in);
	}
	tell_only(session, a, b);
	tell_only(session, b, a);
	return 0;
}

static int run_help(struct request *request);

static int run_quit(struct request *request)
{
	(void)request;
	return 0;
}

static const struct command {
	const char *name, *operands;
	int least, most;
	const char *options; /* letters of those that it has */
	int (*run)(struct request *request);
	const char *help;
	uint64_t ends; /* lines that come last, whatever is left out before */
} commands[] = {
	{"windows", "", 0, 0, "", run_windows, "the moments that were abnormal, each with its worst signal"},
	{"at", "WINDOW | NODE | THREAD FROM TO", 1, 3, "", run_at, "what a thread did most of the time"},
	{"culprit", "[-r] [NODE]", 0, 1, "r", run_culprit, "who usually ends that wait, and who did not; -r: and what was behind that", 3},
	{"similar", "[--thread=any] [NODE]", 0, 1, "t", run_similar, "normal segments that did the same"},
	{"back", "[--edge=N] [NODE]", 0, 1, "e", run_back, "who ended that wait, and what that one had waited for", 1},
	{"show", "[NODE]", 0, 1, "", run_show, "all that is known of a node"},
	{"compare", "NODE NODE", 2, 2, "", run_compare, "what differs"},
	{"help", "", 0, 0, "", run_help, "this list"},
	{"quit", "", 0, 0, "", run_quit, "the end"},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int run_help(struct request *request)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		char *usage = memory_format("%s %s", commands[i].name, commands[i].operands);

		answer_line(request->session->answer, json_pack("{s:s, s:s}", "usage", usage, "help", commands[i].help), "%-36s%s", usage,
			    commands[i].help);
		free(usage);
	}
	answer_line(request->session->answer, json_object(), "a node is THREAD/TID#N or THREAD/TID@SECONDS; without one the node that 'at' found is meant");
	return 0;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static bool has_option(const struct command *command, char letter)
{
	return strchr(command->options, letter) != NULL;
}

/* A word that begins with '-'. -1 after fail(): the command has no such option. */
static int take_option(struct request *request, const struct command *command, const char *word)
{
	static const char edge[] = "--edge=";

	if (!strcmp(word, "-r") && has_option(command, 'r')) {
		request->again = true;
		return 0;
	}
	if (!strcmp(word, "--thread=any") && has_option(command, 't')) {
		request->any_thread = true;
		return 0;
	}
	if (!strncmp(word, edge, strlen(edge)) && has_option(command, 'e'))
		return number_count(word + strlen(edge), strlen(word) - strlen(edge), &request->edge);
	return fail("'%s' has no option '%s'", command->name, word);
}

/* Cuts a word off; one in quotes may have spaces. NULL: there is none. */
static char *next_word(char **rest)
{
	char *at = *rest + strspn(*rest, " \t\r\n"), *word = at, *to = at;
	bool quoted = false;

	if (!*at)
		return NULL;
	for (; *at && (quoted || !strchr(" \t\r\n", *at)); at++) {
		if (*at == '"')
			quoted = !quoted;
		else
			*to++ = *at;
	}
	*rest = *at ? at + 1 : at;
	*to = '\0';
	return word;
}

static enum session_status misuse(const struct command *command)
{
	fail("it is '%s%s%s'", command->name, *command->operands ? " " : "", command->operands);
	return SESSION_MISUSED;
}

static enum session_status run_one(struct session *session, char *text)
{
	struct request request = {.session = session};
	char *rest = text, *name = next_word(&rest), *word;
	const struct command *command = name ? find_command(name) : NULL;
	int status;

	if (!name || *name == '#')
		return SESSION_DONE;
	if (!command) {
		fail("there is no command '%s'; 'help' lists them", name);
		return SESSION_MISUSED;
	}
	while ((word = next_word(&rest))) {
		if (*word == '-' && take_option(&request, command, word) < 0)
			return SESSION_MISUSED;
		if (*word != '-' && request.count == command->most)
			return misuse(command);
		if (*word != '-')
			request.words[request.count++] = word;
	}
	if (request.count < command->least)
		return misuse(command);
	if (command->run == run_quit)
		return SESSION_QUIT;
	answer_begin(session->answer, command->name, command->ends + (session->whole->gaps.count > 0));
	status = command->run(&request);
	answer_end(session->answer);
	if (ferror(session->how.out))
		return SESSION_QUIT; /* nobody reads on: the caller finds out why */
	return status < 0 ? SESSION_FAILED : SESSION_DONE;
}

/* Where the command ends: at a ';' or a new line, outside of quotes. */
static size_t command_length(const char *text)
{
	bool quoted = false;
	size_t length = 0;

	for (; text[length] && (quoted || (text[length] != ';' && text[length] != '\n')); length++)
		quoted ^= text[length] == '"';
	return length;
}

enum session_status session_run(struct session *session, const char *text)
{
	enum session_status status = SESSION_DONE;

	while (*text && status == SESSION_DONE) {
		size_t length = *text == '#' ? strcspn(text, "\n") : command_length(text);
		char *one = memory_text(text, length);

		status = run_one(session, one);
		free(one);
		text += length + (text[length] != '\0');
	}
	return status;
}

char *session_complete(const struct session *session, const char *word, bool first, size_t index)
{
	size_t length = strlen(word);

	if (first) {
		for (size_t i = 0; i < COMMANDS; i++)
			if (!strncmp(commands[i].name, word, length) && index-- == 0)
				return memory_text(commands[i].name, strlen(commands[i].name));
		return NULL;
	}
	for (uint32_t i = 0; i < session->whole->threads.count; i++) {
		char *name = thread_name(session->whole, i);

		if (!strncmp(name, word, length) && index-- == 0)
			return name;
		free(name);
	}
	return NULL;
}
