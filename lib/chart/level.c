#include "chart/level.h"

#include <math.h>

#include "chart/statistics.h"

static const int batch_size[LEVEL_BATCHES] = {64, 1024};

/*
 * BATCHES_LEAST: fewer batches tell nothing of their variance. VANISHED_MOST: how often at most a change that went away doubles the doubt
 * ("values that hang together (0.999)": without it 347,806 alarms, not 2,263).
 */
enum { BATCHES_LEAST = 8, VANISHED_MOST = 6 };

/* Sums stop growing at sum_most, so that they can fall soon enough. A share below share_least is not known more exactly. */
static const double sum_most = LEVEL_DECISION * 1.5, share_least = 0.01;

/* The variation of the batches of this side, as a multiple of that of independent values. */
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

	return fmin(fmax(q, share_least), 0.5);
}

static void set_steps(const struct level *level, struct level_side *side)
{
	double q = share(level, side), slower = dependence(side), other = 0.5;

	if (side == &level->far)
		other = fmin(LEVEL_OFTEN * q, 0.5);
	if (q >= 0.5) { /* values are so scattered that there is no level to speak of */
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

void level_free(struct level *level)
{
	histogram_forget(&level->usual);
	histogram_forget(&level->newest);
}

/* Begins with the values in `usual`. */
static void begin(struct level *level)
{
	double median = histogram_median(&level->usual);

	level->median = median;
	level->count = (uint64_t)level->usual.total;
	level->up = level->down = level->far = (struct level_side){0};
	level->up.beyond = (uint64_t)histogram_above(&level->usual, median * LEVEL_RATIO);
	level->down.beyond = level->count - (uint64_t)histogram_above(&level->usual, median / LEVEL_RATIO);
	level->far.beyond = (uint64_t)histogram_above(&level->usual, median * LEVEL_FAR);
	level->suspect = false;
	forget_batches(level);
}

void level_begin(struct level *level, double *values, size_t count)
{
	level_free(level);
	for (size_t i = 0; i < count; i++)
		histogram_add(&level->usual, values[i]);
	begin(level);
	level->median = median_sort(values, count);
}

void level_resume(struct level *level, double median, double sigma)
{
	level_free(level);
	for (int i = 0; i <= LEVEL_FIRST; i++) {
		double share = (i + 0.5) / (LEVEL_FIRST + 1);

		histogram_add(&level->usual, median * exp(2 * i == LEVEL_FIRST ? 0 : sigma * normal_beyond(1 - share)));
	}
	begin(level);
}

void level_follow(struct level *level)
{
	histogram_forget(&level->usual);
	level->usual = level->newest;
	level->newest = (struct histogram){0};
	begin(level);
}

void level_pause(struct level *level)
{
	struct level_side *const sides[] = {&level->up, &level->down, &level->far};

	for (int i = 0; i < 3; i++) {
		sides[i]->sum = 0;
		sides[i]->run = 0;
		sides[i]->changed = false;
	}
	level->suspect = false;
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
		if (q <= share_least) /* the share may be less, so too few values beyond tell nothing */
			excess = M_SQRT2 * fmax(excess, 0);
		batch->before = excess * excess / (batch_size[i] * q * (1 - q));
		batch->filled = batch->beyond = 0;
	}
}

/* True: the sum has passed the decision now. */
static bool add_to_side(const struct level *level, struct level_side *side, bool beyond, int64_t ts)
{
	side->sum += side->step[beyond];
	if (side->sum <= 0) {
		if (side->changed && side->vanished < VANISHED_MOST) {
			side->vanished++;
			set_steps(level, side);
		}
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

static bool is_suspect(const struct level *level)
{
	const double doubt = LEVEL_DECISION / 2;

	return level->up.sum > doubt || level->down.sum > doubt || level->far.sum > doubt;
}

/* The side whose sum says that the level has changed; NULL: none. */
static const struct level_side *changed_side(const struct level *level)
{
	const struct level_side *const sides[] = {&level->up, &level->far, &level->down};

	for (int i = 0; i < 3; i++)
		if (sides[i]->changed)
			return sides[i];
	return NULL;
}

/* Adds a value that may be of another level to the newest, not to the usual values. */
static void add_newest(struct level *level, double value)
{
	if (!level->suspect && !changed_side(level))
		histogram_forget(&level->newest);
	level->suspect = true;
	histogram_add(&level->newest, value);
}

bool level_add(struct level *level, double value, int64_t ts)
{
	bool is_ratio = level->median > 0, changed = false, above = is_ratio && value > level->median * LEVEL_RATIO;
	bool below = is_ratio && value < level->median / LEVEL_RATIO, far = is_ratio && value > level->median * LEVEL_FAR;

	if (level->count >= LEVEL_FIRST) {
		changed = add_to_side(level, &level->up, above, ts);
		add_to_side(level, &level->down, below, ts);
		add_to_side(level, &level->far, far, ts);
	}
	if (is_suspect(level)) {
		add_newest(level, value);
		return changed;
	}
	level->suspect = false;
	level->count++;
	level->up.beyond += above;
	level->down.beyond += below;
	level->far.beyond += far;
	histogram_add(&level->usual, value);
	level->median = histogram_median(&level->usual);
	add_to_batches(level, &level->up, above);
	add_to_batches(level, &level->down, below);
	add_to_batches(level, &level->far, far);
	if (level->count % 64 == 0)
		set_all_steps(level);
	return changed;
}

bool level_has_changed(const struct level *level, int64_t *since)
{
	const struct level_side *side = changed_side(level);

	if (side)
		*since = side->since;
	return side && level->suspect;
}
