#include "chart/tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/memory.h"
#include "chart/rules.h"

/* Tails of latencies have about this shape; without the expectation fits to few values cry wolf: log-normal 9.3 times, not 7. */
#define SHAPE_EXPECTED 0.35
#define SHAPE_DEVIATION 0.2

enum {
	REFIT_SOON = 20000, /* with fewer values one beyond the limit refits; "values that hang together (0.999)": else 2,347 alarms, not 2,263 */
	GRID = 80,	    /* steps of the first search for the maximum... */
	REFINEMENTS = 30,   /* ... and of the second, which halve */
};

struct peak {
	double value;
	bool censored;
};

struct tail {
	uint64_t count;
	double *kept; /* a heap, the least of the largest on top */
	int kept_count, kept_room;
	double *beyond; /* the limits that the newest values beyond a limit lay beyond */
	uint64_t beyond_count;
	int beyond_room;
	double largest;	 /* the largest value within the limits */
	double outer[2]; /* the largest values beyond them, the larger first */
	struct peak *peaks; /* during a fit: the largest values, as excesses over the threshold */
	int peak_count;
	struct tail_fit fit;
};

struct tail *tail_new(void)
{
	return NEW(struct tail);
}

void tail_forget(struct tail *tail)
{
	free(tail->kept);
	free(tail->beyond);
	*tail = (struct tail){0};
}

void tail_free(struct tail *tail)
{
	tail_forget(tail);
	free(tail);
}

/* Grows an array little by little, because many tails are of keys that hardly occur. */
static double *make_room(double *values, uint64_t count, int *room, int most)
{
	if (count < (uint64_t)*room)
		return values;
	*room = *room == 0 ? 64 : 2 * *room < most ? 2 * *room : most;
	return memory_grow(values, (size_t)*room, sizeof(*values));
}

uint64_t tail_count(const struct tail *tail)
{
	return tail->count;
}

/* How many values are to be above the threshold. */
static int wanted(const struct tail *tail)
{
	double most = fmax(TAIL_LEAST, sqrt((double)tail->count));

	return (int)fmin((double)tail->count * TAIL_SHARE, fmin(most, TAIL_KEPT - 1));
}

bool tail_is_ready(const struct tail *tail)
{
	return wanted(tail) >= TAIL_FEWEST;
}

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

static bool is_less(const double *a, const double *b)
{
	return *a < *b;
}

void tail_learn(struct tail *tail, double value)
{
	tail->count++;
	tail->largest = fmax(tail->largest, value);
	if (tail->kept_count < TAIL_KEPT) {
		tail->kept = make_room(tail->kept, (uint64_t)tail->kept_count, &tail->kept_room, TAIL_KEPT);
		tail->kept[tail->kept_count++] = value;
		HEAP_RISE(tail->kept, (size_t)tail->kept_count - 1, is_less);
	} else if (value > tail->kept[0]) {
		tail->kept[0] = value;
		HEAP_SINK(tail->kept, (size_t)tail->kept_count, 0, is_less);
	}
}

void tail_learn_beyond(struct tail *tail, double limit, double value)
{
	tail->count++;
	if (value > tail->outer[0])
		swap(&tail->outer[0], &value);
	tail->outer[1] = fmax(tail->outer[1], value);
	if (tail->count < REFIT_SOON)
		tail->fit.count = 0;
	if (tail->beyond_count < TAIL_CENSORED)
		tail->beyond = make_room(tail->beyond, tail->beyond_count, &tail->beyond_room, TAIL_CENSORED);
	tail->beyond[tail->beyond_count++ % TAIL_CENSORED] = limit;
}

static int ascending(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

int tail_forget_outliers(struct tail *tail, double gap, int most, double floor)
{
	int out = 0, count = tail->kept_count;

	if (count == 0)
		return 0;
	qsort(tail->kept, (size_t)count, sizeof(*tail->kept), ascending); /* ascending order is a heap, too */
	for (int i = 1; i <= most && i < count; i++)
		if (tail->kept[count - i] > fmax(gap * tail->kept[count - i - 1], floor))
			out = i;
	tail->kept_count -= out;
	tail->count -= (uint64_t)out;
	tail->largest = tail->kept[tail->kept_count - 1];
	tail->fit.count = 0;
	return out;
}

static int by_size(const void *a, const void *b)
{
	double left = ((const struct peak *)a)->value, right = ((const struct peak *)b)->value;

	return (left < right) - (left > right);
}

/* Turns what is above the threshold into excesses over it. A value equal to the threshold is not above it; a censored one is, being beyond it. */
static int find_excesses(struct peak *peaks, int count, double threshold)
{
	int found = 0;

	for (int i = 0; i < count; i++) {
		double excess = rules_above(peaks[i].value, threshold);

		if (excess > 0 || (excess == 0 && peaks[i].censored))
			peaks[found++] = (struct peak){excess, peaks[i].censored};
	}
	return found;
}

/* Takes the largest values; the next largest is the threshold. */
static void gather(struct tail *tail)
{
	int count = 0;
	int censored = tail->beyond_count < TAIL_CENSORED ? (int)tail->beyond_count : TAIL_CENSORED;

	tail->peaks = memory_new(TAIL_KEPT + TAIL_CENSORED, sizeof(*tail->peaks));
	for (int i = 0; i < tail->kept_count; i++)
		tail->peaks[count++] = (struct peak){tail->kept[i], false};
	for (int i = 0; i < censored; i++)
		tail->peaks[count++] = (struct peak){tail->beyond[i], true};
	qsort(tail->peaks, (size_t)count, sizeof(*tail->peaks), by_size);
	tail->fit.threshold = tail->peaks[wanted(tail)].value;
	tail->fit.largest = fmax(tail->largest, fmin(tail->outer[0], TAIL_OUTER * tail->outer[1]));
	tail->peak_count = find_excesses(tail->peaks, count, tail->fit.threshold);
	tail->fit.share = fmax(1, tail->peak_count) / (double)tail->count;
}

/* The logarithm of the prior of the shape. It matters only if peaks are few. */
static double expectation(double shape)
{
	double off = (shape - SHAPE_EXPECTED) / SHAPE_DEVIATION;

	return -off * off / 2;
}

/*
 * The sum of many log(1 + x) is computed as the logarithm of a few products, because a logarithm takes as long as some twenty factors. If each x
 * is small, that would not be exact.
 */
struct log_sum {
	bool exact; /* adds each logarithm by itself */
	double sum, product;
};

static void log_sum_add(struct log_sum *logs, double x)
{
	static const double large = 1e150;

	if (logs->exact || x >= large)
		logs->sum += log1p(x);
	else
		logs->product *= 1 + x;
	if (logs->product > large) {
		logs->sum += log(logs->product);
		logs->product = 1;
	}
}

static double log_sum_end(const struct log_sum *logs)
{
	return logs->sum + log(logs->product);
}

/*
 * Log-likelihood of the excesses y for a given theta = xi / sigma, at the shape that is best for it. An excess adds
 * -log sigma - (1 + 1 / xi) log(1 + theta y), a censored one only -1 / xi log(1 + theta y); so with m that are not censored,
 * and A and C the sums of the logarithms, the best shape is (A + C) / m, and the rest follows. At theta = 0 the tail is exponential,
 * with the mean as scale.
 */
static double likelihood(const struct tail *tail, double theta, double *shape, double *scale)
{
	bool small = tail->peak_count > 0 && theta * tail->peaks[0].value < 0.1;
	struct log_sum exacts = {small, 0, 1}, censoreds = exacts;
	double exact, sum = 0;
	int m = 0;

	for (int i = 0; i < tail->peak_count; i++) {
		const struct peak *peak = &tail->peaks[i];

		sum += peak->value;
		m += !peak->censored;
		log_sum_add(peak->censored ? &censoreds : &exacts, theta * peak->value);
	}
	exact = log_sum_end(&exacts);
	*shape = 0;
	*scale = sum / m;
	if (theta <= 0 || m == 0 || sum <= 0)
		return m == 0 || sum <= 0 ? -INFINITY : -m * log(*scale) - m + expectation(0);
	*shape = (exact + log_sum_end(&censoreds)) / m;
	*scale = *shape / theta;
	return -m * log(*scale) - exact - m + expectation(*shape);
}

/* Maximizes the likelihood over theta: the best of a coarse grid, then ever smaller steps around it. */
static void maximize(struct tail *tail)
{
	double best, theta = 0, step, mean, shape, scale;

	best = likelihood(tail, 0, &tail->fit.shape, &tail->fit.scale);
	if (best == -INFINITY) { /* all the largest values within the limits are equal */
		tail->fit.shape = tail->fit.scale = 0;
		return;
	}
	mean = tail->fit.scale;
	for (int i = 0; i < GRID; i++) {
		double at = pow(10, -3 + 6.0 * i / GRID) / mean, value = likelihood(tail, at, &shape, &scale);

		if (value > best) {
			best = value;
			theta = at;
		}
	}
	step = 0.1 * theta + 1e-4 / mean;
	for (int i = 0; i < REFINEMENTS; i++) {
		double up = likelihood(tail, theta + step, &shape, &scale);
		double down = likelihood(tail, theta - step, &shape, &scale);

		if (fmax(up, down) > best) {
			best = fmax(up, down);
			theta += up > down ? step : -step;
		} else {
			step /= 2;
		}
	}
	likelihood(tail, theta, &tail->fit.shape, &tail->fit.scale);
}

const struct tail_fit *tail_fit(struct tail *tail)
{
	if (tail->fit.count && tail->count < tail->fit.count + tail->fit.count / 10)
		return &tail->fit;
	gather(tail);
	maximize(tail);
	free(tail->peaks);
	tail->peaks = NULL;
	tail->fit.count = tail->count;
	return &tail->fit;
}

/* If only values beyond the limits of their time are above the threshold: tells whether these are usual. */
static bool is_usual(const struct tail_fit *fit)
{
	return fit->share * TAIL_USUAL >= 1 || fit->share * (double)fit->count >= TAIL_FEWEST;
}

double tail_fit_limit_within(const struct tail_fit *fit, double p, double reach)
{
	double ratio = p / fit->share, excess;

	if (ratio >= 1)
		return fit->threshold;
	if (!(fit->scale > 0))
		return is_usual(fit) ? fmax(fit->threshold, fit->largest) : fit->threshold;
	if (fit->shape < 1e-9)
		excess = -fit->scale * log(ratio);
	else
		excess = fit->scale / fit->shape * (pow(ratio, -fit->shape) - 1);
	return fmin(fit->threshold + excess, reach * fit->largest);
}

double tail_reach(uint64_t count, double p)
{
	return fmax(TAIL_BEYOND, pow((double)count * p, -SHAPE_EXPECTED));
}

double tail_fit_limit(const struct tail_fit *fit, double p)
{
	return tail_fit_limit_within(fit, p, TAIL_BEYOND);
}
