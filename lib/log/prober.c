#include "log/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fail.h"
#include "base/open_files.h"
#include "log/calls.h"
#include "log/pairing.h"
#include "stream/fields.h"
#include "stream/line.h"

/* A message is lines of logfmt: an order, and its functions; or a stop. An answer is one byte, and the descriptor or none. */
enum { MESSAGE_ROOM = 1 << 17, LOGGINGS_MOST = 64 };

struct prober {
	int socket;
};

/* --- the process with rights ------------------------------------------------------------------------------------------------- */

struct running {
	uint64_t number;
	pid_t collector;
	bool stopped;
};

struct server {
	const struct prober_options *options;
	int socket;
	ARRAY(struct running) running;
};

static int read_function(struct prober_order *order, const struct fields *fields)
{
	struct prober_function function = {.binary = fields_copy(fields, "binary"), .name = fields_copy(fields, "name")};
	int64_t tid = 0;

	fields_integer(fields, "tid", &tid);
	function.tid = (int32_t)tid;
	function.is_pattern = fields_is(fields, "pattern", "yes");
	*ARRAY_ADD(&order->functions) = function;
	return function.name && (function.binary || function.tid > 0) ? 0 : fail("an order without a function");
}

/* What it points to goes with the process. */
static int read_order(char *text, struct prober_order *order, uint64_t *number)
{
	struct fields fields;
	char *line;
	int status = 0;

	while (status == 0 && (line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		status = fields_parse(&fields, line, strlen(line));
		if (status == 0 && strncmp(fields.kind, "function", fields.kind_length) == 0) {
			status = read_function(order, &fields);
		} else if (status == 0) {
			order->clock = fields_copy(&fields, "clock");
			if (fields_unsigned(&fields, "number", number) != 1 || fields_integer(&fields, "duration", &order->duration) != 1)
				status = fail("an order without its number");
		}
	}
	return status;
}

/* A process that works between these descriptors, and holds no other pipe open. */
static pid_t fork_between(int in, int out)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (in >= 0)
		dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	open_files_close(STDERR_FILENO + 1);
	return 0;
}

/* The events of the functions, to standard output. A stop, or Ctrl-C, ends it when all that was traced has been written. */
static _Noreturn void collect(const struct server *server, const struct prober_order *order)
{
	static const int asking[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]) && !server->options->dry; i++)
		signal(asking[i], SIG_DFL);
	prctl(PR_SET_NAME, "probe-log-calls");
	_exit(calls_collect(order, server->options, STDOUT_FILENO) < 0 ? 1 : 0);
}

static _Noreturn void pair(void)
{
	prctl(PR_SET_NAME, "probe-log-pairs");
	confine(CONFINE_NOTHING_ELSE, NULL, NULL, 0);
	_exit(pairing_run());
}

/* Returns what the calls come from; -1: there is none. */
static int start(struct server *server, const struct prober_order *order, uint64_t number)
{
	int events[2] = {-1, -1}, calls[2] = {-1, -1};
	pid_t collector = -1, pairs = -1;

	if (pipe2(events, O_CLOEXEC) == 0 && pipe2(calls, O_CLOEXEC) == 0) {
		pairs = fork_between(events[0], calls[1]);
		if (pairs == 0)
			pair();
		collector = fork_between(-1, events[1]);
		if (collector == 0)
			collect(server, order);
	}
	if (collector > 0)
		*ARRAY_ADD(&server->running) = (struct running){.number = number, .collector = collector};
	if (events[0] >= 0)
		close(events[0]), close(events[1]);
	if (calls[1] >= 0)
		close(calls[1]);
	return calls[0];
}

static void stop(struct server *server, uint64_t number)
{
	for (size_t i = 0; i < server->running.count; i++) {
		struct running *running = &server->running.items[i];

		if (running->number == number && !running->stopped) {
			kill(running->collector, SIGTERM); /* not waited for yet, so the number is still its own */
			running->stopped = true;
		}
	}
}

/* Those that have ended are waited for; with `all`, the others too. */
static void reap(struct server *server, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < server->running.count; i++)
		if (waitpid(server->running.items[i].collector, NULL, all ? 0 : WNOHANG) == 0)
			server->running.items[kept++] = server->running.items[i];
	server->running.count = kept;
	while (waitpid(-1, NULL, WNOHANG) > 0) /* those that pair */
		;
}

/* One byte, and a descriptor unless it is -1. */
static void answer(int socket, int fd)
{
	char byte = 0;
	struct iovec part = {&byte, 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fd >= 0) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
		control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
		_exit(0);
}

static void serve_order(struct server *server, char *text)
{
	struct prober_order order = {0};
	uint64_t number = 0;
	int fd = -1;

	if (read_order(text, &order, &number) == 0 && server->running.count < LOGGINGS_MOST)
		fd = start(server, &order, number);
	answer(server->socket, fd);
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < order.functions.count; i++) {
		free(order.functions.items[i].binary);
		free(order.functions.items[i].name);
	}
	free(order.functions.items);
	free((char *)order.clock);
}

/* Until nobody gives orders any more; then everything ends. */
static _Noreturn void serve(const struct prober_options *options, int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	struct server server = {.options = options, .socket = socket};
	char *text = memory_new(MESSAGE_ROOM + 1, 1);
	ssize_t length;

	prctl(PR_SET_NAME, "probe-log-probes");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	while ((length = recv(socket, text, MESSAGE_ROOM, 0)) > 0 || (length < 0 && errno == EINTR)) {
		uint64_t number;

		if (length < 0)
			continue;
		text[length] = '\0';
		reap(&server, false);
		if (sscanf(text, "stop %lu", &number) == 1)
			stop(&server, number);
		else
			serve_order(&server, text);
	}
	for (size_t i = 0; i < server.running.count; i++)
		stop(&server, server.running.items[i].number);
	reap(&server, true);
	_exit(0);
}

/* --- whoever gives orders ------------------------------------------------------------------------------------------------------ */

struct prober *prober_start(const struct prober_options *options)
{
	struct prober *prober;
	int both[2];
	pid_t process;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) < 0) {
		fail_errno("cannot make a pair of sockets");
		return NULL;
	}
	process = fork();
	if (process == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		/* what others wait for the end of is not to be held open here */
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		close(null);
		close(both[0]);
		serve(options, both[1]);
	}
	close(both[1]);
	if (process < 0) {
		fail_errno("cannot start the process that places probes");
		close(both[0]);
		return NULL;
	}
	prober = NEW(struct prober);
	prober->socket = both[0];
	return prober;
}

static int receive(int socket)
{
	char byte;
	struct iovec part = {&byte, 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};
	const struct cmsghdr *head;
	ssize_t got;
	int fd;

	do
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	head = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
	if (!head || head->cmsg_type != SCM_RIGHTS)
		return fail("no probes can be placed: the process that places them %s", got == 1 ? "could not start another" : "has gone");
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

int prober_begin(struct prober *prober, unsigned number, const struct prober_order *order)
{
	struct line all = {0}, line = {0};
	ssize_t sent;

	line_begin(&all, "order");
	line_unsigned(&all, "number", number);
	line_integer(&all, "duration", order->duration);
	line_text(&all, "clock", order->clock);
	for (size_t i = 0; i < order->functions.count; i++) {
		const struct prober_function *function = &order->functions.items[i];

		line_begin(&line, "function");
		if (function->binary)
			line_text(&line, "binary", function->binary);
		line_text(&line, "name", function->name);
		if (function->tid > 0)
			line_integer(&line, "tid", function->tid);
		if (function->is_pattern)
			line_text(&line, "pattern", "yes");
		line_append(&all, "\n", 1);
		line_append(&all, line.text, line.length);
	}
	sent = all.length <= MESSAGE_ROOM ? send(prober->socket, all.text, all.length, MSG_NOSIGNAL) : -1;
	line_free(&line);
	line_free(&all);
	return sent < 0 ? fail("no probes can be placed: the process that places them has gone") : receive(prober->socket);
}

void prober_stop(struct prober *prober, unsigned number)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "stop %u", number);

	send(prober->socket, text, (size_t)length, MSG_NOSIGNAL); /* if it has gone, so has all that it started */
}

void prober_end(struct prober *prober)
{
	char byte;

	if (!prober)
		return;
	shutdown(prober->socket, SHUT_WR);
	while (recv(prober->socket, &byte, 1, 0) > 0 || errno == EINTR) /* until its end is closed; a confined command may not wait for a process */
		errno = 0;
	close(prober->socket);
	free(prober);
}
