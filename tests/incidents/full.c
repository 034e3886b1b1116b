/*
 * The victim sends to somebody who computes instead of receiving: what lies between them is full.
 *
 *	full pipe|queue|datagram|tcp|terminal
 *
 * Expected: glutton: running
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

enum { PIECE = 1024 };

static int sender, receiver;
static bool is_queue;
static sem_t *stall, *stalled;

static void open_pipe(void)
{
	int pair[2];

	if (pipe(pair) < 0)
		incident_fail("pipe");
	receiver = pair[0];
	sender = pair[1];
}

static void open_queue(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 8, .mq_msgsize = PIECE};
	char name[64];

	snprintf(name, sizeof(name), "/tailblame-full-%d", getpid());
	sender = receiver = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (sender < 0)
		incident_fail("mq_open");
	mq_unlink(name);
	is_queue = true;
}

static void open_datagram(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		incident_fail("socketpair");
	sender = pair[0];
	receiver = pair[1];
}

/* The buffers are small before the connection is made, for it is then that its ends agree on how much they take. */
static void open_tcp(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), small = 4096;
	socklen_t size = sizeof(address);

	sender = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(sender, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0 ||
	    connect(sender, (struct sockaddr *)&address, size) < 0 || (receiver = accept(listener, NULL, NULL)) < 0)
		incident_fail("tcp");
}

static void open_terminal(void)
{
	int pair[2];

	incident_terminal(pair);
	receiver = pair[0];
	sender = pair[1];
}

static const struct {
	const char *name;
	void (*open)(void);
} kinds[] = {{"pipe", open_pipe},
	     {"queue", open_queue},
	     {"datagram", open_datagram},
	     {"tcp", open_tcp},
	     {"terminal", open_terminal}};

static void glutton(void)
{
	char piece[PIECE];

	for (;;) {
		if (sem_trywait(stall) == 0) {
			sem_post(stalled);
			incident_compute(TROUBLE_MS * 1000);
		}
		if ((is_queue ? mq_receive(receiver, piece, PIECE, NULL) : read(receiver, piece, PIECE)) < 0)
			incident_fail("receive");
	}
}

static ssize_t send_piece(void)
{
	static const char piece[PIECE];

	return is_queue ? mq_send(sender, piece, PIECE, 0) : write(sender, piece, PIECE);
}

void request(void)
{
	incident_compute(HEALTHY_US);
	if (send_piece() < 0)
		incident_fail("send");
}

/* The glutton stops receiving, then the way to it is filled to the brim. */
static void disturb(void)
{
	int flags = fcntl(sender, F_GETFL);

	sem_post(stall);
	send_piece();
	incident_wait(stalled);
	fcntl(sender, F_SETFL, flags | O_NONBLOCK);
	while (send_piece() >= 0)
		;
	fcntl(sender, F_SETFL, flags);
}

int main(int argc, char **argv)
{
	stall = incident_semaphore();
	stalled = incident_semaphore();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].open();
			incident_process("glutton", glutton);
			return incident_run(request, disturb);
		}
	fputs("usage: full pipe|queue|datagram|tcp|terminal\n", stderr);
	return 2;
}
