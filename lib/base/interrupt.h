/*
 * interrupt: a Ctrl-C at a terminal reaches every command of a pipe, but only the first should act on it; the others end
 * when their input does.
 */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

/* For a command that reads a pipe: the first SIGINT is ignored, the second ends it. */
void interrupt_defer(void);

#endif
