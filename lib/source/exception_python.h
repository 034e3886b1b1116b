/*
 * exception_python: exceptions of Python, by probes in CPython 3.11. They read its objects by that version's layout; other versions are refused.
 *
 * _PyErr_SetObject() sets every exception, also those that C code drops again, such as the end of an iteration. So an exception gets a record
 * only when PyTraceBack_Here() says that the exception passes the frame in which it was set.
 *
 *	exception_python_probe()	`exception` of each selected event tells what it is
 *	exception_python_see()		each event of them
 */
#ifndef SOURCE_EXCEPTION_PYTHON_H
#define SOURCE_EXCEPTION_PYTHON_H

#include <stdbool.h>

#include "source/exception_ask.h"
#include "source/probe.h"

/* The exception that a thread has set last. All zero: none. */
struct python_set {
	char *name, *what; /* name: of the type; what: its text; NULL: unknown */
	char *calls;	   /* innermost first, with ';' between them; NULL: not known */
	uint64_t frame;	   /* in which it was set */
};

/*
 * Makes the probes of an interpreter, or of its library, at this path. `exception` of their selected events is `first` and the next two numbers.
 * -1 after fail().
 */
int exception_python_probe(struct lookup *lookup, struct probes *probes, struct selection *selection, const char *path, uint8_t first);

/* Takes an event. True: the exception that was set gets a record now, and the caller then forgets it. */
bool exception_python_see(struct python_set *set, const struct exception_event *event, uint8_t first);

void exception_python_forget(struct python_set *set);

#endif
