/*
 * stepper: follows a thread of a process from one function to another, step by step (Argus, section 4.4), by ptrace(2).
 *
 *	stepper_start(&stepper, &plan)
 *	while (stepper_read(&stepper, &stride) > 0) ...
 *	stepper_end(&stepper, is_left)
 *
 * A child process does the work, and may outlive its parent: it lets the traced process go when nobody reads its strides any more, and when
 * it ends. Breakpoints are those of perf_event_open(2), with sigtrap, which go away with their descriptors: debug registers that ptrace
 * sets stay armed when the tracer is killed, and then kill the process. The child parses nothing of the process: registers show transfers
 * of control.
 */
#ifndef LOG_STEPPER_H
#define LOG_STEPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STEPPER_TO_MAX = 16, STEPPER_REGISTERS = 17 };

struct stepper_plan {
	int32_t process;
	uint64_t from, to[STEPPER_TO_MAX]; /* entry addresses of functions */
	int to_count;
	uint64_t code, code_end; /* range of the program's own code; code elsewhere is stepped over */
	uint64_t limit;		 /* the most instructions to step */
};

enum stride_what {
	STRIDE_READY,	  /* from here on, a thread that comes to `from` is stepped */
	STRIDE_UNSTOPPED, /* thread `number` came to `from`, but did not stop, because it blocks SIGTRAP */
	STRIDE_ENTER,	  /* the thread came to `from`; to: return address */
	STRIDE_BLOCK,	  /* consecutive instructions, from `at` to the one at `to` that transferred control, or could have; registers before that */
	STRIDE_CALL,	  /* at: call instruction; to: called function */
	STRIDE_RETURN,	  /* to: return address; the result is in the first register */
	STRIDE_OVER,	  /* to: code that is not the program's; it runs until it returns */
	STRIDE_SIGNAL,	  /* signal `number` came; its handler was stepped over */
	STRIDE_END,
};

enum stride_end {
	END_TO,
	END_RETURNED, /* the last known call returned to code that is not the program's */
	END_LIMIT,
	END_GONE,
	END_EXEC,
	END_TRAP,     /* the thread blocked SIGTRAP, and so ran on, or ignored it */
	END_IGNORED,  /* the process ignored SIGTRAP before the first step */
	END_REFUSED,  /* `at` is the errno */
	END_LEFT
};

struct stride {
	enum stride_what what;
	int32_t thread;
	int number; /* SIGNAL: number of the signal; UNSTOPPED: thread; END: enum stride_end; for END_REFUSED, errno is in `at` */
	uint32_t depth; /* depth of calls: 0 in `from`, and in its callers */
	int64_t ts; /* CLOCK_MONOTONIC */
	uint64_t at, to;
	uint64_t registers[STEPPER_REGISTERS]; /* rax rbx rcx rdx rsi rdi rbp rsp r8 ... r15 flags */
};

extern const char *const stepper_registers[STEPPER_REGISTERS];

struct stepper {
	pid_t child;
	int fd;
};

int stepper_start(struct stepper *stepper, const struct stepper_plan *plan); /* -1 after fail() */

/*
 * 1; 0: the strides have ended; -1: a signal came (EINTR). The caller has blocked the signals that are to end the wait; they are unblocked
 * only here.
 */
int stepper_read(struct stepper *stepper, struct stride *stride);

/*
 * Makes the child let the process go, if it has not yet, and waits for that; stops waiting when is_left() returns true, which signals
 * change: then the child finishes alone. Signals are unblocked as in stepper_read().
 */
void stepper_end(struct stepper *stepper, bool (*is_left)(void));

#endif
