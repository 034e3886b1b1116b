#include "chart/level.h"

#include <math.h>
#include <string.h>

#include "chart/median.h"

static const int batch_size[LEVEL_BATCHES] = {64, 1024};

/* Batches without which nothing is known of their variance; sums stop growing so far above the decision, so that they fall in time. */
enum { BATCHES_LEAST = 8, VANISHED_MOST = 6 };
static const double sum_most = LEVEL_DECISION * 1.5, share_most = 0.45;

/* How much more the batches of this side vary than independent values would make them. */
static double dependence(const struct level_side *side)
{
	double most = 1;

	for (int i = 0; i < LEVEL_BATCHES; i++)
		if (side->batch[i].count >= BATCHES_LEAST)
			most = fmax(most, side->batch[i].sum / side->batch[i].count);
	return ldexp(most, side->vanished);
}

static double share(const struct level *level, const struct level_side *side)
{
	double q = ((double)side->beyond + 1) / ((double)level->count + 2);

	return fmin(fmax(q, 0.01), share_most);
}

static void set_steps(const struct level *level, struct level_side *side)
{
	double q = share(level, side), slower = dependence(side), other = 0.5;

	if (side == &level->far)
		other = fmin(LEVEL_OFTEN * q, 0.5);
	if (q >= share_most) { /* values are so scattered that there is no level to speak of */
		side->step[0] = side->step[1] = -1;
		return;
	}
	side->step[1] = log(other / q) / slower;
	side->step[0] = log((1 - other) / (1 - q)) / slower;
}

static void set_all_steps(struct level *level)
{
	set_steps(level, &level->up);
	set_steps(level, &level->down);
	set_steps(level, &level->far);
}

static void forget_batches(struct level *level)
{
	for (int i = 0; i < LEVEL_BATCHES; i++)
		level->up.batch[i].before = level->down.batch[i].before = level->far.batch[i].before = -1;
	set_all_steps(level);
}

void level_begin(struct level *level, double *values, size_t count)
{
	double median = median_sort(values, count), spread;

	*level = (struct level){.median = median, .count = count};
	for (size_t i = 0; i < count; i++) {
		level->up.beyond += values[i] > median * LEVEL_RATIO;
		level->down.beyond += values[i] < median / LEVEL_RATIO;
		level->far.beyond += values[i] > median * LEVEL_FAR;
	}
	/* The best step is 1 / (2 f n), f the density at the median: here as of a normal distribution with these quartiles. */
	spread = (values[count * 3 / 4] - values[count / 4]) / 1.349;
	level->gain = spread > 0 ? spread * 1.2533 : fabs(median) / 100;
	forget_batches(level);
}

void level_resume(struct level *level, double median, double sigma)
{
	double share = sigma > 0 ? 0.5 * erfc(log(LEVEL_RATIO) / sigma * M_SQRT1_2) : 0;

	*level = (struct level){.median = median, .count = LEVEL_FIRST, .gain = median * fmax(sigma * 1.2533, 0.01)};
	level->up.beyond = level->down.beyond = (uint64_t)(share * LEVEL_FIRST);
	forget_batches(level);
}

static void add_to_batches(const struct level *level, struct level_side *side, bool beyond)
{
	for (int i = 0; i < LEVEL_BATCHES; i++) {
		struct level_batch *batch = &side->batch[i];
		double q, excess;

		batch->beyond += beyond;
		if (++batch->filled < batch_size[i])
			continue;
		if (batch->before >= 0) {
			batch->sum += batch->before;
			batch->count++;
		}
		q = share(level, side);
		excess = batch->beyond - q * batch_size[i];
		batch->before = excess * excess / (batch_size[i] * q * (1 - q));
		batch->filled = batch->beyond = 0;
	}
}

/* True: the sum has passed the decision now. */
static bool add_to_side(struct level_side *side, bool beyond, int64_t ts)
{
	side->sum += side->step[beyond];
	if (side->sum <= 0) {
		side->vanished += side->changed && side->vanished < VANISHED_MOST;
		side->sum = 0;
		side->run = 0;
		side->changed = false;
		return false;
	}
	if (side->run++ == 0)
		side->since = ts;
	side->sum = fmin(side->sum, sum_most);
	if (side->changed || side->sum < LEVEL_DECISION || side->run < LEVEL_LEAST)
		return false;
	return side->changed = true;
}

bool level_add(struct level *level, double value, int64_t ts)
{
	bool is_ratio = level->median > 0, changed = false, above = is_ratio && value > level->median * LEVEL_RATIO;
	bool below = is_ratio && value < level->median / LEVEL_RATIO, far = is_ratio && value > level->median * LEVEL_FAR;

	level->newest[level->seen++ % LEVEL_NEWEST] = value;
	if (level->count >= LEVEL_FIRST) {
		changed = add_to_side(&level->up, above, ts);
		add_to_side(&level->down, below, ts);
		add_to_side(&level->far, far, ts);
	}
	if (level_is_suspect(level))
		return changed; /* what may be of another level is not of this one */
	level->count++;
	level->up.beyond += above;
	level->down.beyond += below;
	level->far.beyond += far;
	level->median += level->gain / (double)level->count * ((value > level->median) - (value < level->median));
	add_to_batches(level, &level->up, above);
	add_to_batches(level, &level->down, below);
	add_to_batches(level, &level->far, far);
	if (level->count % 64 == 0)
		set_all_steps(level);
	return changed;
}

/* NULL: none has changed. */
static const struct level_side *changed_side(const struct level *level)
{
	const struct level_side *const sides[] = {&level->up, &level->far, &level->down};

	for (int i = 0; i < 3; i++)
		if (sides[i]->changed)
			return sides[i];
	return NULL;
}

int level_change(const struct level *level, int64_t *since)
{
	const struct level_side *side = changed_side(level);

	if (!side)
		return 0;
	*since = side->since;
	return side == &level->down ? -1 : 1;
}

size_t level_newest(const struct level *level, double values[LEVEL_NEWEST])
{
	const struct level_side *side = changed_side(level);
	uint64_t count = level->seen < LEVEL_NEWEST ? level->seen : LEVEL_NEWEST;

	if (side && side->run < count)
		count = side->run;
	for (uint64_t i = 0; i < count; i++)
		values[i] = level->newest[(level->seen - count + i) % LEVEL_NEWEST];
	return count;
}
