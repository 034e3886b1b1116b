/*
 * runner: runs a command of the user's whenever a trigger fires, one at a time.
 *
 *	runner = runner_new("gcore $TAILBLAME_PID")	before the rights to start programs are given up
 *	runner_tell(runner, &firing)			returns at once
 *	runner_end(runner)				waits until all commands have run
 *
 * A separate process runs the commands by sh -c, with TAILBLAME_TRIGGER, _TS, _PID and _TID in their environment; _PID and _TID are empty if
 * unknown. Their output goes to standard error, because standard output is the stream.
 */
#ifndef TRIGGER_RUNNER_H
#define TRIGGER_RUNNER_H

#include "trigger/watch.h"

struct runner;

struct runner *runner_new(const char *command); /* NULL after fail() */
void runner_tell(struct runner *runner, const struct watch_firing *firing);

/* Waits, and frees the runner. Returns the number of firings that were dropped because earlier commands still ran; 0 if `runner` is NULL. */
unsigned long runner_end(struct runner *runner);

#endif
