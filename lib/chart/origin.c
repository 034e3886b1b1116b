/* Where a stream is from: what was learnt elsewhere is not usual there. */
#include <string.h>

#include "chart/measured.h"

void measure_stream(struct measure *measure, const struct fields *fields)
{
	struct origin origin = {"", ""};

	*measure->world.machine = '\0';
	fields_text(fields, "machine", measure->world.machine, sizeof(measure->world.machine));
	fields_text(fields, "host", origin.host, sizeof(origin.host));
	fields_text(fields, "boot", origin.boot, sizeof(origin.boot));
	measure->elsewhere |= strcmp(origin.host, measure->origin.host) || strcmp(origin.boot, measure->origin.boot);
	measure->origin = origin;
	measure->vouched = *origin.boot != '\0'; /* no saved trace of another tool tells it */
}

static void forget_learnt(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		series_set_free(&measure->charts.items[i]->set);
		measure->charts.items[i]->recent = NULL;
	}
	measure->elsewhere = false;
}

void measured_begin(struct measure *measure, int64_t ts)
{
	if (measure->elsewhere || (!*measure->origin.boot && ts < measure->ended))
		forget_learnt(measure);
}
