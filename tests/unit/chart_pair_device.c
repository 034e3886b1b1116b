/*
 * Pairing against a device that knows the truth: bios that overlap are queued, split, merged, issued, requeued, done in parts and in any
 * order, or fail before they become a request; devices without a request queue end bios in each way that kernels know. What its
 * events say must leave no start open, invent no time beyond the longest there was, and be exact for what no other overlaps.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/pair.h"

enum { BIOS = 48, PIECES = 64, RUNS = 3000, NOT_YET = -1 };

/* How a device without a request queue tells of a bio that it split: not at all but for the last part, or each part; or of none what it was. */
enum kind { REQUESTS, LAST_PART, EACH_PART, NOTHING_LEFT, KINDS };

struct bio {
	int64_t from, to, queued, done, measured;
	int pieces; /* that are not done */
	int64_t fails_from; /* the rest never becomes a request; to: nothing fails */
	bool overlaps;
};

struct piece { /* of a bio, in a request */
	int bio;
	int64_t from, to;
};

struct request {
	struct piece pieces[PIECES];
	int count;
	int64_t at; /* up to here it is done */
	int64_t issued; /* NOT_YET */
	int issue; /* which of the issues */
};

struct issue {
	int64_t from, to, issued, done, measured;
	bool overlaps;
};

static struct {
	enum kind kind;
	int64_t now, longest, longest_service, room;
	struct bio bios[BIOS];
	struct request requests[BIOS * 8];
	struct issue issues[BIOS * 64];
	int bio_count, request_count, issue_count;
	struct pairs *pairs, *service_pairs;
	struct pair_table *queued, *service;
} device;

static uint64_t seed;

static int64_t draw(int64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((seed >> 33) % (uint64_t)below);
}

static int64_t more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* What no start here may be older than. */
static int64_t longest_until_now(void)
{
	int64_t longest = device.longest;

	for (int i = 0; i < device.bio_count; i++)
		if (device.bios[i].done == NOT_YET)
			longest = more(longest, device.now - device.bios[i].queued);
	return longest;
}

static int64_t longest_service_until_now(void)
{
	int64_t longest = device.longest_service;

	for (int i = 0; i < device.issue_count; i++)
		if (device.issues[i].done == NOT_YET)
			longest = more(longest, device.now - device.issues[i].issued);
	return longest;
}

static void take_bios(struct start *list)
{
	for (struct start *next; list; list = next) {
		next = list->next;
		assert(device.now - list->sample.start <= longest_until_now());
		for (int i = 0; i < device.bio_count; i++)
			if (device.bios[i].queued == list->sample.start)
				device.bios[i].measured = device.now;
		start_release(list);
	}
}

static void take_issues(struct start *list)
{
	for (struct start *next; list; list = next) {
		next = list->next;
		assert(device.now - list->sample.start <= longest_service_until_now());
		for (int i = 0; i < device.issue_count; i++)
			if (device.issues[i].issued == list->sample.start)
				device.issues[i].measured = device.now;
		start_release(list);
	}
}

static void rq_complete(int64_t from, int64_t to)
{
	const int64_t key[CHART_KEYS_MAX] = {7, from};

	take_bios(pair_end(device.queued, key, to - from));
	take_issues(pair_end(device.service, key, to - from));
}

static void bio_complete(int64_t from, int64_t to)
{
	const int64_t key[CHART_KEYS_MAX] = {7, from};

	take_bios(pair_end_whole(device.queued, key, to - from));
}

static void bio_done(struct bio *bio)
{
	bio->done = device.now;
	device.longest = more(device.longest, bio->done - bio->queued);
	if (device.kind == NOTHING_LEFT)
		bio_complete(bio->to, bio->to);
	else if (device.kind != REQUESTS || bio->fails_from < bio->to)
		bio_complete(bio->fails_from, bio->to);
}

static bool may_merge(const struct request *request, int64_t from, int64_t to)
{
	if (request->issued != NOT_YET || request->at != request->pieces[0].from || request->count == PIECES)
		return false;
	return request->pieces[request->count - 1].to == from || request->pieces[0].from == to;
}

static void add_piece(struct request *request, struct piece piece)
{
	if (request->count && request->pieces[0].from == piece.to) {
		memmove(request->pieces + 1, request->pieces, (size_t)request->count * sizeof(piece));
		request->pieces[0] = piece;
		request->at = piece.from;
	} else {
		request->pieces[request->count] = piece;
	}
	request->count++;
}

static void queue_piece(struct piece piece)
{
	struct request *request = NULL;

	for (int i = 0; i < device.request_count && draw(2); i++)
		if (device.kind == REQUESTS && may_merge(&device.requests[i], piece.from, piece.to))
			request = &device.requests[i];
	if (!request) {
		assert(device.request_count < BIOS * 8);
		request = &device.requests[device.request_count++];
		*request = (struct request){.at = piece.from, .issued = NOT_YET};
	}
	add_piece(request, piece);
	device.bios[piece.bio].pieces++;
}

static void queue_bio(void)
{
	struct bio *bio = &device.bios[device.bio_count];
	int64_t key[CHART_KEYS_MAX] = {7, draw(device.room) * 8};
	struct start *pushed_out;

	*bio = (struct bio){.from = key[1], .queued = device.now, .done = NOT_YET, .measured = NOT_YET};
	bio->to = bio->from + 8 * (1 + draw(draw(4) ? 4 : device.room * 64));
	for (int i = 0; i < device.bio_count; i++)
		if (device.bios[i].done == NOT_YET && device.bios[i].from < bio->to && bio->from < device.bios[i].to)
			device.bios[i].overlaps = bio->overlaps = true;
	bio->fails_from = bio->to;
	pair_start(device.queued, key, bio->to - bio->from, device.now, &pushed_out);
	assert(!pushed_out);
	device.bio_count++;
	for (int64_t at = bio->from, most = more(8, (bio->to - bio->from) / (1 + draw(6)) / 8 * 8); at < bio->to;) {
		int64_t to = at + (draw(3) || bio->to - at < 16 ? most : 8);

		to = to < bio->to ? to : bio->to;
		bio->fails_from = device.kind == REQUESTS ? bio->to : at;
		if (device.kind == REQUESTS && draw(20) == 0) {
			bio->fails_from = at;
			break;
		}
		queue_piece((struct piece){device.bio_count - 1, at, to});
		at = to;
	}
	if (bio->pieces == 0)
		bio_done(bio);
}

static void issue(struct request *request)
{
	int64_t key[CHART_KEYS_MAX] = {7, request->at}, to = request->pieces[request->count - 1].to;
	struct issue *issue = &device.issues[device.issue_count];
	struct start *pushed_out;

	assert(device.issue_count < BIOS * 64);
	*issue = (struct issue){.from = request->at, .to = to, .issued = device.now, .done = NOT_YET, .measured = NOT_YET};
	for (int i = 0; i < device.issue_count; i++)
		if (device.issues[i].done == NOT_YET && device.issues[i].from < to && issue->from < device.issues[i].to)
			device.issues[i].overlaps = issue->overlaps = true;
	request->issued = device.now;
	request->issue = device.issue_count++;
	if (device.kind == REQUESTS)
		pair_start(device.service, key, to - request->at, device.now, &pushed_out);
	else
		issue->measured = device.now, issue->done = device.now;
}

static void end_issue(struct request *request)
{
	struct issue *issue = &device.issues[request->issue];

	request->issued = NOT_YET;
	if (device.kind != REQUESTS)
		return;
	issue->done = device.now;
	device.longest_service = more(device.longest_service, issue->done - issue->issued);
}

static void requeue(struct request *request)
{
	const int64_t key[CHART_KEYS_MAX] = {7, request->at};
	int64_t to = request->pieces[request->count - 1].to;

	if (device.kind != REQUESTS)
		return;
	end_issue(request);
	take_issues(pair_end(device.service, key, to - request->at));
}

static void end_piece(const struct piece *piece)
{
	struct bio *bio = &device.bios[piece->bio];

	if (--bio->pieces > 0) {
		if (device.kind == EACH_PART && piece->to < bio->to)
			bio_complete(piece->from, piece->to);
		return;
	}
	if (device.kind == EACH_PART && piece->to < bio->to)
		bio_complete(piece->from, piece->to);
	bio_done(bio);
}

/* The kernel ends the bios of what is done only after it has told that this is. */
static void complete(struct request *request, int64_t to)
{
	int64_t from = request->at;
	bool all = to == request->pieces[request->count - 1].to;

	for (int i = 0; i < request->count; i++) {
		struct bio *bio = &device.bios[request->pieces[i].bio];
		int left = 0;

		for (int k = 0; k < request->count; k++)
			left += request->pieces[k].bio == request->pieces[i].bio && request->pieces[k].to > from && request->pieces[k].to <= to;
		if (left == bio->pieces && left > 0)
			device.longest = more(device.longest, device.now - bio->queued);
	}
	if (all)
		end_issue(request);
	if (device.kind == REQUESTS)
		rq_complete(from, to);
	for (int i = 0; i < request->count; i++)
		if (request->pieces[i].to > from && request->pieces[i].to <= to)
			end_piece(&request->pieces[i]);
	request->at = to;
	if (all)
		*request = device.requests[--device.request_count];
}

static void act_on(struct request *request)
{
	int64_t to = request->pieces[request->count - 1].to;

	if (request->issued == NOT_YET)
		issue(request);
	else if (draw(8) == 0 && device.issue_count < BIOS * 32)
		requeue(request);
	else if (draw(4) == 0 && to - request->at > 8 && device.kind == REQUESTS)
		complete(request, request->at + 8 * (1 + draw((to - request->at) / 8 - 1)));
	else
		complete(request, to);
}

/* The oldest that is open here is no older than the oldest that is. */
static void check_open(void)
{
	const struct start *oldest = pairs_oldest(device.pairs);

	if (oldest)
		assert(device.now - oldest->sample.start <= longest_until_now());
	oldest = pairs_oldest(device.service_pairs);
	if (oldest)
		assert(device.now - oldest->sample.start <= longest_service_until_now());
}

static void check_truth(void)
{
	assert(!pairs_oldest(device.pairs) && !pairs_oldest(device.service_pairs));
	for (int i = 0; i < device.bio_count; i++) {
		assert(device.bios[i].measured != NOT_YET);
		assert(device.bios[i].overlaps || device.bios[i].measured == device.bios[i].done);
	}
	for (int i = 0; i < device.issue_count; i++) {
		assert(device.issues[i].measured != NOT_YET);
		assert(device.issues[i].overlaps || device.issues[i].measured == device.issues[i].done);
	}
}

static int overlapping(void)
{
	int count = 0;

	for (int i = 0; i < device.bio_count; i++)
		count += device.bios[i].overlaps;
	return count;
}

static int run(uint64_t number)
{
	seed = number * 2 + 1;
	memset(&device, 0, sizeof(device));
	device.kind = draw(2) ? REQUESTS : (enum kind)draw(KINDS);
	device.room = 1 + draw(draw(2) ? 8 : 400);
	device.pairs = pairs_new();
	device.service_pairs = pairs_new();
	device.queued = pair_table_new(device.pairs, NULL, true, false, 2);
	device.service = pair_table_new(device.service_pairs, NULL, true, false, 2);
	while (device.bio_count < BIOS || device.request_count > 0) {
		device.now++;
		if (device.bio_count < BIOS && (device.request_count == 0 || draw(4) == 0))
			queue_bio();
		else
			act_on(&device.requests[draw(device.request_count)]);
		check_open();
	}
	check_truth();
	pair_table_free(device.queued);
	pair_table_free(device.service);
	pairs_free(device.pairs);
	pairs_free(device.service_pairs);
	return overlapping();
}

int main(int argc, char **argv)
{
	int64_t overlaps = 0;

	if (argc > 1)
		return run(strtoull(argv[1], NULL, 10)) < 0;
	for (uint64_t number = 0; number < RUNS; number++)
		overlaps += run(number);
	assert(overlaps > (int64_t)RUNS * BIOS / 4 && overlaps < (int64_t)RUNS * BIOS);
	return 0;
}
