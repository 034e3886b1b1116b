#include "model/verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "graph/deed_family.h"
#include "model/display.h"

enum { TALLIES_MAX = 4096 };

/* The sum over the deeds of one family (graph/deed_family.h). */
struct tally {
	struct deed *family;
	char *words, *who;    /* of the deeds' common deed; NULL: not made since the last deed was added */
	struct deed_family deeds;
	double score;
	uint64_t moments, last_moment;
	struct identity identity; /* the process, if it was the same each time */
	bool vague;		  /* the process was not the same each time, or is unknown */
	ARRAY(uint64_t) on_hosts; /* a bit for each host, by its number */
	uint64_t hosts;
	int64_t since;
	UT_hash_handle hh;
};

struct host {
	char *name;
	size_t number;
	UT_hash_handle hh;
};

struct verdicts {
	struct tally *tallies;
	ARRAY(struct culprit) total; /* the ranker's total; empty: none came */
	double explained;	     /* seconds of all stories */
	double uncounted;
	bool timeless; /* scores are no times */
	uint64_t ranked_streams;
	struct host *hosts;
	bool compared;
	struct diff comparison;
};

struct verdicts *verdicts_new(void)
{
	return NEW(struct verdicts);
}

static void see_process(struct tally *tally, const struct identity *identity)
{
	if (!tally->identity.pid && !tally->vague)
		tally->identity = identity_copy(identity);
	if (!identity->pid || identity->mostly || identity->pid != tally->identity.pid || strcmp(identity->program, tally->identity.program) != 0)
		tally->vague = true;
}

/* A copy of the deed's family, which the caller frees. */
static struct deed *copy_family(const struct deed *deed)
{
	struct deed family = deed_family_of(deed);

	return deed_copy(&family);
}

static struct tally *find_tally(const struct verdicts *verdicts, const struct deed *deed)
{
	struct deed *family = copy_family(deed);
	struct tally *tally;

	HASH_FIND(hh, verdicts->tallies, family->key, family->key_length, tally);
	free(family);
	return tally;
}

static void forget_words(struct tally *tally)
{
	free(tally->words);
	free(tally->who);
	tally->words = tally->who = NULL;
}

static void make_words(struct tally *tally)
{
	struct deed *deed;

	if (tally->words)
		return;
	deed = deed_family_common(&tally->deeds);
	tally->words = culprit_words(deed, 0, 0);
	tally->who = display_clean(deed->who ? deed->who : "");
	free(deed);
}

static void tally_free(struct tally *tally)
{
	deed_family_free(&tally->deeds);
	identity_free(&tally->identity);
	forget_words(tally);
	free(tally->on_hosts.items);
	free(tally->family);
	free(tally);
}

static size_t number_of_host(struct verdicts *verdicts, const char *name)
{
	struct host *host;

	HASH_FIND_STR(verdicts->hosts, name, host);
	if (host)
		return host->number;
	host = NEW(struct host);
	host->name = memory_text(name, strlen(name));
	host->number = HASH_COUNT(verdicts->hosts);
	HASH_ADD_KEYPTR(hh, verdicts->hosts, host->name, strlen(host->name), host);
	return host->number;
}

static void see_place(struct verdicts *verdicts, struct tally *tally, const struct sighting *sighting)
{
	size_t number = number_of_host(verdicts, sighting->host);
	uint64_t bit = UINT64_C(1) << number % 64;

	while (tally->on_hosts.count <= number / 64)
		*ARRAY_ADD(&tally->on_hosts) = 0;
	tally->hosts += !(tally->on_hosts.items[number / 64] & bit);
	tally->on_hosts.items[number / 64] |= bit;
	if (sighting->at < tally->since)
		tally->since = sighting->at;
}

/* If there are too many names, counts only the first ones: the totals are about culprits that come again and again. */
void verdicts_count(struct verdicts *verdicts, const struct culprit *culprit, const struct sighting *sighting)
{
	struct tally *tally = find_tally(verdicts, culprit->deed);
	double score = culprit->score;

	verdicts->timeless |= culprit->timeless;
	if (!tally) {
		if (HASH_COUNT(verdicts->tallies) >= TALLIES_MAX) {
			verdicts->uncounted += score;
			return;
		}
		tally = NEW(struct tally);
		tally->family = copy_family(culprit->deed);
		tally->since = INT64_MAX;
		HASH_ADD_KEYPTR(hh, verdicts->tallies, tally->family->key, tally->family->key_length, tally);
	}
	see_process(tally, &culprit->identity);
	deed_family_add(&tally->deeds, culprit->deed, score);
	forget_words(tally);
	tally->score += score;
	see_place(verdicts, tally, sighting);
	if (tally->last_moment != sighting->moment) {
		tally->last_moment = sighting->moment;
		tally->moments++;
	}
}

void verdicts_explain(struct verdicts *verdicts, double seconds)
{
	verdicts->explained += seconds;
}

void verdicts_total(struct verdicts *verdicts, const struct culprit *culprit)
{
	*ARRAY_ADD(&verdicts->total) = *culprit;
}

void verdicts_stream_over(struct verdicts *verdicts)
{
	verdicts->ranked_streams++;
}

double verdicts_uncounted(const struct verdicts *verdicts)
{
	return verdicts->uncounted;
}

static int compare_tallies(const struct tally *a, const struct tally *b)
{
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return deed_compare(a->family, b->family);
}

static const struct identity *identity_of(const struct tally *tally)
{
	return tally && !tally->vague ? &tally->identity : NULL;
}

static double share_of_all(const struct verdicts *verdicts, double score)
{
	return verdicts->explained > 0 ? score / verdicts->explained : NAN;
}

static size_t counted_verdicts(struct verdicts *verdicts, struct verdict *list, size_t room)
{
	struct tally *tally;
	size_t n = 0;

	HASH_SORT(verdicts->tallies, compare_tallies);
	for (tally = verdicts->tallies; tally && n < room; tally = tally->hh.next) {
		make_words(tally);
		list[n++] = (struct verdict){tally->words, tally->who, verdicts->timeless ? NAN : tally->score,
					     verdicts->timeless ? NAN : share_of_all(verdicts, tally->score), tally->moments, identity_of(tally),
					     tally->hosts, tally->since};
	}
	return n;
}

size_t verdicts_list(struct verdicts *verdicts, struct verdict *list, size_t room)
{
	const struct culprit *culprit;
	struct tally *tally;
	size_t n;

	if (verdicts->total.count == 0 || verdicts->ranked_streams > 1)
		return counted_verdicts(verdicts, list, room);
	for (n = 0; n < verdicts->total.count && n < room; n++) {
		culprit = &verdicts->total.items[n];
		tally = find_tally(verdicts, culprit->deed);
		list[n] = (struct verdict){culprit->words, culprit->who, culprit->score, culprit->share, tally ? tally->moments : 0,
					   identity_of(tally), tally ? tally->hosts : 0, tally ? tally->since : INT64_MAX};
		if (isnan(list[n].share))
			list[n].share = share_of_all(verdicts, culprit->score);
		if (culprit->timeless)
			list[n].score = list[n].share = NAN;
	}
	return n;
}

uint64_t verdicts_hosts(const struct verdicts *verdicts)
{
	return HASH_COUNT(verdicts->hosts);
}

char *verdict_where(const struct verdicts *verdicts, const struct verdict *verdict)
{
	char since[TIME_ROOM] = "";

	if (verdicts_hosts(verdicts) < 2 || verdict->hosts == 0)
		return NULL;
	if (verdict->since != INT64_MAX)
		time_date(verdict->since, since);
	return memory_format("on %llu of %llu hosts%s%s%s", (unsigned long long)verdict->hosts, (unsigned long long)verdicts_hosts(verdicts),
			     *since ? ", since " : "", since, *since ? " UTC" : "");
}

/* --- compared with another stream --------------------------------------------------------------------------------------- */

static char *say_sure(const struct change *change)
{
	if (isnan(change->p))
		return memory_format("%s", "");
	return memory_format(" (%s: p %.2g)", strcmp(change->sure, "yes") ? "not sure" : "sure", change->p);
}

/* Shares that do not differ in one decimal get three significant digits: they are small, or nearly the same. */
static char *say_share(double bad, double good)
{
	bool apart = round(1000 * bad) != round(1000 * good);

	return memory_format(apart ? "%.1f %% of the time instead of %.1f %%" : "%.3g %% of the time instead of %.3g %%", 100 * bad, 100 * good);
}

char *diff_words(const struct diff *comparison)
{
	const char *what = "moments compared";
	char *hosts, *words;

	if (comparison->changes.count == 0)
		what = "nothing is blamed more than in the good stream; moments compared";
	else if (isnan(comparison->changes.items[0].p))
		what = comparison->good_hosts ? "too few hosts to be sure of that" : "too few moments to be sure of that";
	hosts = comparison->good_hosts ? memory_format(", of %llu and %llu hosts", (unsigned long long)comparison->good_hosts,
						       (unsigned long long)comparison->bad_hosts) : memory_format("%s", "");
	words = memory_format("%s: %llu good, %llu bad%s", what, (unsigned long long)comparison->good_moments,
			      (unsigned long long)comparison->bad_moments, hosts);
	free(hosts);
	return words;
}

static void change_free(struct change *change)
{
	free(change->name);
	free(change->deed);
	free(change->sure);
	free(change->words);
}

const struct diff *verdicts_diff(const struct verdicts *verdicts)
{
	return verdicts->compared ? &verdicts->comparison : NULL;
}

int verdicts_change(struct verdicts *verdicts, const struct site *site, const struct fields *fields)
{
	struct diff *comparison = &verdicts->comparison;
	struct change change = {.p = NAN};
	char *words, *share, *sure;

	if (fields_unsigned(fields, "good_moments", &comparison->good_moments) < 0 ||
	    fields_unsigned(fields, "bad_moments", &comparison->bad_moments) < 0 ||
	    fields_unsigned(fields, "good_hosts", &comparison->good_hosts) < 0 || fields_unsigned(fields, "bad_hosts", &comparison->bad_hosts) < 0)
		return -1;
	verdicts->compared = true;
	if (!fields_find(fields, "name")) /* there was no difference */
		return 0;
	if (fields_double(fields, "good", &change.good) != 1 || fields_double(fields, "bad", &change.bad) != 1)
		return fail("a diff record needs good= and bad= as numbers");
	fields_double(fields, "p", &change.p);
	change.name = display_field(fields, "name");
	change.sure = display_field(fields, "sure");
	change.deed = culprit_deed(site, fields);
	words = culprit_words(change.deed, 0, 0);
	sure = say_sure(&change);
	share = say_share(change.bad, change.good);
	change.words = memory_format("blamed more than in the good stream: %s, %s%s", words, share, sure);
	*ARRAY_ADD(&comparison->changes) = change;
	free(words);
	free(share);
	free(sure);
	return 0;
}

void verdicts_free(struct verdicts *verdicts)
{
	struct diff *comparison = &verdicts->comparison;
	struct tally *tally, *next;
	struct host *host, *next_host;
	size_t i;

	HASH_ITER(hh, verdicts->hosts, host, next_host) {
		HASH_DEL(verdicts->hosts, host);
		free(host->name);
		free(host);
	}
	HASH_ITER(hh, verdicts->tallies, tally, next) {
		HASH_DEL(verdicts->tallies, tally);
		tally_free(tally);
	}
	for (i = 0; i < verdicts->total.count; i++)
		culprit_free(&verdicts->total.items[i]);
	for (i = 0; i < comparison->changes.count; i++)
		change_free(&comparison->changes.items[i]);
	free(comparison->changes.items);
	free(verdicts->total.items);
	free(verdicts);
}
