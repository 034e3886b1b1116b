/* From usage records: how much was read and kept, when it was watched, and what tailblame itself cost. */
#include <stdlib.h>
#include <string.h>

#include "report/gather.h"
#include "report/words.h"

enum { STAGES_MAX = 8 };

static void see_stage(struct model *model, const struct fields *fields)
{
	char *command = clean_field(fields, "command");
	bool known = !*command || model->stages.count == STAGES_MAX;

	for (size_t i = 0; i < model->stages.count; i++)
		known |= !strcmp(model->stages.items[i], command);
	if (known)
		free(command);
	else
		*ARRAY_ADD(&model->stages) = command;
}

static void see_watch(struct model *model, int64_t began, double seconds)
{
	model_see_times(&model->watched, began, time_sum(began, seconds < 1e9 ? (int64_t)(seconds * 1e9) : 0));
}

/* How long which machine was watched. */
static void see_run(struct model *model, double seconds)
{
	uint64_t cpus = model->cpus ? model->cpus : 1;

	model->unlike |= model->ran > 0 && cpus != model->watched_cpus;
	model->watched_cpus = cpus;
	model->ran += seconds;
	model->capacity += seconds * (double)cpus;
}

static int see_cost(struct model *model, const struct fields *fields)
{
	double cpu = 0, setup = 0, wall = 0;
	uint64_t bytes = 0;
	int64_t began;
	int found;

	found = read_time(fields, "began", &began);
	if (found < 0 || fields_double(fields, "cpu", &cpu) < 0 || fields_double(fields, "setup", &setup) < 0 ||
	    fields_double(fields, "wall", &wall) < 0 || fields_unsigned(fields, "bytes", &bytes) < 0)
		return -1;
	see_stage(model, fields);
	model->cpu += cpu;
	model->setup += setup;
	if (fields_is(fields, "command", "trace-collect")) {
		see_run(model, wall);
		if (found)
			see_watch(model, began, wall);
	}
	if (bytes > model->most)
		model->most = bytes;
	return 0;
}

/* Of several filters, the first tells what there was, and the last what is left of it. */
static void see_filter(struct model *model, uint64_t events, uint64_t kept)
{
	model->has_kept = true;
	model->kept += kept - model->kept_before;
	model->kept_before = kept;
	if (!model->was_filtered)
		model->filtered += events;
	model->was_filtered = true;
}

/* What the recorder keeps in the kernel until a window asks for it is read by the filter alone. */
static void see_events(struct model *model)
{
	uint64_t read = model->read - model->read_before, filtered = model->filtered - model->filtered_before;

	model->seen = model->seen_before + (read > filtered ? read : filtered);
}

void gather_usage_end(struct model *model)
{
	model->read_before = model->read;
	model->filtered_before = model->filtered;
	model->seen_before = model->seen;
	model->was_filtered = false;
	model->kept_before = 0;
}

/* How many events there were is the collector's to say; where there was none, the filter's. */
int gather_usage(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	uint64_t events = 0, kept = 0;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "events", &events) < 0 || fields_unsigned(fields, "kept", &kept) < 0 ||
	    fields_unsigned(fields, "traced", &events) < 0 || see_cost(model, fields) < 0)
		return gather_wrong(model);
	if (fields_is(fields, "command", "cchart-filter")) {
		see_filter(model, events, kept);
	} else if (fields_is(fields, "command", "trace-collect") || fields_is(fields, "command", "trace-import")) {
		model->has_read = true;
		model->read += events;
	}
	see_events(model);
	return STREAM_PASS;
}
