#include "run/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { VALUES_MAX = 200 /* of a `features` record */, NAME_ROOM = 160, ERRNO_MAX = 4095 };

struct call_sums {
	uint64_t count, errors, results, arguments;
	uint64_t time; /* ns */
	__int128 result, argument;
	bool used, sized; /* sized: the call's result is a size */
};

struct pair_sums {
	uint32_t before, call;
	uint64_t next, gaps;
	uint64_t gap; /* ns */
};

struct tally {
	ARRAY(struct call_sums) calls; /* by id */
	ARRAY(uint32_t) used;	       /* ids with sums, in order of first use */
	ARRAY(struct pair_sums) pairs;
	uint32_t *slots;	       /* hash table of indexes in `pairs` plus 1; 0: free */
	uint32_t slots_count;	       /* a power of 2, at least twice the number of pairs */
	uint64_t outside;	       /* ns */
};

struct tally *tally_new(void)
{
	return NEW(struct tally);
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	free(tally->calls.items);
	free(tally->used.items);
	free(tally->pairs.items);
	free(tally->slots);
	free(tally);
}

static struct call_sums *sums_of(struct tally *tally, uint32_t id)
{
	struct call_sums *sums;

	while (tally->calls.count <= id)
		*ARRAY_ADD(&tally->calls) = (struct call_sums){0};
	sums = &tally->calls.items[id];
	if (!sums->used)
		*ARRAY_ADD(&tally->used) = id;
	sums->used = true;
	return sums;
}

static uint32_t hash(uint32_t before, uint32_t call)
{
	return (before * 0x9e3779b1u) ^ (call * 0x85ebca77u);
}

static void place(struct tally *tally, uint32_t index)
{
	const struct pair_sums *pair = &tally->pairs.items[index];
	uint32_t slot = hash(pair->before, pair->call);

	while (tally->slots[slot &= tally->slots_count - 1])
		slot++;
	tally->slots[slot] = index + 1;
}

static void grow(struct tally *tally)
{
	tally->slots_count = tally->slots_count ? 2 * tally->slots_count : 64;
	free(tally->slots);
	tally->slots = memory_new(tally->slots_count, sizeof(*tally->slots));
	for (size_t i = 0; i < tally->pairs.count; i++)
		place(tally, (uint32_t)i);
}

static struct pair_sums *pair_of(struct tally *tally, uint32_t before, uint32_t call)
{
	if (tally->slots_count)
		for (uint32_t slot = hash(before, call); tally->slots[slot &= tally->slots_count - 1]; slot++) {
			struct pair_sums *pair = &tally->pairs.items[tally->slots[slot] - 1];

			if (pair->before == before && pair->call == call)
				return pair;
		}
	if (2 * (tally->pairs.count + 1) > tally->slots_count)
		grow(tally);
	*ARRAY_ADD(&tally->pairs) = (struct pair_sums){.before = before, .call = call};
	place(tally, (uint32_t)tally->pairs.count - 1);
	return &tally->pairs.items[tally->pairs.count - 1];
}

static uint64_t positive(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

void tally_count(struct tally *tally, const struct call *call)
{
	struct call_sums *sums = sums_of(tally, call->id);

	sums->count++;
	sums->sized |= call->result_is_size;
}

void tally_argument(struct tally *tally, const struct call *call, int64_t size)
{
	struct call_sums *sums = sums_of(tally, call->id);

	sums->arguments++;
	sums->argument += (uint64_t)size;
}

void tally_next(struct tally *tally, const struct call *before, const struct call *call)
{
	pair_of(tally, before->id, call->id)->next++;
}

void tally_gap(struct tally *tally, const struct call *before, const struct call *call, int64_t time)
{
	struct pair_sums *pair = pair_of(tally, before->id, call->id);

	pair->gaps++;
	pair->gap += positive(time);
}

void tally_end(struct tally *tally, const struct call *call, int64_t time, int64_t result)
{
	struct call_sums *sums = sums_of(tally, call->id);

	sums->time += positive(time);
	if (result < 0) {
		sums->errors += result >= -ERRNO_MAX;
		return;
	}
	sums->results++;
	if (call->result_is_size)
		sums->result += result;
}

void tally_outside(struct tally *tally, int64_t time)
{
	tally->outside += positive(time);
}

bool tally_is_empty(const struct tally *tally)
{
	return tally->used.count == 0 && tally->pairs.count == 0 && tally->outside == 0;
}

static void empty(struct tally *tally)
{
	for (size_t i = 0; i < tally->used.count; i++)
		tally->calls.items[tally->used.items[i]] = (struct call_sums){0};
	for (size_t i = 0; i < tally->pairs.count; i++)
		for (uint32_t slot = hash(tally->pairs.items[i].before, tally->pairs.items[i].call);
		     tally->slots[slot &= tally->slots_count - 1]; slot++)
			tally->slots[slot] = 0;
	tally->used.count = tally->pairs.count = 0;
	tally->outside = 0;
}

void tally_add(struct tally *tally, struct tally *from)
{
	for (size_t i = 0; i < from->used.count; i++) {
		uint32_t id = from->used.items[i];
		const struct call_sums *add = &from->calls.items[id];
		struct call_sums *sums = sums_of(tally, id);

		sums->count += add->count;
		sums->errors += add->errors;
		sums->results += add->results;
		sums->arguments += add->arguments;
		sums->time += add->time;
		sums->result += add->result;
		sums->argument += add->argument;
		sums->sized |= add->sized;
	}
	for (size_t i = 0; i < from->pairs.count; i++) {
		const struct pair_sums *add = &from->pairs.items[i];
		struct pair_sums *pair = pair_of(tally, add->before, add->call);

		pair->next += add->next;
		pair->gaps += add->gaps;
		pair->gap += add->gap;
	}
	tally->outside += from->outside;
	empty(from);
}

/* Writes `features` records, each with up to VALUES_MAX values. */
struct sheet {
	struct stream *stream;
	const char *run;
	struct line line;
	int values, status;
};

static void flush(struct sheet *sheet)
{
	if (sheet->values && sheet->status == 0)
		sheet->status = stream_write_line(sheet->stream, &sheet->line);
	sheet->values = 0;
}

static void put(struct sheet *sheet, const char *what, const char *name, double value)
{
	char key[NAME_ROOM];

	if (sheet->values == 0) {
		line_begin(&sheet->line, "features");
		line_text(&sheet->line, "run", sheet->run);
	}
	snprintf(key, sizeof(key), "%s.%s", what, name);
	line_double(&sheet->line, key, value);
	if (++sheet->values == VALUES_MAX)
		flush(sheet);
}

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NSEC_PER_SEC;
}

static void put_call(struct sheet *sheet, const char *name, const struct call_sums *sums)
{
	if (sums->count)
		put(sheet, "count", name, (double)sums->count);
	if (sums->errors)
		put(sheet, "errors", name, (double)sums->errors);
	if (sums->time)
		put(sheet, "time", name, seconds(sums->time));
	if (sums->arguments)
		put(sheet, "arg", name, (double)sums->argument / (double)sums->arguments);
	if (!sums->sized || !sums->results)
		return;
	put(sheet, "result", name, (double)sums->result / (double)sums->results);
	put(sheet, "sum", name, (double)sums->result);
	if (sums->time)
		put(sheet, "rate", name, (double)sums->result / seconds(sums->time));
}

/* For qsort_r(): sorts by name. */
static int compare_calls(const void *a, const void *b, void *context)
{
	return strcmp(calls_name(context, *(const uint32_t *)a), calls_name(context, *(const uint32_t *)b));
}

static int compare_pairs(const void *a, const void *b, void *context)
{
	const struct pair_sums *left = a, *right = b;
	int order = compare_calls(&left->before, &right->before, context);

	return order ? order : compare_calls(&left->call, &right->call, context);
}

static void put_calls(struct sheet *sheet, const struct tally *tally, const struct calls *calls)
{
	uint32_t *ids = memory_new(tally->used.count + 1, sizeof(*ids));

	if (tally->used.count)
		memcpy(ids, tally->used.items, tally->used.count * sizeof(*ids));
	qsort_r(ids, tally->used.count, sizeof(*ids), compare_calls, (void *)calls);
	for (size_t i = 0; i < tally->used.count; i++)
		put_call(sheet, calls_name(calls, ids[i]), &tally->calls.items[ids[i]]);
	free(ids);
}

static void put_pairs(struct sheet *sheet, const struct tally *tally, const struct calls *calls)
{
	struct pair_sums *pairs = memory_new(tally->pairs.count + 1, sizeof(*pairs));
	char name[NAME_ROOM];

	if (tally->pairs.count)
		memcpy(pairs, tally->pairs.items, tally->pairs.count * sizeof(*pairs));
	qsort_r(pairs, tally->pairs.count, sizeof(*pairs), compare_pairs, (void *)calls);
	for (size_t i = 0; i < tally->pairs.count; i++) {
		snprintf(name, sizeof(name), "%s-%s", calls_name(calls, pairs[i].before), calls_name(calls, pairs[i].call));
		put(sheet, "next", name, (double)pairs[i].next);
		if (pairs[i].gaps)
			put(sheet, "gap", name, seconds(pairs[i].gap) / (double)pairs[i].gaps);
	}
	free(pairs);
}

int tally_write(const struct tally *tally, const struct calls *calls, const char *run, struct stream *stream)
{
	struct sheet sheet = {.stream = stream, .run = run};

	put_calls(&sheet, tally, calls);
	put_pairs(&sheet, tally, calls);
	put(&sheet, "time", "outside", seconds(tally->outside));
	flush(&sheet);
	line_free(&sheet.line);
	return sheet.status;
}
