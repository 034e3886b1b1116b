/*
 * The victim waits for an answer on a POSIX message queue.
 * Expected: clerk: running
 */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

#include "incident.h"

static mqd_t questions, answers;

static mqd_t open_queue(const char *what)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof(long)};
	char name[64];

	snprintf(name, sizeof(name), "/tailblame-%s-%d", what, getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (queue < 0)
		incident_fail("mq_open");
	mq_unlink(name);
	return queue;
}

static void clerk(void)
{
	long us;

	for (;;) {
		mq_receive(questions, (char *)&us, sizeof(us), NULL);
		incident_compute(us);
		mq_send(answers, (char *)&us, sizeof(us), 0);
	}
}

void request(void)
{
	long us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;

	mq_send(questions, (char *)&us, sizeof(us), 0);
	mq_receive(answers, (char *)&us, sizeof(us), NULL);
}

int main(void)
{
	questions = open_queue("questions");
	answers = open_queue("answers");
	incident_thread("clerk", clerk);
	return incident_run(request, NULL);
}
