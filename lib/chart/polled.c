#include "chart/polled.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/measure_state.h"

enum { POLLED_MAX = 1 << 12 /* threads that try; beyond that the thread that began first is forgotten */, TRIES_LEAST = 2 };

struct polling { /* the wait of a thread, from its first try that failed on */
	int32_t tid;
	int64_t call;	/* the number of the call, the series' id */
	int64_t first;	/* beginning of the first try */
	int64_t last;	/* end of the latest try */
	int64_t asleep; /* when the current sleep began; 0: there is none */
	int64_t slept;	/* time asleep since the latest try */
	int tries;
	bool told, holds; /* a signal said that the wait lasts; its context is kept */
	UT_hash_handle hh;
};

struct polled {
	struct measure *measure;
	const struct call_meanings *calls;
	struct polling *threads;
	int64_t swept; /* when threads that try no longer were last looked for */
};

struct polled *polled_new(struct measure *measure, const struct call_meanings *calls)
{
	struct polled *polled = NEW(struct polled);

	polled->measure = measure;
	polled->calls = calls;
	return polled;
}

static int release(const struct polled *polled, struct polling *polling)
{
	const struct measure_listener *tell = &polled->measure->judge.tell;
	bool held = polling->holds;

	polling->holds = false;
	return held ? tell->release(tell->context) : 0;
}

static int drop(struct polled *polled, struct polling *polling)
{
	int status = release(polled, polling);

	HASH_DEL(polled->threads, polling);
	free(polling);
	return status;
}

int polled_forget(struct polled *polled)
{
	int status = 0;

	while (polled->threads)
		if (drop(polled, polled->threads) < 0)
			status = -1;
	polled->swept = 0;
	return status;
}

void polled_free(struct polled *polled)
{
	struct polling *polling, *next;

	if (!polled)
		return;
	HASH_ITER(hh, polled->threads, polling, next) {
		HASH_DEL(polled->threads, polling);
		free(polling);
	}
	free(polled);
}

static struct polling *find(const struct polled *polled, int32_t tid)
{
	struct polling *polling = NULL;

	if (polled->threads)
		HASH_FIND_INT(polled->threads, &tid, polling);
	return polling;
}

void polled_sleeps(struct polled *polled, int32_t tid, int64_t ts)
{
	struct polling *polling = find(polled, tid);

	if (polling)
		polling->asleep = ts;
}

/* A sleep returns 0 if it lasted as long as asked for, and so does a wait for events that reached its time limit. */
void polled_wakes(struct polled *polled, int32_t tid, int64_t result, int64_t ts)
{
	struct polling *polling = find(polled, tid);

	if (polling && polling->asleep && result == 0)
		polling->slept += timestamp_between(polling->asleep, ts);
	if (polling)
		polling->asleep = 0;
}

static bool goes_on(const struct polling *polling, const struct start *start)
{
	return polling && polling->call == start->sample.series->id[0] && polling->slept > timestamp_between(polling->last, start->sample.start) / 2;
}

static struct polling *begin(struct polled *polled, struct polling *polling, const struct start *start)
{
	if (!polling) {
		polling = NEW(struct polling);
		polling->tid = start->sample.tid;
		HASH_ADD_INT(polled->threads, tid, polling);
	}
	polling->call = start->sample.series->id[0];
	polling->first = start->sample.start;
	polling->tries = 0;
	polling->told = false;
	return polling;
}

/* Signals a wait that is too long already, once. */
static int tell(struct polled *polled, struct polling *polling, const struct start *start, int64_t now)
{
	const struct judge *judge = &polled->measure->judge;
	int64_t age = timestamp_between(polling->first, now);
	struct sample sample = start->sample;

	if (polling->tries < TRIES_LEAST || polling->told || age <= start->sample.series->patience || judge->tell.ends)
		return 0;
	polling->told = polling->holds = true;
	sample.start = polling->first;
	sample.end = polling->first + age;
	sample.value = (double)age / 1e9;
	sample.open = true;
	if (judge->tell.hold(judge->tell.context, sample.start) < 0)
		return -1;
	return judge_single(judge, &sample);
}

int polled_return(struct polled *polled, struct start *start, int64_t result, int64_t now)
{
	const char *call = start->sample.series->key;
	bool exists = false, fails = call_fails(polled->calls, call ? call : "", result, &exists);
	struct polling *polling = fails || polled->threads ? find(polled, start->sample.tid) : NULL;
	bool again = goes_on(polling, start);

	if (start->no_try || (!fails && !again))
		return 0;
	if (!fails) {
		start->sample.start = polling->first;
		start->told = polling->told;
		return drop(polled, polling);
	}
	if (!again && polling && release(polled, polling) < 0)
		return -1;
	if (!polling && HASH_COUNT(polled->threads) == POLLED_MAX && drop(polled, polled->threads) < 0)
		return -1;
	if (!again)
		polling = begin(polled, polling, start);
	polling->tries++;
	polling->last = now;
	polling->slept = 0;
	return exists ? 0 : tell(polled, polling, start, now); /* if the thing only exists, success will show that the caller waited */
}

int polled_exit(struct polled *polled, int32_t tid)
{
	struct polling *polling = find(polled, tid);

	return polling ? drop(polled, polling) : 0;
}

int polled_time(struct polled *polled, int64_t now)
{
	struct polling *polling, *next;

	if (!polled->threads || timestamp_between(polled->swept, now) < NSEC_PER_SEC)
		return 0;
	polled->swept = now;
	HASH_ITER(hh, polled->threads, polling, next)
		if (timestamp_between(polling->last, now) > PATIENCE_HOLD && release(polled, polling) < 0)
			return -1;
	return 0;
}
