/*
 * step-log: log what a thread of a process does between two functions, block by block.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/open_files.h"
#include "log/stepper.h"
#include "log/steps.h"
#include "program/global.h"
#include "program/lookup.h"

enum { PID_MOST = 1 << 22, LIMIT = 100000, LIMIT_MOST = 10000000 };

static uint64_t pid, limit = LIMIT;
static const char *from, *to;
static bool as_text;
static volatile sig_atomic_t stopped, stopped_again;

static const struct option_entry options[] = {
	{OPTION_COUNT, 'p', "pid", &pid, "PID", "of this process"},
	{OPTION_STRING, 0, "from", &from, "FUNCTION", "the thread that enters this function next"},
	{OPTION_STRING, 0, "to", &to, "FUNCTION[,FUNCTION]", "until it enters one of these, or that one returns"},
	{OPTION_COUNT, 0, "limit", &limit, "N", "or until this number of instructions (default 100000)"},
	OPTION_TEXT(&as_text),
	{0},
};

static void on_signal(int number)
{
	stopped_again |= interrupt_again(number);
	stopped = number;
}

static int stop_asked(void)
{
	return stopped;
}

static bool is_left(void)
{
	return stopped_again;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static void watch_signals(void)
{
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaction(ending[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
}

/* Blocked, the signals that end the command are delivered only in stepper_read() and stepper_end(), which wait for the child. */
static void block_signals(int how)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaddset(&blocked, ending[i]);
	sigprocmask(how, &blocked, NULL);
}

static int find_to(struct stepper_plan *plan, struct lookup *lookup)
{
	for (const char *at = to; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		char *name = memory_text(at, strcspn(at, ","));
		int status = plan->to_count == STEPPER_TO_MAX
				     ? fail("option --to: at most %d functions", STEPPER_TO_MAX)
				     : global_function(plan->process, name, lookup, &plan->to[plan->to_count], &plan->code, &plan->code_end);

		free(name);
		if (status < 0)
			return -1;
		plan->to_count++;
	}
	return 0;
}

static void say_ready(void)
{
	if (isatty(STDERR_FILENO))
		warn("waiting until a thread enters '%s'; then each of its instructions takes some 30 us", from);
}

static void say_unstopped(int32_t thread)
{
	static bool said;

	if (!said)
		warn("thread %d entered '%s', but blocks SIGTRAP, and cannot be stepped as long as it does", thread, from);
	said = true;
}

static int say_end(const struct stride *end)
{
	static const char *const reasons[] = {
		[END_LIMIT] = "the limit is reached",
		[END_GONE] = "the thread has ended",
		[END_EXEC] = "the process runs another program",
		[END_TRAP] = "the thread blocked or ignored SIGTRAP",
		[END_LEFT] = "stopped"};

	if (end->number == END_REFUSED)
		warn("cannot step process %llu: %s%s", (unsigned long long)pid, strerror((int)end->at),
		     end->at == EPERM ? "; it needs root, and nobody else may debug it" : end->at == EINVAL || end->at == E2BIG ? "; it needs Linux 5.13" : "");
	else if (end->number == END_IGNORED)
		warn("cannot step process %llu: it ignores SIGTRAP, and would no longer ignore that afterwards", (unsigned long long)pid);
	else if (reasons[end->number])
		warn("%s before '%s' was over", reasons[end->number], from);
	return end->number == END_REFUSED || end->number == END_IGNORED ? EXIT_FAILED : reasons[end->number] ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* Logs steps until the child has let the process go. Returns the exit status. */
static int log_steps(const struct stepper_plan *plan, struct steps *steps)
{
	struct stride stride, end = {.what = STRIDE_END, .number = END_LEFT};
	struct stepper stepper;
	bool ended = false;

	if (stepper_start(&stepper, plan) < 0)
		die("%s", fail_text());
	block_signals(SIG_BLOCK);
	while (!stopped && stepper_read(&stepper, &stride) > 0) {
		if (stride.what == STRIDE_READY)
			say_ready();
		else if (stride.what == STRIDE_UNSTOPPED)
			say_unstopped(stride.number);
		else
			steps_take(steps, &stride);
		end.thread = stride.thread;
		end.depth = stride.depth;
		ended = stride.what == STRIDE_END;
		if (ended)
			end = stride;
	}
	stepper_end(&stepper, is_left);
	block_signals(SIG_UNBLOCK);
	end.ts = now_by(CLOCK_MONOTONIC);
	if (!ended && end.thread) /* 0: no thread came to `from` */
		steps_take(steps, &end);
	return say_end(&end);
}

/* Writes the log and closes the stream. `status`: as log_steps() returned it. Returns the exit status. */
static int write_log(struct stream *stream, struct steps *steps, int status)
{
	int written;

	stream_output(stream, STDOUT_FILENO, as_text);
	written = steps_write(steps);
	if (status == EXIT_INCOMPLETE)
		stream_mark_incomplete(stream);
	status = written < 0 ? stream_abandon(stream) : stream_close(stream);
	if (status == EXIT_FAILED && *fail_text())
		warn("%s", fail_text());
	return status;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "", "log what a thread does between two functions, block by block"), status;
	struct stepper_plan plan = {0};
	struct lookup *lookup;
	struct stream *stream;
	struct steps *steps;

	if (first < argc)
		die_usage("there are no operands");
	if (pid == 0 || pid >= PID_MOST || !from || !to)
		die_usage("-p, --from and --to are needed");
	if (limit == 0 || limit > LIMIT_MOST)
		die_usage("option --limit: 1 to %d", LIMIT_MOST);
	watch_signals();
	open_files_raise(); /* descriptors for a breakpoint in each thread, and for all programs that run */

	/* find */
	plan.process = (int32_t)pid;
	plan.limit = limit;
	lookup = lookup_new(stop_asked);
	if (global_function(plan.process, from, lookup, &plan.from, &plan.code, &plan.code_end) < 0 || find_to(&plan, lookup) < 0)
		die("%s", fail_text());
	stream = stream_create();
	steps = steps_new(stream, plan.process, lookup);

	/* log, and name */
	status = log_steps(&plan, steps);
	if (status == EXIT_FAILED)
		stream_close(stream); /* it has no output yet */
	else
		status = write_log(stream, steps, status);
	steps_free(steps);
	lookup_free(lookup);
	return status;
}
