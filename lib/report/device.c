/* Names of block devices. Of a stream that is over they are forgotten, but a chart's keys are told when all is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model.h"
#include "report/words.h"

const char *model_device_name(const struct model *model, const char *device, char *text, size_t room)
{
	uint64_t dev;
	char *clean;

	if (device_parse(device, strlen(device), &dev) < 0)
		snprintf(text, room, "%s", device);
	else
		events_device_name(model->events, dev, text, room);
	clean = words_clean(text);
	snprintf(text, room, "%s", clean);
	free(clean);
	return text;
}

struct deed *model_name_device(const struct model *model, const struct deed *deed)
{
	struct deed named = *deed;
	char name[64];

	if (deed->dev)
		named.dev = model_device_name(model, deed->dev, name, sizeof(name));
	return deed_copy(&named);
}

static bool has_devices(const struct chart_story *chart)
{
	return !strncmp(chart->name, "block", strlen("block"));
}

/* A number that is of one device in one stream and of another in the next is told as the number. */
static void name_device(const struct model *model, struct track *track)
{
	char name[64];
	bool alike;

	model_device_name(model, track->key, name, sizeof(name));
	if (!strcmp(name, track->key))
		return;
	alike = !track->device || !strcmp(track->device, name);
	free(track->device);
	track->device = memory_format("%s", alike ? name : track->key);
}

void model_name_devices(struct model *model)
{
	for (struct chart_story *chart = model->charts; chart; chart = chart->hh.next)
		for (struct track *track = chart->tracks; track && has_devices(chart); track = track->hh.next)
			if (track->stream == model->streams)
				name_device(model, track);
}

char *model_track_name(const struct model *model, const struct track *track)
{
	char name[64];

	if (track->device)
		return memory_format("%s", track->device);
	if (!has_devices(track->chart) || track->stream != model->streams)
		return memory_format("%s", track->key);
	return memory_format("%s", model_device_name(model, track->key, name, sizeof(name)));
}
