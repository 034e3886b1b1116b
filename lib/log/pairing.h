/*
 * pairing: makes calls of the entries and ends of functions: reads a stream from standard input, and writes `call`, `tick`, `shed` and
 * `lost` records as text to standard output.
 *
 * An end belongs to the newest open call of its thread and function, and where events tell the stack pointer, to the newest with the same.
 * What is thrown away with the stack (func:unwind) ends too, and is said to: left=yes.
 */
#ifndef LOG_PAIRING_H
#define LOG_PAIRING_H

/* Until the input ends. Returns the exit status of a command. */
int pairing_run(void);

#endif
