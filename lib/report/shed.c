/* What trace-collect shed to bound its cost: shed records become lines of the summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"
#include "report/words.h"

int gather_shed(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct shed shed = {.cost = NAN, .limit = NAN};

	if (!fields)
		return -1;
	if (read_time(fields, "ts", &shed.at) != 1)
		return stream_fail(model->stream, "a shed record needs ts= as a time");
	if (fields_double(fields, "cost", &shed.cost) < 0 || fields_double(fields, "limit", &shed.limit) < 0)
		return gather_wrong(model);
	model->all_sheds++;
	if (model->sheds.count == MODEL_SHEDS) /* the newest is told in any case */
		shed_free(&model->sheds.items[--model->sheds.count]);
	shed.what = clean_field(fields, "what");
	shed.name = clean_field(fields, "name");
	shed.clock = model->clock;
	*ARRAY_ADD(&model->sheds) = shed;
	return STREAM_PASS;
}

void shed_free(struct shed *shed)
{
	free(shed->what);
	free(shed->name);
}

static char *say_what(const struct shed *shed)
{
	if (strcmp(shed->what, "all") == 0)
		return memory_format("ended");
	if (strcmp(shed->what, "context") == 0)
		return memory_format("shed the context of %s", shed->name);
	if (strcmp(shed->what, "chart") == 0)
		return memory_format("shed the chart %s", shed->name);
	return memory_format("shed %s%s%s", shed->what, *shed->name ? " " : "", shed->name);
}

char *words_shed(const struct shed *shed)
{
	char clock[WORDS_CLOCK_ROOM], *what = say_what(shed), *words;

	words_clock(&shed->clock, shed->at, clock);
	if (isnan(shed->cost) || isnan(shed->limit))
		words = memory_format("trace-collect %s at %s, because tracing cost too much", what, clock);
	else
		words = memory_format("trace-collect %s at %s, because tracing cost %.3g %% of all CPUs, more than %.3g %%", what, clock,
				      100 * shed->cost, 100 * shed->limit);
	free(what);
	return words;
}
