/*
 * interrupt: signals to a whole pipe. Ctrl-C, the closing of a terminal, or the end of a service reaches every command of
 * a pipe. Only the first command should act on it; the others end when their input ends, and so lose nothing.
 */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

/*
 * For a command that reads a pipe. Ignores the first SIGINT; the second ends the command. After a SIGTERM or SIGHUP the input
 * has 30 seconds to end; a second such signal ends the command at once. SIGHUP stays ignored if it was, as under nohup(1).
 */
void interrupt_defer(void);

/*
 * For the handler of a signal: tells whether the signal came before. A signal within a second of the first counts as the same, because timeout(1)
 * sends each to the command and to its group.
 */
bool interrupt_again(int number);

#endif
