#include "walk/interval.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "walk/abnormal.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

bool segment_timed(const struct whole *whole, uint32_t number)
{
	const struct segment *segment = segment_at(whole, number);
	const struct whole_edge *ender = whole_ender(whole, number);

	if (ender)
		return ender->kind == EDGE_TIMER && segment_at(whole, ender->from)->thread == segment->thread;
	return segment->ended == ENDED_TIMER;
}

static bool is_over(const struct segment *segment)
{
	return segment_waits(segment) && segment->ended != ENDED_OPEN && !(segment->flags & SEGMENT_LOST);
}

bool segment_is_normal(const struct whole *whole, uint32_t number)
{
	const struct segment *segment = segment_at(whole, number);

	return is_over(segment) && !abnormal_overlap(whole, segment->wait_from, segment->end, whole->threads.items[segment->thread].tid);
}

bool segment_is_quiet(const struct whole *whole, uint32_t number)
{
	const struct segment *segment = segment_at(whole, number);

	return is_over(segment) && !abnormal_overlap(whole, segment->wait_from, segment->end, 0);
}

/* The same share of the amount as `part` is of `all`. */
static int64_t share_of(int64_t amount, int64_t part, int64_t all)
{
	return all > 0 ? (int64_t)((__int128)amount * part / all) : 0;
}

struct sum {
	int64_t time, most; /* of all segments; of `segment`, which has the most */
	uint32_t segment, waits, timed;
};

static void add(struct sum *sum, int64_t time, uint32_t segment)
{
	if (!sum->waits++ || time > sum->most) {
		sum->most = time;
		sum->segment = segment;
	}
	sum->time += time;
}

struct sums {
	struct sum run, runnable, *waits; /* waits: by identity */
	ARRAY(uint32_t) identities; /* in the order of first mention */
};

static void add_segment(const struct whole *whole, struct sums *sums, uint32_t number, int64_t from, int64_t to)
{
	const struct segment *segment = segment_at(whole, number);
	int64_t active = interval_shared(segment->start, segment->wait_from, from, to);
	int64_t waited = interval_shared(segment->wait_from, segment->end, from, to);
	struct sum *wait;

	if (active > 0) {
		add(&sums->run, share_of(segment->run, active, segment->wait_from - segment->start), number);
		add(&sums->runnable, share_of(segment->runnable, active, segment->wait_from - segment->start), number);
	}
	if (waited <= 0)
		return;
	wait = &sums->waits[segment->identity];
	if (!wait->waits)
		*ARRAY_ADD(&sums->identities) = segment->identity;
	add(wait, waited, number);
	wait->timed += segment_timed(whole, number);
}

static void take(struct state *state, enum state_kind kind, const struct sum *sum)
{
	if (!sum->waits || sum->time <= state->time)
		return;
	state->kind = kind;
	state->time = sum->time;
	state->segment = sum->segment;
	state->waits = sum->waits;
	state->timed = sum->timed;
}

/* How often the thread called sched_yield in the interval; of a segment partly in the interval, in proportion. */
static uint64_t count_yields(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	static const char counter[] = "sched_yield";
	size_t count, first, counters;
	const uint32_t *segments = whole_segments(whole, thread, &count);
	uint64_t yields = 0;

	for (first = whole_first(whole, thread, from); first < count && segment_at(whole, segments[first])->start < to; first++) {
		const struct segment *segment = segment_at(whole, segments[first]);
		int64_t part = interval_shared(segment->start, segment->wait_from, from, to);
		const struct whole_count *of = whole_counts_of(&whole->counters, segments[first], &counters);

		for (size_t i = 0; i < counters; i++)
			if (strstr(whole_text(whole, of[i].word), counter))
				yields += (uint64_t)share_of((int64_t)of[i].count, part, segment->wait_from - segment->start);
	}
	return yields;
}

static bool yields_often(const struct state *state, int64_t from, int64_t to)
{
	if (state->kind == STATE_WAIT)
		return state->waits >= YIELDS && (state->waits - state->timed) * YIELD_SHARE <= state->waits;
	return (double)state->yields * NSEC_PER_SEC >= (double)SPINS * (double)(to - from) && state->yields > 0;
}

struct state state_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	struct sums sums = {.waits = memory_new(whole->identities.pieces.count, sizeof(*sums.waits))};
	struct state state = {.kind = STATE_NONE, .segment = NUMBER_NONE};
	size_t count, first;
	const uint32_t *segments = whole_segments(whole, thread, &count);

	for (first = whole_first(whole, thread, from); first < count && segment_at(whole, segments[first])->start < to; first++)
		add_segment(whole, &sums, segments[first], from, to);
	take(&state, STATE_RUNNING, &sums.run);
	take(&state, STATE_RUNNABLE, &sums.runnable);
	state.runnable = sums.runnable.time;
	for (size_t i = 0; i < sums.identities.count; i++) {
		enum state_kind before = state.kind;
		int64_t time = state.time;

		take(&state, STATE_WAIT, &sums.waits[sums.identities.items[i]]);
		if (state.time != time || state.kind != before)
			state.identity = sums.identities.items[i];
	}
	if (state.kind != STATE_WAIT)
		state.waits = state.timed = 0;
	if (whole->counters.count && (state.kind == STATE_RUNNING || state.kind == STATE_RUNNABLE))
		state.yields = count_yields(whole, thread, from, to);
	state.yielding = yields_often(&state, from, to);
	free(sums.waits);
	free(sums.identities.items);
	return state;
}

static void add_samples(struct whole_counts *sums, const struct whole_count *sample, int64_t part, int64_t all)
{
	uint64_t count = part < all ? (uint64_t)share_of((int64_t)sample->count, part, all) : sample->count;

	for (size_t i = 0; i < sums->count; i++)
		if (sums->items[i].word == sample->word) {
			sums->items[i].count += count;
			return;
		}
	if (count)
		*ARRAY_ADD(sums) = (struct whole_count){sample->segment, sample->word, count};
}

static int compare_counts(const void *a, const void *b)
{
	const struct whole_count *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return one->word < other->word ? -1 : one->word > other->word;
}

struct whole_counts samples_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	struct whole_counts sums = {0};
	size_t count, first;
	const uint32_t *segments = whole_segments(whole, thread, &count);

	for (first = whole_first(whole, thread, from); first < count && segment_at(whole, segments[first])->start < to; first++) {
		const struct segment *segment = segment_at(whole, segments[first]);
		int64_t active = interval_shared(segment->start, segment->wait_from, from, to);
		size_t samples;
		const struct whole_count *of = whole_counts_of(&whole->samples, segments[first], &samples);

		for (size_t i = 0; i < samples; i++)
			add_samples(&sums, &of[i], active, segment->wait_from - segment->start);
	}
	if (sums.count)
		qsort(sums.items, sums.count, sizeof(*sums.items), compare_counts);
	return sums;
}

uint32_t segment_task(const struct whole *whole, uint32_t number)
{
	size_t count;
	const uint32_t *words = whole_members(whole, segment_at(whole, number)->set, &count);

	for (size_t i = 0; i < count; i++)
		if (strncmp(whole_text(whole, words[i]), TASK_WORD, strlen(TASK_WORD)) == 0)
			return words[i];
	return 0;
}

uint32_t segment_poster(const struct whole *whole, uint32_t number)
{
	while (number != NUMBER_NONE && segment_task(whole, number)) {
		uint32_t before = segment_at(whole, number)->before;
		const struct whole_edge *ender = before == NUMBER_NONE ? NULL : whole_ender(whole, before);

		if (before == NUMBER_NONE || segment_at(whole, before)->end < segment_at(whole, number)->start)
			return NUMBER_NONE;
		if (ender && ender->kind == EDGE_ASYNC)
			return ender->from;
		number = segment_at(whole, before)->flags & SEGMENT_BOUNDARY ? NUMBER_NONE : before;
	}
	return NUMBER_NONE;
}

struct task_share task_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	uint32_t *places = memory_new(whole->words.pieces.count, sizeof(*places)); /* by word: index in the list, plus 1; 0: none */
	ARRAY(struct sum) list = {0};
	struct task_share most = {.segment = NUMBER_NONE};
	size_t count, first;
	const uint32_t *segments = whole_segments(whole, thread, &count);

	for (first = whole_first(whole, thread, from); first < count && segment_at(whole, segments[first])->start < to; first++) {
		const struct segment *segment = segment_at(whole, segments[first]);
		int64_t active = interval_shared(segment->start, segment->wait_from, from, to);
		uint32_t word = active > 0 ? segment_task(whole, segments[first]) : 0;

		if (!word)
			continue;
		if (!places[word]) {
			*ARRAY_ADD(&list) = (struct sum){0};
			places[word] = (uint32_t)list.count;
		}
		add(&list.items[places[word] - 1], share_of(segment->run, active, segment->wait_from - segment->start), segments[first]);
	}
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].time > most.time)
			most = (struct task_share){segment_task(whole, list.items[i].segment), list.items[i].time, list.items[i].segment};
	free(list.items);
	free(places);
	return most;
}

static int64_t run_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	size_t count, first;
	const uint32_t *segments = whole_segments(whole, thread, &count);
	int64_t time = 0;

	for (first = whole_first(whole, thread, from); first < count && segment_at(whole, segments[first])->start < to; first++) {
		const struct segment *segment = segment_at(whole, segments[first]);

		time += share_of(segment->run, interval_shared(segment->start, segment->wait_from, from, to), segment->wait_from - segment->start);
	}
	return time;
}

/* One for each name, in the order of the first thread with it. */
typedef ARRAY(struct cpu_share) runner_list;

static void add_runner(const struct whole *whole, runner_list *list, uint32_t *places, struct cpu_share runner)
{
	uint32_t *place = &places[whole->threads.items[runner.thread].name];

	if (!*place) {
		*ARRAY_ADD(list) = runner;
		*place = (uint32_t)list->count;
		return;
	}
	list->items[*place - 1].time += runner.time;
	list->items[*place - 1].threads++;
}

void runners_of(const struct whole *whole, int64_t from, int64_t to, uint32_t without, struct cpu_share runners[RUNNERS])
{
	uint32_t *places = memory_new(whole->words.pieces.count, sizeof(*places)); /* by name: index in the list, plus 1; 0: none */
	runner_list list = {0};

	for (uint32_t thread = 0; thread < whole->threads.count; thread++) {
		struct cpu_share runner = {thread, 1, thread == without ? 0 : run_of(whole, thread, from, to)};

		if (runner.time > 0)
			add_runner(whole, &list, places, runner);
	}
	for (int i = 0; i < RUNNERS; i++)
		runners[i] = (struct cpu_share){NUMBER_NONE, 0, 0};
	for (size_t at = 0; at < list.count; at++) {
		struct cpu_share runner = list.items[at];

		for (int i = 0; i < RUNNERS; i++)
			if (runner.time > runners[i].time) {
				struct cpu_share next = runners[i];

				runners[i] = runner;
				runner = next;
			}
	}
	free(list.items);
	free(places);
}
