/*
 * exceptions: probes the entries of a runtime's functions, and writes an `exception` record of each throw, with its thread, type and place.
 *
 * For C++ (libstdc++) these are __cxa_throw, __cxa_rethrow, std::rethrow_exception, __cxa_begin_catch and __cxa_end_catch. The last two tell which
 * exceptions a thread handles: the cause of a new one, and the one that is thrown once more. No return is probed, and nothing is written
 * into the program. All that the kernel reads of it is bounded and checked (a type's bases and text are used only if its class says that they
 * follow), and a process without rights turns names of types into text.
 *
 * For system calls the exception is an error that they return, for a function (source/exception_return.h) a result that the user calls a failure.
 *
 *	exceptions = exceptions_new(lookup)
 *	exceptions_add(exceptions, probes, selection, "c++:./server")	each source
 *	exceptions_throws(exceptions, &event)				perhaps: then
 *	exceptions_stack(exceptions, ...)				each stack of a throw, before the event of it
 *	exceptions_see(exceptions, stream, ...)				each event whose selected event has `exception` set
 *	exceptions_free(exceptions)
 */
#ifndef SOURCE_EXCEPTIONS_H
#define SOURCE_EXCEPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/probe.h"
#include "stream/stream.h"

struct exceptions;
struct lookup;

/* The lookup must live as long, and no other thread may ask it. */
struct exceptions *exceptions_new(struct lookup *lookup);
void exceptions_free(struct exceptions *exceptions); /* NULL: nothing */

/*
 * Adds a source: "c++", or "c++:BINARY" for a program that is linked statically, or a library elsewhere; "python", or "python:BINARY";
 * "syscall"; "return:BINARY:FUNCTION:COND". -1 after fail().
 */
int exceptions_add(struct exceptions *exceptions, struct probes *probes, struct selection *selection, const char *source);

/*
 * Finds the number of the event of tracefs by whose probes the stacks of throws can be sampled (program/sampler.h). False: no source has such
 * probes, or the number cannot be read.
 */
bool exceptions_throws(const struct exceptions *exceptions, uint64_t *event);

/* Sets the process, the stack's number, and the throwing function of the thread's next throw; NULL: unknown. Takes the text over. */
void exceptions_stack(struct exceptions *exceptions, int32_t tid, int32_t process, uint32_t stack, char *function);

/* Takes an event with the kernel's payload, and writes a record if something was thrown. -1 after fail(): the output failed. */
int exceptions_see(struct exceptions *exceptions, struct stream *stream, const struct selected *selected, int32_t tid, int64_t ts, const char *payload, size_t size);

/* Forgets which exceptions the thread handles, because it ended or runs another program; 0: forgets all threads, because events were lost. */
void exceptions_forget(struct exceptions *exceptions, int32_t tid);

#endif
