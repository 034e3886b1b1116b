#include "program/stacks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"
#include "program/sampler.h"
#include "program/spaces.h"
#include "program/unwind.h"

enum { FRAMES = 1 + UNWIND_USER + UNWIND_KERNEL, DIFFERENT = 1 << 18 };

struct stack {
	uint32_t number;
	int count;
	UT_hash_handle hh;
	int32_t frames[]; /* number of the program's frames, these frames, then those of the kernel */
};

struct stacks {
	pthread_mutex_t lock;
	struct sampler sampler;
	bool stopped, late;
	struct spaces *spaces;
	struct unwinder *unwinder;
	struct stack *different;
	ARRAY(struct stack *) by_number; /* index: number - 1 */
	struct stack_seen *seen; /* a ring buffer of STACKS_KEPT */
	uint64_t *counts;	 /* for each place in `seen`, a value for each counter */
	size_t counters;
	uint64_t head, tail;	 /* samples taken out, put in */
	struct stack_seen *throws; /* likewise, of STACKS_THROWS_KEPT; NULL: throws are not sampled */
	uint64_t throws_head, throws_tail;
	int clock;
	int64_t calls_since; /* samples of calls before this time are not wanted */
	uint64_t beyond;	 /* samples dropped: without frames, or with a new stack when there were too many distinct ones */
};

struct stacks *stacks_open(const struct sampler_wanted *wanted, struct lookup *lookup)
{
	struct stacks *stacks = NEW(struct stacks);

	pthread_mutex_init(&stacks->lock, NULL);
	if (sampler_open(&stacks->sampler, wanted) < 0) {
		stacks_free(stacks);
		return NULL;
	}
	stacks->clock = wanted->clock;
	stacks->late = wanted->late;
	stacks->calls_since = INT64_MIN;
	stacks->spaces = spaces_new(lookup);
	stacks->unwinder = unwinder_new(stacks->spaces);
	if (!stacks->late)
		unwinder_prepare(stacks->unwinder);
	stacks->seen = memory_new(STACKS_KEPT, sizeof(*stacks->seen));
	stacks->counters = wanted->counters->list.count;
	stacks->counts = memory_new(STACKS_KEPT, (stacks->counters + 1) * sizeof(*stacks->counts));
	return stacks;
}

int stacks_see_throws(struct stacks *stacks, uint64_t event)
{
	stacks->throws = memory_new(STACKS_THROWS_KEPT, sizeof(*stacks->throws));
	return sampler_see_throws(&stacks->sampler, stacks->clock, event);
}

int stacks_see_calls(struct stacks *stacks, uint64_t event)
{
	return sampler_see_calls(&stacks->sampler, stacks->clock, event);
}

void stacks_forget_calls(struct stacks *stacks, int number)
{
	pthread_mutex_lock(&stacks->lock);
	sampler_forget_calls(&stacks->sampler, number);
	pthread_mutex_unlock(&stacks->lock);
}

int stacks_renew_calls(struct stacks *stacks)
{
	struct timespec now;
	int status;

	pthread_mutex_lock(&stacks->lock);
	status = sampler_renew_calls(&stacks->sampler, stacks->clock);
	clock_gettime(stacks->clock, &now);
	stacks->calls_since = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	unwinder_lost(stacks->unwinder);
	pthread_mutex_unlock(&stacks->lock);
	return status;
}

/* Starts the sampler before it reads /proc, so that no mapping made in between is missed. */
int stacks_start(struct stacks *stacks)
{
	if (sampler_start(&stacks->sampler) < 0)
		return -1;
	if (!stacks->late)
		spaces_read_all(stacks->spaces);
	return 0;
}

int stacks_stop(struct stacks *stacks)
{
	int status;

	pthread_mutex_lock(&stacks->lock);
	status = stacks->stopped ? 0 : sampler_stop(&stacks->sampler);
	stacks->stopped = true;
	pthread_mutex_unlock(&stacks->lock);
	return status;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	HASH_CLEAR(hh, stacks->different);
	for (size_t i = 0; i < stacks->by_number.count; i++)
		free(stacks->by_number.items[i]);
	free(stacks->by_number.items);
	free(stacks->seen);
	free(stacks->counts);
	free(stacks->throws);
	unwinder_free(stacks->unwinder);
	spaces_free(stacks->spaces);
	sampler_close(&stacks->sampler);
	pthread_mutex_destroy(&stacks->lock);
	free(stacks);
}

int stacks_descriptor(const struct stacks *stacks, int i)
{
	return i < stacks->sampler.count ? sampler_descriptor(&stacks->sampler, i) : -1;
}

/* The number of the stack with these frames; 0: there are too many distinct stacks already. */
static uint32_t number_of(struct stacks *stacks, const int32_t *frames, int count)
{
	size_t size = (size_t)count * sizeof(*frames);
	struct stack *stack;
	unsigned hash;

	HASH_VALUE(frames, size, hash);
	HASH_FIND_BYHASHVALUE(hh, stacks->different, frames, size, hash, stack);
	if (stack)
		return stack->number;
	if (stacks->by_number.count == DIFFERENT)
		return 0;
	stack = memory_new(1, sizeof(*stack) + size);
	stack->count = count;
	memcpy(stack->frames, frames, size);
	*ARRAY_ADD(&stacks->by_number) = stack;
	stack->number = (uint32_t)stacks->by_number.count;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, stacks->different, stack->frames, size, hash, stack);
	return stack->number;
}

static struct stack_seen seen_of(const struct sampled_record *record, enum stack_moment moment, uint32_t number)
{
	return (struct stack_seen){
		.moment = moment,
		.ts = record->ts,
		.cpu = record->cpu,
		.stack = number,
		.thread = record->thread,
		.woken = record->woken,
		.process = record->process,
		.flag = record->flag,
		.ip = record->registers[SAMPLE_REGISTERS - 1],
	};
}

/* Keeps the newest samples. Returns the place in the ring buffer. */
static size_t keep_seen(struct stacks *stacks, const struct sampled_record *record, enum stack_moment moment, uint32_t number)
{
	size_t place = stacks->tail % STACKS_KEPT;

	if (stacks->tail - stacks->head == STACKS_KEPT)
		stacks->head++;
	stacks->tail++;
	stacks->seen[place] = seen_of(record, moment, number);
	return place;
}

static void keep_throw(struct stacks *stacks, const struct sampled_record *record, uint32_t number)
{
	if (stacks->throws_tail - stacks->throws_head == STACKS_THROWS_KEPT)
		stacks->throws_head++;
	stacks->throws[stacks->throws_tail++ % STACKS_THROWS_KEPT] = seen_of(record, STACK_THROW, number);
}

/* Keeps only nonzero counts: for most threads that leave a CPU, nothing was counted. */
static void keep_counts(struct stacks *stacks, const struct sampled_record *record)
{
	uint64_t any = 0;

	for (size_t i = 0; i < stacks->counters; i++)
		any |= record->counts[i];
	if (any)
		memcpy(&stacks->counts[keep_seen(stacks, record, STACK_COUNT, 0) * stacks->counters], record->counts,
		       stacks->counters * sizeof(*stacks->counts));
}

/* Only the program's functions matter for a flag. */
static void keep_flag(struct stacks *stacks, const struct sampled_record *record)
{
	enum stack_moment moment = record->off ? STACK_FLAG_OFF : record->writes ? STACK_FLAG_WRITE : STACK_FLAG_READ;
	int32_t frames[FRAMES];
	int user = frames[0] = record->off ? 0 : unwind_user(stacks->unwinder, record, frames + 1);

	keep_seen(stacks, record, moment, user > 0 ? number_of(stacks, frames, 1 + user) : 0);
}

static void keep(struct stacks *stacks, const struct sampled_record *record)
{
	static const enum stack_moment moments[] = {
		[SAMPLED_SLEEP] = STACK_SLEEP, [SAMPLED_WAKE] = STACK_WAKE, [SAMPLED_RUN] = STACK_RUN, [SAMPLED_CALL] = STACK_CALL};
	int32_t frames[FRAMES];
	int user = frames[0] = unwind_user(stacks->unwinder, record, frames + 1);
	int kernel = unwind_kernel(stacks->unwinder, record, frames + 1 + user);
	uint32_t number = user + kernel > 0 ? number_of(stacks, frames, 1 + user + kernel) : 0;

	if (number == 0) {
		stacks->beyond++;
		return;
	}
	if (record->kind == SAMPLED_THROW) {
		keep_throw(stacks, record, number);
		return;
	}
	keep_seen(stacks, record, moments[record->kind], number);
}

static void sweep(struct stacks *stacks)
{
	spaces_mark(stacks->spaces);
	unwinder_sweep(stacks->unwinder);
	spaces_sweep(stacks->spaces);
}

void stacks_take(struct stacks *stacks, int64_t bound)
{
	struct sampled_record record;

	pthread_mutex_lock(&stacks->lock);
	while (sampler_next(&stacks->sampler, bound, &record) > 0) {
		if (record.kind == SAMPLED_CALL && record.ts < stacks->calls_since)
			continue;
		if (record.kind <= SAMPLED_CALL)
			keep(stacks, &record);
		else if (record.kind == SAMPLED_COUNT)
			keep_counts(stacks, &record);
		else if (record.kind == SAMPLED_FLAG)
			keep_flag(stacks, &record);
		else
			spaces_see(stacks->spaces, &record);
		if (record.kind == SAMPLED_LOST)
			unwinder_lost(stacks->unwinder);
	}
	spaces_settle(stacks->spaces, bound);
	if (spaces_are_full(stacks->spaces))
		sweep(stacks);
	pthread_mutex_unlock(&stacks->lock);
}

bool stacks_next(struct stacks *stacks, int64_t bound, struct stack_seen *seen, uint64_t counts[COUNTERS_MAX])
{
	bool found;

	pthread_mutex_lock(&stacks->lock);
	found = stacks->head < stacks->tail && stacks->seen[stacks->head % STACKS_KEPT].ts < bound;
	if (found) {
		size_t place = stacks->head++ % STACKS_KEPT;

		*seen = stacks->seen[place];
		memcpy(counts, &stacks->counts[place * stacks->counters], stacks->counters * sizeof(*counts));
	}
	pthread_mutex_unlock(&stacks->lock);
	return found;
}

bool stacks_next_throw(struct stacks *stacks, int64_t bound, struct stack_seen *seen)
{
	bool found;

	pthread_mutex_lock(&stacks->lock);
	found = stacks->throws_head < stacks->throws_tail && stacks->throws[stacks->throws_head % STACKS_THROWS_KEPT].ts < bound;
	if (found)
		*seen = stacks->throws[stacks->throws_head++ % STACKS_THROWS_KEPT];
	pthread_mutex_unlock(&stacks->lock);
	return found;
}

static void add_frames(const struct stacks *stacks, struct line *line, const char *key, const int32_t *frames, int count)
{
	char *text = NULL;
	size_t size;
	FILE *out = count > 0 ? open_memstream(&text, &size) : NULL;

	for (int i = 0; i < count; i++)
		fprintf(out, "%s%s", i > 0 ? ";" : "", unwind_text(stacks->unwinder, frames[i]));
	if (!out)
		return;
	fclose(out);
	line_text(line, key, text);
	free(text);
}

void stacks_describe(struct stacks *stacks, uint32_t number, struct line *line)
{
	const struct stack *stack;
	int user;

	pthread_mutex_lock(&stacks->lock);
	stack = stacks->by_number.items[number - 1];
	user = stack->frames[0];
	add_frames(stacks, line, "user", stack->frames + 1, user);
	add_frames(stacks, line, "kernel", stack->frames + 1 + user, stack->count - 1 - user);
	pthread_mutex_unlock(&stacks->lock);
}

char *stacks_function(struct stacks *stacks, uint32_t number, int outward)
{
	const struct stack *stack;
	const char *frame = NULL, *file = NULL;
	char *function;

	pthread_mutex_lock(&stacks->lock);
	stack = stacks->by_number.items[number - 1];
	if (outward < stack->frames[0])
		frame = unwind_text(stacks->unwinder, stack->frames[1 + outward]);
	for (const char *at = frame; at && (at = strstr(at, " (")); at++)
		file = at;
	function = file ? memory_text(frame, (size_t)(file - frame)) : NULL; /* else the function has no name */
	pthread_mutex_unlock(&stacks->lock);
	return function;
}

const char *stacks_flag(const struct stacks *stacks, int32_t flag)
{
	return stacks->sampler.flags->list.items[flag].name;
}

size_t stacks_counters(const struct stacks *stacks)
{
	return stacks->counters;
}

uint64_t stacks_taken(struct stacks *stacks)
{
	uint64_t taken;

	pthread_mutex_lock(&stacks->lock);
	taken = stacks->tail + stacks->throws_tail + stacks->beyond;
	pthread_mutex_unlock(&stacks->lock);
	return taken;
}

uint64_t stacks_lost(struct stacks *stacks)
{
	uint64_t lost;

	pthread_mutex_lock(&stacks->lock);
	lost = sampler_lost(&stacks->sampler) + stacks->beyond;
	pthread_mutex_unlock(&stacks->lock);
	return lost;
}
