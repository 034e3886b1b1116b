/*
 * The victim watches a file (inotify) that a writer changes, after it has computed what to write. With the argument
 * "signal" the writer sends a signal instead, which the victim reads from a signalfd.
 * Expected: writer: running
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "incident.h"

static char path[] = "/tmp/incident-inotify.XXXXXX";
static int file, watch;
static bool by_signal;
static long *us;
static sem_t *go;

static void writer(void)
{
	for (;;) {
		incident_wait(go);
		incident_compute(*us);
		if (by_signal)
			kill(getppid(), SIGUSR1);
		else
			incident_write(file, "x", 1);
	}
}

void request(void)
{
	char event[sizeof(struct inotify_event) + sizeof(struct signalfd_siginfo) + 256];

	*us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;
	sem_post(go);
	if (read(watch, event, sizeof(event)) <= 0)
		incident_fail("read");
}

int main(int argc, char **argv)
{
	sigset_t signals;

	by_signal = argc > 1 && !strcmp(argv[1], "signal");
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	file = mkstemp(path);
	watch = by_signal ? signalfd(-1, &signals, 0) : inotify_init1(0);
	if (file < 0 || watch < 0 || (!by_signal && inotify_add_watch(watch, path, IN_MODIFY) < 0))
		incident_fail(path);
	unlink(path);
	go = incident_semaphore();
	us = incident_shared(sizeof(*us));
	incident_process("writer", writer);
	return incident_run(request, NULL);
}
