#include "model/logged_requests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "graph/deed_family.h"
#include "model/display.h"
#include "model/value.h"

enum { TRIGGERS_MAX = 256, TALLIES_MAX = 4096, WAITING_MAX = 4096 };

/* The sums over the deeds of one family (graph/deed_family.h). */
struct tally {
	struct {
		enum graph_kind kind;
		char family[]; /* the deed's key */
	} *key;
	struct deed_family deeds;
	double path[LOGGED_CLASSES], blame[LOGGED_CLASSES];
	uint64_t requests[LOGGED_CLASSES], last; /* last: number of the request that was counted last */
	UT_hash_handle hh;
};

struct logging { /* what a trigger logged */
	struct logged_trigger told;
	struct tally *tallies;
};

/* A request whose graphs have not come. */
struct waiting {
	char *id;
	size_t host;
	size_t logging;
	enum logged_class class;
};

struct logged_requests {
	ARRAY(struct logging) list;
	ARRAY(struct waiting) waiting;
	uint64_t explained;
};

struct logged_requests *logged_requests_new(void)
{
	return NEW(struct logged_requests);
}

static void forget_rows(struct logged_trigger *told)
{
	for (size_t i = 0; i < told->rows.count; i++)
		free(told->rows.items[i].words);
	told->rows.count = 0;
}

static void logging_free(struct logging *logging)
{
	struct tally *tally, *next;

	HASH_ITER(hh, logging->tallies, tally, next) {
		HASH_DEL(logging->tallies, tally);
		deed_family_free(&tally->deeds);
		free(tally->key);
		free(tally);
	}
	forget_rows(&logging->told);
	free(logging->told.rows.items);
	free(logging->told.name);
}

void logged_requests_stream_over(struct logged_requests *logged)
{
	for (size_t i = 0; i < logged->waiting.count; i++)
		free(logged->waiting.items[i].id);
	logged->waiting.count = 0;
}

void logged_requests_free(struct logged_requests *logged)
{
	for (size_t i = 0; i < logged->list.count; i++)
		logging_free(&logged->list.items[i]);
	logged_requests_stream_over(logged);
	free(logged->list.items);
	free(logged->waiting.items);
	free(logged);
}

/* The trigger's place in the list; TRIGGERS_MAX: there are too many. */
static size_t find_logging(struct logged_requests *logged, char *name)
{
	size_t i;

	for (i = 0; i < logged->list.count; i++)
		if (!strcmp(logged->list.items[i].told.name, name))
			break;
	if (i < logged->list.count || i == TRIGGERS_MAX)
		free(name);
	else
		*ARRAY_ADD(&logged->list) = (struct logging){.told.name = name};
	return i;
}

static void drop_oldest(struct logged_requests *logged)
{
	free(logged->waiting.items[0].id);
	ARRAY_REMOVE(&logged->waiting, 0, 1);
}

int logged_requests_take(struct logged_requests *logged, size_t host, const struct fields *fields)
{
	enum logged_class class = fields_is(fields, "match", "yes") ? LOGGED_MATCHED : LOGGED_OTHERS;
	bool is_logged = fields_is(fields, "logged", "yes");
	struct logged_trigger *told;
	int64_t start, ts;
	size_t place;

	if (time_read(fields, "start", &start) != 1 || time_read(fields, "ts", &ts) != 1)
		return fail("a request record needs start= and ts= as numbers");
	place = find_logging(logged, display_field(fields, "trigger"));
	if (place == TRIGGERS_MAX)
		return 0;
	told = &logged->list.items[place].told;
	told->classes[class].ended++;
	if (!is_logged)
		return 0;
	told->classes[class].requests++;
	told->classes[class].seconds += (double)timestamp_between(start, ts) / 1e9;
	if (logged->waiting.count == WAITING_MAX)
		drop_oldest(logged);
	*ARRAY_ADD(&logged->waiting) = (struct waiting){display_field(fields, "id"), host, place, class};
	return 0;
}

/* The tally of a deed; NULL: there are too many. */
static struct tally *find_tally(struct logging *logging, enum graph_kind kind, const struct deed *deed)
{
	struct deed part = deed_family_of(deed), *family = deed_copy(&part);
	size_t length = sizeof(*((struct tally *)NULL)->key) + family->key_length;
	struct tally *tally = NULL, key = {.key = memory_new(length, 1)};

	key.key->kind = kind;
	memcpy(key.key->family, family->key, family->key_length);
	free(family);
	HASH_FIND(hh, logging->tallies, key.key, length, tally);
	if (tally || HASH_COUNT(logging->tallies) >= TALLIES_MAX) {
		free(key.key);
		return tally;
	}
	tally = NEW(struct tally);
	tally->key = key.key;
	HASH_ADD_KEYPTR(hh, logging->tallies, tally->key, length, tally);
	return tally;
}

static void count_story(struct logging *logging, enum logged_class class, const struct story *story, uint64_t request)
{
	logging->told.classes[class].explained[story->kind]++;
	for (const struct story_part *part = story->parts; part; part = part->hh.next) {
		struct tally *tally = part->deed ? find_tally(logging, story->kind, part->deed) : NULL;

		if (!tally)
			continue;
		deed_family_add(&tally->deeds, part->deed, part->time);
		tally->path[class] += part->time;
		tally->requests[class] += tally->last != request;
		tally->last = request;
	}
	for (size_t i = 0; i < story->culprits.count; i++) {
		const struct culprit *culprit = &story->culprits.items[i];
		struct tally *tally = culprit->timeless ? NULL : find_tally(logging, story->kind, culprit->deed);

		if (!tally)
			continue;
		deed_family_add(&tally->deeds, culprit->deed, culprit->score);
		tally->blame[class] += culprit->score;
	}
}

void logged_requests_stories(struct logged_requests *logged, size_t host, const char *id, struct story *const *stories, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < logged->waiting.count; i++) {
		struct waiting *waiting = &logged->waiting.items[i];

		if (waiting->host != host || strcmp(waiting->id, id) != 0) {
			logged->waiting.items[kept++] = *waiting;
			continue;
		}
		logged->explained++;
		for (size_t n = 0; n < count; n++)
			count_story(&logged->list.items[waiting->logging], waiting->class, stories[n], logged->explained);
		free(waiting->id);
	}
	logged->waiting.count = kept;
}

static double difference(const struct logged_row *row)
{
	double path = fabs(row->path[LOGGED_MATCHED] - row->path[LOGGED_OTHERS]), blame = fabs(row->blame[LOGGED_MATCHED] - row->blame[LOGGED_OTHERS]);

	return path > blame ? path : blame;
}

static int compare_rows(const void *left, const void *right)
{
	const struct logged_row *a = left, *b = right;
	double x = difference(a), y = difference(b);

	if (a->kind != b->kind)
		return a->kind == GRAPH_WAKE ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->words, b->words);
}

static void add_row(struct logged_trigger *told, struct tally *tally)
{
	struct logged_row *row = ARRAY_ADD(&told->rows);
	struct deed *deed = deed_family_common(&tally->deeds);

	*row = (struct logged_row){.words = culprit_words(deed, 0, 0), .kind = tally->key->kind};
	free(deed);
	for (int class = 0; class < LOGGED_CLASSES; class++) {
		uint64_t explained = told->classes[class].explained[row->kind];

		row->path[class] = explained ? tally->path[class] / (double)explained : 0;
		row->blame[class] = explained ? tally->blame[class] / (double)explained : 0;
		row->requests[class] = tally->requests[class];
	}
}

const struct logged_trigger *logged_requests_trigger(struct logged_requests *logged, size_t index)
{
	struct logging *logging = index < logged->list.count ? &logged->list.items[index] : NULL;

	if (!logging)
		return NULL;
	forget_rows(&logging->told);
	for (struct tally *tally = logging->tallies; tally; tally = tally->hh.next)
		add_row(&logging->told, tally);
	if (logging->told.rows.count > 1)
		qsort(logging->told.rows.items, logging->told.rows.count, sizeof(*logging->told.rows.items), compare_rows);
	return &logging->told;
}

/* "3 others, which took 10.0 ms in the mean" */
static char *say_class(const struct logged_trigger *trigger, enum logged_class class, const char *what)
{
	uint64_t count = trigger->classes[class].requests;
	char number[NUMBER_ROOM], *mean, *words;

	if (count == 0)
		return memory_format("no %s", what);
	number_human_count(number, count);
	mean = value_seconds(trigger->classes[class].seconds / (double)count);
	words = memory_format("%s %s, which took %s%s", number, what, mean, count > 1 ? " in the mean" : "");
	free(mean);
	return words;
}

char *logged_requests_words(const struct logged_trigger *trigger)
{
	bool one = trigger->classes[LOGGED_MATCHED].requests == 1;
	char *matched = say_class(trigger, LOGGED_MATCHED, one ? "request that matched" : "requests that matched");
	char *others = say_class(trigger, LOGGED_OTHERS, trigger->classes[LOGGED_OTHERS].requests == 1 ? "other" : "others");
	char *words = memory_format("trigger %s logged %s; and %s", trigger->name, matched, others);

	free(matched);
	free(others);
	return words;
}
