#include "wake/flush.h"

#include "wake/loop_device.h"

enum flush_state { ASKED, RUNNING, AFTER, AFTER_RUNNING, OVER };

/* rwbs: F if a flush goes before it; W, R, D, or F for a flush that is nothing else; F if it goes past the cache. */
static int operation_at(const struct request *request)
{
	return request->rwbs[0] == 'F' && request->rwbs[1] && request->rwbs[1] != 'S' ? 1 : 0;
}

bool flush_is(const struct request *request)
{
	return request->rwbs[operation_at(request)] == 'F';
}

static bool past_cache(const struct request *request)
{
	return request->rwbs[operation_at(request)] && request->rwbs[operation_at(request) + 1] == 'F';
}

static int32_t add_flush(struct wake *wake, const struct request *asker)
{
	struct disk *disk = request_disk(wake, asker->disk);
	int32_t request = request_add_flush(wake, asker);

	*ARRAY_ADD(&disk->flushes) = (struct flush){.request = request, .state = ASKED, .alone = asker->sectors == 0};
	return request;
}

void flush_queued(struct wake *wake, const struct request *asker)
{
	if (asker->rwbs[0] == 'F')
		add_flush(wake, asker);
}

static void start_flush(struct wake *wake, struct disk *disk, struct flush *flush)
{
	if (flush->state == AFTER)
		flush->state = AFTER_RUNNING;
	if (flush->state != ASKED)
		return;
	flush->state = RUNNING;
	request_at(wake, flush->request)->issued = wake->now;
	*ARRAY_ADD(&disk->issued) = flush->request;
	loop_device_issue(wake, disk->dev, request_at(wake, flush->request)->owner);
}

static bool asked_since(const struct wake *wake, const struct flush *flush)
{
	return request_at(wake, flush->request)->queued >= core_since(wake);
}

/* What became of a flush from before events were lost is not known: the one that is issued is for those who asked since. */
static void forget_lost(const struct wake *wake, struct disk *disk)
{
	size_t kept = 0;
	bool asked = false;

	for (size_t i = 0; i < disk->flushes.count; i++)
		asked |= asked_since(wake, &disk->flushes.items[i]);
	for (size_t i = 0; asked && i < disk->flushes.count; i++)
		if (asked_since(wake, &disk->flushes.items[i]))
			disk->flushes.items[kept++] = disk->flushes.items[i];
	if (asked)
		disk->flushes.count = kept;
}

void flush_issued(struct wake *wake, const struct request *range)
{
	struct disk *disk = request_disk(wake, range->disk);
	bool wanted = false;

	forget_lost(wake, disk);
	for (size_t i = 0; i < disk->flushes.count; i++)
		wanted |= disk->flushes.items[i].state == ASKED || disk->flushes.items[i].state == AFTER;
	if (!wanted)
		add_flush(wake, range); /* asked for before the data */
	for (size_t i = 0; i < disk->flushes.count; i++)
		start_flush(wake, disk, &disk->flushes.items[i]);
}

static void complete_flush(struct wake *wake, struct flush *flush)
{
	request_served(wake, request_at(wake, flush->request));
	loop_device_complete(wake, flush->request);
	flush->state = OVER;
}

int32_t flush_complete(struct wake *wake, const struct request *range)
{
	struct disk *disk = request_disk(wake, range->disk);
	int32_t first = INDEX_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < disk->flushes.count; i++) {
		struct flush flush = disk->flushes.items[i];

		if (flush.state == OVER)
			continue; /* how it ended was not seen */
		if (flush.state == RUNNING || flush.state == AFTER_RUNNING)
			complete_flush(wake, &flush);
		if (flush.state == OVER && !flush.alone)
			continue; /* its data are next */
		if (flush.state == OVER && first == INDEX_NONE)
			first = flush.request;
		disk->flushes.items[kept++] = flush;
	}
	disk->flushes.count = kept;
	return first;
}

static void remove_flush(struct disk *disk, size_t at)
{
	for (disk->flushes.count--; at < disk->flushes.count; at++)
		disk->flushes.items[at] = disk->flushes.items[at + 1];
}

static int32_t take_first(struct disk *disk, int state)
{
	for (size_t i = 0; i < disk->flushes.count; i++)
		if (disk->flushes.items[i].state == state) {
			int32_t request = disk->flushes.items[i].request;

			remove_flush(disk, i);
			return request;
		}
	return INDEX_NONE;
}

int32_t flush_over(struct wake *wake, const struct request *range)
{
	return take_first(request_disk(wake, range->disk), OVER);
}

void flush_data_issued(struct request *request, const struct request *range)
{
	request->flush_after = past_cache(request) && !past_cache(range);
}

void flush_data_written(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);

	if (request->flush_after)
		request_add_data(wake, index);
	if (request->flush_after || request->rwbs[0] == 'F')
		*ARRAY_ADD(&request_disk(wake, request->disk)->flushes) = (struct flush){
			.request = index, .state = request->flush_after ? AFTER : OVER, .alone = true};
}

void flush_handed_back(struct wake *wake, const struct request *range)
{
	int32_t index = take_first(request_disk(wake, range->disk), ASKED);

	if (index != INDEX_NONE)
		request_at(wake, index)->completed = wake->now;
}

