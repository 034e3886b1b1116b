/*
 * pairing: pairs entries and ends of functions into calls: reads a stream from standard input, and writes `call`, `tick`, `shed` and `lost`
 * records as text to standard output. A stream that was cut ends with "lost count=0 cut=yes".
 *
 * An end belongs to the newest open call of its thread and function; if events have the stack pointer, to the newest one with the same
 * stack pointer. A call that is thrown away with the stack (func:unwind) ends too, and its record has left=yes.
 */
#ifndef LOG_PAIRING_H
#define LOG_PAIRING_H

/* Runs until the input ends. Returns a command's exit status. */
int pairing_run(void);

#endif
