#include "model/overhead.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "model/display.h"

enum { STAGES_MAX = 8 };

static void see_stage(struct overhead *overhead, const struct fields *fields)
{
	char *command = display_field(fields, "command");
	bool known = !*command || overhead->stages.count == STAGES_MAX;

	for (size_t i = 0; i < overhead->stages.count; i++)
		known |= !strcmp(overhead->stages.items[i], command);
	if (known)
		free(command);
	else
		*ARRAY_ADD(&overhead->stages) = command;
}

/* Adds the time for which a machine was watched. */
static void see_run(struct overhead *overhead, const struct site *site, double seconds)
{
	uint64_t cpus = site->cpus ? site->cpus : 1;

	overhead->unlike |= overhead->ran > 0 && cpus != overhead->watched_cpus;
	overhead->watched_cpus = cpus;
	overhead->ran += seconds;
	overhead->capacity += seconds * (double)cpus;
}

static int see_cost(struct overhead *overhead, struct site *site, const struct fields *fields)
{
	double cpu = 0, setup = 0, wall = 0;
	uint64_t bytes = 0;
	int64_t began;
	int found;

	found = time_read(fields, "began", &began);
	if (found < 0 || fields_double(fields, "cpu", &cpu) < 0 || fields_double(fields, "setup", &setup) < 0 ||
	    fields_double(fields, "wall", &wall) < 0 || fields_unsigned(fields, "bytes", &bytes) < 0)
		return -1;
	see_stage(overhead, fields);
	overhead->cpu += cpu;
	overhead->setup += setup;
	if (fields_is(fields, "command", "trace-collect")) {
		see_run(overhead, site, wall);
		if (found)
			site_watch(site, began, time_sum(began, wall < 1e9 ? (int64_t)(wall * 1e9) : 0));
	}
	if (bytes > overhead->most)
		overhead->most = bytes;
	return 0;
}

/* If there are several filters in a pipe, the first knows the number of events read, and the last the number kept. */
static void see_filter(struct overhead *overhead, uint64_t events, uint64_t kept)
{
	overhead->has_kept = true;
	overhead->kept += kept - overhead->kept_before;
	overhead->kept_before = kept;
	if (!overhead->was_filtered)
		overhead->filtered += events;
	overhead->was_filtered = true;
}

/* The filter may read more events than the collector: those that the recorder keeps in the kernel until a window asks for them. */
static void see_events(struct overhead *overhead)
{
	uint64_t read = overhead->read - overhead->read_before, filtered = overhead->filtered - overhead->filtered_before;

	overhead->seen = overhead->seen_before + (read > filtered ? read : filtered);
}

void overhead_stream_over(struct overhead *overhead)
{
	overhead->read_before = overhead->read;
	overhead->filtered_before = overhead->filtered;
	overhead->seen_before = overhead->seen;
	overhead->was_filtered = false;
	overhead->kept_before = 0;
	overhead->bytes += overhead->most;
	overhead->most = 0;
}

/* Takes the number of events from the collector, or from the filter if there is no collector. */
static int take_usage(struct overhead *overhead, struct site *site, const struct fields *fields)
{
	uint64_t events = 0, kept = 0;

	if (fields_unsigned(fields, "events", &events) < 0 || fields_unsigned(fields, "kept", &kept) < 0 ||
	    fields_unsigned(fields, "traced", &events) < 0 || see_cost(overhead, site, fields) < 0)
		return -1;
	if (fields_is(fields, "command", "cchart-filter")) {
		see_filter(overhead, events, kept);
	} else if (fields_is(fields, "command", "trace-collect") || fields_is(fields, "command", "trace-import")) {
		overhead->has_read = true;
		overhead->read += events;
	}
	see_events(overhead);
	return 0;
}

static void shed_free(struct shed *shed)
{
	free(shed->what);
	free(shed->name);
}

static int take_shed(struct overhead *overhead, const struct site *site, const struct fields *fields)
{
	struct shed shed = {.cost = NAN, .limit = NAN};

	if (time_read(fields, "ts", &shed.at) != 1)
		return fail("a shed record needs ts= as a time");
	if (fields_double(fields, "cost", &shed.cost) < 0 || fields_double(fields, "limit", &shed.limit) < 0)
		return -1;
	overhead->all_sheds++;
	if (overhead->sheds.count == OVERHEAD_SHEDS) /* the newest always has a place */
		shed_free(&overhead->sheds.items[--overhead->sheds.count]);
	shed.what = display_field(fields, "what");
	shed.name = display_field(fields, "name");
	shed.clock = site->clock;
	*ARRAY_ADD(&overhead->sheds) = shed;
	return 0;
}

int overhead_take(struct overhead *overhead, struct site *site, enum kind kind, const struct fields *fields)
{
	return kind == KIND_USAGE ? take_usage(overhead, site, fields) : take_shed(overhead, site, fields);
}

void overhead_free(struct overhead *overhead)
{
	for (size_t i = 0; i < overhead->stages.count; i++)
		free(overhead->stages.items[i]);
	for (size_t i = 0; i < overhead->sheds.count; i++)
		shed_free(&overhead->sheds.items[i]);
	free(overhead->stages.items);
	free(overhead->sheds.items);
}

/* --- in words ------------------------------------------------------------------------------------------------------------ */

/* Tells whether probe-log shed it, which logs calls; else trace-collect did. */
static bool is_of_logger(const struct shed *shed)
{
	return strcmp(shed->what, "function") == 0;
}

static char *say_what(const struct shed *shed)
{
	if (strcmp(shed->what, "all") == 0)
		return memory_format("ended");
	if (strcmp(shed->what, "context") == 0)
		return memory_format("shed the context of %s", shed->name);
	if (strcmp(shed->what, "chart") == 0)
		return memory_format("shed the chart %s", shed->name);
	if (is_of_logger(shed))
		return memory_format("shed the calls of %s", shed->name);
	return memory_format("shed %s%s%s", shed->what, *shed->name ? " " : "", shed->name);
}

char *shed_words(const struct shed *shed)
{
	const char *command = is_of_logger(shed) ? "probe-log" : "trace-collect", *work = is_of_logger(shed) ? "logging" : "tracing";
	char clock[TIME_ROOM], *what = say_what(shed), *words;

	clock_words(&shed->clock, shed->at, clock);
	if (isnan(shed->cost) || isnan(shed->limit))
		words = memory_format("%s %s at %s, because %s cost too much", command, what, clock, work);
	else
		words = memory_format("%s %s at %s, because %s cost %.3g %% of all CPUs, more than %.3g %%", command, what, clock, work,
				      100 * shed->cost, 100 * shed->limit);
	free(what);
	return words;
}

/* "trace-collect and cchart-filter" */
static void add_stages(FILE *out, const struct overhead *overhead)
{
	for (size_t i = 0; i < overhead->stages.count; i++)
		fprintf(out, "%s%s", i == 0 ? "" : i + 1 < overhead->stages.count ? ", " : " and ", overhead->stages.items[i]);
}

/*
 * "trace-collect and cchart-filter took 0.50 s of CPU time in 12 s, 2.1 % of 2 CPUs, for 100,361 events traced and
 * 6.4 MiB read a second". The share does not include what a stage did before it began, such as placing probes.
 */
static void say_cost(FILE *out, const struct overhead *overhead)
{
	uint64_t read = overhead->has_read ? overhead->read : overhead->filtered;
	double seconds = overhead->ran, share = 100 * overhead->cpu / overhead->capacity;
	char cpu[NUMBER_ROOM], wall[NUMBER_ROOM], events[NUMBER_ROOM], bytes[NUMBER_ROOM];

	number_human_duration(cpu, (int64_t)(overhead->cpu * 1e9));
	number_human_duration(wall, (int64_t)(seconds * 1e9));
	number_human_count(events, (uint64_t)((double)read / seconds));
	number_human_size(bytes, (uint64_t)((double)(overhead->bytes + overhead->most) / seconds));
	add_stages(out, overhead);
	fprintf(out, " took %s of CPU time in %s, %.*f %% of ", cpu, wall, share < 1 ? 2 : 1, share);
	if (overhead->unlike)
		fputs("all CPUs", out);
	else if (overhead->watched_cpus > 1)
		fprintf(out, "%llu CPUs", (unsigned long long)overhead->watched_cpus);
	else
		fputs("one CPU", out);
	fprintf(out, ", for %s events traced and %s read a second", events, bytes);
	if (overhead->setup > 0) {
		number_human_duration(cpu, (int64_t)(overhead->setup * 1e9));
		fprintf(out, "; and %s to get ready", cpu);
	}
}

char *overhead_words(const struct overhead *overhead)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (!(overhead->ran > 0))
		return NULL;
	out = open_memstream(&text, &size);
	say_cost(out, overhead);
	fclose(out);
	return text;
}
