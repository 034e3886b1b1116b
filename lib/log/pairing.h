/*
 * pairing: makes calls of the entries and ends of functions: reads a stream from standard input, and writes `call`, `tick`, `shed` and
 * `lost` records as text to standard output.
 *
 * A call is that of its thread whose entry was last of those of its function that are open, and where events tell the stack pointer, of
 * those with the same. What is thrown away with the stack (func:unwind) ends too, and is said to: left=yes.
 */
#ifndef LOG_PAIRING_H
#define LOG_PAIRING_H

/* Until the input ends. Returns the exit status of a command. */
int pairing_run(void);

#endif
