/*
 * Lulls of waits: a thread asks, its wait for many descriptors ends by the time limit or by a signal, and the thread goes right back to waiting, as
 * curl does. All these waits are one, which lasts until the answer is there. If no answer comes, the wait lasted until its last time limit.
 *
 * A server to which numbers are sent never answers. So as long as nothing has ever come by that connection, the wait is not reported while it
 * lasts, and without an answer it lasted until its first time limit.
 *
 * Such waits have a place of their own in the table of starts, because the thread calls other things in between.
 */
#include "chart/measure_state.h"
#include "chart/traffic.h"

enum { INTERRUPTED = -4 };

void lull_key(const struct active_chart *chart, const int64_t *key, bool waits, int64_t place[CHART_KEYS_MAX])
{
	memcpy(place, key, CHART_KEYS_MAX * sizeof(*key));
	if (chart->lasting)
		place[1] = waits;
}

/* The wait of the thread that is in a lull; NULL: there is none. */
static struct start *find(const struct active_chart *chart, int32_t tid)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};
	struct start *start = chart->lulls ? pair_find(chart->pairs, key) : NULL;

	return start && start->lull ? start : NULL;
}

int lull_unended(struct measure *measure, struct active_chart *chart, int32_t tid, int64_t now)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};
	struct start *start = traffic_waits(chart->traffic, tid) ? pair_find(chart->pairs, key) : NULL;

	if (!start || (start->lull && !start->again))
		return 0;
	traffic_return(chart->traffic, tid, INTERRUPTED);
	return outcome_abandon(measure, pair_forget(chart->pairs, key), now, false);
}

int lull_enter(struct measure *measure, struct active_chart *chart, int32_t tid, bool waits, bool *goes_on)
{
	struct start *start = find(chart, tid);
	bool answers;

	*goes_on = false;
	if (!start || start->again)
		return 0;
	if (traffic_question(chart->traffic, tid, &answers) != start->question)
		return outcome_lull(measure, start);
	*goes_on = waits;
	if (waits && answers)
		start->lull = start->first = 0;
	start->again = waits && !answers;
	return 0;
}

bool lull_return(struct active_chart *chart, int32_t tid, int64_t result, int64_t now)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};
	bool answers;
	int64_t question = traffic_question(chart->traffic, tid, &answers);
	struct start *start = question ? pair_find(chart->pairs, key) : NULL;

	if (!start || !(result == 0 || result == INTERRUPTED || start->again))
		return false;
	chart->lulls += !start->lull;
	start->question = question;
	start->lull = now;
	start->again = false;
	if (!start->first && !answers)
		start->first = now;
	return true;
}

int lull_transfer(struct measure *measure, struct active_chart *chart, int32_t tid)
{
	struct start *start = find(chart, tid);
	bool answers;

	if (!start || start->again || traffic_question(chart->traffic, tid, &answers) == start->question)
		return 0;
	if (answers)
		start->first = 0;
	return outcome_lull(measure, start);
}

int lull_exit(struct measure *measure, struct active_chart *chart, int64_t tid, int64_t now, bool certain)
{
	const int64_t key[CHART_KEYS_MAX] = {tid, true};
	struct start *start = find(chart, (int32_t)tid);

	if (start)
		return outcome_lull(measure, start);
	return chart->lasting ? outcome_abandon(measure, pair_forget(chart->pairs, key), now, certain) : 0;
}
