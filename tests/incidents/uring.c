/*
 * The victim waits for an answer with io_uring.
 * Expected: answerer: running
 */
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

static struct io_uring_params params;
static int ring, answers[2];
static char *rings;
static struct io_uring_sqe *entries;
static sem_t *asked;
static bool *hard;

static void answerer(void)
{
	for (;;) {
		incident_wait(asked);
		incident_compute(*hard ? TROUBLE_MS * 1000 : HEALTHY_US);
		incident_write(answers[1], "x", 1);
	}
}

static void open_ring(void)
{
	ring = (int)syscall(SYS_io_uring_setup, 8, &params);
	if (ring < 0)
		incident_fail("io_uring_setup");
	rings = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	if (rings == MAP_FAILED || entries == MAP_FAILED)
		incident_fail("mmap");
}

/* One read of an answer; returns when it is there. */
static void read_answer(char *answer)
{
	unsigned *array = (unsigned *)(rings + params.sq_off.array);
	atomic_uint *tail = (atomic_uint *)(rings + params.sq_off.tail);
	atomic_uint *done = (atomic_uint *)(rings + params.cq_off.head);
	unsigned slot = *tail & (params.sq_entries - 1);

	entries[slot] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = answers[0], .addr = (unsigned long)answer, .len = 1, .off = -1ULL};
	array[slot] = slot;
	atomic_fetch_add(tail, 1);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		incident_fail("io_uring_enter");
	atomic_fetch_add(done, 1);
}

void request(void)
{
	char answer;

	*hard = incident_is_slow();
	sem_post(asked);
	read_answer(&answer);
}

int main(void)
{
	if (pipe(answers) < 0)
		incident_fail("pipe");
	asked = incident_semaphore();
	hard = incident_shared(sizeof(*hard));
	incident_process("answerer", answerer);
	open_ring();
	return incident_run(request, NULL);
}
