/*
 * program_search: finds programs whose command lines name a server (the paper's III.A). /proc has those of processes that run. The kernel tells those of
 * processes that begin (source/exec_probe.h), also if they have ended since.
 *
 *	search = program_search_new("files.example.org", permission);
 *	while (!*program_search_look(search)) ...		each second
 *	program_search_free(search);
 *
 * Command lines stay in this process.
 */
#ifndef FLEET_PROGRAM_SEARCH_H
#define FLEET_PROGRAM_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fleet/permission.h"

struct program_search;

/* `url` and `permission` must stay. */
struct program_search *program_search_new(const char *url, const struct permission *permission);
void program_search_free(struct program_search *search); /* NULL is allowed */

/*
 * The programs that name the server and may be recorded, with blanks between them; "": none so far. Once there is one, no others come. They
 * are at most as many as a line of a job's file may have. Anybody may start a program that names the server: those whose names the machine's
 * file has whole come before those that fit a pattern there.
 */
const char *program_search_look(struct program_search *search);

/* How many programs that fit a pattern had no room. */
size_t program_search_left_out(const struct program_search *search);

/* Tells whether a command line, whose words have NUL between them, names a server. Letters may be large or small. */
bool program_search_is_named(const char *url, const char *line, size_t length);

#endif
