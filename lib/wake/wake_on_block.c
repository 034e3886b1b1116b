#include "wake/wake_event.h"

enum { DEV, SECTOR, NR_SECTOR, RWBS };

/* A bio names the partition that it was sent to, but its sector is already that of the disk. */
static struct request request_of(const struct happening *at)
{
	struct request request = {
		.disk = events_device_disk(at->wake->events, (uint64_t)happening_number(at, DEV)),
		.sector = (uint64_t)happening_number(at, SECTOR),
		.sectors = (uint32_t)happening_number(at, NR_SECTOR),
		.submitter = INDEX_NONE,
		.owner = INDEX_NONE,
		.upper = INDEX_NONE,
		.queued = at->wake->now,
	};

	happening_text(at, RWBS, request.rwbs, sizeof(request.rwbs));
	return request;
}

void on_bio_queue(struct happening *at)
{
	struct request request = request_of(at);
	const struct thread *submitter;

	submitter = at->current ? at->current : wake_thread_on(at->wake, at->cpu, at->event->tid);
	request.submitter = submitter->index;
	request.owner = thread_served(at->wake, submitter);
	flush_ask(at->wake, &request);
	if (request.sectors)
		backed_submit(at->wake, submitter, request_queue(at->wake, &request));
}

void on_rq_issue(struct happening *at)
{
	struct request range = request_of(at);

	if (range.sectors)
		request_issue(at->wake, &range);
	else if (flush_is(&range))
		flush_issue(at->wake, &range);
}

void on_rq_requeue(struct happening *at)
{
	struct request range = request_of(at);

	request_requeue(at->wake, &range);
}

void on_rq_complete(struct happening *at)
{
	struct request range = request_of(at);
	int32_t completed;

	backed_ender(at->wake, at->cpu, range.disk, at->event->tid, happening_flags(at));
	if (range.sectors)
		completed = request_complete(at->wake, &range);
	else if (flush_is(&range))
		completed = flush_complete(at->wake, &range);
	else
		completed = flush_over(at->wake, &range);
	context_completed(at->cpu, completed, happening_flags(at));
}

void on_bio_complete(struct happening *at)
{
	struct request range = request_of(at);

	request_hand_back(at->wake, &range);
}
