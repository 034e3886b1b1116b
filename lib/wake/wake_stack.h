/*
 * wake_stack: in which function a thread went to sleep, and in which one it woke another, where the data have stacks
 * (trace-collect --stack). Private to lib/wake.
 *
 * A stack goes by one frame: the innermost that is the program's own, beneath the C library's and the language's wrappers; of a
 * kernel thread the innermost beneath the scheduler. Names without a stack are as they would be if there were no stacks.
 */
#ifndef WAKE_STACK_H
#define WAKE_STACK_H

#include "wake/part.h"
#include "stream/line.h"

struct wake_stacks *wake_stacks_new(void);
void wake_stacks_free(struct wake_stacks *stacks);

/* A `stack` record, before the first event that names it. -1 after fail(). */
int wake_stack_read(struct wake *wake, const struct fields *fields);

void on_stack_sleep(struct at *at);
void on_stack_wake(struct at *at);

/*
 * The name with the function behind it: of a wait the one that it sleeps in, of a run the one that woke the asker's thread
 * (INDEX_NONE: none) at the run's end: "worker: waiting in fetch", "main: running in compress". Takes over the name; the caller
 * frees what it returns.
 */
char *wake_stack_name(const struct wake *wake, const struct thread *thread, size_t piece, int32_t asker, char *name);

/*
 * The label with the functions behind it, innermost first: of a wait "..., from fetch < serve < main, in the kernel futex_do_wait", of
 * a run "..., from compress < main, awaited by worker in fetch". Likewise.
 */
char *wake_stack_label(const struct wake *wake, const struct thread *thread, size_t piece, int32_t asker, char *label);

/* The functions alone, innermost first: "fetch;serve;main". NULL: not known. The caller frees it. */
char *wake_stack_functions(const struct wake *wake, const struct thread *thread, size_t piece, int32_t asker);

#endif
