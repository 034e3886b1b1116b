/* The charts' listener: limits, healthy values, signals and unfinished intervals become records; signals open windows. */
#include "chart/span.h"
#include "window/filter_state.h"

/* Size of each filter's own range of ids, if one follows another. */
static const uint64_t range = 1000000000;

void filter_comes_behind(struct filter *filter, uint64_t id)
{
	uint64_t last = (id / range + 1) * range;

	window_expect(filter->window, last);
	if (last > filter->signals)
		filter->signals = last;
}

static int tell_limits(void *context, const struct series *series, int64_t ts)
{
	struct filter *filter = context;

	limits_line(&filter->line, ts, series->chart, series->key, &series->limits);
	if (series->change)
		line_text(&filter->line, "change", series->change > 0 ? "up" : "down");
	if (series->change)
		line_time(&filter->line, "since", series->changed);
	if (series->forgotten)
		line_unsigned(&filter->line, "forgotten", series->forgotten);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_healthy(void *context, const struct series *series, int64_t from, double median)
{
	struct filter *filter = context;

	sample_healthy_line(&filter->line, series, from, median);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_hold(void *context, int64_t start)
{
	struct filter *filter = context;

	return window_hold(filter->window, start, filter->now);
}

static int tell_release(void *context)
{
	struct filter *filter = context;

	window_release(filter->window, filter->now);
	return 0;
}

/* The value as a multiple of the centre line: the worst signal gets the context. */
static double badness(const struct sample *sample)
{
	return sample->center > 0 ? sample->value / sample->center : sample->value;
}

static int tell_signal(void *context, const struct sample *sample)
{
	struct filter *filter = context;
	int64_t horizon = measure_horizon(filter->measure);

	if (window_forget(filter->window, horizon < sample->start ? horizon : sample->start) < 0)
		return -1;
	if (thread_records_tell_thread(filter->threads, sample->tid, sample->end) < 0 ||
	    window_signal(filter->window, ++filter->signals, sample->start, sample->end, badness(sample)) < 0)
		return -1;
	sample_signal_line(&filter->line, sample, filter->signals, events_comm(filter->events, sample->tid));
	return stream_write_line(filter->stream, &filter->line);
}

int filter_ask(struct filter *filter)
{
	int64_t span = filter->options.size.before, start = span_add(filter->now, -span);

	if (window_signal(filter->window, ++filter->signals, start, filter->now, 0) < 0)
		return -1;
	line_begin(&filter->line, kind_name(KIND_SIGNAL));
	line_unsigned(&filter->line, "id", filter->signals);
	line_time(&filter->line, "ts", filter->now);
	line_time(&filter->line, "start", start);
	line_text(&filter->line, "chart", "asked");
	line_time(&filter->line, "value", span);
	line_text(&filter->line, "rules", "asked");
	return stream_write_line(filter->stream, &filter->line);
}

/* Between the windows of an input that was filtered before, ends may be missing. */
static int tell_open(void *context, const struct series *series, const struct unended *unended, int64_t now)
{
	struct filter *filter = context;

	if (filter->has_gaps)
		return 0;
	sample_open_line(&filter->line, series, unended, now);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_digest(void *context, const struct series *series)
{
	struct filter *filter = context;

	sample_summary_line(&filter->line, series);
	return stream_write_line(filter->stream, &filter->line);
}

struct measure_listener filter_listener(struct filter *filter)
{
	return (struct measure_listener){.context = filter, .limits = tell_limits, .healthy = tell_healthy, .hold = tell_hold,
					 .release = tell_release, .signal = tell_signal, .open = tell_open, .digest = tell_digest};
}
