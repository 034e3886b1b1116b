#include "walk/describe.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "graph/graph_record.h"
#include "wake/stack.h"
#include "walk/node_name.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

enum { DAY_ROOM = 32 };

/* The time of day, or, if the wall-clock time is not known, the time of the trace clock. */
static void day_words(const struct describer *describer, int64_t ts, char *text)
{
	int64_t unix_time = describer->wall == TIME_NONE ? 0 : timestamp_add(describer->wall, ts);
	time_t seconds = (time_t)(unix_time / NSEC_PER_SEC);
	struct tm day;

	if (describer->wall == TIME_NONE || unix_time < 0 || !localtime_r(&seconds, &day))
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

static void set_node(json_t *object, const char *key, const struct describer *describer, uint32_t segment)
{
	char *name = node_name(describer->whole, segment);

	json_object_set_new(object, key, json_string(name));
	free(name);
}

void describe_wait(const struct describer *describer, json_t *object, uint32_t number)
{
	struct wait_identity identity = whole_identity_at(describer->whole, number);
	char *name = wait_name(describer->whole, number);

	json_object_set_new(object, "in", json_string(name));
	if (identity.syscall)
		set_text(object, "syscall", whole_text(describer->whole, identity.syscall));
	if (identity.object)
		set_text(object, "object", whole_text(describer->whole, identity.object));
	if (identity.function)
		set_text(object, "function", whole_text(describer->whole, identity.function));
	free(name);
}

static int64_t wait_of(const struct describer *describer, uint32_t segment)
{
	return segment_at(describer->whole, segment)->end - segment_at(describer->whole, segment)->wait_from;
}

void describe_lost(struct describer *describer, int64_t from, int64_t to)
{
	if (!whole_lost(describer->whole, from, to))
		return;
	describer->incomplete = true;
	answer_last(describer->answer, json_pack("{s:b}", "lost", 1), "events were lost meanwhile: what is said here may be wrong");
}

void describe_windows(struct describer *describer)
{
		const struct whole *whole = describer->whole;

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
		day_words(describer, from, day);
		answer_line(describer->answer, object, "%zu  %s  %.3f s  %s  %s", i + 1, day, (double)(to - from) / (double)NSEC_PER_SEC, chart, thread);
		free(chart);
		free(thread);
	}
	if (!whole->windows.count)
		answer_line(describer->answer, json_object(), "no windows: nothing was abnormal, or nothing was charted; say 'at THREAD FROM TO'");
}

/* The function's name as an argument for a shell. The caller frees it. */
static char *function_argument(const struct whole *whole, uint32_t function)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.";
	const char *name = whole_text(whole, function);

	if (!*name || strchr(name, '\''))
		name = "FUNCTION";
	return name[strspn(name, plain)] ? memory_format("'%s'", name) : memory_text(name, strlen(name));
}

/* Says how to find out what a thread looks at again and again (Argus, section 2.1.2): where a good case and this one part. */
static void describe_steps_to_log(struct describer *describer, uint32_t number, uint32_t function)
{
	const struct whole_thread *thread = &describer->whole->threads.items[number];
	char *from = function_argument(describer->whole, function);
	char *command = memory_format("step-log -p %d --from=%s --to=FUNCTION", thread->tgid ? thread->tgid : thread->tid, from);
	char *clean = clean_text(command, strlen(command));

	answer_line(describer->answer, json_pack("{s:s}", "step_log", clean), "what it looks at: %s, in a good case and in this one; then compare --steps", clean);
	free(clean);
	free(command);
	free(from);
}

static void describe_yielding(struct describer *describer, const struct state *state, const char *thread, const char *in, json_t *object)
{
	json_object_set_new(object, "waits", json_integer(state->waits));
	json_object_set_new(object, "timed", json_integer(state->timed));
	answer_line(describer->answer, object, "yielding: %s waits %u times in %s, %s in all; its own timer ended %u", thread, state->waits, in,
		    answer_duration(state->time), state->timed);
}

static void describe_blocked(struct describer *describer, const struct state *state, const char *in, int64_t from, int64_t to, json_t *object)
{
	char *node = node_name(describer->whole, state->segment);

	json_object_set_new(object, "wait", answer_seconds(wait_of(describer, state->segment)));
	answer_line(describer->answer, object, "blocked: %s waits %s in %s; %.0f %% of the time", node,
		    answer_duration(wait_of(describer, state->segment)), in, 100.0 * (double)state->time / (double)(to - from));
	free(node);
}

/* Says in which functions the thread ran, if there are SAMPLES_LEAST samples or more. Returns the function with the most, a word; 0: none. */
static uint32_t describe_samples(struct describer *describer, uint32_t thread, int64_t from, int64_t to)
{
	struct whole_counts samples = samples_of(describer->whole, thread, from, to);
	uint32_t most = samples.count ? samples.items[0].word : 0;
	uint64_t all = 0;

	for (size_t i = 0; i < samples.count; i++)
		all += samples.items[i].count;
	for (size_t i = 0; i < samples.count && all >= SAMPLES_LEAST; i++) {
		const char *text = whole_text(describer->whole, samples.items[i].word);
		char *clean = clean_text(text, strlen(text));

		answer_line(describer->answer,
			    json_pack("{s:s, s:I, s:I}", "function", clean, "samples", (json_int_t)samples.items[i].count, "of", (json_int_t)all),
			    "in %s: %llu of %llu samples", *clean ? clean : "no function that is known", (unsigned long long)samples.items[i].count, (unsigned long long)all);
		free(clean);
	}
	free(samples.items);
	return most;
}

/* The name of a segment's task; NULL: no known task. The caller frees it. */
static char *task_name(const struct describer *describer, uint32_t segment)
{
	uint32_t word = segment == NUMBER_NONE ? 0 : segment_task(describer->whole, segment);
	const char *name = word ? whole_text(describer->whole, word) + strlen(TASK_WORD) : NULL;

	return name ? clean_text(name, strlen(name)) : NULL;
}

/* Says which task of the program's own a segment is a turn of, who posted it, and, unless time is TIME_NONE, how long it took. */
static void say_task(struct describer *describer, uint32_t segment, int64_t time)
{
	char *task = task_name(describer, segment), *node, *how, *by, *by_task;
	uint32_t poster = task ? segment_poster(describer->whole, segment) : NUMBER_NONE;
	json_t *object;

	if (!task)
		return;
	object = json_pack("{s:s}", "task", task);
	node = node_name(describer->whole, segment);
	how = time == TIME_NONE ? memory_text("", 0) : memory_format(": %s, most of it in %s", answer_duration(time), node);
	by = poster == NUMBER_NONE ? NULL : node_name(describer->whole, poster);
	by_task = task_name(describer, poster);
	if (time != TIME_NONE) {
		json_object_set_new(object, "time", answer_seconds(time));
		json_object_set_new(object, "node", json_string(node));
	}
	if (by)
		json_object_set_new(object, "by", json_string(by));
	if (by_task)
		json_object_set_new(object, "by_task", json_string(by_task));
	answer_last(describer->answer, object, "in task %s%s%s%s%s%s", task, how, by ? ", posted by " : "", by ? by : "", by_task ? ", in task " : "",
		    by_task ? by_task : "");
	free(task);
	free(node);
	free(how);
	free(by);
	free(by_task);
}

/* Says in which task a busy thread ran, if that took more than half of the time that it ran. */
static void describe_task(struct describer *describer, uint32_t thread, int64_t run, int64_t from, int64_t to)
{
	struct task_share share = task_of(describer->whole, thread, from, to);

	if (2 * share.time > run)
		say_task(describer, share.segment, share.time);
}

/* Says which other threads had a CPU meanwhile: the name that ran most, and up to RUNNERS names that ran a fifth of the time or more. */
static void describe_runners(struct describer *describer, uint32_t thread, int64_t from, int64_t to)
{
	enum { LEAST_SHARE = 5 };
	struct cpu_share runners[RUNNERS];

	runners_of(describer->whole, from, to, thread, runners);
	for (int i = 0; i < RUNNERS && runners[i].time > 0 && (i == 0 || runners[i].time >= (to - from) / LEAST_SHARE); i++) {
		char *name = thread_name(describer->whole, runners[i].thread);
		json_t *object = json_pack("{s:s, s:I}", "ran", name, "threads", (json_int_t)runners[i].threads);

		if (runners[i].threads > 1)
			*strrchr(name, '/') = '\0';
		json_object_set_new(object, "time", answer_seconds(runners[i].time));
		if (runners[i].threads > 1)
			answer_last(describer->answer, object, "meanwhile %u threads of %s ran %s in %s", runners[i].threads, name,
				    answer_duration(runners[i].time), answer_duration(to - from));
		else
			answer_last(describer->answer, object, "meanwhile %s ran %s of %s", name, answer_duration(runners[i].time), answer_duration(to - from));
		free(name);
	}
}

void describe_state(struct describer *describer, uint32_t number, const struct state *state, int64_t from, int64_t to)
{
	static const char *const kinds[] = {"busy", "starved", "blocked", "unknown"};
	char *thread = thread_name(describer->whole, number);
	json_t *object = json_pack("{s:s, s:s}", "state", state->yielding ? "yielding" : kinds[state->kind], "thread", thread);
	char *in;

	if (state->segment != NUMBER_NONE)
		set_node(object, "node", describer, state->segment);
	if (state->kind != STATE_NONE) {
		json_object_set_new(object, "time", answer_seconds(state->time));
		json_object_set_new(object, "share", json_real((double)state->time / (double)(to - from)));
	}
	if (state->yielding && state->kind != STATE_WAIT) {
		json_object_set_new(object, "yields", json_integer((json_int_t)state->yields));
		answer_line(describer->answer, object, "yielding: %s calls sched_yield %llu times in %s: it waits for a flag, in a loop", thread,
			    (unsigned long long)state->yields, answer_duration(to - from));
		describe_steps_to_log(describer, number, describe_samples(describer, number, from, to));
		free(thread);
		return;
	}
	switch (state->kind) {
	case STATE_RUNNING:
		answer_line(describer->answer, object, "busy: %s runs %s of %s", thread, answer_duration(state->time), answer_duration(to - from));
		describe_samples(describer, number, from, to);
		describe_task(describer, number, state->time, from, to);
		break;
	case STATE_RUNNABLE:
		answer_line(describer->answer, object, "starved: %s could run and has no CPU, %s of %s", thread, answer_duration(state->time),
			    answer_duration(to - from));
		describe_runners(describer, number, from, to);
		break;
	case STATE_WAIT:
		in = wait_name(describer->whole, state->identity);
		describe_wait(describer, object, state->identity);
		if (state->yielding) {
			describe_yielding(describer, state, thread, in, object);
			describe_steps_to_log(describer, number, whole_identity_at(describer->whole, state->identity).function);
		} else {
			describe_blocked(describer, state, in, from, to, object);
		}
		free(in);
		say_task(describer, state->segment, TIME_NONE);
		break;
	default:
		answer_line(describer->answer, object, "unknown: nothing is known of %s then", thread);
	}
	free(thread);
}

void describe_similar(struct describer *describer, const struct similar_list *list, const struct whole *whole)
{
	for (size_t i = 0; i < list->found.count; i++) {
		const struct similar *similar = &list->found.items[i];
		const struct segment *segment = segment_at(whole, similar->segment);
		char *node = node_name(whole, similar->segment), *name = memory_format("%s%s", whole == describer->whole ? "" : NODE_NORMAL, node), day[DAY_ROOM];
		double likeness = similar->either ? (double)similar->both / similar->either : 1;
		json_t *object = json_pack("{s:s, s:f}", "node", name, "likeness", likeness);

		json_object_set_new(object, "wait", answer_seconds(segment->end - segment->wait_from));
		day_words(describer, segment->start, day);
		answer_line(describer->answer, object, "%s  %s  waits %s  %.0f %% alike", name, day, answer_duration(segment->end - segment->wait_from),
			    100 * likeness);
		free(name);
		free(node);
		if (answer_is_full(describer->answer)) {
			answer_more(describer->answer, list->found.count - 1 - i);
			break;
		}
	}
	if (!list->found.count)
		answer_line(describer->answer, json_object(), "none is similar: no normal wait for the same thing took less than half as long");
}

static const char *end_words(const struct segment *segment)
{
	static const char *const words[ENDINGS] = {"", "has not ended", "was ended by a thread", "was ended by its own timer", "was ended by a device",
						   "was ended from outside", "was ended by nobody who is known"};

	return words[segment->ended];
}

static void describe_step(struct describer *describer, const struct walk_back_step *step)
{
	static const char *const kinds[EDGE_KINDS] = {[EDGE_WAKE] = "", [EDGE_TIMER] = ", by a timer", [EDGE_IPC] = ", by what it sent",
						      [EDGE_ASYNC] = ", which handed it over", [EDGE_JOIN] = ", as you said", [EDGE_FLAG] = ", by what it wrote"};
	const struct segment *segment = segment_at(describer->whole, step->segment);
	char *name = node_name(describer->whole, step->segment), *in = wait_name(describer->whole, segment->identity);
	char *from = step->edge ? node_name(describer->whole, step->edge->from) : NULL;
	json_t *object = json_pack("{s:s, s:s}", "node", name, "ended", ending_name(segment->ended) ? ending_name(segment->ended) : "not");

	describe_wait(describer, object, segment->identity);
	json_object_set_new(object, "wait", answer_seconds(wait_of(describer, step->segment)));
	if (from) {
		json_object_set_new(object, "by", json_string(from));
		json_object_set_new(object, "kind", json_string(edge_kind_name(step->edge->kind)));
		json_object_set_new(object, "weak", json_boolean(step->edge->weak));
		answer_line(describer->answer, object, "%s  waits %s in %s; ended by %s%s%s", name, answer_duration(wait_of(describer, step->segment)), in,
			    from, kinds[step->edge->kind] ? kinds[step->edge->kind] : ", otherwise",
			    step->edge->weak ? " (weak)" : "");
	} else {
		answer_line(describer->answer, object, "%s  waits %s in %s; %s", name, answer_duration(wait_of(describer, step->segment)), in,
			    end_words(segment));
	}
	free(name);
	free(in);
	free(from);
}

/* Lists the edges among which the user chooses. */
static void list_edges(struct describer *describer, uint32_t node)
{
	size_t count, number = 0;
	const struct whole_edge *edges = whole_arriving(describer->whole, node, &count);

	for (size_t i = 0; i < count; i++) {
		char *from;

		if (edges[i].weak || edges[i].cut || edges[i].ts < segment_at(describer->whole, node)->wait_from)
			continue;
		from = node_name(describer->whole, edges[i].from);
		number++;
		answer_line(describer->answer, json_pack("{s:I, s:s}", "edge", (json_int_t)number, "from", from), "--edge=%zu: %s from %s", number,
			    edge_kind_name(edges[i].kind), from);
		free(from);
	}
}

void describe_back(struct describer *describer, const struct walk_back *back)
{
	static const char *const ends[] = {
		[BACK_NO_WAIT] = "that segment came out of no wait that is known",
		[BACK_EARLIER] = "what that segment came out of was over before the first node began",
		[BACK_ITSELF] = "that is the thread of the first node itself",
		[BACK_TWICE] = "a segment comes twice: a circle",
		[BACK_SEVERAL] = "several ended it: choose, with 'back NODE --edge=N'",
	};

	for (size_t i = 0; i < back->steps.count; i++)
		describe_step(describer, &back->steps.items[i]);
	if (back->end == BACK_SEVERAL)
		list_edges(describer, back->steps.items[back->steps.count - 1].segment);
	if (ends[back->end])
		answer_last(describer->answer, json_pack("{s:s}", "end", ends[back->end]), "%s", ends[back->end]);
}

static void describe_vote_step(struct describer *describer, const struct vote_step *step)
{
	char *thread = thread_name(describer->whole, step->thread), *in = wait_name(describer->whole, step->identity);
	char *source = thread_name(describer->whole, step->source);
	json_t *object = json_pack("{s:s, s:s, s:I, s:I}", "thread", thread, "usually", source, "votes", (json_int_t)step->votes, "normal",
				   (json_int_t)step->normal);

	describe_wait(describer, object, step->identity);
	answer_line(describer->answer, object, "%-24s  %-32s  is usually ended by %s (%zu of %zu)", thread, in, source, step->votes, step->normal);
	free(thread);
	free(in);
	free(source);
}

static void say_culprit_wait(struct describer *describer, const struct vote *vote, json_t *object)
{
	const struct vote_step *step = &vote->steps.items[vote->steps.count - 1];
	char *node = node_name(describer->whole, step->segment), *in = wait_name(describer->whole, step->identity), *why;
	const char *waits = answer_duration(wait_of(describer, step->segment));
	char *source = step->source == NUMBER_NONE ? NULL : thread_name(describer->whole, step->source);

	set_node(object, "node", describer, step->segment);
	describe_wait(describer, object, step->identity);
	json_object_set_new(object, "wait", answer_seconds(wait_of(describer, step->segment)));
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
	answer_last(describer->answer, object, "culprit: %s waits %s in %s: %s", node, waits, in, why);
	say_task(describer, step->segment, TIME_NONE);
	free(node);
	free(in);
	free(why);
	free(source);
}

static void say_culprit(struct describer *describer, const struct vote *vote)
{
	static const char *const verdicts[] = {"never", "nobody", "timer", "outside", "busy", "starved", "unasked", "unknown"};
	char *thread = thread_name(describer->whole, vote->thread);
	json_t *object = json_pack("{s:s, s:s}", "culprit", thread, "verdict", verdicts[vote->verdict]);

	if (vote->verdict == VERDICT_BUSY)
		answer_last(describer->answer, object, "culprit: %s is busy: it runs %s of %s", thread, answer_duration(vote->state.time),
			    answer_duration(vote->to - vote->from));
	else if (vote->verdict == VERDICT_STARVED)
		answer_last(describer->answer, object, "culprit: %s is starved: it could run and has no CPU, %s of %s", thread,
			    answer_duration(vote->state.time), answer_duration(vote->to - vote->from));
	else if (vote->verdict == VERDICT_UNKNOWN)
		answer_last(describer->answer, object, "unknown: nothing is known of %s then", thread);
	else
		say_culprit_wait(describer, vote, object);
	free(thread);
}

static void say_circle(struct describer *describer, const struct vote *vote)
{
	char *breaker = thread_name(describer->whole, vote->breaker), *after = NULL;
	json_t *object = json_pack("{s:s}", "circle", breaker);
	const struct whole_edge *ender;

	if (vote->broke_after != NUMBER_NONE) {
		ender = whole_ender(describer->whole, vote->broke_after);
		set_node(object, "after", describer, vote->broke_after);
		if (segment_timed(describer->whole, vote->broke_after))
			after = memory_format(", after its own timer of %s", answer_duration(wait_of(describer, vote->broke_after)));
		else if (ender)
			after = memory_format(", which %s had woken", whole_text(describer->whole, describer->whole->threads.items[segment_at(describer->whole, ender->from)->thread].name));
	}
	if (after) {
		char *clean = clean_text(after, strlen(after));

		free(after);
		after = clean;
	}
	answer_last(describer->answer, object, "circle: %s ended it%s", breaker, after ? after : "");
	free(breaker);
	free(after);
}

/* Says on which step only few normal waits voted. */
static void say_few(struct describer *describer, const struct vote *vote)
{
	const struct vote_step *step = vote_few(vote);
	char *thread;

	if (!step)
		return;
	thread = thread_name(describer->whole, step->thread);
	answer_last(describer->answer, json_pack("{s:s, s:I}", "few", thread, "normal", (json_int_t)step->normal), "few normal cases: %s has %zu", thread,
		    step->normal);
	free(thread);
}

/* If the verdict is that nobody was asked, want of a CPU may have been the cause all along. */
static void say_starved(struct describer *describer, const struct vote *vote)
{
	json_t *object;

	if (2 * vote->starved < vote->to - vote->from || !vote->starved)
		return;
	object = json_object();
	json_object_set_new(object, "starved", answer_seconds(vote->starved));
	answer_last(describer->answer, object, "starved: threads on this path could run and had no CPU, in sum %s of %s", answer_duration(vote->starved),
		    answer_duration(vote->to - vote->from));
	describe_runners(describer, vote->thread, vote->from, vote->to);
}

void describe_verdict(struct describer *describer, const struct vote *vote)
{
	say_culprit(describer, vote);
	say_starved(describer, vote);
	if (vote->verdict == VERDICT_STARVED)
		describe_runners(describer, vote->thread, vote->from, vote->to);
	if (vote->verdict == VERDICT_BUSY)
		describe_task(describer, vote->thread, vote->state.time, vote->from, vote->to);
	if (vote->circle)
		say_circle(describer, vote);
}

void describe_vote(struct describer *describer, const struct vote *vote)
{
	for (size_t i = 0; i < vote->steps.count; i++)
		if (vote->steps.items[i].source != NUMBER_NONE)
			describe_vote_step(describer, &vote->steps.items[i]);
	describe_verdict(describer, vote);
	say_few(describer, vote);
	describe_lost(describer, vote->from, vote->to);
}

static void describe_word(struct describer *describer, const char *title, uint32_t word)
{
	const char *text = whole_text(describer->whole, word);
	char *clean = clean_text(text, strlen(text));

	answer_line(describer->answer, json_pack("{s:s}", title, clean), "%s %s", title, clean);
	free(clean);
}

static void describe_set(struct describer *describer, uint32_t set, const char *title)
{
	size_t count;
	uint32_t *words = whole_by_text(describer->whole, set, &count);

	for (size_t i = 0; i < count; i++)
		describe_word(describer, title, words[i]);
	free(words);
}

static void describe_edge(struct describer *describer, const struct whole_edge *edge, size_t number, bool in)
{
	char *other = node_name(describer->whole, in ? edge->from : edge->to), day[DAY_ROOM];

	day_words(describer, edge->ts, day);
	answer_line(describer->answer,
		    json_pack("{s:I, s:s, s:s, s:b}", "edge", (json_int_t)number, in ? "from" : "to", other, "kind", edge_kind_name(edge->kind),
			      "weak", edge->weak),
		    "%zu  %s %s  %s%s  %s", number, in ? "from" : "to", other, edge_kind_name(edge->kind), edge->cut ? " (cut)" : edge->weak ? " (weak)" : "", day);
	free(other);
}

static void describe_edges(struct describer *describer, uint32_t node)
{
	size_t count, number = 0;
	const struct whole_edge *edges = whole_arriving(describer->whole, node, &count);

	for (size_t i = 0; i < count; i++)
		describe_edge(describer, &edges[i], ++number, true);
	for (size_t i = 0; i < describer->whole->edges.count; i++)
		if (describer->whole->edges.items[i].from == node)
			describe_edge(describer, &describer->whole->edges.items[i], ++number, false);
}

void describe_node(struct describer *describer, uint32_t node)
{
	const struct segment *segment = segment_at(describer->whole, node);
	char *name = node_name(describer->whole, node), *in = wait_name(describer->whole, segment->identity), day[DAY_ROOM];
	json_t *object;

	day_words(describer, segment->start, day);
	object = json_pack("{s:s}", "node", name);
	json_object_set_new(object, "start", answer_seconds(segment->start));
	json_object_set_new(object, "end", answer_seconds(segment->end));
	json_object_set_new(object, "run", answer_seconds(segment->run));
	json_object_set_new(object, "runnable", answer_seconds(segment->runnable));
	answer_line(describer->answer, object, "%s  %s  runs %s, could run %s", name, day, answer_duration(segment->run), answer_duration(segment->runnable));
	if (segment_waits(segment)) {
		object = json_object();
		json_object_set_new(object, "wait", answer_seconds(wait_of(describer, node)));
		json_object_set_new(object, "ended", json_string(ending_name(segment->ended) ? ending_name(segment->ended) : "not"));
		describe_wait(describer, object, segment->identity);
		answer_line(describer->answer, object, "waits %s in %s; %s", answer_duration(wait_of(describer, node)), in, end_words(segment));
	}
	if (segment->stack)
		describe_word(describer, "stack", segment->stack);
	describe_edges(describer, node);
	describe_set(describer, segment->set, "event");
	if (segment->flags & SEGMENT_LOST) {
		describer->incomplete = true;
		answer_last(describer->answer, json_pack("{s:b}", "lost", 1), "events were lost in it, or it began before the data: nobody knows how long it waited");
	}
	free(name);
	free(in);
}
