/*
 * The victim asks a process through an eventfd; that waits in epoll, computes nothing, and asks the next one, and that the
 * last, which computes; the answer comes back the same way.
 * Expected: last: running
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "incident.h"

enum { STATIONS = 3 };

static int ask[STATIONS], answer[STATIONS];
static long *us;

static void await(int fd)
{
	static int poll = -1;
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	uint64_t count;

	if (poll < 0)
		poll = epoll_create1(0);
	epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
	if (epoll_wait(poll, &event, 1, -1) != 1)
		incident_fail("epoll_wait");
	incident_read(event.data.fd, &count, sizeof(count));
	epoll_ctl(poll, EPOLL_CTL_DEL, fd, NULL);
}

static void tell(int fd)
{
	uint64_t one = 1;

	incident_write(fd, &one, sizeof(one));
}

static void pass_on(int station)
{
	for (;;) {
		await(ask[station]);
		tell(ask[station + 1]);
		await(answer[station + 1]);
		tell(answer[station]);
	}
}

static void first(void)
{
	pass_on(0);
}

static void second(void)
{
	pass_on(1);
}

static void last(void)
{
	for (;;) {
		await(ask[STATIONS - 1]);
		incident_compute(*us);
		tell(answer[STATIONS - 1]);
	}
}

void request(void)
{
	*us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;
	tell(ask[0]);
	await(answer[0]);
}

int main(void)
{
	us = incident_shared(sizeof(*us));
	for (int i = 0; i < STATIONS; i++) {
		ask[i] = eventfd(0, 0);
		answer[i] = eventfd(0, 0);
	}
	incident_process("first", first);
	incident_process("second", second);
	incident_process("last", last);
	return incident_run(request, NULL);
}
