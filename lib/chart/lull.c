#include "chart/lull.h"

#include <string.h>

#include "base/number.h"
#include "chart/pair.h"
#include "chart/span.h"
#include "chart/traffic.h"

enum { INTERRUPTED = -4 };

/* An answer after which nothing was sent for this long was the last; a thread that does not wait again meanwhile has given up. */
static const int64_t lull_lasts = NSEC_PER_SEC / 2;

int64_t lull_over(const struct lull *lull)
{
	return lull->again ? INT64_MAX : span_add(lull->since, lull_lasts);
}

int64_t lull_end(const struct lull *lull)
{
	return lull->first ? lull->first : lull->since;
}

void lull_key(const struct lulls *lulls, const int64_t *key, bool waits, int64_t place[])
{
	memcpy(place, key, CHART_KEYS_MAX * sizeof(*key));
	if (lulls->waits)
		place[1] = waits;
}

/* The wait of this thread, whether in a lull or not; NULL: there is none. */
static struct start *find_wait(const struct lulls *lulls, int32_t tid)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};

	return pair_find(lulls->waits, key);
}

/* The wait of this thread that is in a lull; NULL: there is none. */
static struct start *find_lull(const struct lulls *lulls, int32_t tid)
{
	struct start *start = lulls->waits && lulls->count ? find_wait(lulls, tid) : NULL;

	return start && start->lull.since ? start : NULL;
}

/* Takes the wait of this thread out of the table. */
static struct start *hand_out(const struct lulls *lulls, int32_t tid)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};

	return pair_forget(lulls->waits, key);
}

struct start *lull_unended(struct lulls *lulls, int32_t tid)
{
	const struct start *start = lulls->waits && traffic_waits(lulls->traffic, tid) ? find_wait(lulls, tid) : NULL;

	if (!start || (start->lull.since && !start->lull.again))
		return NULL;
	traffic_return(lulls->traffic, tid, INTERRUPTED);
	return hand_out(lulls, tid);
}

struct start *lull_enter(struct lulls *lulls, int32_t tid, bool waits, bool *goes_on)
{
	struct start *start = find_lull(lulls, tid);
	bool answers;

	*goes_on = false;
	if (!start || start->lull.again)
		return NULL;
	if (traffic_question(lulls->traffic, tid, &answers) != start->lull.question)
		return start;
	*goes_on = waits;
	if (waits && answers)
		start->lull.since = start->lull.first = 0;
	start->lull.again = waits && !answers;
	return NULL;
}

bool lull_return(struct lulls *lulls, int32_t tid, int64_t result, int64_t now)
{
	bool answers;
	int64_t question = traffic_question(lulls->traffic, tid, &answers);
	struct start *start = question ? find_wait(lulls, tid) : NULL;

	if (!start || !(result == 0 || result == INTERRUPTED || start->lull.again))
		return false;
	lulls->count += !start->lull.since;
	start->lull.question = question;
	start->lull.since = now;
	start->lull.again = false;
	if (!start->lull.first && !answers)
		start->lull.first = now;
	return true;
}

struct start *lull_transfer(struct lulls *lulls, int32_t tid)
{
	struct start *start = find_lull(lulls, tid);
	bool answers;

	if (!start || start->lull.again || traffic_question(lulls->traffic, tid, &answers) == start->lull.question)
		return NULL;
	if (answers)
		start->lull.first = 0;
	return start;
}

struct start *lull_exit(struct lulls *lulls, int32_t tid, struct start **unended)
{
	struct start *start = find_lull(lulls, tid);

	*unended = lulls->waits && !start ? hand_out(lulls, tid) : NULL;
	return start;
}
