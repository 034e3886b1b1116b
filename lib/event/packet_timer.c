#include "event/packet_timer.h"

#include <string.h>

const struct packet_timer packet_timers[PACKET_TIMERS] = {
	{"qdisc_watchdog", "packet that a shaper held back"},
	{"tcp_write_timer", "retransmission"},
	{"reqsk_timer_handler", "retransmission"},
	{"tcp_delack_timer", "delayed acknowledgement"},
	{"tcp_compressed_ack_kick", "delayed acknowledgement"},
	{"tcp_pace_kick", "paced packet"},
	{"tcp_keepalive_timer", "keepalive"},
};

int packet_timer_find(const char *function, size_t length)
{
	for (int i = 0; i < PACKET_TIMERS; i++)
		if (strlen(packet_timers[i].function) == length && !memcmp(packet_timers[i].function, function, length))
			return i;
	return -1;
}
