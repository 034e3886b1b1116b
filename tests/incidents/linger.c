/*
 * close() of a connection that is to linger waits until the peer has taken what was sent; that one computes before.
 * Expected: reader: running
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

enum { SENT = 240000, ROOM = 20000 };

static int listener;
static volatile bool *slow;

static void reader(void)
{
	static char buffer[1 << 16];

	for (;;) {
		int peer = accept(listener, NULL, NULL);

		if (*slow)
			incident_compute(TROUBLE_MS * 1000);
		while (read(peer, buffer, sizeof(buffer)) > 0)
			;
		close(peer);
	}
}

void request(void)
{
	static char data[SENT];
	struct sockaddr_in address;
	socklen_t size = sizeof(address);
	struct linger linger = {.l_onoff = 1, .l_linger = 5};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*slow = incident_is_slow();
	getsockname(listener, (struct sockaddr *)&address, &size);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	if (connect(fd, (struct sockaddr *)&address, size) < 0)
		incident_fail("connect");
	incident_write(fd, data, sizeof(data));
	close(fd);
}

int main(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int room = ROOM;

	slow = incident_shared(sizeof(*slow));
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(listener, 1) < 0)
		incident_fail("listen");
	incident_process("reader", reader);
	return incident_run(request, NULL);
}
