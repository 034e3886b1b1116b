#include "chart/silence.h"

#include <string.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "chart/pair.h"
#include "chart/traffic.h"

enum { INTERRUPTED = -4 };

/* If nothing is sent for this long after an answer, it was the last. If a thread does not wait again within this time, it has given up. */
static const int64_t silence_lasts = NSEC_PER_SEC / 2;

int64_t silence_deadline(const struct silence *silence)
{
	return silence->again ? INT64_MAX : timestamp_add(silence->since, silence_lasts);
}

int64_t silence_end(const struct silence *silence)
{
	return silence->first ? silence->first : silence->since;
}

void silence_key(const struct silences *silences, const int64_t *key, bool waits, int64_t place[])
{
	memcpy(place, key, CHART_KEYS_MAX * sizeof(*key));
	if (silences->waits)
		place[1] = waits;
}

/* The wait of this thread, whether in a silence or not; NULL: there is none. */
static struct start *find_wait(const struct silences *silences, int32_t tid)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};

	return pair_find(silences->waits, key);
}

/* The wait of this thread that is in a silence; NULL: there is none. */
static struct start *find_silence(const struct silences *silences, int32_t tid)
{
	struct start *start = silences->waits && silences->count ? find_wait(silences, tid) : NULL;

	return start && start->silence.since ? start : NULL;
}

/* Takes the wait of this thread out of the table. */
static struct start *hand_out(const struct silences *silences, int32_t tid)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};

	return pair_forget(silences->waits, key);
}

struct start *silence_unended(struct silences *silences, int32_t tid)
{
	const struct start *start = silences->waits && traffic_waits(silences->traffic, tid) ? find_wait(silences, tid) : NULL;

	if (!start || (start->silence.since && !start->silence.again))
		return NULL;
	traffic_return(silences->traffic, tid, INTERRUPTED);
	return hand_out(silences, tid);
}

struct start *silence_enter(struct silences *silences, int32_t tid, bool waits, bool *goes_on)
{
	struct start *start = find_silence(silences, tid);
	bool answers;

	*goes_on = false;
	if (!start || start->silence.again)
		return NULL;
	if (traffic_question(silences->traffic, tid, &answers) != start->silence.question)
		return start;
	*goes_on = waits;
	if (waits && answers)
		start->silence.since = start->silence.first = 0;
	start->silence.again = waits && !answers;
	return NULL;
}

bool silence_return(struct silences *silences, int32_t tid, int64_t result, int64_t now)
{
	bool answers;
	int64_t question = traffic_question(silences->traffic, tid, &answers);
	struct start *start = question ? find_wait(silences, tid) : NULL;

	if (!start || !(result == 0 || result == INTERRUPTED || start->silence.again))
		return false;
	silences->count += !start->silence.since;
	start->silence.question = question;
	start->silence.since = now;
	start->silence.again = false;
	if (!start->silence.first && !answers)
		start->silence.first = now;
	return true;
}

struct start *silence_transfer(struct silences *silences, int32_t tid)
{
	struct start *start = find_silence(silences, tid);
	bool answers;

	if (!start || start->silence.again || traffic_question(silences->traffic, tid, &answers) == start->silence.question)
		return NULL;
	if (answers)
		start->silence.first = 0;
	return start;
}

struct start *silence_exit(struct silences *silences, int32_t tid, struct start **unended)
{
	struct start *start = find_silence(silences, tid);

	*unended = silences->waits && !start ? hand_out(silences, tid) : NULL;
	return start;
}
