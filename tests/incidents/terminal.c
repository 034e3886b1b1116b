/*
 * The victim reads lines from a terminal that a slow typist writes to; a kernel thread carries them.
 * Expected: typist: running
 */
#include "incident.h"

static int terminal[2];
static sem_t wanted;

static void typist(void)
{
	for (;;) {
		incident_wait(&wanted);
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		incident_write(terminal[0], "x", 1);
	}
}

void request(void)
{
	char line;

	sem_post(&wanted);
	incident_read(terminal[1], &line, sizeof(line));
}

int main(void)
{
	incident_terminal(terminal);
	incident_thread("typist", typist);
	return incident_run(request, NULL);
}
