#include "log/stepper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/open_files.h"
#include "base/proc.h"

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

enum { INSTRUCTION_MOST = 15 /* bytes */, WORD = 8, FRAMES_MOST = 1 << 16, PATIENCE_MS = 1000, PEEKED_MOST = 64 };
enum { SYSTEM_CALL_STOP = SIGTRAP | 0x80, RESUME_FLAG = 0x10000 /* RF of eflags */ };

#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1)) /* SIGTRAP in a set of signals */

const char *const stepper_registers[STEPPER_REGISTERS] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",
							   "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "flags"};

struct tracee {
	int32_t thread;
	int breakpoint; /* breakpoint at `from`; -1: none */
	bool stopped;
};

struct frame { /* a call */
	uint64_t back, stack; /* return address, and where that is on the stack */
};

/* The child's state. */
struct tracer {
	struct stepper_plan plan;
	int out;
	ARRAY(struct tracee) tracees;
	ARRAY(struct frame) frames;
	int32_t stepped;	    /* 0: no thread came to `from` yet */
	struct user_regs_struct at; /* its registers */
	int signal;		    /* at which it stopped, and which it has not got yet; 0: it stopped at a step or a breakpoint */
	uint64_t block, steps;
	enum stride_end end; /* why the log ends */
	int error;	     /* errno, if it was refused */
};

/*
 * Notes why the log ends. What lets a thread run returns false if the log ends with that, and has called this; otherwise the thread has stopped.
 */
static bool ends(struct tracer *tracer, enum stride_end end)
{
	tracer->error = errno;
	tracer->end = end;
	return false;
}

/* --- telling ------------------------------------------------------------------------------------------------------------ */

static void take_registers(const struct user_regs_struct *from, uint64_t to[STEPPER_REGISTERS])
{
	const uint64_t all[STEPPER_REGISTERS] = {from->rax, from->rbx, from->rcx, from->rdx, from->rsi, from->rdi, from->rbp, from->rsp, from->r8,
						 from->r9,  from->r10, from->r11, from->r12, from->r13, from->r14, from->r15, from->eflags};

	memcpy(to, all, sizeof(all));
}

/* Writes a stride. false: nobody reads any more, or the reader is stopped: the traced process must not wait for it. */
static bool tell(const struct tracer *tracer, struct stride stride)
{
	struct pollfd out = {.fd = tracer->out, .events = POLLOUT};

	stride.ts = now_by(CLOCK_MONOTONIC);
	stride.thread = tracer->stepped;
	stride.depth = tracer->frames.count ? (uint32_t)tracer->frames.count - 1 : 0;
	return poll(&out, 1, PATIENCE_MS) == 1 && write(tracer->out, &stride, sizeof(stride)) == sizeof(stride);
}

static bool is_read(const struct tracer *tracer)
{
	struct pollfd out = {.fd = tracer->out};

	return poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR);
}

/* --- threads ------------------------------------------------------------------------------------------------------------ */

/* Sets an instruction breakpoint of a thread. Each hit also sends SIGIO to us, which no signal mask of the thread delays. -1 with errno. */
static int break_at(int32_t thread, uint64_t address)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};
	int breakpoint = (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (breakpoint >= 0) {
		fcntl(breakpoint, F_SETOWN, getpid());
		fcntl(breakpoint, F_SETFL, O_ASYNC);
	}
	return breakpoint;
}

static struct tracee *tracee_of(struct tracer *tracer, int32_t thread)
{
	for (size_t i = 0; i < tracer->tracees.count; i++)
		if (tracer->tracees.items[i].thread == thread)
			return &tracer->tracees.items[i];
	*ARRAY_ADD(&tracer->tracees) = (struct tracee){.thread = thread, .breakpoint = -1};
	return &tracer->tracees.items[tracer->tracees.count - 1];
}

static void close_breakpoint(struct tracee *tracee)
{
	if (tracee->breakpoint >= 0)
		close(tracee->breakpoint);
	tracee->breakpoint = -1;
}

static void forget(struct tracer *tracer, int32_t thread)
{
	struct tracee *tracee = tracee_of(tracer, thread);

	close_breakpoint(tracee);
	*tracee = tracer->tracees.items[--tracer->tracees.count];
}

/* 0, or an errno. */
static int seize(struct tracer *tracer, int32_t thread)
{
	if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD) < 0)
		return errno == ESRCH ? 0 : errno;
	tracee_of(tracer, thread);
	return 0;
}

static bool is_traced(const struct tracer *tracer, int32_t thread)
{
	for (size_t i = 0; i < tracer->tracees.count; i++)
		if (tracer->tracees.items[i].thread == thread)
			return true;
	return false;
}

/* Seizes all threads, including those that others create meanwhile. Stops none of them. 0, or an errno. */
static int seize_all(struct tracer *tracer)
{
	char *path = memory_format("/proc/%d/task", tracer->plan.process);
	size_t before;
	int error = 0;

	do {
		DIR *folder = opendir(path);
		const struct dirent *entry;

		before = tracer->tracees.count;
		while (folder && (entry = readdir(folder)) && !error)
			if (atoi(entry->d_name) > 0 && !is_traced(tracer, atoi(entry->d_name)))
				error = seize(tracer, atoi(entry->d_name));
		if (folder)
			closedir(folder);
	} while (!error && tracer->tracees.count > before);
	free(path);
	return error ? error : tracer->tracees.count ? 0 : ESRCH;
}

/* Sets breakpoints only in threads that are traced: an untraced thread would die of one. 0, or an errno. */
static int break_all(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->tracees.count; i++) {
		struct tracee *tracee = &tracer->tracees.items[i];

		tracee->breakpoint = break_at(tracee->thread, tracer->plan.from);
		if (tracee->breakpoint < 0 && errno != ESRCH)
			return errno;
	}
	return 0;
}

/* --- stops -------------------------------------------------------------------------------------------------------------- */

/* Tells whether a signal is ours, from a breakpoint or a step (also one over a system call); it would kill the thread. */
static bool is_ours(const struct tracer *tracer, int32_t thread, const siginfo_t *info)
{
	return info->si_signo == SIGTRAP &&
	       (info->si_code == TRAP_PERF || (thread == tracer->stepped && (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT)));
}

static bool stops_at_ours(const struct tracer *tracer, int32_t thread)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0 && is_ours(tracer, thread, &info);
}

static volatile sig_atomic_t hit; /* a breakpoint was hit, and wait_for() has not returned HIT for it yet */

static void on_signal(int signal)
{
	hit |= signal == SIGIO;
}

/* Tells whether SIGTRAP is in a set of a thread's signals, such as "\nSigBlk:" in /proc; the name in that file contains no line break. */
static bool has_trap(int32_t thread, const char *set)
{
	char text[1 << 16], *line; /* room for all its groups, too */

	proc_read(thread, "status", text, sizeof(text));
	line = strstr(text, set);
	return line && strtoull(line + strlen(set), NULL, 16) & TRAP_BIT;
}

/* Tells whether a thread ran over a breakpoint without stopping, because it blocks SIGTRAP. */
static bool has_run_over(int32_t thread)
{
	return has_trap(thread, "\nSigBlk:") && has_trap(thread, "\nSigPnd:");
}

/* A step ends with a SIGTRAP that the kernel forces upon the thread: a process that ignores SIGTRAP would no longer ignore it. */
static bool ignores_trap(const struct tracer *tracer)
{
	return has_trap(tracer->plan.process, "\nSigIgn:");
}

enum { NOBODY = -1, LEFT = -2, HIT = -3 };

/* Reaps a thread that has ended. False: it has not. Leaves a stop alone, which waitid(2) reports for traced threads whatever it is asked for. */
static bool take_end(idtype_t which, int32_t thread)
{
	siginfo_t info = {0};

	if (waitid(which, (id_t)thread, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 || info.si_pid == 0)
		return false;
	if (info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED)
		return false;
	return waitpid(info.si_pid, NULL, __WALL | WNOHANG) > 0;
}

/*
 * Reaps threads. The end of a process's first thread is reported only after all others have been reaped, including one that was created a
 * moment ago.
 */
static bool take_ends(const struct tracer *tracer)
{
	bool taken = take_end(P_ALL, 0);

	for (size_t i = 0; i < tracer->tracees.count; i++)
		taken |= take_end(P_PID, tracer->tracees.items[i].thread);
	return taken;
}

/*
 * Waits for the next thread that stops or ends, any one or this one. NOBODY: there is none left. With `watched` also LEFT: nobody reads any
 * more; HIT: a thread hit a breakpoint, and had a moment to stop.
 */
static int32_t wait_for(const struct tracer *tracer, int32_t thread, bool watched, int *status)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (;;) {
		bool is_hit = watched && hit;
		struct pollfd out = {.fd = watched ? tracer->out : -1};
		int32_t stopped = waitpid(thread, status, __WALL | WNOHANG);

		if (stopped > 0)
			return stopped;
		if (stopped < 0)
			return NOBODY;
		if (thread > 0 && take_ends(tracer))
			continue;
		(is_hit ? sigaddset : sigdelset)(&blocked, SIGIO);
		if (ppoll(&out, 1, is_hit ? &moment : NULL, &blocked) == 0) { /* SIGCHLD and SIGIO are unblocked only here */
			hit = false;
			return HIT;
		}
		if (out.revents & POLLERR)
			return LEFT;
	}
}

static bool stops_group(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* The signal to deliver when a thread with this stop status goes on; -1: it must stay stopped, with its whole process. */
static int signal_of(struct tracer *tracer, int32_t thread, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);
	unsigned long made;

	if (event == PTRACE_EVENT_CLONE && ptrace(PTRACE_GETEVENTMSG, thread, NULL, &made) == 0)
		tracee_of(tracer, (int32_t)made);
	if (event == PTRACE_EVENT_STOP && stops_group(signal))
		return -1;
	return event || signal == SYSTEM_CALL_STOP || (signal == SIGTRAP && stops_at_ours(tracer, thread)) ? 0 : signal;
}

/* Lets a thread go on that is not the stepped one. */
static void let_go_on(struct tracer *tracer, int32_t thread, int status)
{
	struct tracee *tracee;
	int signal;

	if (!WIFSTOPPED(status)) {
		if (is_traced(tracer, thread))
			forget(tracer, thread);
		return;
	}
	signal = signal_of(tracer, thread, status);
	tracee = tracee_of(tracer, thread);
	if (!tracer->stepped && tracee->breakpoint < 0)
		tracee->breakpoint = break_at(thread, tracer->plan.from);
	if (signal < 0)
		ptrace(PTRACE_LISTEN, thread, NULL, NULL);
	else
		ptrace(PTRACE_CONT, thread, NULL, signal);
}

/* Lets the stepped thread go on in this way, with its signal, until it stops again at a step, a breakpoint, or a signal. */
static bool go(struct tracer *tracer, enum __ptrace_request how)
{
	struct tracee *tracee = tracee_of(tracer, tracer->stepped);

	tracee->stopped = false;
	ptrace(how, tracer->stepped, NULL, tracer->signal);
	tracer->signal = 0;
	for (;;) {
		int status, signal;
		int32_t thread = wait_for(tracer, -1, true, &status);

		if (thread == HIT && !has_run_over(tracer->stepped))
			continue;
		if (thread < 0)
			return ends(tracer, thread == HIT ? END_TRAP : thread == LEFT ? END_LEFT : END_GONE);
		if (thread != tracer->stepped) {
			let_go_on(tracer, thread, status);
			continue;
		}
		if (!WIFSTOPPED(status)) {
			forget(tracer, thread);
			return ends(tracer, END_GONE);
		}
		signal = signal_of(tracer, thread, status);
		if (signal < 0) {
			ptrace(PTRACE_LISTEN, thread, NULL, NULL);
			continue;
		}
		if (status >> 16 == PTRACE_EVENT_STOP || status >> 16 == PTRACE_EVENT_CLONE) {
			ptrace(how, thread, NULL, 0);
			continue;
		}
		tracee = tracee_of(tracer, thread);
		tracee->stopped = true;
		if (ptrace(PTRACE_GETREGS, thread, NULL, &tracer->at) < 0)
			return ends(tracer, END_GONE);
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return ends(tracer, END_EXEC);
		tracer->signal = signal;
		return true;
	}
}

/* --- letting go ---------------------------------------------------------------------------------------------------------- */

/* Tells whether a signal of ours is still pending for the thread. For each signal that it reports, the kernel walks all pending ones. */
static bool has_pending(const struct tracer *tracer, int32_t thread)
{
	struct __ptrace_peeksiginfo_args from = {.nr = PEEKED_MOST};
	siginfo_t infos[PEEKED_MOST];
	long count;

	if (!has_trap(thread, "\nSigPnd:"))
		return false;
	for (; (count = ptrace(PTRACE_PEEKSIGINFO, thread, &from, infos)) > 0; from.off += (uint64_t)count)
		for (long i = 0; i < count; i++)
			if (is_ours(tracer, thread, &infos[i]))
				return true;
	return false;
}

/* Waits for the thread's next stop. Sets *signal if it stops at a signal. false: it has ended. */
static bool next_stop(struct tracer *tracer, int32_t thread, int *signal)
{
	int status, came;

	if (wait_for(tracer, thread, false, &status) < 0 || !WIFSTOPPED(status))
		return false;
	came = signal_of(tracer, thread, status);
	if (came > 0)
		*signal = came;
	return true;
}

/* Unblocks SIGTRAP in a stopped thread. Returns whether it was blocked; *mask is the thread's former mask. */
static bool unblock_trap(int32_t thread, uint64_t *mask)
{
	uint64_t without;

	if (ptrace(PTRACE_GETSIGMASK, thread, sizeof(*mask), mask) < 0 || !(*mask & TRAP_BIT))
		return false;
	without = *mask & ~TRAP_BIT;
	return ptrace(PTRACE_SETSIGMASK, thread, sizeof(without), &without) == 0;
}

/*
 * Lets a stopped thread run on until it has got all signals of ours, also those that it blocks. Holds back the signal at which it stopped:
 * if its handler began now, its end would restore the changed mask. false: the thread has ended.
 */
static bool drain(struct tracer *tracer, int32_t thread, int *signal)
{
	siginfo_t info;
	bool held = ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0;
	uint64_t mask;
	bool unblocked = unblock_trap(thread, &mask);

	do {
		ptrace(PTRACE_CONT, thread, NULL, 0);
		if (!next_stop(tracer, thread, signal))
			return false;
	} while (has_pending(tracer, thread));
	if (unblocked)
		ptrace(PTRACE_SETSIGMASK, thread, sizeof(mask), &mask);
	if (held && *signal == info.si_signo)
		ptrace(PTRACE_SETSIGINFO, thread, NULL, &info);
	return true;
}

static void let_go(struct tracer *tracer, const struct tracee *tracee)
{
	int32_t thread = tracee->thread;
	int signal = thread == tracer->stepped ? tracer->signal : 0;

	if (!tracee->stopped) {
		ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
		if (!next_stop(tracer, thread, &signal))
			return;
	}
	if (!has_pending(tracer, thread) || drain(tracer, thread, &signal))
		ptrace(PTRACE_DETACH, thread, NULL, signal);
}

/* Closes all breakpoints before it lets the first thread go. */
static void detach_all(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->tracees.count; i++)
		close_breakpoint(&tracer->tracees.items[i]);
	for (size_t i = 0; i < tracer->tracees.count; i++) /* a thread may create others meanwhile */
		let_go(tracer, &tracer->tracees.items[i]);
}

/* --- stepping ------------------------------------------------------------------------------------------------------------- */

/* Reports threads that ran over `from`. Each gets a breakpoint again at its next stop, as when it unblocks SIGTRAP. false: nobody reads any more. */
static bool tell_unstopped(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->tracees.count; i++) {
		struct tracee *tracee = &tracer->tracees.items[i];

		if (tracee->breakpoint < 0 || !has_run_over(tracee->thread))
			continue;
		close_breakpoint(tracee);
		if (!tell(tracer, (struct stride){.what = STRIDE_UNSTOPPED, .number = tracee->thread}))
			return false;
	}
	return true;
}

/* Waits until a thread comes to `from`. */
static bool await(struct tracer *tracer)
{
	for (;;) {
		int status;
		int32_t thread = wait_for(tracer, -1, true, &status);
		struct user_regs_struct at;

		if (thread == HIT && tell_unstopped(tracer))
			continue;
		if (thread < 0)
			return ends(tracer, thread == NOBODY ? END_GONE : END_LEFT);
		if (WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_EXEC && thread == tracer->plan.process) { /* not of its child */
			tracee_of(tracer, thread)->stopped = true;
			return ends(tracer, END_EXEC);
		}
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && status >> 16 == 0 && stops_at_ours(tracer, thread) &&
		    ptrace(PTRACE_GETREGS, thread, NULL, &at) == 0 && at.rip == tracer->plan.from) {
			tracer->stepped = thread;
			tracer->at = at;
			tracee_of(tracer, thread)->stopped = true;
			for (size_t i = 0; i < tracer->tracees.count; i++)
				close_breakpoint(&tracer->tracees.items[i]);
			return true;
		}
		let_go_on(tracer, thread, status);
	}
}

static uint64_t word_at(const struct tracer *tracer, uint64_t address)
{
	return (uint64_t)ptrace(PTRACE_PEEKDATA, tracer->stepped, address, NULL);
}

static bool is_own(const struct tracer *tracer, uint64_t address)
{
	return address >= tracer->plan.code && address < tracer->plan.code_end;
}

/* A thread that stopped at a breakpoint has RF set, and its next instruction ignores breakpoints. Clears RF. */
static void stop_at_next(struct tracer *tracer)
{
	if (!(tracer->at.eflags & RESUME_FLAG))
		return;
	tracer->at.eflags &= ~(unsigned long long)RESUME_FLAG;
	ptrace(PTRACE_SETREGS, tracer->stepped, NULL, &tracer->at);
}

/*
 * Runs on to this address with the stack pointer at `stack` or above; the thread gets all signals on the way. A breakpoint's signal at another
 * address was pending while the thread blocked it, and ends the log.
 */
static bool run_to(struct tracer *tracer, uint64_t address, uint64_t stack)
{
	int breakpoint = break_at(tracer->stepped, address);
	bool runs;

	if (breakpoint < 0)
		return ends(tracer, errno == ESRCH ? END_GONE : END_REFUSED);
	stop_at_next(tracer);
	do
		runs = go(tracer, PTRACE_CONT);
	while (runs && (tracer->signal || (tracer->at.rip == address && tracer->at.rsp < stack)));
	if (runs && (tracer->at.rip != address || ignores_trap(tracer)))
		runs = ends(tracer, END_TRAP);
	close(breakpoint);
	return runs;
}

/* Drops the calls that are over, and reports the one that returned to here. false: nobody reads any more. */
static bool leave(struct tracer *tracer)
{
	bool read = true;

	while (tracer->frames.count && tracer->at.rsp > tracer->frames.items[tracer->frames.count - 1].stack) {
		struct frame frame = tracer->frames.items[tracer->frames.count - 1];
		struct stride stride = {.what = STRIDE_RETURN, .to = frame.back};

		take_registers(&tracer->at, stride.registers);
		if (frame.back == tracer->at.rip)
			read = tell(tracer, stride);
		tracer->frames.count--;
	}
	return read;
}

/* Notes and reports the call that led to here, if the instruction at `before` was one. false: nobody reads any more. */
static bool enter(struct tracer *tracer, const struct user_regs_struct *before)
{
	uint64_t back = tracer->at.rsp == before->rsp - WORD ? word_at(tracer, tracer->at.rsp) : 0;

	if (back <= before->rip || back > before->rip + INSTRUCTION_MOST || tracer->frames.count == FRAMES_MOST)
		return true;
	*ARRAY_ADD(&tracer->frames) = (struct frame){back, tracer->at.rsp};
	return tell(tracer, (struct stride){.what = STRIDE_CALL, .at = before->rip, .to = tracer->at.rip});
}

/* Reports code that is not the program's, and lets it run until it returns. */
static bool run_over(struct tracer *tracer)
{
	struct frame frame;

	if (!tracer->frames.count)
		return ends(tracer, END_RETURNED);
	frame = tracer->frames.items[tracer->frames.count - 1];
	if (!tell(tracer, (struct stride){.what = STRIDE_OVER, .to = tracer->at.rip}))
		return ends(tracer, END_LEFT);
	if (!run_to(tracer, frame.back, frame.stack + WORD))
		return false;
	return leave(tracer) || ends(tracer, END_LEFT);
}

/* Reports a block whose last instruction, at `before`, transferred control, or could have, and what that led to. */
static bool transfer(struct tracer *tracer, const struct user_regs_struct *before)
{
	struct stride block = {.what = STRIDE_BLOCK, .at = tracer->block, .to = before->rip};

	take_registers(before, block.registers);
	if (!tell(tracer, block) || !enter(tracer, before) || !leave(tracer))
		return ends(tracer, END_LEFT);
	for (int i = 0; i < tracer->plan.to_count; i++)
		if (tracer->at.rip == tracer->plan.to[i])
			return ends(tracer, END_TO);
	while (!is_own(tracer, tracer->at.rip))
		if (!run_over(tracer))
			return false;
	tracer->block = tracer->at.rip;
	return true;
}

/* Tells whether the instruction is a branch, taken or not: jcc, loop, jrcxz, jmp; skips prefixes that these may have. */
static bool is_branch(uint64_t word)
{
	uint8_t code = (uint8_t)word;

	for (int i = 0; i < 4 && (code == 0x2e || code == 0x3e || code == 0xf2 || code == 0x66); i++)
		code = (uint8_t)(word >>= 8);
	return (code >= 0x70 && code <= 0x7f) || (code >= 0xe0 && code <= 0xe3) || code == 0xeb ||
	       (code == 0x0f && (word >> 8 & 0xf0) == 0x80);
}

/* Tells whether the instruction is syscall or int 0x80. */
static bool is_system_call(uint64_t word)
{
	return (word & 0xffff) == 0x050f || (word & 0xffff) == 0x80cd;
}

/*
 * Executes one instruction. A single step over a system call that blocks SIGTRAP would undo the blocking, so for a system call the thread
 * stops at its entry and exit instead.
 */
static bool execute(struct tracer *tracer, uint64_t word)
{
	if (!is_system_call(word))
		return go(tracer, PTRACE_SINGLESTEP);
	if (!go(tracer, PTRACE_SYSCALL))
		return false;
	if (!tracer->signal && !go(tracer, PTRACE_SYSCALL))
		return false;
	if (!tracer->signal && (ignores_trap(tracer) || has_trap(tracer->stepped, "\nSigBlk:")))
		return ends(tracer, END_TRAP);
	return true;
}

/* Reports the signal at which the thread stopped, and runs to where the thread goes on after the signal's handler. */
static bool step_over_handler(struct tracer *tracer)
{
	if (!tell(tracer, (struct stride){.what = STRIDE_SIGNAL, .number = tracer->signal, .at = tracer->at.rip}))
		return ends(tracer, END_LEFT);
	return run_to(tracer, tracer->at.rip, tracer->at.rsp);
}

/* Steps over one instruction. */
static bool step(struct tracer *tracer)
{
	struct user_regs_struct before = tracer->at;
	uint64_t word = word_at(tracer, before.rip);

	if (!execute(tracer, word) || (tracer->signal && !step_over_handler(tracer)))
		return false;
	tracer->steps++;
	return (tracer->at.rip - before.rip <= INSTRUCTION_MOST && !is_branch(word)) || transfer(tracer, &before);
}

/* Seizes the process, sets the breakpoints, and reports that. */
static bool attach(struct tracer *tracer)
{
	int error;

	if (ignores_trap(tracer))
		return ends(tracer, END_IGNORED);
	error = seize_all(tracer);
	if (!error)
		error = break_all(tracer);
	errno = error;
	if (error)
		return ends(tracer, END_REFUSED);
	return tell(tracer, (struct stride){.what = STRIDE_READY}) || ends(tracer, END_LEFT);
}

/* Reports that the thread has come to `from`. */
static bool begin(struct tracer *tracer)
{
	struct stride first = {.what = STRIDE_ENTER, .at = tracer->plan.from};

	if (ignores_trap(tracer))
		return ends(tracer, END_IGNORED);
	first.to = word_at(tracer, tracer->at.rsp);
	take_registers(&tracer->at, first.registers);
	*ARRAY_ADD(&tracer->frames) = (struct frame){first.to, tracer->at.rsp};
	tracer->block = tracer->at.rip;
	return tell(tracer, first) || ends(tracer, END_LEFT);
}

/* Steps over one more instruction, if somebody reads that and the limit allows it. */
static bool go_on(struct tracer *tracer)
{
	if (tracer->steps >= tracer->plan.limit)
		return ends(tracer, END_LIMIT);
	return is_read(tracer) ? step(tracer) : ends(tracer, END_LEFT);
}

static void trace(struct tracer *tracer)
{
	bool runs = attach(tracer) && await(tracer) && begin(tracer);

	while (runs)
		runs = go_on(tracer);
	detach_all(tracer); /* before anybody learns of the end */
	tell(tracer, (struct stride){.what = STRIDE_END, .number = (int)tracer->end, .at = (uint64_t)tracer->error});
}

/* Runs the child. Ignores a terminal's signals, which are for the command that started it. */
static _Noreturn void serve(const struct stepper_plan *plan, int out)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
	struct tracer tracer = {.plan = *plan, .out = STDOUT_FILENO};
	sigset_t waited;

	setsid();
	prctl(PR_SET_NAME, "tailblame-steps");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_signal}, NULL);
	sigaction(SIGIO, &(struct sigaction){.sa_handler = on_signal}, NULL);
	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	sigaddset(&waited, SIGIO);
	sigprocmask(SIG_BLOCK, &waited, NULL);
	dup2(out, STDOUT_FILENO);
	open_files_close(STDERR_FILENO);
	trace(&tracer);
	_exit(0);
}

int stepper_start(struct stepper *stepper, const struct stepper_plan *plan)
{
	int ends[2];

	if (pipe(ends) < 0)
		return fail_errno("cannot make a pipe");
	stepper->child = fork();
	if (stepper->child == 0) {
		close(ends[0]);
		serve(plan, ends[1]);
	}
	close(ends[1]);
	stepper->fd = ends[0];
	if (stepper->child > 0)
		return 0;
	close(ends[0]);
	return fail_errno("cannot fork");
}

/* Uses ppoll(2), because a signal that came between a check and a blocking read would not end the read. */
int stepper_read(struct stepper *stepper, struct stride *stride)
{
	struct pollfd told = {.fd = stepper->fd, .events = POLLIN};
	sigset_t none;
	ssize_t got;

	sigemptyset(&none);
	if (ppoll(&told, 1, NULL, &none) < 0)
		return -1;
	got = read(stepper->fd, stride, sizeof(*stride));
	return got == sizeof(*stride) ? 1 : got < 0 ? -1 : 0;
}

/* A thread that waits for a disk, or for a server of its files, stops only after that wait. */
void stepper_end(struct stepper *stepper, bool (*is_left)(void))
{
	struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, stepper->child, 0), .events = POLLIN};
	sigset_t none;

	close(stepper->fd);
	sigemptyset(&none);
	while (ended.fd >= 0 && !is_left() && ppoll(&ended, 1, NULL, &none) < 0 && errno == EINTR)
		;
	if (ended.fd >= 0)
		close(ended.fd);
	while (!is_left() && waitpid(stepper->child, NULL, 0) < 0 && errno == EINTR)
		;
}
