/*
 * The victim waits in epoll for an event that another thread of the program computes first (eventfd).
 * Expected: notifier: running
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "incident.h"

static int asked, answered, poller;

static void notifier(void)
{
	for (;;) {
		unsigned long count;

		incident_read(asked, &count, sizeof(count));
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		incident_write(answered, &count, sizeof(count));
	}
}

void request(void)
{
	struct epoll_event event;
	unsigned long count = 1;

	incident_write(asked, &count, sizeof(count));
	if (epoll_wait(poller, &event, 1, -1) != 1)
		incident_fail("epoll_wait");
	incident_read(answered, &count, sizeof(count));
}

int main(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	asked = eventfd(0, 0);
	answered = eventfd(0, 0);
	poller = epoll_create1(0);
	if (epoll_ctl(poller, EPOLL_CTL_ADD, answered, &event) < 0)
		incident_fail("epoll_ctl");
	incident_thread("notifier", notifier);
	return incident_run(request, NULL);
}
