/*
 * wake_stack: in which function a thread went to sleep, and in which one it woke another, where the data have stacks
 * (trace-collect --stack). Private to lib/wake.
 *
 * A stack goes by one frame: the innermost that is the program's own, beneath the C library's and the language's wrappers; of a
 * kernel thread the innermost beneath the scheduler.
 */
#ifndef WAKE_STACK_H
#define WAKE_STACK_H

#include "wake/part.h"
#include "stream/line.h"

/*
 * What the stack of a piece tells: of a wait where it sleeps, of a run from where it woke the asker's thread (INDEX_NONE: none) at the
 * run's end. Texts are NULL where that is not known.
 */
struct stack_told {
	char *function;	      /* that the stack goes by: "fetch" */
	char *functions;      /* from it outward: "fetch;serve;main" */
	char *kernel;	      /* of a wait: the kernel's function: "futex_do_wait" */
	char *asker_function; /* of a run: the one in which the asker waited */
};
struct stack_told stack_tell(const struct wake *wake, const struct thread *thread, size_t piece, int32_t asker);
void stack_told_free(struct stack_told *told);

#endif
