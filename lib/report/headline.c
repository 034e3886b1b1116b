#include "report/headline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/value.h"

enum { CULPRITS = 3 };
#define MOST 0.5	 /* the share that makes a part what the path mostly was */
#define LEAST_SHARE 0.01 /* a smaller share says nothing about a moment */

double headline_lost(const struct moment *moment)
{
	const struct signal *signal = moment_signal(moment);

	if (signal)
		return signal_time_lost(signal);
	return moment_story(moment) ? story_length(moment_story(moment)) : -INFINITY;
}

static char *say_normal(const struct signal *signal)
{
	double normal = signal ? isnan(signal->center) ? signal_limit(signal) : signal->center : NAN;
	char *value, *words;

	if (isnan(normal))
		return memory_format("%s", "");
	value = value_words(signal->unit, normal);
	words = memory_format(", %s %s", isnan(signal->center) ? "limit" : "normal", value);
	free(value);
	return words;
}

/* Says the chain; without one, the part of the path that took the most. */
static char *say_chain(const struct story *story)
{
	const struct story_part *part = story ? story->parts : NULL;

	if (story && story->chain)
		return memory_format("%s", story->chain);
	if (!part || !(story_share(story, part) >= MOST))
		return memory_format("%s", "");
	return memory_format("mostly %s%s", part->words, part->meanwhile);
}

/* `known`: the line has told its process already. */
static void say_culprit(FILE *out, const struct culprit *culprit, bool known)
{
	char *label = culprit_label(culprit), *process;

	fputs(label, out);
	free(label);
	if (!culprit->timeless && !isnan(culprit->share))
		fprintf(out, " %.0f %%", 100 * culprit->share);
	if (!culprit->identity.pid)
		return;
	process = known ? memory_format("process %" PRId32, culprit->identity.pid) : identity_words(&culprit->identity, culprit->who);
	fprintf(out, " (%s)", process);
	free(process);
}

static bool is_known(const struct story *story, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (story->culprits.items[i].identity.pid == story->culprits.items[which].identity.pid)
			return true;
	return false;
}

static char *say_blame(const struct story *story)
{
	size_t count = story ? story_culprits(story, CULPRITS) : 0, size = 0;
	char *words = NULL;
	FILE *out;

	if (count == 0)
		return memory_format("%s", "");
	out = open_memstream(&words, &size);
	for (size_t i = 0; i < count && (i == 0 || !(story->culprits.items[i].share < LEAST_SHARE)); i++) {
		fputs(i == 0 ? "to blame: " : "; ", out);
		say_culprit(out, &story->culprits.items[i], is_known(story, i));
	}
	fclose(out);
	return words;
}

/* Says the first culprit, for the line of a moment after the worst. */
static char *say_first_culprit(const struct story *story)
{
	char *label, *words;

	if (!story || story->culprits.count == 0)
		return memory_format("%s", "");
	label = culprit_label(&story->culprits.items[0]);
	if (story->culprits.items[0].timeless || isnan(story->culprits.items[0].share))
		words = memory_format("; to blame: %s", label);
	else
		words = memory_format("; to blame: %s %.0f %%", label, 100 * story->culprits.items[0].share);
	free(label);
	return words;
}

static struct headline headline_of(const struct site *site, const struct moment *moment, uint64_t incident)
{
	struct headline headline = {.number = moment->number, .incident = incident, .lost = headline_lost(moment), .clock = moment->clock};

	headline.host = memory_format("%s", moment->host);
	headline.has_began = moment_began(moment, moment_story(moment), &headline.began);
	headline.subject = moment_words(site, moment);
	headline.normal = say_normal(moment_signal(moment));
	headline.chain = say_chain(moment_story(moment));
	headline.blame = say_blame(moment_story(moment));
	headline.culprit = say_first_culprit(moment_story(moment));
	return headline;
}

static void headline_free(struct headline *headline)
{
	free(headline->subject);
	free(headline->normal);
	free(headline->host);
	free(headline->culprit);
	free(headline->chain);
	free(headline->blame);
}

static void remove_headline(struct headlines *headlines, size_t which)
{
	headline_free(&headlines->items[which]);
	headlines->count--;
	memmove(&headlines->items[which], &headlines->items[which + 1], (headlines->count - which) * sizeof(struct headline));
}

/* Makes room for an incident's moment after those that lost as much; HEADLINES: all did, or a moment of the same incident lost as much. */
static size_t place_of(struct headlines *headlines, uint64_t incident, double lost)
{
	size_t place = 0;

	for (size_t i = 0; i < headlines->count; i++)
		if (headlines->items[i].incident == incident) {
			if (!(lost > headlines->items[i].lost))
				return HEADLINES;
			remove_headline(headlines, i);
		}
	while (place < headlines->count && !(lost > headlines->items[place].lost))
		place++;
	if (place == HEADLINES)
		return HEADLINES;
	if (headlines->count == HEADLINES)
		remove_headline(headlines, HEADLINES - 1);
	memmove(&headlines->items[place + 1], &headlines->items[place], (headlines->count - place) * sizeof(struct headline));
	headlines->count++;
	return place;
}

static void see_own(struct headlines *headlines, const struct site *site, const struct moment *moment)
{
	if (headlines->owns++ > 0 && !(headline_lost(moment) > headlines->own.lost))
		return;
	headline_free(&headlines->own);
	headlines->own = headline_of(site, moment, moment->number);
}

void headlines_see(struct headlines *headlines, const struct site *site, const struct moment *moment)
{
	uint64_t incident = moment->number;
	size_t place;

	if (moment_is_own(moment)) {
		see_own(headlines, site, moment);
		return;
	}
	if (incident_goes_on(&headlines->incident, moment)) {
		incident_add(&headlines->incident, moment);
		incident = headlines->incident.first;
	} else {
		incident_begin(&headlines->incident, moment);
	}
	place = place_of(headlines, incident, headline_lost(moment));
	if (place < HEADLINES)
		headlines->items[place] = headline_of(site, moment, incident);
}

void headlines_free(struct headlines *headlines)
{
	for (size_t i = 0; i < headlines->count; i++)
		headline_free(&headlines->items[i]);
	headline_free(&headlines->own);
	incident_free(&headlines->incident);
}

/* " at 14:37:53.878", " at 2026-11-20 14:37:53 on web2" */
static char *say_where(const struct headline *headline, const struct site *site)
{
	char time[TIME_ROOM] = "";
	bool several = site->hosts.count > 1;

	if (headline->has_began && headline->clock.has_wall && site_has_days(site))
		time_date(time_sum(headline->clock.wall, headline->began), time);
	else if (headline->has_began)
		clock_words(&headline->clock, headline->began, time);
	return memory_format("%s%s%s%s", *time ? " at " : "", time, several ? " on " : "",
			     !several ? "" : *headline->host ? headline->host : "an unknown host");
}

/* " (12 events LOST)": why the data are not complete. */
static char *say_losses(const struct model *model)
{
	uint64_t lost = stream_lost(model->stream);
	char *count, *words;

	if (lost > 0) {
		count = value_count(lost, "event");
		words = memory_format(" (%s LOST)", count);
		free(count);
		return words;
	}
	if (stream_was_cut(model->stream))
		return memory_format(" (INCOMPLETE: the input was cut)");
	if (stream_incomplete(model->stream) || model->counts->incomplete > 0)
		return memory_format(" (INCOMPLETE)");
	return memory_format("%s", "");
}

char *headlines_first(const struct headlines *headlines, const struct model *model)
{
	const struct headline *worst = &headlines->items[0];
	uint64_t count = model->counts->moments - headlines->owns;
	char *moments = value_count(count, "moment"), *losses = say_losses(model), *where = say_where(worst, model->site);
	char *words = memory_format("%s%s%s: %s%s%s", count > 1 ? "worst of " : "", moments, losses, worst->subject, where,
				    worst->normal);

	free(where);
	free(losses);
	free(moments);
	return words;
}

char *headlines_next(const struct headlines *headlines, const struct site *site, size_t which)
{
	const struct headline *headline = &headlines->items[which];
	char *where = say_where(headline, site), *words = memory_format("%s%s%s", headline->subject, where, headline->culprit);

	free(where);
	return words;
}

char *headlines_own(const struct headlines *headlines, const struct site *site)
{
	const struct headline *own = &headlines->own;
	char *moments, *where, *words;

	if (headlines->owns == 0)
		return NULL;
	moments = value_count(headlines->owns, "moment");
	where = say_where(own, site);
	words = memory_format("%s %s this pipe's own: %s%s%s%s", moments, headlines->owns > 1 ? "were" : "was",
			      headlines->owns > 1 ? "the worst, " : "", own->subject, where, own->culprit);
	free(where);
	free(moments);
	return words;
}
