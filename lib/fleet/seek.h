/*
 * seek: finds programs whose command lines name a server (the paper's III.A). /proc has those of processes that run. The kernel tells those of
 * processes that begin (source/exec_probe.h), also if they have ended since.
 *
 *	seek = seek_new("files.example.org", permission);
 *	while (!*seek_look(seek)) ...		each second
 *	seek_free(seek);
 *
 * Command lines stay in this process.
 */
#ifndef FLEET_SEEK_H
#define FLEET_SEEK_H

#include <stdbool.h>
#include <stddef.h>

#include "fleet/permission.h"

struct seek;

/* `url` and `permission` must stay. */
struct seek *seek_new(const char *url, const struct permission *permission);
void seek_free(struct seek *seek); /* NULL is allowed */

/* The programs that name the server and may be recorded, with blanks between them; "": none so far. Once there is one, no others come. */
const char *seek_look(struct seek *seek);

/* Tells whether a command line, whose words have NUL between them, names a server. Letters may be large or small. */
bool seek_is_named(const char *url, const char *line, size_t length);

#endif
