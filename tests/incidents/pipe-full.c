/*
 * The victim writes into a pipe that is full because its reader computes instead of reading.
 * Expected: glutton: running
 */
#include <unistd.h>

#include "incident.h"

enum { PIECE = 4096, PIPE_SIZE = 65536 };

static int to_reader[2];
static sem_t *stall, *stalled;

static void glutton(void)
{
	char piece[PIECE];

	for (;;) {
		if (sem_trywait(stall) == 0) {
			sem_post(stalled);
			incident_compute(TROUBLE_MS * 1000);
		}
		incident_read(to_reader[0], piece, PIECE);
	}
}

static void send_pieces(int count)
{
	static const char piece[PIECE];

	for (int n = 0; n < count; n++)
		incident_write(to_reader[1], piece, PIECE);
}

void request(void)
{
	incident_compute(HEALTHY_US);
	send_pieces(1);
}

/* The glutton stops reading, then the pipe is filled to the brim. */
static void disturb(void)
{
	sem_post(stall);
	send_pieces(1);
	incident_wait(stalled);
	send_pieces(PIPE_SIZE / PIECE);
}

int main(void)
{
	if (pipe(to_reader) < 0)
		incident_fail("pipe");
	stall = incident_semaphore();
	stalled = incident_semaphore();
	incident_process("glutton", glutton);
	return incident_run(request, disturb);
}
