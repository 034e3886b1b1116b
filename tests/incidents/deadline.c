/*
 * The victim asks a server that may compute for 20 ms in every 100 (SCHED_DEADLINE), and some requests need more: the server
 * could run, and may not.
 * Expected: cpu throttled: server
 */
#include <linux/sched.h> /* SCHED_DEADLINE */
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

/* As in linux/sched/types.h, which does not go together with sched.h. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static int to_server[2];

static void server(void)
{
	struct attributes attributes = {.size = sizeof(attributes),
					.policy = SCHED_DEADLINE,
					.runtime = 20000000,
					.deadline = 100000000,
					.period = 100000000};

	if (syscall(SYS_sched_setattr, 0, &attributes, 0) < 0)
		incident_fail("sched_setattr");
	incident_serve(to_server[1]);
}

void request(void)
{
	incident_ask(to_server[0], incident_is_slow() ? 50000 : HEALTHY_US);
}

int main(void)
{
	incident_pair(to_server);
	incident_process("server", server);
	return incident_run(request, NULL);
}
