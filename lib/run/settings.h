/*
 * settings: the configuration that a job asks for: files, read by libaugeas, and sysctls. Each leaf is a setting. A leaf whose value is a list
 * of numbers is several settings, NAME.1, NAME.2... If a name contains password, passwd, secret, token or key, a salted hash replaces the value.
 */
#ifndef RUN_SETTINGS_H
#define RUN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/job.h"
#include "stream/line.h"

struct settings;

/* NULL after fail(), such as if libaugeas has no such lens. */
struct settings *settings_read(const struct job *job);
void settings_free(struct settings *settings);

/* A sentence about a file that could not be read; NULL: there are no more. */
const char *settings_complaint(const struct settings *settings, size_t index);

/* Appends a setting as keys of a `config` record: name=, a tab, then value=, or error= if it is unknown. False: there are no more. */
bool settings_spell(const struct settings *settings, size_t index, struct line *line);

#endif
