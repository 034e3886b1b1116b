#include "source/round.h"

#include "base/number.h"
#include "source/collector.h"

/* An event in the midst of being written is not there yet for a reader, though later ones of other CPUs are. */
#define SLACK (5 * NSEC_PER_SEC / 1000)

/* How long nothing may be written. What the kernel keeps must be asked for before it is overwritten. */
static int64_t silence(const struct collector *collector)
{
	return collector->recording ? NSEC_PER_SEC / 5 : NSEC_PER_SEC;
}

/* A reader that waits for events must be able to tell that there were none from a collector that hangs. */
static int write_tick(struct collector *collector, int64_t bound)
{
	struct line line = {0};
	int status;

	line_begin(&line, "tick");
	line_time(&line, "ts", bound);
	status = stream_write_line(collector->scribe.stream, &line);
	line_free(&line);
	return status;
}

int round_take(struct collector *collector, int64_t *until)
{
	int64_t now = clock_now(&collector->clock);
	struct scribe *scribe = &collector->scribe;

	if (now == INT64_MIN)
		return -1;
	if (collector->block && devices_look(&collector->devices, scribe->stream, now) < 0)
		return -1;
	if (collector->switches && quotas_look(&collector->quotas, scribe->stream, &collector->clock) < 0)
		return -1;
	*until = now - SLACK;
	scribe->own[1] = recorder_tid(&collector->recorder);
	scribe->own[2] = collector->scribe.threads.asker ? asker_tid(collector->scribe.threads.asker) : 0;
	if (scribe_round(scribe, &collector->merge, *until) < 0)
		return -1;
	if (collector->recording && collector->stacks)
		stacks_take(collector->stacks, *until);
	if (scribe->events == 0 && now - collector->last_written >= silence(collector)) {
		if (write_tick(collector, *until) < 0)
			return -1;
		collector->last_written = now;
	}
	if (scribe->events > 0)
		collector->last_written = now;
	return stream_flush(scribe->stream);
}

int round_last(struct collector *collector)
{
	if (scribe_round(&collector->scribe, &collector->merge, INT64_MAX) < 0)
		return -1;
	for (int i = 0; i < collector->merge.count; i++) {
		struct ring *ring = &collector->merge.rings[i];
		uint64_t lost = ring_lost_at_end(ring);

		if (lost && scribe_lost(&collector->scribe, ring, clock_now(&collector->clock), lost) < 0)
			return -1;
	}
	return 0;
}
