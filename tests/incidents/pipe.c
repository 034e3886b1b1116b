/*
 * Four processes in a row, each passing a message to the next through a pipe; the last answers the victim. The third is
 * slow now and then.
 * Expected: miller: running
 */
#include <unistd.h>

#include "incident.h"

static int stage[5][2]; /* stage[n] leads to the n-th process; [4] back to the victim */

static void pass(int n, bool slow_here)
{
	for (;;) {
		bool slow;

		incident_read(stage[n][0], &slow, sizeof(slow));
		incident_compute(slow && slow_here ? TROUBLE_MS * 1000 : HEALTHY_US / 4);
		incident_write(stage[n + 1][1], &slow, sizeof(slow));
	}
}

static void reaper(void)
{
	pass(0, false);
}

static void thresher(void)
{
	pass(1, false);
}

static void miller(void)
{
	pass(2, true);
}

static void baker(void)
{
	pass(3, false);
}

void request(void)
{
	bool slow = incident_is_slow();

	incident_write(stage[0][1], &slow, sizeof(slow));
	incident_read(stage[4][0], &slow, sizeof(slow));
}

int main(void)
{
	for (int n = 0; n < 5; n++)
		if (pipe(stage[n]) < 0)
			incident_fail("pipe");
	incident_process("reaper", reaper);
	incident_process("thresher", thresher);
	incident_process("miller", miller);
	incident_process("baker", baker);
	return incident_run(request, NULL);
}
