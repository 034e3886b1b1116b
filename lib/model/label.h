/*
 * label: hosts, devices, charts and deeds, with the names that a reader knows.
 */
#ifndef MODEL_LABEL_H
#define MODEL_LABEL_H

#include "graph/deed.h"
#include "model/site.h"

/* "host web1", "hosts web1, web2 and others", which the caller frees; NULL: no host has a name. */
char *label_hosts(const struct site *site);

/* Writes "loop0" for "7:0" to `text` if the current stream knows the name, else the device itself. Returns `text`. */
const char *label_device(const struct site *site, const char *device, char *text, size_t room);

/* A chart and key as a label, with devices by name: "block of loop0", "runq". The caller frees it. */
char *label_chart(const struct site *site, const char *chart, const char *key);
bool label_has_devices(const char *chart); /* tells whether the keys of this chart are devices */

/* A copy of the deed, with its device by name. The caller frees it. */
struct deed *label_deed(const struct site *site, const struct deed *deed);

#endif
