#include "source/round.h"

#include "source/timers.h"
#include <string.h>

#include "base/number.h"
#include "program/lookup.h"
#include "source/collector.h"
#include "source/execs.h"

/* An event in the midst of being written is not there yet for a reader, though later ones of other CPUs are. */
#define SLACK (5 * NSEC_PER_SEC / 1000)

/* Between two records which say that something may be missing, by what somebody else did. */
#define DOUBT_PERIOD (NSEC_PER_SEC / 2)

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

void round_notice(struct collector *collector, const char *ours)
{
	const char *file = collector->meddling ? meddling_seen(collector->meddling, ours) : NULL;

	if (!file)
		return;
	stream_mark_incomplete(collector->scribe.stream);
	if (!collector->meddled)
		collector->meddled = memory_text(file, strlen(file));
}

/* Nobody can say what is missing, or that from some time on nothing is. */
int round_doubt(struct collector *collector, int64_t from, int64_t ts)
{
	struct line line = {0};
	int status = 0;

	for (int i = 0; status == 0 && i < collector->streamed; i++) {
		line_begin(&line, "lost");
		line_time(&line, "ts", ts);
		line_integer(&line, "cpu", collector->merge.rings[i].cpu);
		line_unsigned(&line, "count", 0);
		line_time(&line, "from", from);
		status = stream_write_line(collector->scribe.stream, &line);
	}
	line_free(&line);
	collector->told = ts;
	return status;
}

static int tell_doubt(struct collector *collector, int64_t until)
{
	round_notice(collector, NULL);
	if (!collector->meddled)
		collector->told = until;
	else if (until - collector->told >= DOUBT_PERIOD)
		return round_doubt(collector, collector->told, until);
	return 0;
}

/* Not where events have other numbers than processes. */
static int tell_stages(struct collector *collector)
{
	const struct scribe *scribe = &collector->scribe;
	const int32_t helper = collector->guardian.pid;

	if (collector->foreign)
		return 0;
	if (stages_tell(&collector->stages, scribe->stream, scribe->own, SCRIBE_OWN) < 0 ||
	    stages_tell(&collector->stages, scribe->stream, &helper, 1) < 0)
		return -1;
	return stages_look(&collector->stages, scribe->stream, collector->output, clock_now(&collector->clock));
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
	if (collector->timers && timers_tell(scribe->stream) < 0)
		return -1;
	collector->timers = false;
	*until = now - SLACK;
	scribe->own[1] = recorder_tid(&collector->recorder);
	scribe->own[2] = collector->scribe.threads.asker ? asker_tid(collector->scribe.threads.asker) : 0;
	scribe->own[3] = collector->lookup ? lookup_process(collector->lookup) : 0;
	if (scribe->threads.execs)
		execs_take(scribe->threads.execs);
	if (scribe->threads.titles && threads_tell_titles(&scribe->threads, scribe->stream) < 0)
		return -1;
	if (tell_stages(collector) < 0 || scribe_round(scribe, &collector->merge, *until) < 0)
		return -1;
	if (tell_doubt(collector, *until) < 0)
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
	if (collector->scribe.threads.execs)
		execs_take(collector->scribe.threads.execs);
	if (scribe_round(&collector->scribe, &collector->merge, INT64_MAX) < 0)
		return -1;
	round_notice(collector, "tracing_on");
	if (collector->cost && cost_tell_doubt(collector, clock_now(&collector->clock)) < 0)
		return -1;
	if (collector->meddled && round_doubt(collector, collector->told, clock_now(&collector->clock)) < 0)
		return -1;
	for (int i = 0; i < collector->merge.count; i++) {
		struct ring *ring = &collector->merge.rings[i];
		uint64_t lost = ring_lost_at_end(ring);

		if (lost && scribe_lost(&collector->scribe, ring, clock_now(&collector->clock), lost) < 0)
			return -1;
	}
	return 0;
}
