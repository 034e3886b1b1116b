/*
 * stage: the processes of a pipe that run-edge starts. Each ends with the thread that started it.
 *
 *	if ((pid = stage_start(in, out)) == 0)
 *		stage_execute(commands, arguments);
 */
#ifndef FLEET_STAGE_H
#define FLEET_STAGE_H

#include <sys/types.h>

/* A process that reads `in` and writes `out` (-1: as this one): 0 in it; its number; -1 after fail(). */
pid_t stage_start(int in, int out);

/* Becomes a command of the suite; `commands` is what its path begins with. */
_Noreturn void stage_execute(const char *commands, char **arguments);

#endif
