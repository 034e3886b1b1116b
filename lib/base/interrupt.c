#include "base/interrupt.h"

#include <signal.h>

static void first_interrupt(int number)
{
	(void)number;
}

void interrupt_defer(void)
{
	struct sigaction action = {.sa_handler = first_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

	sigaction(SIGINT, &action, NULL);
}
