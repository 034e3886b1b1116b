#include "model/tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "chart/chart.h"
#include "model/display.h"
#include "model/label.h"

static struct tracked_chart *new_chart(struct tracks *tracks, const char *name)
{
	struct tracked_chart *chart = NEW(struct tracked_chart);

	chart->name = memory_format("%s", name);
	chart->title = memory_format("%s", "");
	HASH_ADD_KEYPTR(hh, tracks->charts, chart->name, strlen(chart->name), chart);
	return chart;
}

static struct tracked_chart *find_chart(struct tracks *tracks, const char *name)
{
	struct tracked_chart *chart;

	HASH_FIND_STR(tracks->charts, name, chart);
	if (chart)
		return chart;
	if (HASH_COUNT(tracks->charts) < TRACKS_CHARTS)
		return new_chart(tracks, name);
	if (!tracks->others) {
		tracks->others = new_chart(tracks, "other charts");
		stream_mark_incomplete(tracks->stream);
	}
	return tracks->others;
}

/* A track of the site's current host; `site` NULL: of all hosts. */
static struct track *new_track(struct tracked_chart *chart, const char *key, const char *id, const struct site *site)
{
	struct track *track = NEW(struct track);

	track->key = memory_format("%s", key);
	track->id = memory_format("%s", id);
	track->host = site && site->is_of_several ? memory_format("%s", site->host) : NULL;
	track->number = site ? site->number : 0;
	track->chart = chart;
	track->center = track->lcl = track->ucl = track->greatest = track->signal_center = track->signal_limit = NAN;
	track->method = memory_format("%s", "");
	HASH_ADD_KEYPTR(hh, chart->tracks, track->id, strlen(track->id), track);
	return track;
}

/* Keys beyond the bound share a track of their own, because they would falsify the counts of any other key. */
static struct track *find_track(struct tracks *tracks, const char *chart_name, const char *key, const char *id)
{
	struct tracked_chart *chart = find_chart(tracks, chart_name);
	struct track *track;

	HASH_FIND_STR(chart->tracks, id, track);
	if (track)
		return track;
	if (HASH_COUNT(chart->tracks) < TRACKS_OF_CHART && tracks->count < TRACKS_OF_ALL) {
		tracks->count++;
		return new_track(chart, key, id, tracks->site);
	}
	if (tracks->count == TRACKS_OF_ALL)
		stream_mark_incomplete(tracks->stream);
	if (!chart->others)
		chart->others = new_track(chart, "other keys", "other keys", NULL);
	return chart->others;
}

/* The count of streams that are over, of the host with this number. */
static uint64_t *streams_of(struct tracks *tracks, size_t number)
{
	while (tracks->streams.count <= number)
		*ARRAY_ADD(&tracks->streams) = 0;
	return &tracks->streams.items[number];
}

static struct track *track_by_name(struct tracks *tracks, const char *chart, const char *key)
{
	char *id = tracks->site->is_of_several ? memory_format("%s\n%s", key, tracks->site->host) : NULL;
	struct track *track = find_track(tracks, chart, key, id ? id : key);
	uint64_t streams = *streams_of(tracks, track->number);

	free(id);
	track->limited &= track->stream == streams;
	track->stream = streams;
	return track;
}

static struct track *track_of(struct tracks *tracks, const struct fields *fields)
{
	char *chart = display_field(fields, "chart"), *key = display_field(fields, "key");
	struct track *track = track_by_name(tracks, chart, key);

	free(chart);
	free(key);
	return track;
}

struct tracks *tracks_new(const struct site *site, struct stream *stream)
{
	struct tracks *tracks = NEW(struct tracks);

	tracks->site = site;
	tracks->stream = stream;
	return tracks;
}

static void free_chart(struct tracked_chart *chart)
{
	struct track *track, *next;

	HASH_ITER(hh, chart->tracks, track, next) {
		HASH_DEL(chart->tracks, track);
		free(track->samples.items);
		free(track->marks.items);
		free(track->levels.items);
		free(track->limits.items);
		free(track->shifts.items);
		free(track->key);
		free(track->id);
		free(track->host);
		free(track->device);
		free(track->method);
		free(track);
	}
	free(chart->name);
	free(chart->title);
	free(chart);
}

void tracks_free(struct tracks *tracks)
{
	struct tracked_chart *chart, *next;

	HASH_ITER(hh, tracks->charts, chart, next) {
		HASH_DEL(tracks->charts, chart);
		free_chart(chart);
	}
	free(tracks->streams.items);
	free(tracks);
}

/* --- records ---------------------------------------------------------------------------------------------------------- */

/* Takes a chart's title and kind. Does not fail for a definition that cannot be read: that is the collector's business. */
static int take_chart(struct tracks *tracks, const struct fields *fields)
{
	char *name = display_field(fields, "name");
	struct chart *definition = chart_recorded(fields);
	struct tracked_chart *chart;

	if (*name) {
		chart = find_chart(tracks, name);
		free(chart->title);
		chart->title = display_clean(definition && definition->title ? definition->title : "");
		chart->counts = definition && definition->method;
		chart->asked |= fields_is(fields, "asked", "yes");
		tracks->asked |= chart->asked;
	}
	if (definition)
		chart_free(definition);
	free(name);
	return 0;
}

static void add_point(const struct tracks *tracks, struct timeline *timeline, int64_t ts, struct bucket bucket)
{
	bucket.at = time_sum(ts, tracks->site->clock.wall);
	if (site_is_dated(tracks->site))
		timeline_add(timeline, &bucket);
}

static int take_sample(struct tracks *tracks, const struct fields *fields)
{
	struct bucket bucket = {.count = 1};
	struct track *track;
	int64_t ts, start;
	int has_start;

	if (time_read(fields, "ts", &ts) != 1 || fields_double(fields, "value", &bucket.median) != 1)
		return fail("a sample record needs ts= and value= as numbers");
	bucket.greatest = bucket.median;
	has_start = time_read(fields, "start", &start);
	if (has_start < 0 || fields_unsigned(fields, "count", &bucket.count) < 0 ||
	    fields_double(fields, "max", &bucket.greatest) < 0)
		return -1;
	track = track_of(tracks, fields);
	if (track->unit == UNIT_NONE)
		track->unit = unit_read(fields, has_start);
	track->values += bucket.count;
	if (!(track->greatest >= bucket.greatest)) {
		track->greatest = bucket.greatest;
		track->greatest_is_early = !track->limited;
	}
	add_point(tracks, &track->samples, ts, bucket);
	return 0;
}

static int read_shift(struct tracks *tracks, struct track *track, const struct fields *fields, double center)
{
	struct shift shift = {.up = fields_is(fields, "change", "up"), .from = track->center, .to = center};

	if (!shift.up && !fields_is(fields, "change", "down"))
		return fail("change= must be up or down");
	if (time_read(fields, "ts", &shift.at) < 0 || time_read(fields, "since", &shift.at) < 0)
		return -1;
	shift.clock = tracks->site->clock;
	track->all_shifts++;
	if (track->shifts.count == TRACK_SHIFTS)
		ARRAY_REMOVE(&track->shifts, 0, 1);
	*ARRAY_ADD(&track->shifts) = shift;
	return 0;
}

static int take_limits(struct tracks *tracks, const struct fields *fields)
{
	double center = NAN, lcl = NAN, ucl = NAN;
	struct track *track;
	uint64_t n = 0;
	int64_t ts;
	int found;

	found = time_read(fields, "ts", &ts);
	if (found < 0 || fields_double(fields, "center", &center) < 0 || fields_double(fields, "lcl", &lcl) < 0 ||
	    fields_double(fields, "ucl", &ucl) < 0 || fields_unsigned(fields, "n", &n) < 0)
		return -1;
	track = track_of(tracks, fields);
	if (fields_find(fields, "unit"))
		track->unit = unit_read(fields, false);
	if (track == track->chart->others)
		return 0;
	if (found && fields_find(fields, "change") && read_shift(tracks, track, fields, center) < 0)
		return -1;
	track->center = center;
	track->lcl = lcl;
	track->ucl = ucl;
	track->limited = !isnan(ucl);
	track->learnt_from = n;
	free(track->method);
	track->method = display_field(fields, "method");
	if (found)
		add_point(tracks, &track->limits, ts, (struct bucket){0, n, center, ucl});
	return 0;
}

/* Takes waits that had not ended at the end of a stream: no limits judged them, or they may have ended unseen. */
static int take_open(struct tracks *tracks, const struct fields *fields)
{
	struct unfinished *unfinished;
	struct track *track;
	int64_t ts, start, cpu = -1;
	uint64_t count;
	double age;

	if (time_read(fields, "ts", &ts) != 1 || time_read(fields, "start", &start) != 1 ||
	    fields_unsigned(fields, "count", &count) != 1 || fields_integer(fields, "cpu", &cpu) < 0)
		return fail("an open record needs ts=, start= and count= as numbers");
	age = (double)(ts - start) / 1e9;
	track = track_of(tracks, fields);
	unfinished = fields_find(fields, "doubt") ? &track->doubted : &track->open;
	unfinished->count += count;
	if (age < unfinished->oldest)
		return 0;
	unfinished->oldest = age;
	unfinished->overtaken = fields_is(fields, "doubt", "overtaken");
	unfinished->cpu = cpu;
	return 0;
}

static void add_summed(struct summed *all, const struct summed *more)
{
	double count = (double)all->count + (double)more->count;

	if (all->count == 0) {
		*all = *more;
		return;
	}
	all->mean = (all->mean * (double)all->count + more->mean * (double)more->count) / count;
	all->p50 = all->p95 = all->p99 = NAN;
	if (more->most > all->most) {
		all->most = more->most;
		all->most_at = more->most_at;
		all->clock = more->clock;
	}
	all->count += more->count;
}

static int take_summary(struct tracks *tracks, const struct fields *fields)
{
	struct summed summed = {.clock = tracks->site->clock, .p50 = NAN, .p95 = NAN, .p99 = NAN};
	struct track *track;

	if (fields_unsigned(fields, "count", &summed.count) != 1 || fields_double(fields, "mean", &summed.mean) != 1 ||
	    fields_double(fields, "max", &summed.most) != 1 || time_read(fields, "max_ts", &summed.most_at) != 1)
		return fail("a summary record needs count=, mean=, max= and max_ts= as numbers");
	if (fields_double(fields, "p50", &summed.p50) < 0 || fields_double(fields, "p95", &summed.p95) < 0 ||
	    fields_double(fields, "p99", &summed.p99) < 0)
		return -1;
	track = track_of(tracks, fields);
	if (track->unit == UNIT_NONE)
		track->unit = unit_read(fields, true);
	add_summed(&track->summed, &summed);
	return 0;
}

int tracks_take(struct tracks *tracks, enum kind kind, const struct fields *fields)
{
	switch (kind) {
	case KIND_CHART:
		return take_chart(tracks, fields);
	case KIND_SAMPLE:
		return take_sample(tracks, fields);
	case KIND_LIMITS:
		return take_limits(tracks, fields);
	case KIND_OPEN:
		return take_open(tracks, fields);
	case KIND_SUMMARY:
		return take_summary(tracks, fields);
	default:
		return 0;
	}
}

/* --- signals ---------------------------------------------------------------------------------------------------------- */

void tracks_signal(struct tracks *tracks, const struct signal *signal)
{
	struct track *track = track_by_name(tracks, signal->chart, signal->key);

	if (track->unit == UNIT_NONE)
		track->unit = signal->unit;
	if (isnan(track->signal_limit)) {
		track->signal_center = signal->center;
		track->signal_limit = signal_limit(signal);
	}
	track->signals++;
	track->chart->signals++;
	add_point(tracks, signal->shift ? &track->levels : &track->marks, signal->ts,
		  (struct bucket){0, 1, signal->value, signal->value});
}

void tracks_signal_back(struct tracks *tracks, const struct signal *signal)
{
	struct track *track = track_by_name(tracks, signal->chart, signal->key);

	track->signals--;
	track->chart->signals--;
}

void tracks_moment(struct tracks *tracks, const struct signal *signal, uint64_t moment)
{
	struct tracked_chart *chart = find_chart(tracks, signal->chart);

	if (chart->last_moment == moment)
		return;
	chart->last_moment = moment;
	chart->moments++;
}

const struct track *tracks_find(struct tracks *tracks, const struct signal *signal)
{
	return track_by_name(tracks, signal->chart, signal->key);
}

void tracks_forget_points(struct tracks *tracks)
{
	for (struct tracked_chart *chart = tracks->charts; chart; chart = chart->hh.next)
		for (struct track *track = chart->tracks; track; track = track->hh.next)
			track->samples.count = track->marks.count = track->levels.count = track->limits.count = 0;
}

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* Notes the name of the track's device. If its number means different devices in two streams, the number stays the name. */
static void name_device(const struct tracks *tracks, struct track *track)
{
	char name[64];
	bool alike;

	label_device(tracks->site, track->key, name, sizeof(name));
	if (!strcmp(name, track->key))
		return;
	alike = !track->device || !strcmp(track->device, name);
	free(track->device);
	track->device = memory_format("%s", alike ? name : track->key);
}

/* The next stream has other names of devices, but the keys of charts are printed after all streams. */
void tracks_stream_over(struct tracks *tracks)
{
	size_t number = tracks->site->number;
	uint64_t *streams = streams_of(tracks, number);

	for (struct tracked_chart *chart = tracks->charts; chart; chart = chart->hh.next)
		for (struct track *track = chart->tracks; track && label_has_devices(chart->name); track = track->hh.next)
			if (track->number == number && track->stream == *streams)
				name_device(tracks, track);
	++*streams;
}

/* The key of a track, a device by name. The caller frees it. */
static char *key_of(const struct tracks *tracks, const struct track *track)
{
	bool known = track->number == tracks->site->number && track->number < tracks->streams.count &&
		     track->stream == tracks->streams.items[track->number];
	char name[64];

	if (track->device)
		return memory_format("%s", track->device);
	if (!label_has_devices(track->chart->name) || !known)
		return memory_format("%s", track->key);
	return memory_format("%s", label_device(tracks->site, track->key, name, sizeof(name)));
}

char *tracks_name(const struct tracks *tracks, const struct track *track)
{
	char *key = key_of(tracks, track), *name;

	if (!track->host)
		return key;
	name = memory_format("%s%s%s", key, *key ? " on " : "", track->host);
	free(key);
	return name;
}

char *tracks_label(const struct tracks *tracks, const struct track *track)
{
	char *key = key_of(tracks, track);
	char *label = memory_format("%s%s%s%s%s", *track->chart->name ? track->chart->name : "values", *key ? " of " : "", key,
				    track->host ? " on " : "", track->host ? track->host : "");

	free(key);
	return label;
}

char *tracks_shift_words(const struct tracks *tracks, const struct track *track, const struct shift *shift)
{
	char *label = tracks_label(tracks, track), *from, *to, *words, clock[TIME_ROOM];
	const char *center = track->unit == UNIT_SHARE || track->unit == UNIT_RATE ? "normally" : "median";

	from = isnan(shift->from) ? memory_format("unknown") : value_words(track->unit, shift->from);
	to = value_words(track->unit, shift->to);
	if (shift->clock.has_wall && site_has_days(tracks->site))
		time_date(time_sum(shift->clock.wall, shift->at), clock);
	else
		clock_words(&shift->clock, shift->at, clock);
	words = memory_format("%s became %s at %s and stayed so: %s %s -> %s; limits relearnt", label,
			      unit_change(track->unit, shift->up), clock, center, from, to);
	free(to);
	free(from);
	free(label);
	return words;
}
