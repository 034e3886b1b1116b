/*
 * The victim waits with io_uring: for an answer; for one that the ring's own thread takes, which never sleeps (sqpoll); for a
 * write that a worker does, behind that of another thread to the same file (behind); for a pipe that another process opens late,
 * as a worker does (worker); for an answer that does not come within the limit of time that it has linked to it (timeout).
 * Expected: answerer: running; behind: bulky: work on io_uring; worker: opener: running; timeout: timer: io_uring_enter of victim
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { BULK = 512 << 20 };

static struct io_uring_params params;
static int ring, answers[2], file = -1;
static char *rings, *bulk, directory[] = "/dev/shm/uring-XXXXXX";
static struct io_uring_sqe *entries;
static sem_t *asked, *bulk_begins;
static bool *hard;
static const char *kind = "";

static bool is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static void answerer(void)
{
	for (;;) {
		incident_wait(asked);
		incident_compute(*hard ? TROUBLE_MS * 1000 : HEALTHY_US);
		incident_write(answers[1], "x", 1);
	}
}

static void opener(void)
{
	for (;;) {
		incident_wait(asked);
		incident_compute(*hard ? TROUBLE_MS * 1000 : HEALTHY_US);
		close(open("pipe", O_WRONLY));
	}
}

static void open_ring(void)
{
	if (is("sqpoll")) {
		params.flags = IORING_SETUP_SQPOLL;
		params.sq_thread_idle = 10000; /* ms */
	}
	ring = (int)syscall(SYS_io_uring_setup, 8, &params);
	if (ring < 0)
		incident_fail("io_uring_setup");
	rings = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	if (rings == MAP_FAILED || entries == MAP_FAILED)
		incident_fail("mmap");
}

static atomic_uint *word(unsigned offset)
{
	return (atomic_uint *)(rings + offset);
}

static void put(struct io_uring_sqe entry)
{
	unsigned tail = atomic_load(word(params.sq_off.tail)), slot = tail & (params.sq_entries - 1);

	entries[slot] = entry;
	((unsigned *)(rings + params.sq_off.array))[slot] = slot;
	atomic_store(word(params.sq_off.tail), tail + 1);
}

static void enter(unsigned submit, unsigned wait)
{
	unsigned flags = (wait ? IORING_ENTER_GETEVENTS : 0) | (is("sqpoll") ? IORING_ENTER_SQ_WAKEUP : 0);

	if (syscall(SYS_io_uring_enter, ring, submit, wait, flags, NULL, 0) < 0)
		incident_fail("io_uring_enter");
}

/* Returns when so many requests are complete. */
static void finish(unsigned count)
{
	unsigned done = atomic_load(word(params.cq_off.head));

	enter(is("sqpoll") ? 0 : count, count);
	while (atomic_load(word(params.cq_off.tail)) - done < count)
		enter(0, count);
	atomic_store(word(params.cq_off.head), done + count);
}

static void read_answer(void)
{
	static struct __kernel_timespec limit = {.tv_nsec = TROUBLE_MS * 1000000L};
	static char answer;
	bool timed = is("timeout");

	put((struct io_uring_sqe){.opcode = IORING_OP_READ, .flags = timed ? IOSQE_IO_LINK : 0, .fd = answers[0],
				  .addr = (unsigned long)&answer, .len = 1, .off = -1ULL});
	if (timed)
		put((struct io_uring_sqe){.opcode = IORING_OP_LINK_TIMEOUT, .fd = -1, .addr = (unsigned long)&limit, .len = 1});
	finish(timed ? 2 : 1);
}

/* The kernel does writes to one file one after the other. */
static void write_file(const char *from, unsigned size, unsigned wait)
{
	put((struct io_uring_sqe){
		.opcode = IORING_OP_WRITE, .flags = IOSQE_ASYNC, .fd = file, .addr = (unsigned long)from, .len = size});
	if (wait)
		finish(wait);
	else
		enter(1, 0);
}

/* Has written when the victim waits for its own write behind this one. */
static void bulky(void)
{
	for (;;) {
		incident_wait(asked);
		write_file(bulk, BULK, 0);
		sem_post(bulk_begins);
		incident_wait(asked);
	}
}

static void open_pipe(void)
{
	atomic_uint *head = word(params.cq_off.head);
	struct io_uring_cqe *done;

	put((struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT, .flags = IOSQE_ASYNC, .fd = AT_FDCWD, .addr = (unsigned long)"pipe", .open_flags = O_RDONLY});
	finish(1);
	done = (struct io_uring_cqe *)(rings + params.cq_off.cqes) + ((atomic_load(head) - 1) & (params.cq_entries - 1));
	if (done->res < 0)
		incident_fail("openat");
	close(done->res);
}

void request(void)
{
	bool slow = incident_is_slow();

	if (is("behind")) {
		if (slow) {
			sem_post(asked);
			incident_wait(bulk_begins);
		}
		write_file("x", 1, slow ? 2 : 1);
		if (slow)
			sem_post(asked);
		return;
	}
	*hard = slow;
	if (!is("timeout") || !slow)
		sem_post(asked);
	if (is("worker"))
		open_pipe();
	else
		read_answer();
}

static void prepare(void)
{
	if (!mkdtemp(directory) || chdir(directory) < 0 || mkfifo("pipe", 0600) < 0)
		incident_fail(directory);
	file = open("file", O_CREAT | O_RDWR, 0600);
	unlink("file");
	bulk = mmap(NULL, BULK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (is("behind") ? MAP_POPULATE : 0), -1, 0);
	if (file < 0 || bulk == MAP_FAILED)
		incident_fail("file");
}

int main(int argc, char **argv)
{
	int status;

	kind = argc > 1 ? argv[1] : kind;
	if (pipe(answers) < 0)
		incident_fail("pipe");
	asked = incident_semaphore();
	bulk_begins = incident_semaphore();
	hard = incident_shared(sizeof(*hard));
	prepare();
	open_ring();
	if (is("worker"))
		incident_process("opener", opener);
	else if (is("behind"))
		incident_thread("bulky", bulky);
	else
		incident_process("answerer", answerer);
	status = incident_run(request, NULL);
	unlink("pipe");
	rmdir(directory);
	return status;
}
