#include "walk/vote.h"

#include <stdlib.h>

#include "base/fail.h"
#include "walk/whole_find.h"

struct source { /* a thread that ended normal waits */
	uint32_t thread;
	size_t count;
	int64_t latest;
};

struct ballot {
	size_t normal, threads, timed, elsewhere; /* normal waits; how many threads, its own timer, or a device or another host ended */
	ARRAY(struct source) sources;
};

static void count_source(struct ballot *ballot, uint32_t thread, int64_t ts)
{
	for (size_t i = 0; i < ballot->sources.count; i++)
		if (ballot->sources.items[i].thread == thread) {
			ballot->sources.items[i].count++;
			ballot->sources.items[i].latest = later(ballot->sources.items[i].latest, ts);
			return;
		}
	*ARRAY_ADD(&ballot->sources) = (struct source){thread, 1, ts};
}

/* Where to look for normal waits, and the wait [from, to) that the vote is about. */
struct vote_scope {
	const struct whole *whole;
	const struct normal_stream *normal; /* NULL: look in `whole` itself */
	int64_t from, to;
};

static void count_wait(const struct vote_scope *scope, const struct whole *whole, struct ballot *ballot, uint32_t number)
{
	const struct segment *segment = segment_at(whole, number);
	const struct whole_edge *ender = whole_ender(whole, number);

	ballot->normal++;
	if (segment_timed(whole, number)) {
		ballot->timed++;
	} else if (ender) {
		uint32_t thread = segment_at(whole, ender->from)->thread;

		if (scope->normal)
			thread = normal_stream_thread(scope->normal, thread, scope->from, scope->to);
		ballot->threads += thread != NUMBER_NONE;
		if (thread != NUMBER_NONE)
			count_source(ballot, thread, ender->ts);
	} else {
		ballot->elsewhere += segment->ended == ENDED_DEVICE || segment->ended == ENDED_OUTSIDE;
	}
}

static bool is_flagged(const struct whole *whole, uint32_t number)
{
	const struct whole_edge *ender = whole_ender(whole, number);

	return ender && ender->kind == EDGE_FLAG;
}

/*
 * Counts the votes of a thread's normal waits. In the same stream, a wait that overlaps the wait asked about is as abnormal as that. Polls in vain,
 * which the thread's own timer ended, are one wait with the last poll, which a flag's write ended.
 */
static void count_votes_of(const struct vote_scope *scope, struct ballot *ballot, uint32_t thread, uint32_t identity)
{
	const struct whole *whole = scope->normal ? normal_stream_whole(scope->normal) : scope->whole;
	size_t count;
	const uint32_t *segments = whole_segments(whole, thread, &count);
	size_t polls = 0;

	for (size_t i = 0; i < count; i++) {
		const struct segment *segment = segment_at(whole, segments[i]);

		if (scope->normal ? !normal_stream_identity_is(scope->normal, identity, segment->identity) : segment->identity != identity) {
			polls = 0;
			continue;
		}
		if (is_flagged(whole, segments[i])) {
			ballot->normal -= polls;
			ballot->timed -= polls;
		}
		if (!segment_timed(whole, segments[i]))
			polls = 0;
		if ((!scope->normal && segment->wait_from < scope->to && segment->end > scope->from) || !segment_is_quiet(whole, segments[i]))
			continue;
		count_wait(scope, whole, ballot, segments[i]);
		polls += segment_timed(whole, segments[i]);
	}
}

/* Counts the votes of the thread's normal waits of this identity. */
static struct ballot count_votes(const struct vote_scope *scope, uint32_t thread, uint32_t identity)
{
	struct ballot ballot = {0};

	if (!scope->normal)
		count_votes_of(scope, &ballot, thread, identity);
	for (uint32_t i = 0; scope->normal && i < normal_stream_whole(scope->normal)->threads.count; i++)
		if (normal_stream_thread_is(scope->normal, thread, i))
			count_votes_of(scope, &ballot, i, identity);
	return ballot;
}

static const struct source *winner(const struct ballot *ballot)
{
	const struct source *first = NULL;

	for (size_t i = 0; i < ballot->sources.count; i++) {
		const struct source *source = &ballot->sources.items[i];

		if (!first || source->count > first->count || (source->count == first->count && source->latest > first->latest))
			first = source;
	}
	return first;
}

/* The next thread to ask; NULL: none, and *verdict says why. */
static const struct source *decide(const struct ballot *ballot, enum verdict *verdict)
{
	const struct source *first = winner(ballot);

	if (!ballot->normal)
		*verdict = VERDICT_NEVER;
	else if (ballot->timed > ballot->threads)
		*verdict = VERDICT_TIMER;
	else if (2 * ballot->elsewhere > ballot->normal)
		*verdict = VERDICT_OUTSIDE;
	else if (!first)
		*verdict = VERDICT_NOBODY;
	else
		return first;
	return NULL;
}

static bool on_path(const struct vote *vote, uint32_t thread)
{
	for (size_t i = 0; i < vote->steps.count; i++)
		if (vote->steps.items[i].thread == thread)
			return true;
	return false;
}

/* Decides by what the next thread did. True: it waited, and becomes a step; false: vote->verdict is set. */
static bool ask(const struct whole *whole, struct vote *vote, uint32_t thread)
{
	vote->thread = thread;
	vote->state = state_of(whole, thread, vote->from, vote->to);
	switch (vote->state.kind) {
	case STATE_RUNNING:
		vote->verdict = VERDICT_BUSY;
		return false;
	case STATE_RUNNABLE:
		vote->verdict = VERDICT_STARVED;
		return false;
	case STATE_NONE:
		vote->verdict = VERDICT_UNKNOWN;
		return false;
	default:
		*ARRAY_ADD(&vote->steps) = (struct vote_step){
			.thread = thread, .identity = vote->state.identity, .segment = vote->state.segment, .source = NUMBER_NONE};
		return true;
	}
}

/* Notes the thread that really ended the culprit's wait, if that thread is on the path, and so waited for the culprit. */
static void find_circle(const struct whole *whole, struct vote *vote)
{
	uint32_t wait = vote_wait(vote);
	const struct whole_edge *ender = wait == NUMBER_NONE ? NULL : whole_ender(whole, wait);
	const struct segment *from = ender ? segment_at(whole, ender->from) : NULL;

	if (!from || from->thread == vote->thread || !on_path(vote, from->thread))
		return;
	vote->circle = true;
	vote->breaker = from->thread;
	vote->broke_after = whole_origin(whole, ender->from);
}

/* The time that the threads of the path had no CPU, in sum: each may have wanted one too briefly to be starved by itself. */
static int64_t starved_on(const struct whole *whole, const struct vote *vote)
{
	int64_t time = 0;

	for (size_t i = 0; i < vote->steps.count; i++)
		time += state_of(whole, vote->steps.items[i].thread, vote->from, vote->to).runnable;
	return time;
}

static void walk(const struct whole *whole, const struct normal_stream *normal, struct vote *vote)
{
	struct vote_scope scope = {whole, normal, vote->from, vote->to};

	for (;;) {
		struct vote_step *step = &vote->steps.items[vote->steps.count - 1];
		struct ballot ballot = count_votes(&scope, step->thread, step->identity);
		const struct source *next = decide(&ballot, &vote->verdict);

		step->normal = ballot.normal;
		step->source = next ? next->thread : NUMBER_NONE;
		step->votes = next ? next->count : 0;
		free(ballot.sources.items);
		if (step->source == NUMBER_NONE)
			return;
		if (on_path(vote, step->source) || vote->steps.count == PATH_MOST) {
			vote->verdict = VERDICT_UNASKED;
			vote->starved = starved_on(whole, vote);
			return;
		}
		if (!ask(whole, vote, step->source))
			return;
	}
}

/* Sets [from, to) to the wait. Polls of a flag are one wait, from the first poll in vain to the one that the flag's write ended. */
static void take_wait(const struct whole *whole, uint32_t number, int64_t *from, int64_t *to)
{
	const struct segment *segment = segment_at(whole, number);
	size_t count, first, last;
	const uint32_t *segments = whole_segments(whole, segment->thread, &count);

	*from = segment->wait_from;
	*to = segment->end;
	for (last = whole_first(whole, segment->thread, segment->start); last < count && segments[last] != number; last++)
		;
	first = last;
	while (last + 1 < count && segment_timed(whole, segments[last]) && segment_at(whole, segments[last + 1])->identity == segment->identity)
		last++;
	if (last == count || !is_flagged(whole, segments[last]))
		return;
	while (first > 0 && segment_timed(whole, segments[first - 1]) && segment_at(whole, segments[first - 1])->identity == segment->identity)
		first--;
	*from = segment_at(whole, segments[first])->wait_from;
	*to = segment_at(whole, segments[last])->end;
}

int vote(const struct whole *whole, uint32_t number, const struct normal_stream *normal, struct vote *vote)
{
	const struct segment *segment = segment_at(whole, number);

	*vote = (struct vote){.thread = segment->thread, .broke_after = NUMBER_NONE};
	if (!segment_waits(segment))
		return fail("that segment has no wait");
	take_wait(whole, number, &vote->from, &vote->to);
	vote->state = state_of(whole, segment->thread, vote->from, vote->to);
	*ARRAY_ADD(&vote->steps) =
		(struct vote_step){.thread = segment->thread, .identity = segment->identity, .segment = number, .source = NUMBER_NONE};
	walk(whole, normal, vote);
	find_circle(whole, vote);
	return 0;
}

void vote_free(struct vote *vote)
{
	free(vote->steps.items);
}

const struct vote_step *vote_few(const struct vote *vote)
{
	for (size_t i = 0; i < vote->steps.count; i++) {
		const struct vote_step *step = &vote->steps.items[i];

		if (step->normal < FEW_NORMAL && (step->normal || vote->verdict != VERDICT_NEVER))
			return step;
	}
	return NULL;
}

uint32_t vote_wait(const struct vote *vote)
{
	const struct vote_step *last = &vote->steps.items[vote->steps.count - 1];

	return last->thread == vote->thread ? last->segment : NUMBER_NONE;
}
