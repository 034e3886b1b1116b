/*
 * exception_return: calls whose result means failure, as exceptions: "BINARY:FUNCTION:COND".
 *
 *	cond = [type] ("<"|"<="|">"|">="|"=="|"!=") number;
 *
 * The type is one of program/argument.h; without it, the type is that in DWARF or, if there is none, a number of 64 bits. The kernel compares: a
 * call that does not fail costs the probe at its return, and writes nothing.
 */
#ifndef SOURCE_EXCEPTION_RETURN_H
#define SOURCE_EXCEPTION_RETURN_H

#include <stddef.h>

#include "source/probe.h"

/* Makes the probe; its event becomes the last of the selection. -1 after fail(). */
int exception_return_probe(struct lookup *lookup, struct probes *probes, struct selection *selection, const char *text);

/* "FUNCTION=VALUE" of such an event, with the kernel's payload; sets *function, too. The caller frees both. NULL: the event is cut. */
char *exception_return_name(const struct selected *selected, const char *payload, size_t size, char **function);

#endif
