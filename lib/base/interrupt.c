#include "base/interrupt.h"

#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/number.h"

/* The collector ends within a second; a filter behind it may still have buffered data to read. */
enum { GRACE_SECONDS = 30 };

bool interrupt_again(int number)
{
	static volatile int64_t first[NSIG];
	int64_t now = now_by(CLOCK_MONOTONIC);

	if (first[number] == 0)
		first[number] = now;
	return now - first[number] > NSEC_PER_SEC;
}

static void end_again(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void interrupted(int number)
{
	if (interrupt_again(number))
		end_again(number);
}

static void grace_is_over(int number)
{
	(void)number;
	signal(SIGTERM, SIG_DFL);
	raise(SIGTERM);
}

static void asked_to_end(int number)
{
	if (interrupt_again(number))
		end_again(number);
	else
		alarm(GRACE_SECONDS);
}

void interrupt_defer(void)
{
	struct sigaction interrupt = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
	struct sigaction end = {.sa_handler = asked_to_end, .sa_flags = SA_RESTART}, over = {.sa_handler = grace_is_over};
	struct sigaction hangup;

	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &end, NULL);
	sigaction(SIGALRM, &over, NULL);
}
