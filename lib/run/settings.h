/*
 * settings: the configuration that a job asks for: files by libaugeas, and sysctls. Each leaf is a setting; one whose value is
 * several numbers is several, NAME.1, NAME.2... A setting that is named password, secret, token or key has a salted hash as its value.
 */
#ifndef RUN_SETTINGS_H
#define RUN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/job.h"
#include "stream/line.h"

struct settings;

/* NULL after fail(): libaugeas has no such lens. */
struct settings *settings_read(const struct job *job);
void settings_free(struct settings *settings);

/* A file that could not be read, in a sentence; NULL: there are no more. */
const char *settings_complaint(const struct settings *settings, size_t index);

/* Appends a setting as its `config` record has it: the name, a tab, the value or why it is unknown. False: there are no more. */
bool settings_spell(const struct settings *settings, size_t index, struct line *line);

#endif
