/*
 * program_search: finds programs whose command lines name a server (the paper's III.A). /proc has the command lines of running processes. The kernel
 * tells those of processes that begin (source/exec_probe.h), even if they have ended since.
 *
 *	search = program_search_new("files.example.org", permission);
 *	while (!*program_search_look(search)) ...		once a second
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

/* `url` and `permission` must outlive the search. */
struct program_search *program_search_new(const char *url, const struct permission *permission);
void program_search_free(struct program_search *search); /* NULL is allowed */

/*
 * The programs that name the server and may be recorded, separated by blanks; "": none so far. Once the list is not empty, it stays the same. It has
 * at most as many programs as fit into a line of a job's file. Anybody may start a program that names the server: so programs whose whole names are
 * in the machine's file come before those that fit a pattern there.
 */
const char *program_search_look(struct program_search *search);

/* The number of programs that had no room in the list. */
size_t program_search_left_out(const struct program_search *search);

/* Tells whether a command line, whose words are separated by NUL, names a server. Ignores case. */
bool program_search_is_named(const char *url, const char *line, size_t length);

#endif
