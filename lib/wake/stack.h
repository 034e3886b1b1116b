/*
 * stack: finds the function in which a thread went to sleep, in which it woke another, or in which it ran for most of the time, if the
 * data have stacks (trace-collect --stack). Private to lib/wake and lib/walk.
 *
 * A stack is named after one frame: the innermost one of the program's own, outside the wrappers of the C library and the language;
 * of a kernel thread, the innermost one outside the scheduler.
 */
#ifndef WAKE_STACK_H
#define WAKE_STACK_H

#include "wake/node.h"

/* With fewer samples, the function that a thread ran in counts as unknown. */
enum { SAMPLES_LEAST = 5 };

enum { STACKS_MAX = 1 << 20 }; /* the highest number that trace-collect gives to a stack */

/*
 * stack_number(): the number of a wait's stack; 0: none. stack_function(): the function that a stack is named after. stack_functions(): that
 * function and its callers, "fetch;serve;main". The caller frees the texts; NULL: not known.
 */
uint32_t stack_number(const struct wake *wake, const struct thread *thread, size_t wait);
char *stack_function(const struct wake *wake, uint32_t number);
char *stack_functions(const struct wake *wake, uint32_t number);

/*
 * The program's functions of a stack without the runtime's, innermost first, each preceded by its file: "server:query;server:main". The caller
 * frees the text; NULL: there are none.
 */
char *stack_calls(const struct wake *wake, uint32_t number);

#endif
