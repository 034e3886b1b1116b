/*
 * probe-log: log the calls of blamed functions, with their arguments and results, while a trigger logs.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/event.h"
#include "log/logger.h"
#include "log/prober.h"
#include "program/symbol.h"
#include "source/instance.h"
#include "source/markers.h"
#include "source/process.h"

static uint64_t most = UINT64_MAX;
static int64_t duration = 300 * NSEC_PER_SEC;
static double budget = 0.01;
static struct option_list methods, processes;
static ARRAY(int32_t) pids;
static bool dry, text;

static const struct option_entry options[] = {
	{OPTION_COUNT, 'n', "count", &most, "N", "how many of the most blamed functions (as the trigger says, or 5)"},
	{OPTION_DURATION, 0, "for", &duration, "TIME", "without triggers in the input: for this time (5m)"},
	{OPTION_SHARE, 0, "budget", &budget, "SHARE", "what logging may cost: 1% of all CPUs; beyond that the costliest function goes"},
	{OPTION_LIST, 0, "methods", &methods, "BINARY:GLOB", "log the functions that match, in place of the blamed ones"},
	{OPTION_LIST, 'p', "pid", &processes, "PID", "only calls of this process and its children"},
	{OPTION_FLAG, 0, "dry-run", &dry, NULL, "only say what would be logged"},
	OPTION_TEXT(&text),
	{0},
};

static void read_options(void)
{
	if (most == 0)
		die_usage("-n must be at least 1");
	if (!(budget > 0))
		die_usage("--budget must be more than 0");
	for (int i = 0; i < methods.count; i++)
		if (!symbol_colon(methods.items[i]))
			die_usage("option --methods: functions are chosen as BINARY:GLOB, not '%s'", methods.items[i]);
	for (int i = 0; i < processes.count; i++) {
		uint64_t pid;

		if (number_count(processes.items[i], strlen(processes.items[i]), &pid) < 0 || pid == 0 || pid >= PROCESS_TIDS)
			die_usage("option -p: there is no process '%s'", processes.items[i]);
		*ARRAY_ADD(&pids) = (int32_t)pid;
	}
}

static void wake_up(int signal)
{
	(void)signal;
}

/* Calls may come while the input is silent, so a timer makes the loop that waits for input look at them ten times a second. */
static void look_often(void)
{
	const struct itimerspec often = {.it_interval.tv_nsec = NSEC_PER_SEC / 10, .it_value.tv_nsec = NSEC_PER_SEC / 10};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGIO};
	timer_t timer;

	sigaction(SIGIO, &(struct sigaction){.sa_handler = wake_up, .sa_flags = SA_RESTART}, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &often, NULL);
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "log the calls of blamed functions, with their arguments and results"), status;
	struct logger_options logging = {.say = warn};
	struct prober_options probing = {.say = warn};
	struct handlers handlers;
	struct prober *prober;
	struct logger *logger;
	struct stream *stream;
	struct events *events;

	/* open */
	read_options();
	logging.most = most == UINT64_MAX ? 0 : most;
	logging.duration = duration;
	logging.methods = (char *const *)methods.items;
	logging.method_count = (size_t)methods.count;
	probing.pids = pids.items;
	probing.pid_count = pids.count;
	probing.budget = budget;
	probing.dry = dry;
	if (!dry && (!instance_tracefs() || instance_allowed() < 0))
		die("%s", fail_text());
	logging.names = dry ? -1 : markers_names();
	if (!dry && logging.names < 0)
		warn("%s; tasks of Node.js get no names", fail_text());
	prober = prober_start(&probing);
	if (!prober)
		die("%s", fail_text());
	interrupt_defer();
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, text);
	stream_report_usage(stream, "probe-log");
	events = events_new(stream); /* spells events as text */
	look_often();
	confine(CONFINE_SOCKET, NULL, argv + first, argc - first);

	/* run */
	logger = logger_new(stream, prober, &logging);
	logger_reads(&handlers);
	status = stream_finish(stream, &handlers, logger);
	if (status != EXIT_DONE && *fail_text())
		warn("%s", fail_text());

	/* close */
	logger_free(logger);
	events_free(events);
	prober_end(prober);
	free(pids.items);
	return status;
}
