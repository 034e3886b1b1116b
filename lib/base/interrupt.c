#include "base/interrupt.h"

#include <signal.h>
#include <unistd.h>

/* The collector ends within a second; a filter behind it may still have buffered data to read. */
enum { GRACE_SECONDS = 30 };

static void first_interrupt(int number)
{
	(void)number;
}

static void grace_is_over(int number)
{
	(void)number;
	signal(SIGTERM, SIG_DFL);
	raise(SIGTERM);
}

static void first_end(int number)
{
	signal(number, SIG_DFL);
	alarm(GRACE_SECONDS);
}

void interrupt_defer(void)
{
	struct sigaction interrupt = {.sa_handler = first_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
	struct sigaction end = {.sa_handler = first_end, .sa_flags = SA_RESTART}, over = {.sa_handler = grace_is_over};
	struct sigaction hangup;

	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &end, NULL);
	sigaction(SIGALRM, &over, NULL);
}
