/*
 * run-edge: record the runs of programs as ordered, rank what was slow, and send both.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/memory.h"
#include "fleet/hours.h"
#include "fleet/intake.h"
#include "fleet/recordings.h"
#include "fleet/sender.h"

enum { SECOND_NS = 1000000000, AGAIN_SECONDS = 10 };

static struct link_options to = {.server = "nats://127.0.0.1:4222", .patient = true};
static struct sender_options how;
static const char *may_file = "/etc/tailblame/edge", *folder = "/var/lib/tailblame/edge", *window, *node, *moments;
static uint64_t most = 64 << 20;
static volatile sig_atomic_t ending;

static const struct option_entry options[] = {
	{OPTION_STRING, 'f', "may", &may_file, "FILE", "what may be recorded (default: /etc/tailblame/edge)"},
	{OPTION_STRING, 'm', "moments", &moments, "DIR", "rank the hour files there, and send signals, paths and blame"},
	{OPTION_STRING, 'n', "node", &node, "NAME", "the name of this machine (default: the host's)"},
	{OPTION_STRING, 's', "server", &to.server, "URL", "the NATS server, tls://HOST"},
	{OPTION_STRING, 0, "ca", &to.ca, "FILE", "the certificates that sign the server's"},
	{OPTION_STRING, 0, "cert", &to.cert, "FILE", "the certificate of this machine"},
	{OPTION_STRING, 0, "key", &to.key, "FILE", "its key"},
	{OPTION_STRING, 0, "login", &to.login, "FILE", "a file of user and password"},
	{OPTION_SIZE, 0, "rate", &how.rate, "SIZE", "send at most this many bytes a second"},
	{OPTION_SIZE, 0, "size", &most, "SIZE", "keep at most this many bytes of runs (default 64M)"},
	{OPTION_STRING, 0, "spool", &folder, "FOLDER", "where orders and runs are kept (default: /var/lib/tailblame/edge)"},
	{OPTION_STRING, 0, "window", &window, "FROM-TO", "send only in this time of day, 01:00-05:00"},
	{0},
};

static void tell(const char *text)
{
	warn("%s", text);
}

static void end_asked(int number)
{
	(void)number;
	ending = 1;
}

static void wait_a_second(void)
{
	const struct timespec second = {1, 0};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL);
}

/* Sends runs for ever or, with `until_done`, until all are sent. */
static void send_runs(struct outbox *outbox, bool until_done)
{
	const struct timespec moment = {0, SECOND_NS / 50};
	struct fleet_link *link = fleet_link_open(&to);
	struct sender *sender;

	if (!link)
		die("%s", fail_text());
	sender = sender_new(&how, link, outbox);
	for (;;) {
		sender_step(sender);
		if (until_done && sender_is_done(sender))
			break;
		if (until_done)
			nanosleep(&moment, NULL);
		else
			wait_a_second();
	}
	sender_free(sender);
	fleet_link_close(link);
}

/* Starts the process that talks with the server, and that ends when this process ends. */
static pid_t start_sender(struct outbox *outbox)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (pid > 0)
		return pid;
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	prctl(PR_SET_NAME, "run-edge-link");
	confine(CONFINE_SPOOL | CONFINE_NETWORK, folder, NULL, 0);
	send_runs(outbox, false);
	_exit(EXIT_DONE);
}

/* The beginning of the paths of the other commands, to be freed: this command's folder, and the prefix that make install put before its name. */
static char *commands(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *at;

	if (length < 0)
		die("cannot find the other commands: %s", strerror(errno));
	path[length] = '\0';
	at = strstr(strrchr(path, '/'), "run-edge");
	return memory_text(path, at ? (size_t)(at - path) : (size_t)(strrchr(path, '/') + 1 - path));
}

/* Records what is ordered, until a signal ends it. */
static int serve(struct outbox *outbox, const struct permission *permission)
{
	struct sigaction end = {.sa_handler = end_asked};
	char *begin = commands();
	struct recordings_options options_of = {.outbox = outbox, .folder = folder, .permission = permission, .node = how.node, .commands = begin, .tell = tell};
	struct recordings *recordings = recordings_new(&options_of);
	struct hours_options hours_of = {.folder = moments, .outbox = outbox, .spool = folder, .node = how.node, .commands = begin, .tell = tell};
	struct hours *hours = moments ? hours_new(&hours_of) : NULL;
	time_t again_at = 0;
	pid_t sender;

	if (moments && !hours)
		die("%s", fail_text());
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sender = start_sender(outbox);
	while (!ending) {
		recordings_step(recordings);
		if (hours)
			hours_step(hours);
		if (sender > 0 && waitpid(sender, NULL, WNOHANG) == sender) {
			warn("the process that sends ended; another begins in %d seconds", AGAIN_SECONDS);
			again_at = time(NULL) + AGAIN_SECONDS;
			sender = 0;
		}
		if (sender == 0 && time(NULL) >= again_at)
			sender = start_sender(outbox);
		wait_a_second();
	}
	if (sender > 0) {
		kill(sender, SIGTERM);
		waitpid(sender, NULL, 0);
	}
	recordings_end(recordings);
	if (hours)
		hours_end(hours);
	free(begin);
	return EXIT_DONE;
}

static int take(char *const *files, int count, struct outbox *outbox)
{
	uint64_t dropped = outbox_dropped(outbox);
	int status;

	confine(CONFINE_SPOOL | CONFINE_NETWORK, folder, files, count);
	status = intake_run(files, count, outbox, 0, NULL, NULL);
	if (status && *fail_text())
		warn("%s", fail_text());
	if (status == EXIT_FAILED)
		return status;
	send_runs(outbox, true);
	return outbox_dropped(outbox) > dropped ? EXIT_INCOMPLETE : status;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "record the runs of programs as ordered, rank what was slow, and send both"), status;
	char host[HOST_NAME_MAX + 1] = "";
	struct outbox *outbox;
	struct permission *permission;

	if (window && sender_window(window, &how.window_from, &how.window_to) < 0)
		die_usage("%s", fail_text());
	gethostname(host, sizeof(host) - 1);
	how.node = to.name = node ? node : host;
	how.tell = tell;
	if (!*how.node)
		die_usage("--node needs a name");
	if (moments && argc > first)
		die_usage("--moments is for a service, without operands");

	/* open */
	permission = permission_load(may_file);
	outbox = permission ? outbox_open(folder, most) : NULL;
	if (!outbox)
		die("%s", fail_text());

	/* record, send */
	status = argc > first ? take(argv + first, argc - first, outbox) : serve(outbox, permission);

	/* close */
	outbox_free(outbox);
	permission_free(permission);
	return status;
}
