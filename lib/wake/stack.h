/*
 * wake_stack: in which function a thread went to sleep, in which one it woke another, and in which one it ran for most of the time, where
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
 * The functions that the stacks of a piece tell, in the graph's time: of a wait where it sleeps; of a run the function that most samples were in,
 * of the whole run between two waits. If that has too few samples: from where it woke the asker's thread (INDEX_NONE: none) at its end; else the
 * function that most samples of all the thread's runs with too few were in. Texts are NULL where that is not known.
 */
struct stack_told {
	char *function;	      /* that the stack goes by: "fetch" */
	char *functions;      /* from it outward: "fetch;serve;main" */
	char *kernel;	      /* of a wait: the kernel's function: "futex_do_wait" */
	char *asker_function; /* of a run: the one in which the asker waited */
	uint32_t samples, in_function; /* of a run: how many there were, and in this function; 0: the function is not by samples */
};
struct stack_told stack_tell(const struct cut *cut, const struct thread *thread, size_t piece, int32_t asker);
void stack_told_free(struct stack_told *told);

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

/* Forgets where the thread slept and ran, and whom it woke, before this time. */
void stack_trim(const struct thread *thread, int64_t before);

#endif
