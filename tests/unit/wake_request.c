/*
 * Block requests against a device that knows the truth: bios that overlap are queued, split, merged, issued, handed back, and done in
 * parts and in any order. In the end no request may be open, each sector of each bio has one end, and the ends of a bio that no other
 * overlaps are exact. Then the case of two reads that begin at one sector and are done in uneven parts.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/number.h"
#include "wake/request.h"

enum { BIOS = 40, PARTS = BIOS * 8, RUNS = 2000, DISK = 7 << 20 };

struct part { /* of a bio, to be done */
	int bio;
	uint64_t from, to;
};

struct transfer { /* parts in a row */
	struct part parts[16];
	int count;
	uint64_t done; /* up to here */
	bool issued;
};

static struct wake *wake;
static struct {
	uint64_t from, to;
	int64_t done;
	bool overlaps;
} bios[BIOS];
static struct transfer transfers[PARTS];
static int bio_count, transfer_count;
static int64_t now;
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % below;
}

static void tick(void)
{
	wake_until(wake, ++now);
}

static struct request range(uint64_t from, uint64_t to)
{
	return (struct request){.disk = DISK, .sector = from, .sectors = (uint32_t)(to - from), .submitter = INDEX_NONE,
				.owner = INDEX_NONE, .upper = INDEX_NONE, .queued = now, .rwbs = "R"};
}

static void queue(int bio, uint64_t from, uint64_t to)
{
	struct request request = range(from, to);

	request.submitter = bio;
	request_queue(wake, &request);
}

static void issue(uint64_t from, uint64_t to)
{
	struct request taken = range(from, to);

	request_issue(wake, &taken);
}

static void complete(uint64_t from, uint64_t to)
{
	struct request done = range(from, to);

	request_complete(wake, &done);
}

static void add_part(struct part part)
{
	for (int i = 0; i < transfer_count && draw(2); i++) {
		struct transfer *transfer = &transfers[i];

		if (transfer->issued || transfer->count == 16 || transfer->parts[transfer->count - 1].to != part.from)
			continue;
		transfer->parts[transfer->count++] = part;
		return;
	}
	assert(transfer_count < PARTS);
	transfers[transfer_count++] = (struct transfer){.parts = {part}, .count = 1, .done = part.from};
}

static void queue_bio(void)
{
	uint64_t from = draw(1 + draw(64)) * 8, to = from + 8 * (1 + draw(draw(4) ? 4 : 1200)), most = (to - from + 7) / (1 + draw(4)) / 8 * 8 + 8;

	bios[bio_count].from = from;
	bios[bio_count].to = to;
	bios[bio_count].done = TIME_NONE;
	bios[bio_count].overlaps = false;
	for (int i = 0; i < bio_count; i++)
		if (bios[i].done == TIME_NONE && bios[i].from < to && from < bios[i].to)
			bios[i].overlaps = bios[bio_count].overlaps = true;
	queue(bio_count, from, to);
	for (; from < to; from += most)
		add_part((struct part){bio_count, from, from + most < to ? from + most : to});
	bio_count++;
}

static bool is_open(int bio)
{
	for (int i = 0; i < transfer_count; i++)
		for (int j = 0; j < transfers[i].count; j++)
			if (transfers[i].parts[j].bio == bio && transfers[i].parts[j].to > transfers[i].done)
				return true;
	return false;
}

static void act_on(struct transfer *transfer)
{
	uint64_t end = transfer->parts[transfer->count - 1].to, to = end;
	struct request back = range(transfer->done, end);

	if (!transfer->issued) {
		issue(transfer->done, end);
		transfer->issued = true;
		return;
	}
	if (draw(8) == 0) {
		request_requeue(wake, &back);
		transfer->issued = false;
		return;
	}
	if (draw(4) == 0)
		to = transfer->done + 8 * (1 + draw((end - transfer->done) / 8));
	complete(transfer->done, to);
	transfer->done = to;
	if (to == end)
		*transfer = transfers[--transfer_count];
	for (int i = 0; i < bio_count; i++)
		if (bios[i].done == TIME_NONE && !is_open(i))
			bios[i].done = now;
}

static void check_truth(void)
{
	struct request none = range(0, 8);
	int32_t count = request_queue(wake, &none);
	int64_t last[BIOS];
	uint64_t sectors[BIOS] = {0};

	memset(last, 0, sizeof(last));
	for (int32_t i = 0; i < count; i++) {
		const struct request *request = request_at(wake, i);

		assert(request->submitter != INDEX_NONE); /* no stranger was made up */
		assert(request->completed != TIME_NONE && request->issued != TIME_NONE && request->sectors > 0);
		sectors[request->submitter] += request->sectors;
		last[request->submitter] = request->completed > last[request->submitter] ? request->completed : last[request->submitter];
	}
	for (int i = 0; i < bio_count; i++) {
		assert(sectors[i] == bios[i].to - bios[i].from);
		assert(bios[i].overlaps || last[i] == bios[i].done);
	}
}

static void run(void)
{
	bio_count = transfer_count = 0;
	while (bio_count < BIOS || transfer_count) {
		tick();
		if (bio_count < BIOS && (draw(3) == 0 || !transfer_count))
			queue_bio();
		else
			act_on(&transfers[draw((uint64_t)transfer_count)]);
	}
	check_truth();
	wake_forget(wake);
}

static void check_uneven(void)
{
	const uint64_t at = 851968;

	for (int i = 0; i < 2; i++) {
		tick();
		queue(i, at, at + (i ? 2184 : 3528));
		issue(at, at + (i ? 2184 : 3528));
	}
	complete(at, at + 2016);
	complete(at + 2016, at + 3520);
	complete(at, at + 1160);
	complete(at + 1160, at + 2184);
	complete(at + 3520, at + 3528);
	bio_count = 2;
	bios[0].from = bios[1].from = at;
	bios[0].to = at + 3528;
	bios[1].to = at + 2184;
	bios[0].overlaps = bios[1].overlaps = true;
	check_truth();
	wake_forget(wake);
}

int main(void)
{
	setenv("TAILBLAME_DATA", ".", 0); /* tests run in the source tree */
	char path[32], *paths[1] = {path};
	struct stream *stream;
	struct events *events;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd_create("stream", 0));
	stream = stream_open(paths, 1);
	assert(stream);
	events = events_new(stream);
	wake = wake_new(events);
	check_uneven();
	for (seed = 1; seed <= RUNS; seed++) {
		uint64_t begin = seed;

		run();
		seed = begin;
	}
	wake_free(wake);
	events_free(events);
	stream_close(stream);
	return 0;
}
