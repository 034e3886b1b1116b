#include "blame/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/number.h"
#include "graph/deed_family.h"

enum { DEALS_MAX = 10000, DEALS_MIN = 1000, SHARES_MAX = 200000000 };

static const double sure_enough = 0.05, rounding = 1e-9;

struct compared {
	struct deed *family, *deed; /* deed: what the family has in common; set by find_differences() */
	struct deed_family deeds;	    /* of the family */
	ARRAY(struct { uint32_t moment; double share; }) shares; /* of moments in which it was blamed */
	double sum;	   /* of all shares */
	double difference; /* in the data */
	double mean[2];
	uint64_t as_large; /* deals in which any name has a difference at least as large */
	UT_hash_handle hh;
};

struct host {
	char *name;
	uint32_t number;
	bool on_side[2];
	UT_hash_handle hh;
};

struct comparison {
	struct compared *by_family;
	ARRAY(struct compared *) deeds; /* after find_differences(): by size of difference, largest first */
	ARRAY(uint8_t) sides;		/* by moment */
	ARRAY(uint32_t) units;		/* by moment: the unit that is dealt as a whole; before find_units() its host */
	uint8_t *dealt;			/* by moment: its side in the current deal */
	size_t units_of[2];		/* by side: how many */
	struct host *hosts;
	bool by_host;
	size_t moments[2];
	bool kinds[2];	   /* by enum graph_kind: there are moments with such graphs */
	size_t shares;
	uint64_t deals;
};

struct comparison *comparison_new(void)
{
	return NEW(struct comparison);
}

void comparison_free(struct comparison *comparison)
{
	struct host *host, *next;

	HASH_CLEAR(hh, comparison->by_family);
	for (size_t i = 0; i < comparison->deeds.count; i++) {
		deed_family_free(&comparison->deeds.items[i]->deeds);
		free(comparison->deeds.items[i]->family);
		free(comparison->deeds.items[i]->deed);
		free(comparison->deeds.items[i]->shares.items);
		free(comparison->deeds.items[i]);
	}
	HASH_ITER(hh, comparison->hosts, host, next) {
		HASH_DEL(comparison->hosts, host);
		free(host->name);
		free(host);
	}
	free(comparison->deeds.items);
	free(comparison->sides.items);
	free(comparison->units.items);
	free(comparison->dealt);
	free(comparison);
}

static struct host *find_host(struct comparison *comparison, const char *name)
{
	struct host *host;

	HASH_FIND_STR(comparison->hosts, name, host);
	if (host)
		return host;
	host = NEW(struct host);
	host->name = memory_text(name, strlen(name));
	host->number = HASH_COUNT(comparison->hosts);
	HASH_ADD_KEYPTR(hh, comparison->hosts, host->name, strlen(host->name), host);
	return host;
}

static struct compared *find(struct comparison *comparison, const struct deed *family)
{
	struct compared *compared;

	HASH_FIND(hh, comparison->by_family, family->key, family->key_length, compared);
	if (compared)
		return compared;
	compared = NEW(struct compared);
	compared->family = deed_copy(family);
	HASH_ADD_KEYPTR(hh, comparison->by_family, compared->family->key, compared->family->key_length, compared);
	*ARRAY_ADD(&comparison->deeds) = compared;
	return compared;
}

int comparison_check(const struct comparison *comparison)
{
	if (!comparison->kinds[GRAPH_WAKE] || !comparison->kinds[GRAPH_RAG])
		return 0;
	return fail("graphs of threads (kind=wake) and graphs of calls (kind=rag) cannot be compared; make both streams with the same "
		    "graph-build --kind");
}

void comparison_moment(struct comparison *comparison, enum comparison_side side, const char *host, enum graph_kind kind,
		       const struct moment_share *shares, size_t count)
{
	struct host *found = find_host(comparison, host);
	uint32_t moment = comparison->sides.count;

	found->on_side[side] = true;
	*ARRAY_ADD(&comparison->units) = found->number;
	*ARRAY_ADD(&comparison->sides) = side;
	comparison->moments[side]++;
	comparison->kinds[kind] = true;
	comparison->shares += count;
	for (size_t i = 0; i < count; i++) {
		struct compared *compared = find(comparison, shares[i].family);
		size_t place = compared->shares.count;

		deed_family_add(&compared->deeds, shares[i].deed, shares[i].share);
		(void)ARRAY_ADD(&compared->shares);
		compared->shares.items[place].moment = moment;
		compared->shares.items[place].share = shares[i].share;
		compared->sum += shares[i].share;
	}
}

static double mean(double sum, size_t moments)
{
	return moments ? sum / moments : 0;
}

/* The difference of the deed's mean shares between the two sides; `moments` counts the moments of each. */
static double difference(const struct compared *compared, const uint8_t *sides, const size_t moments[2], double *means)
{
	double bad = 0;

	for (size_t i = 0; i < compared->shares.count; i++)
		if (sides[compared->shares.items[i].moment] == SIDE_BAD)
			bad += compared->shares.items[i].share;
	means[SIDE_BAD] = mean(bad, moments[SIDE_BAD]);
	means[SIDE_GOOD] = mean(compared->sum - bad, moments[SIDE_GOOD]);
	return means[SIDE_BAD] - means[SIDE_GOOD];
}

static int compare_sizes(const void *left, const void *right)
{
	const struct compared *a = *(struct compared *const *)left, *b = *(struct compared *const *)right;
	double x = fabs(a->difference), y = fabs(b->difference);

	return x != y ? (x < y) - (x > y) : deed_compare(a->deed, b->deed);
}

static void find_differences(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->deeds.count; i++) {
		struct compared *compared = comparison->deeds.items[i];

		compared->deed = deed_family_common(&compared->deeds);
		compared->difference = difference(compared, comparison->sides.items, comparison->moments, compared->mean);
	}
	if (comparison->deeds.count)
		qsort(comparison->deeds.items, comparison->deeds.count, sizeof(struct compared *), compare_sizes);
}

/* Counts the deal (the side of each unit) for each name whose difference in the data is at most the largest difference in the deal. */
static void count_deal(struct comparison *comparison, const uint8_t *sides)
{
	size_t moments[2] = {0};
	double largest = 0, means[2];

	for (size_t i = 0; i < comparison->sides.count; i++) {
		comparison->dealt[i] = sides[comparison->units.items[i]];
		moments[comparison->dealt[i]]++;
	}
	for (size_t i = 0; i < comparison->deeds.count; i++)
		largest = fmax(largest, fabs(difference(comparison->deeds.items[i], comparison->dealt, moments, means)));
	comparison->deals++;
	for (size_t i = comparison->deeds.count; i--;) {
		if (fabs(comparison->deeds.items[i]->difference) > largest + rounding)
			break;
		comparison->deeds.items[i]->as_large++;
	}
}

/* The number of deals; above `most` any number larger than `most`. */
static uint64_t count_deals(size_t good, size_t bad, uint64_t most)
{
	size_t few = good < bad ? good : bad, all = good + bad;
	uint64_t deals = 1;

	for (size_t i = 1; i <= few && deals <= most; i++)
		deals = deals * (all - few + i) / i;
	return deals;
}

static void swap_sides(uint8_t *sides, size_t i, size_t j)
{
	uint8_t side = sides[i];

	sides[i] = sides[j];
	sides[j] = side;
}

/* The next arrangement of the sides in lexicographic order; false: that was the last. */
static bool next_deal(uint8_t *sides, size_t count)
{
	size_t tail = count - 1, i; /* from the tail on, all bad ones come before all good ones */

	while (tail > 0 && sides[tail - 1] >= sides[tail])
		tail--;
	if (tail == 0)
		return false;
	for (i = count - 1; sides[i] <= sides[tail - 1]; i--)
		;
	swap_sides(sides, tail - 1, i);
	for (size_t last = count - 1; tail < last; tail++, last--)
		swap_sides(sides, tail, last);
	return true;
}

static void deal_all(struct comparison *comparison, uint8_t *sides)
{
	size_t good = comparison->units_of[SIDE_GOOD];

	memset(sides, SIDE_GOOD, good);
	memset(sides + good, SIDE_BAD, comparison->units_of[SIDE_BAD]);
	do
		count_deal(comparison, sides);
	while (next_deal(sides, good + comparison->units_of[SIDE_BAD]));
}

/* xorshift64*, whose numbers are the same everywhere. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static void shuffle(uint8_t *sides, size_t count, uint64_t *state)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = ((unsigned __int128)draw(state) * i) >> 64;

		swap_sides(sides, i - 1, j);
	}
}

/* `sides` starts as the sides in the data. */
static void deal_some(struct comparison *comparison, uint8_t *sides)
{
	uint64_t state = 1, deals = SHARES_MAX / (comparison->shares + comparison->sides.count);

	deals = deals < DEALS_MIN ? DEALS_MIN : deals > DEALS_MAX ? DEALS_MAX : deals;
	count_deal(comparison, sides);
	for (uint64_t i = 1; i < deals; i++) {
		shuffle(sides, comparison->units_of[SIDE_GOOD] + comparison->units_of[SIDE_BAD], &state);
		count_deal(comparison, sides);
	}
}

/* Tells whether there are several hosts on each side, and none on both. */
static bool are_hosts_apart(const struct comparison *comparison)
{
	size_t hosts[2] = {0};

	for (const struct host *host = comparison->hosts; host; host = host->hh.next) {
		if (host->on_side[SIDE_GOOD] && host->on_side[SIDE_BAD])
			return false;
		hosts[host->on_side[SIDE_BAD] ? SIDE_BAD : SIDE_GOOD]++;
	}
	return hosts[SIDE_GOOD] > 1 && hosts[SIDE_BAD] > 1;
}

/* Finds the units that a permutation deals to the sides. Returns the side of each unit in the data; the caller frees it. */
static uint8_t *find_units(struct comparison *comparison)
{
	uint8_t *sides = memory_new(comparison->sides.count + 1, 1), *known = memory_new(comparison->sides.count + 1, 1);

	comparison->by_host = are_hosts_apart(comparison);
	for (size_t i = 0; i < comparison->sides.count; i++) {
		uint32_t unit = comparison->by_host ? comparison->units.items[i] : (uint32_t)i;

		comparison->units.items[i] = unit;
		sides[unit] = comparison->sides.items[i];
		comparison->units_of[sides[unit]] += !known[unit];
		known[unit] = 1;
	}
	free(known);
	return sides;
}

/* Tells whether there are enough deals for any result to be sure. */
static bool enough_units(const struct comparison *comparison)
{
	size_t good = comparison->units_of[SIDE_GOOD], bad = comparison->units_of[SIDE_BAD];
	/* with as many good as bad units, the deal with swapped sides has differences of the same size */
	int alike = good == bad ? 2 : 1;

	return good && bad && count_deals(good, bad, DEALS_MAX) * sure_enough >= alike;
}

static void deal(struct comparison *comparison)
{
	uint8_t *sides = find_units(comparison);

	comparison->dealt = memory_new(comparison->sides.count + 1, 1);
	if (enough_units(comparison) && count_deals(comparison->units_of[SIDE_GOOD], comparison->units_of[SIDE_BAD], DEALS_MAX) <= DEALS_MAX)
		deal_all(comparison, sides);
	else if (enough_units(comparison))
		deal_some(comparison, sides);
	free(sides);
}

static void spell_part(struct line *line, const char *key, double part)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", part);
	line_text(line, key, text);
}

/* deed: NULL: the record names none. */
static int write_end(const struct comparison *comparison, const struct deed *deed, const struct ranking_options *options,
		     struct line *line, struct stream *stream)
{
	line_unsigned(line, "good_moments", comparison->moments[SIDE_GOOD]);
	line_unsigned(line, "bad_moments", comparison->moments[SIDE_BAD]);
	if (comparison->by_host) {
		line_unsigned(line, "good_hosts", comparison->units_of[SIDE_GOOD]);
		line_unsigned(line, "bad_hosts", comparison->units_of[SIDE_BAD]);
	}
	line_text(line, "algorithm", options->algorithm->name);
	if (deed)
		deed_spell(deed, line);
	return stream_write_line(stream, line);
}

static void spell(const struct comparison *comparison, const struct compared *compared, size_t rank, struct line *line)
{
	double p = comparison->deals ? (double)compared->as_large / comparison->deals : 1;

	line_begin(line, kind_name(KIND_DIFF));
	line_unsigned(line, "rank", rank);
	line_text(line, "name", compared->deed->name);
	spell_part(line, "difference", compared->difference);
	spell_part(line, "good", compared->mean[SIDE_GOOD]);
	spell_part(line, "bad", compared->mean[SIDE_BAD]);
	if (comparison->deals)
		spell_part(line, "p", p);
	line_text(line, "sure", !comparison->deals ? "few" : p <= sure_enough ? "yes" : "no");
}

int comparison_write(struct comparison *comparison, const struct ranking_options *options, struct stream *stream)
{
	struct line line = {0};
	size_t rank = 0;
	int status = 0;

	find_differences(comparison);
	deal(comparison);
	for (size_t i = 0; i < comparison->deeds.count && rank < options->count && !status; i++) {
		if (comparison->deeds.items[i]->difference <= rounding)
			continue;
		spell(comparison, comparison->deeds.items[i], ++rank, &line);
		status = write_end(comparison, comparison->deeds.items[i]->deed, options, &line, stream);
	}
	if (rank == 0) {
		line_begin(&line, kind_name(KIND_DIFF));
		status = write_end(comparison, NULL, options, &line, stream);
	}
	line_free(&line);
	return status;
}
