/*
 * stack: in which function a thread went to sleep, in which one it woke another, and in which one it ran for most of the time, where
 * the data have stacks (trace-collect --stack). Private to lib/wake and lib/walk.
 *
 * A stack goes by one frame: the innermost that is the program's own, beneath the C library's and the language's wrappers; of a
 * kernel thread the innermost beneath the scheduler.
 */
#ifndef WAKE_STACK_H
#define WAKE_STACK_H

#include "wake/node.h"

/* With fewer samples the function that a thread ran in is unknown. */
enum { SAMPLES_LEAST = 5 };

enum { STACKS_MAX = 1 << 20 }; /* numbers that trace-collect gives */

/*
 * The number of a wait's stack; 0: none. The function that a stack goes by; and that with those around it, "fetch;serve;main". The caller
 * frees them; NULL: not known.
 */
uint32_t stack_number(const struct wake *wake, const struct thread *thread, size_t wait);
char *stack_function(const struct wake *wake, uint32_t number);
char *stack_functions(const struct wake *wake, uint32_t number);

/*
 * The program's functions of a stack without the runtime's, innermost first, each behind its file: "server:query;server:main". The caller frees
 * it; NULL: there are none.
 */
char *stack_calls(const struct wake *wake, uint32_t number);

#endif
