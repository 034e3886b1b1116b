/*
 * stop: the signals that end a collection, as something that poll() can wait for.
 *
 * The first SIGINT, SIGTERM or SIGHUP asks for an orderly end; one of the same kind more than a second later ends the process at once.
 */
#ifndef SOURCE_STOP_H
#define SOURCE_STOP_H

#include <signal.h>

/* Installs the handlers, also of SIGCHLD. Returns a descriptor that becomes readable with each signal; -1 after fail(). */
int stop_watch(void);

/* Makes the descriptor unreadable again. */
void stop_rest(int fd);

/* The signal that asked for an end; 0: none yet. */
int stop_signal(void);

#endif
