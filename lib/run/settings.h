/*
 * settings: the configuration that a job asks for: files by libaugeas, and sysctls. Each leaf is a setting; one whose value is
 * several numbers is several, NAME.1, NAME.2... A setting that is named password, secret, token or key is told as a salted hash.
 */
#ifndef RUN_SETTINGS_H
#define RUN_SETTINGS_H

#include <stddef.h>

#include "run/job.h"
#include "stream/stream.h"

struct settings;

/* NULL after fail(): libaugeas has no such lens. */
struct settings *settings_read(const struct job *job);
void settings_free(struct settings *settings);

/* A file that could not be read, in a sentence; NULL: there are no more. */
const char *settings_complaint(const struct settings *settings, size_t index);

/* Writes them as `config` records of this run: 0; -1 after fail(). NULL has none. */
int settings_write(const struct settings *settings, const char *run, struct stream *stream);

#endif
