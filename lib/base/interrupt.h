/*
 * interrupt: a Ctrl-C at a terminal, its closing, or the end of a service reaches every command of a pipe, but only the
 * first should act on it; the others end when their input does, and so tell all that came.
 */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

/*
 * For a command that reads a pipe: the first SIGINT is ignored, the second ends it. After a SIGTERM or SIGHUP the input has
 * half a minute to end; another of the same ends the command at once. A SIGHUP that was ignored, as by nohup(1), stays so.
 */
void interrupt_defer(void);

#endif
