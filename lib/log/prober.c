#include "log/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#include "log/call_collector.h"
#include "log/pairing.h"
#include "log/probe_cost.h"
#include "stream/fields.h"
#include "stream/line.h"

/* The most loggings at a time. */
enum { LOGGINGS_MOST = 64 };

/* How long to wait after an order before another collector is made ready: its requests to tracefs would delay the probes that are being placed. */
enum { READY_MS = 500 };

struct prober {
	int socket;
	prober_say *say;
};

void prober_order_add(struct prober_order *order, const char *binary, const char *name, int32_t tid, bool is_pattern)
{
	*ARRAY_ADD(&order->functions) = (struct prober_function){
		.binary = binary ? memory_text(binary, strlen(binary)) : NULL,
		.name = memory_text(name, strlen(name)),
		.tid = tid,
		.is_pattern = is_pattern,
	};
}

void prober_order_forget(struct prober_order *order)
{
	for (size_t i = 0; i < order->functions.count; i++) {
		free(order->functions.items[i].binary);
		free(order->functions.items[i].name);
	}
	free(order->functions.items);
	memset(&order->functions, 0, sizeof(order->functions));
	free(order->trigger);
	order->trigger = NULL;
}

/* --- the process with rights ------------------------------------------------------------------------------------------------- */

struct running {
	uint64_t number;
	pid_t collector;
	int orders; /* socket for orders to it */
	bool stopped;
};

/* A collector that waits for its order, and the process behind it. */
struct ready {
	pid_t collector; /* 0: none */
	int orders, calls;
	char *clock;
};

struct server {
	const struct prober_options *options;
	struct probe_prices *prices; /* prices that all collectors share; NULL: each measures its own */
	int socket;
	struct ready ready;
	char *clock; /* clock of the last logging; NULL: none yet */
	ARRAY(struct running) running;
};

/* Forks a process with these descriptors as standard input and output; it keeps no others open but standard error. */
static pid_t fork_between(int in, int out)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	open_files_close(STDERR_FILENO + 1);
	return 0;
}

/* Writes the events of the functions to standard output. On a stop, or Ctrl-C, ends when all that was traced has been written. */
static _Noreturn void collect(const struct server *server, const char *clock)
{
	static const int asking[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]) && !server->options->dry; i++)
		signal(asking[i], SIG_DFL);
	prctl(PR_SET_NAME, "probe-log-calls");
	_exit(call_collector_run(server->options, server->prices, clock, STDIN_FILENO, STDOUT_FILENO) < 0 ? 1 : 0);
}

static _Noreturn void pair(void)
{
	prctl(PR_SET_NAME, "probe-log-pairs");
	confine(CONFINE_NOTHING_ELSE, NULL, NULL, 0);
	_exit(pairing_run());
}

static void forget_ready(struct server *server)
{
	struct ready *ready = &server->ready;

	if (ready->collector > 0) {
		close(ready->orders); /* the collector ends without an order */
		close(ready->calls);
	}
	free(ready->clock);
	*ready = (struct ready){0};
}

/* Takes over the descriptors. */
static void fork_both(struct server *server, const char *clock, int orders[2], int events[2], int calls[2])
{
	pid_t pairing = fork_between(events[0], calls[1]), collector = -1;

	if (pairing == 0)
		pair();
	if (pairing > 0)
		collector = fork_between(orders[0], events[1]);
	if (collector == 0)
		collect(server, clock);
	close(orders[0]);
	close(events[0]);
	close(events[1]);
	close(calls[1]);
	if (collector < 0)
		close(orders[1]), close(calls[0]);
	else
		server->ready = (struct ready){.collector = collector, .orders = orders[1], .calls = calls[0], .clock = memory_text(clock, strlen(clock))};
}

static void make_ready(struct server *server, const char *clock)
{
	int orders[2], events[2], calls[2];

	if (server->ready.collector > 0 && strcmp(server->ready.clock, clock) == 0)
		return;
	forget_ready(server);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders) < 0)
		return;
	if (pipe2(events, O_CLOEXEC) < 0) {
		close(orders[0]), close(orders[1]);
		return;
	}
	if (pipe2(calls, O_CLOEXEC) < 0) {
		close(orders[0]), close(orders[1]);
		close(events[0]), close(events[1]);
		return;
	}
	fork_both(server, clock, orders, events, calls);
}

/* Starts a logging. Returns the descriptor that the calls come from; -1: it cannot start. */
static int start(struct server *server, const char *text, const char *clock, uint64_t number)
{
	struct ready *ready = &server->ready;
	int calls;

	make_ready(server, clock);
	if (ready->collector <= 0 || send(ready->orders, text, strlen(text), MSG_NOSIGNAL) < 0)
		return -1;
	calls = ready->calls;
	*ARRAY_ADD(&server->running) = (struct running){.number = number, .collector = ready->collector, .orders = ready->orders};
	free(server->clock);
	server->clock = ready->clock;
	*ready = (struct ready){0};
	return calls;
}

static struct running *find_running(const struct server *server, uint64_t number)
{
	for (size_t i = 0; i < server->running.count; i++)
		if (server->running.items[i].number == number)
			return &server->running.items[i];
	return NULL;
}

static void stop(struct running *running)
{
	if (running && !running->stopped) {
		kill(running->collector, SIGTERM); /* not waited for yet, so the pid is still the collector's */
		running->stopped = true;
	}
}

/* Waits for the processes that have ended; with `all`, for the others too. */
static void reap(struct server *server, bool all)
{
	pid_t ended;

	while ((ended = waitpid(-1, NULL, all ? 0 : WNOHANG)) > 0) {
		if (ended == server->ready.collector)
			forget_ready(server);
		for (size_t i = 0; i < server->running.count; i++)
			if (server->running.items[i].collector == ended) { /* else a pairing process */
				close(server->running.items[i].orders);
				ARRAY_REMOVE(&server->running, i, 1);
				break;
			}
	}
}

/* Answers an order: sends one byte, and the descriptor unless that is -1. */
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

static void serve_order(struct server *server, const char *text, const struct fields *order)
{
	char *clock = fields_copy(order, "clock");
	uint64_t number = 0;
	int fd = -1;

	if (clock && fields_unsigned(order, "number", &number) == 1 && server->running.count < LOGGINGS_MOST)
		fd = start(server, text, clock, number);
	answer(server->socket, fd);
	if (fd >= 0)
		close(fd);
	free(clock);
}

/* Serves a message. Its first line says of which kind it is. */
static void serve_message(struct server *server, const char *text)
{
	struct fields fields;
	struct running *running;
	uint64_t number = 0;
	char *clock, *line = memory_text(text, strcspn(text, "\n"));

	if (fields_parse(&fields, line, strlen(line)) == 0) {
		fields_unsigned(&fields, "number", &number);
		running = find_running(server, number);
		clock = fields_copy(&fields, "clock");
		if (strncmp(fields.kind, "prepare", fields.kind_length) == 0 && clock && !server->options->dry)
			make_ready(server, clock);
		else if (strncmp(fields.kind, "order", fields.kind_length) == 0)
			serve_order(server, text, &fields);
		else if (strncmp(fields.kind, "keep", fields.kind_length) == 0 && running)
			send(running->orders, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
		else if (strncmp(fields.kind, "stop", fields.kind_length) == 0)
			stop(running);
		free(clock);
	}
	free(line);
}

/* Receives a message; returns as recv(2). If none comes for a while, first makes a collector ready for the next order. */
static ssize_t await_message(struct server *server, char *text)
{
	struct pollfd socket = {.fd = server->socket, .events = POLLIN};

	if (server->ready.collector <= 0 && server->clock && poll(&socket, 1, READY_MS) == 0)
		make_ready(server, server->clock);
	return recv(server->socket, text, PROBER_MESSAGE, 0);
}

/* Serves messages until the asking process is gone; then ends all loggings. */
static _Noreturn void serve(const struct prober_options *options, int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	struct server server = {.options = options, .prices = probe_prices_new(), .socket = socket};
	char *text = memory_new(PROBER_MESSAGE + 1, 1);
	ssize_t length;

	prctl(PR_SET_NAME, "probe-log-probes");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	while ((length = await_message(&server, text)) > 0 || (length < 0 && errno == EINTR)) {
		if (length < 0)
			continue;
		text[length] = '\0';
		reap(&server, false);
		serve_message(&server, text);
	}
	forget_ready(&server);
	for (size_t i = 0; i < server.running.count; i++)
		stop(&server.running.items[i]);
	reap(&server, true);
	_exit(0);
}

/* --- the side that orders ------------------------------------------------------------------------------------------------------ */

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

		/* pipes must not be held open here, because other processes wait for their end */
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
	prober->say = options->say;
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

static int send_message(const struct prober *prober, const struct line *message)
{
	ssize_t sent = message->length <= PROBER_MESSAGE ? send(prober->socket, message->text, message->length, MSG_NOSIGNAL) : -1;

	return sent < 0 ? fail("no probes can be placed: the process that places them has gone") : 0;
}

/* Adds function number i of `count`. False: the message is full, which is said. */
static bool add_function(const struct prober *prober, struct line *message, const struct prober_function *function, size_t i, size_t count)
{
	struct line line = {0};
	bool fits;

	line_begin(&line, "function");
	if (function->binary)
		line_text(&line, "binary", function->binary);
	line_text(&line, "name", function->name);
	if (function->tid > 0)
		line_integer(&line, "tid", function->tid);
	if (function->is_pattern)
		line_text(&line, "pattern", "yes");
	fits = message->length + 1 + line.length <= PROBER_MESSAGE;
	if (fits) {
		line_append(message, "\n", 1);
		line_append(message, line.text, line.length);
	} else {
		prober->say("only %zu of %zu functions are logged: that many at once are too many", i, count);
	}
	line_free(&line);
	return fits;
}

void prober_prepare(struct prober *prober, const char *clock)
{
	struct line message = {0};

	line_begin(&message, "prepare");
	line_text(&message, "clock", clock);
	send_message(prober, &message); /* if the prober has gone, prober_begin() will report it */
	line_free(&message);
}

int prober_begin(struct prober *prober, unsigned number, const struct prober_order *order)
{
	struct line message = {0};
	size_t count = order->functions.count, i = 0;
	int status;

	line_begin(&message, "order");
	line_unsigned(&message, "number", number);
	line_integer(&message, "duration", order->duration);
	line_text(&message, "clock", order->clock);
	line_unsigned(&message, "metrics", order->metrics);
	while (i < count && add_function(prober, &message, &order->functions.items[i], i, count))
		i++;
	status = send_message(prober, &message);
	line_free(&message);
	return status < 0 ? -1 : receive(prober->socket);
}

void prober_stop(struct prober *prober, unsigned number)
{
	struct line message = {0};

	line_begin(&message, "stop");
	line_unsigned(&message, "number", number);
	send_message(prober, &message); /* if the prober has gone, so have all its loggings */
	line_free(&message);
}

void prober_keep(struct prober *prober, unsigned number, const char *trigger, uint64_t most, char *const *names, size_t count)
{
	struct line message = {0};
	size_t i = 0;

	line_begin(&message, "keep");
	line_unsigned(&message, "number", number);
	line_unsigned(&message, "most", most);
	line_text(&message, "trigger", trigger);
	while (i < count && add_function(prober, &message, &(struct prober_function){.name = names[i]}, i, count))
		i++;
	send_message(prober, &message);
	line_free(&message);
}

void prober_end(struct prober *prober)
{
	char byte;

	if (!prober)
		return;
	shutdown(prober->socket, SHUT_WR);
	while (recv(prober->socket, &byte, 1, 0) > 0 || errno == EINTR) /* until it closes its end; a confined command may not wait(2) */
		errno = 0;
	close(prober->socket);
	free(prober);
}
