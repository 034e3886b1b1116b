#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wake/earlier_names.h"
#include "wake/part.h"
#include "wake/reason.h"
#include "wake/rule_events.h"
#include "wake/stack.h"
#include "wake/walk.h"

/*
 * The user's rules for programs (chart/semantics.h), in wake graphs: from an event of a rule on, the runs of its thread are for what the event says,
 * until the thread's next such event, even if it waits in between.
 *
 * If a thread caused such a run, an edge leads from that thread to the run. What the running thread did before has nothing to do with it, as with
 * works of a queue.
 */

enum { CAUSE_BEGUN = CAUSE(PART_RULE, 0) /* of a run; index: of its struct begun */ };

struct begun { /* what a thread does from an event on */
	int64_t started;
	struct doer by; /* the thread that caused it, and when; INDEX_NONE: not known */
	enum edge_kind kind;
	int32_t process; /* that it is for; 0: no rule tells */
};

struct rules {
	const struct semantics *semantics; /* NULL: there are none */
	struct rule_events *events;
	ARRAY(struct doer) places;
	ARRAY(struct begun) begun;
	struct at *at; /* the event at hand */
	char *failure; /* what was wrong with an event that lacks its key; NULL: nothing */
};

static struct rules *of(const struct wake *wake)
{
	return wake->of[PART_RULE];
}

/* The thread to which the event at hand happens, while it runs. */
static struct thread *runner(const struct wake *wake)
{
	struct thread *thread = at_own(of(wake)->at);

	return thread && thread_running(thread) ? thread : NULL;
}

/* What begins at the event at hand, which may be of several rules. NULL: the thread is not known, or works for others. */
static struct begun *begin(struct wake *wake)
{
	struct rules *rules = of(wake);
	struct thread *thread = runner(wake);

	if (!thread || (thread->for_cause != CAUSE_NONE && thread->for_cause != CAUSE_BEGUN))
		return NULL;
	if (thread->for_cause == CAUSE_BEGUN && rules->begun.items[thread->for_index].started == wake->now)
		return &rules->begun.items[thread->for_index];
	thread->for_cause = CAUSE_BEGUN;
	thread->for_index = (int32_t)rules->begun.count;
	*ARRAY_ADD(&rules->begun) = (struct begun){.started = wake->now, .by = {INDEX_NONE, TIME_NONE}};
	thread_piece(thread, WHAT_RUN, wake->now, rules->at->cpu->number);
	return &rules->begun.items[thread->for_index];
}

static void bounds(void *context, const struct event *event)
{
	(void)event;
	begin(context);
}

static bool place(void *context, const struct event *event, uint32_t *number)
{
	struct wake *wake = context;
	const struct thread *thread = runner(wake);

	(void)event;
	if (!thread)
		return false;
	*number = (uint32_t)of(wake)->places.count;
	*ARRAY_ADD(&of(wake)->places) = (struct doer){thread->index, wake->now};
	return true;
}

static void arrives(void *context, const struct event *event, uint32_t number, int64_t then, enum edge_kind kind, const char *what)
{
	struct wake *wake = context;
	struct begun *begun = begin(wake);

	(void)event;
	(void)then;
	(void)what;
	if (!begun)
		return;
	begun->by = of(wake)->places.items[number];
	begun->kind = kind;
}

static void serves(void *context, const struct event *event, int32_t process)
{
	struct begun *begun = begin(context);

	(void)event;
	if (begun)
		begun->process = process;
}

void wake_semantics(struct wake *wake, const struct semantics *semantics)
{
	of(wake)->semantics = semantics;
	of(wake)->events = rule_events_new(semantics, wake->events, &(struct rule_doer){wake, false, bounds, place, arrives, serves});
}

int wake_semantics_check(const struct wake *wake)
{
	const struct rules *rules = of(wake);

	if (rules->failure)
		return fail("%s", rules->failure);
	return rules->events ? rule_events_check(rules->events) : 0;
}

static bool watches(const struct wake *wake, const struct event_type *type)
{
	return of(wake)->events && rule_events_watches(of(wake)->events, type);
}

static void watched(struct at *at)
{
	struct rules *rules = of(at->wake);

	rules->at = at;
	if (at->cpu && rule_events_take(rules->events, at->event) < 0 && !rules->failure)
		rules->failure = memory_text(fail_text(), strlen(fail_text()));
}

/* A thread of the process that a rule names; INDEX_NONE: no rule does, or it was not seen. */
static int32_t run_for(struct cut *cut, const struct thread *thread, size_t at, int32_t asker, const struct deed *deed)
{
	const struct piece *run = &thread->pieces.items[at];
	int32_t process = run->cause == CAUSE_BEGUN ? of(cut->wake)->begun.items[run->cause_index].process : 0;
	const struct thread *served = process ? core_thread_find(cut->wake, process, run->start) : NULL;

	(void)asker;
	(void)deed;
	return served ? served->index : INDEX_NONE;
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || (text && fnmatch(pattern, text, 0) == 0);
}

/* Tells whether the rule fits this wait. A rule with an object does not, because wake graphs do not know objects. */
static bool is_such(const struct wake *wake, const struct rule *rule, const struct thread *thread, size_t wait)
{
	const struct piece *piece = &thread->pieces.items[wait];
	char *function;
	bool fit;

	if (rule->object || !fits(rule->syscall, reason_at(wake->reasons, piece->call)->syscall))
		return false;
	if (!rule->function)
		return true;
	function = stack_function(wake, stack_number(wake, thread, wait));
	fit = fits(rule->function, function);
	free(function);
	return fit;
}

static bool cuts(const struct wake *wake, const struct thread *thread, size_t wait)
{
	const struct semantics *semantics = of(wake)->semantics;
	const struct piece *piece = &thread->pieces.items[wait];
	const struct thread *by;
	struct doer ender;

	if (!semantics || !semantics->rules.count)
		return false;
	ender = core_ender(wake, piece);
	by = ender.thread == INDEX_NONE ? NULL : wake->threads.items[ender.thread];
	for (size_t i = 0; by && by != thread && i < semantics->rules.count; i++) {
		const struct rule *rule = &semantics->rules.items[i];

		if (rule->kind == RULE_CUT && fits(rule->from_name, wake_comm_at(wake, by, ender.ts)) &&
		    fits(rule->to_name, wake_comm_at(wake, thread, piece->start)) && is_such(wake, rule, thread, wait))
			return true;
	}
	return false;
}

static int64_t began(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *piece = &thread->pieces.items[at];
	const struct begun *begun = &of(walk->cut.wake)->begun.items[piece->cause_index];

	if (piece->start != begun->started || begun->by.thread == INDEX_NONE || begun->by.ts <= errand.floor)
		return errand.floor;
	if (walk_visit(walk, node, errand.floor))
		walk_later(walk, (struct errand){.part = PART_SCHED,
						 .index = begun->by.thread,
						 .at = begun->by.ts,
						 .floor = errand.floor,
						 .after = node,
						 .edge = begun->kind,
						 .ts = begun->by.ts,
						 .asker = INDEX_NONE});
	return begun->by.ts;
}

static void forget(struct wake *wake)
{
	struct rules *rules = of(wake);

	ARRAY_FREE(&rules->places);
	ARRAY_FREE(&rules->begun);
	if (rules->events)
		rule_events_forget(rules->events);
}

static void lost(struct wake *wake, int64_t from)
{
	(void)from;
	if (of(wake)->events)
		rule_events_forget(of(wake)->events);
}

static void free_all(struct wake *wake)
{
	rule_events_free(of(wake)->events);
	free(of(wake)->failure);
}

const struct part rule_part = {
	.window = sizeof(struct rules),
	.forget = forget,
	.lost = lost,
	.free = free_all,
	.watches = watches,
	.watched = watched,
	.run_for = run_for,
	.cuts = cuts,
	.began = began,
};
