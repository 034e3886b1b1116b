#include "wake/softirq.h"

#include <stddef.h>

static const struct {
	const char *name;
	bool carries, timer;
} softirqs[SOFTIRQS] = {
	[SOFTIRQ_HI] = {"HI", true, false},
	[SOFTIRQ_TIMER] = {"TIMER", false, true},
	[SOFTIRQ_NET_TX] = {"NET_TX", true, false},
	[SOFTIRQ_NET_RX] = {"NET_RX", true, false},
	[SOFTIRQ_BLOCK] = {"BLOCK", true, false},
	[SOFTIRQ_IRQ_POLL] = {"IRQ_POLL", true, false},
	[SOFTIRQ_TASKLET] = {"TASKLET", true, false},
	[SOFTIRQ_SCHED] = {"SCHED", false, false},
	[SOFTIRQ_HRTIMER] = {"HRTIMER", false, true},
	[SOFTIRQ_RCU] = {"RCU", false, false},
};

static bool is_known(int32_t number)
{
	return number >= 0 && number < SOFTIRQS;
}

const char *softirq_name(int32_t number)
{
	return is_known(number) ? softirqs[number].name : "?";
}

bool softirq_carries(int32_t number)
{
	return is_known(number) && softirqs[number].carries;
}

bool softirq_is_timer(int32_t number)
{
	return is_known(number) && softirqs[number].timer;
}
