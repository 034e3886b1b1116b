/*
 * The victim waits for a server that hangs in a futex, until a watchdog has slept long enough and kills it.
 * Expected: unknown: futex of server
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

static sem_t *watch, *never;
static pid_t *watched;
static int pair[2];

static void server(void)
{
	char question;

	close(pair[0]);
	incident_read(pair[1], &question, 1);
	if (question == 'h')
		incident_wait(never);
	incident_compute(HEALTHY_US);
	incident_write(pair[1], "x", 1);
}

static void watchdog(void)
{
	for (;;) {
		incident_wait(watch);
		incident_sleep(TROUBLE_MS * 1000);
		kill(*watched, SIGKILL);
	}
}

void request(void)
{
	char answer = incident_is_slow() ? 'h' : 'q';

	incident_write(pair[0], &answer, 1);
	(void)!read(pair[0], &answer, 1);
}

static void serve_one(void)
{
	incident_pair(pair);
	*watched = incident_process("server", server);
	close(pair[1]);
	if (incident_is_slow())
		sem_post(watch);
	request();
	close(pair[0]);
	waitpid(*watched, NULL, 0);
}

int main(void)
{
	watch = incident_semaphore();
	never = incident_semaphore();
	watched = incident_shared(sizeof(*watched));
	incident_process("watchdog", watchdog);
	return incident_run(serve_one, NULL);
}
