/*
 * stepper: follows a thread of a process between two functions, step by step (Argus, section 4.4), by ptrace(2).
 *
 *	stepper_start(&stepper, &plan)
 *	while (stepper_read(&stepper, &stride) > 0) ...
 *	stepper_end(&stepper, is_left)
 *
 * A child does the work, and outlives its parent: it lets the process go when nobody reads its strides any more, and when it ends itself.
 * Breakpoints are those of perf_event_open(2), with sigtrap, which go with their descriptors: debug registers that ptrace sets stay armed when the
 * tracer is killed, and then kill the process. The child parses nothing of the process: registers show transfers of control.
 */
#ifndef LOG_STEPPER_H
#define LOG_STEPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STEPPER_TO_MAX = 16, STEPPER_REGISTERS = 17 };

struct stepper_plan {
	int32_t process;
	uint64_t from, to[STEPPER_TO_MAX]; /* where functions begin */
	int to_count;
	uint64_t code, code_end; /* the program's own; what lies elsewhere is stepped over */
	uint64_t limit;		 /* instructions */
};

enum stride_what {
	STRIDE_READY,	  /* from here on a thread that comes to `from` is stepped */
	STRIDE_UNSTOPPED, /* thread `number` came there, but blocks SIGTRAP, and so did not stop */
	STRIDE_ENTER,	  /* it came there; to: whereto it returns */
	STRIDE_BLOCK,	  /* instructions one behind the other, from `at` to the one at `to`, that led elsewhere; registers before that */
	STRIDE_CALL,	  /* at: whence, to: whither */
	STRIDE_RETURN,	  /* to: whither; its result is in the first register */
	STRIDE_OVER,	  /* to: code that is not the program's, which is run until it returns */
	STRIDE_SIGNAL,	  /* one of this number came, and what it led to was stepped over */
	STRIDE_END,
};

enum stride_end {
	END_TO,
	END_RETURNED, /* to code that is not the program's */
	END_LIMIT,
	END_GONE,
	END_EXEC,
	END_TRAP,     /* it blocked SIGTRAP, and so ran on, or ignored it */
	END_IGNORED,  /* the process ignored SIGTRAP before */
	END_REFUSED,  /* `at` is why */
	END_LEFT
};

struct stride {
	enum stride_what what;
	int32_t thread;
	int number; /* of a signal; enum stride_end; of REFUSED, errno is in `at` */
	uint32_t depth; /* of calls, from 0 in `from`, and in what calls that */
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

/* 1; 0: it has ended; -1: a signal came (EINTR). The caller has blocked the signals that are to end the wait; only here they are let in. */
int stepper_read(struct stepper *stepper, struct stride *stride);

/*
 * Lets the process go, if the child did not yet, and waits until it has, or until is_left(), which signals change: then the child does it alone. Signals
 * are let in as by stepper_read().
 */
void stepper_end(struct stepper *stepper, bool (*is_left)(void));

#endif
