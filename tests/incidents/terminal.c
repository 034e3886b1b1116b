/*
 * The victim reads lines from a terminal that a slow typist writes to; a kernel thread carries them.
 * Expected: typist: running
 */
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "incident.h"

static int keyboard, screen;
static sem_t wanted;

static void typist(void)
{
	for (;;) {
		incident_wait(&wanted);
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		incident_write(keyboard, "x", 1);
	}
}

void request(void)
{
	char line;

	sem_post(&wanted);
	incident_read(screen, &line, sizeof(line));
}

int main(void)
{
	struct termios raw;

	keyboard = posix_openpt(O_RDWR | O_NOCTTY);
	if (keyboard < 0 || unlockpt(keyboard) < 0)
		incident_fail("posix_openpt");
	screen = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
	if (screen < 0 || tcgetattr(screen, &raw) < 0)
		incident_fail("ptsname");
	cfmakeraw(&raw);
	tcsetattr(screen, TCSANOW, &raw);
	incident_thread("typist", typist);
	return incident_run(request, NULL);
}
