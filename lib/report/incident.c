#include "report/incident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/value.h"

/* After a longer pause another incident begins. */
#define PAUSE_MAX (10 * NSEC_PER_SEC)

static const char *culprit_of(const struct moment *moment)
{
	const struct story *story = moment_story(moment);

	return story && story->culprits.count > 0 ? story->culprits.items[0].words : "";
}

static bool is_alike(const struct incident *incident, const struct moment *moment, const struct signal *signal)
{
	return incident->moments > 0 && incident->unit == signal->unit && !strcmp(incident->host, moment->host) &&
	       !strcmp(incident->chart, signal->chart) && !strcmp(incident->key, signal->key) && !strcmp(incident->comm, signal->comm) &&
	       !strcmp(incident->culprit, culprit_of(moment));
}

/* Tells whether the moment comes soon enough after the incident. Only times of one clock can be compared. */
static bool follows(const struct incident *incident, const struct moment *moment)
{
	return incident->clock.has_wall == moment->clock.has_wall && incident->clock.wall == moment->clock.wall &&
	       moment->from >= incident->from && moment->from <= time_sum(incident->until, PAUSE_MAX);
}

void incident_begin(struct incident *incident, const struct moment *moment)
{
	const struct signal *signal = moment_signal(moment);

	incident_free(incident);
	if (!signal || signal->shift)
		return;
	incident->first = moment->number;
	incident->moments = 1;
	incident->incomplete = !moment->complete;
	incident->sum = incident->worst = signal->value;
	incident->host = memory_format("%s", moment->host);
	incident->chart = memory_format("%s", signal->chart);
	incident->key = memory_format("%s", signal->key);
	incident->comm = memory_format("%s", signal->comm);
	incident->culprit = memory_format("%s", culprit_of(moment));
	incident->unit = signal->unit;
	incident->clock = moment->clock;
	incident->from = moment->from;
	incident->until = moment->to;
}

bool incident_goes_on(const struct incident *incident, const struct moment *moment)
{
	const struct signal *signal = moment_signal(moment);

	return signal && !signal->shift && is_alike(incident, moment, signal) && follows(incident, moment);
}

void incident_add(struct incident *incident, const struct moment *moment)
{
	double value = moment_signal(moment)->value;

	incident->moments++;
	incident->incomplete += !moment->complete;
	incident->sum += value;
	incident->worst = fmax(value, incident->worst);
	if (moment->to > incident->until)
		incident->until = moment->to;
}

static char *say_sum(const struct incident *incident)
{
	char *value = value_words(incident->unit, incident->unit == UNIT_SECONDS ? incident->sum : incident->worst);
	char *words = memory_format(incident->unit == UNIT_SECONDS ? "%s in all" : "%s at worst", value);

	free(value);
	return words;
}

char *incident_words(const struct incident *incident)
{
	char from[TIME_ROOM], to[TIME_ROOM], *sum, *gaps, *words;

	if (incident->moments < 2)
		return NULL;
	clock_words(&incident->clock, incident->from, from);
	clock_words(&incident->clock, incident->until, to);
	sum = say_sum(incident);
	gaps = incident->incomplete > 0 ? memory_format("; %llu of them INCOMPLETE", (unsigned long long)incident->incomplete)
					: memory_format("%s", "");
	words = memory_format("the same in %llu moments from %s to %s: %s%s", (unsigned long long)incident->moments, from, to, sum, gaps);
	free(gaps);
	free(sum);
	return words;
}

void incident_free(struct incident *incident)
{
	free(incident->host);
	free(incident->chart);
	free(incident->key);
	free(incident->comm);
	free(incident->culprit);
	*incident = (struct incident){0};
}
