#include "model/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/display.h"

char *label_hosts(const struct site *site)
{
	size_t named = 0, told = 0, size = 0;
	char *text = NULL;
	FILE *out;

	for (size_t i = 0; i < site->hosts.count; i++)
		named += *site->hosts.items[i] != '\0';
	if (named == 0)
		return NULL;
	out = open_memstream(&text, &size);
	fputs(named > 1 ? "hosts " : "host ", out);
	for (size_t i = 0; i < site->hosts.count; i++)
		if (*site->hosts.items[i]) {
			fprintf(out, "%s%s", told == 0 ? "" : told + 1 < named || site->more_hosts ? ", " : " and ", site->hosts.items[i]);
			told++;
		}
	fputs(site->more_hosts ? " and others" : "", out);
	fclose(out);
	return text;
}

const char *label_device(const struct site *site, const char *device, char *text, size_t room)
{
	uint64_t dev;
	size_t length;
	char *clean;

	if (device_parse(device, strlen(device), &dev) < 0)
		snprintf(text, room, "%s", device);
	else
		events_device_name(site->events, dev, text, room);
	clean = display_clean(text);
	length = strlen(clean);
	snprintf(text, room, "%.*s", (int)(length < room ? length : utf8_cut(clean, room - 1)), clean);
	free(clean);
	return text;
}

bool label_has_devices(const char *chart)
{
	static const char *const of_devices[] = {"block", "flush", "discard"};

	for (size_t i = 0; i < sizeof(of_devices) / sizeof(*of_devices); i++)
		if (!strncmp(chart, of_devices[i], strlen(of_devices[i])))
			return true;
	return false;
}

char *label_chart(const struct site *site, const char *chart, const char *key)
{
	char device[64];

	if (*key && label_has_devices(chart))
		key = label_device(site, key, device, sizeof(device));
	return memory_format("%s%s%s", *chart ? chart : "values", *key ? " of " : "", key);
}

struct deed *label_deed(const struct site *site, const struct deed *deed)
{
	struct deed named = *deed;
	char name[64];

	if (deed->dev)
		named.dev = label_device(site, deed->dev, name, sizeof(name));
	return deed_copy(&named);
}
