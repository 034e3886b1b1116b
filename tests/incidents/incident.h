/*
 * incident: what the programs here share. Each causes one known trouble on purpose, so that its culprit can be told
 * from outside. Its main thread, "victim", calls request() a few hundred times; all calls are quick but three, which
 * take some 150 ms because of the culprit. The calls are charted from outside with -c func:PROGRAM:request.
 *
 * A program that cannot do its thing says why and exits with 1.
 */
#ifndef INCIDENT_H
#define INCIDENT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

enum {
	HEALTHY_US = 300, /* computing time of a healthy request */
	TROUBLE_MS = 150, /* what the culprit adds to a slow one */
};

/* Defined by each program, exported and never inlined: a trace finds it by its name. */
__attribute__((noinline)) void request(void);

/*
 * Calls `call`, which is request, 300 times with a millisecond's sleep between, and disturb() right before the calls
 * that are to be slow (number 150, 200 and 250). disturb() may be NULL. Returns main's exit status.
 */
int incident_run(void (*call)(void), void (*disturb)(void));

/* True while the request under way is one that incident_run disturbed. */
bool incident_is_slow(void);

/* A thread, or a process that dies with its parent, of this name (15 characters at most). body() may return. */
pthread_t incident_thread(const char *name, void (*body)(void));
pid_t incident_process(const char *name, void (*body)(void));
void incident_name(const char *name);

/* Keeps a CPU busy until the calling thread has used so much CPU time: that is what its caller does, so stacks do not show it. */
long incident_cpu_time_us(void);
static inline __attribute__((always_inline, artificial)) void incident_compute(long us)
{
	long end = incident_cpu_time_us() + us;
	volatile unsigned long work = 0;

	while (incident_cpu_time_us() < end)
		for (int i = 0; i < 20000; i++)
			work = work * 31 + 7;
}

void incident_sleep(long us);

/* Waits; never fails. */
void incident_wait(sem_t *semaphore);

/* Exactly `size` bytes; a message and the end where that fails, a quiet end of the thread where the peer is gone. */
void incident_read(int fd, void *buffer, size_t size);
void incident_write(int fd, const void *buffer, size_t size);

/* Binds the calling thread to a CPU that it may use: 0 is the first of them, 1 the next (if there is only one: that).
 */
void incident_pin(int nth);

/* Makes the calling thread a real-time thread (SCHED_FIFO). */
void incident_real_time(void);

/* Memory that processes started later share; zeroed. In such memory: a semaphore, which begins with 0; a mutex. */
void *incident_shared(size_t size);
sem_t *incident_semaphore(void);
pthread_mutex_t *incident_mutex(void);

/*
 * A process, "keeper", and the lock of the program's own file (flock): incident_keep() returns when the keeper has it, and the keeper then computes
 * for TROUBLE_MS. The file, opened anew.
 */
void incident_keeper(void);
void incident_keep(void);
int incident_open_self(void);

/* Two ends of a connection, by a local socket or by TCP over the loopback interface: [1] has accepted. */
void incident_pair(int pair[2]);
void incident_tcp_pair(int pair[2]);

/* Asks a server to compute for so long, and waits until it has; is that server, for ever. */
void incident_ask(int fd, long us);
void incident_serve(int fd);

/* A terminal of which nothing is interpreted: [0] is the end of who shows it, [1] that of the program in it. */
void incident_terminal(int pair[2]);

/*
 * Makes an ext4 file system on the block device, mounts it where only this process and its children see it, and goes
 * there; and leaves it again.
 */
void incident_mount(const char *device);
void incident_unmount(void);

/*
 * Starts 16 processes, "crowd", which read in large pieces from the block device when told to, past the page cache; what
 * the calling thread reads comes after them (the idle priority of ionice(1)). Tells them to, and returns when they do.
 */
void incident_crowd(const char *device);
void incident_crowd_reads(void);

/*
 * Makes a control group with this text in one of its files: below `parent`, which is /sys/fs/cgroup for version 2, or a
 * controller's folder in it for version 1. False where that cannot be; nothing is left then. A program has one group.
 */
bool incident_group(const char *parent, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes to a file of the group, false where that fails; the number after `key` in one. */
bool incident_group_put(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
long incident_group_number(const char *file, const char *key);

/* Removes the group when all in it have ended, which takes a second at most. */
void incident_group_remove(void);

/* Removes the group after run(), of which a process in it is the victim, even where that is killed. Main's exit status. */
int incident_run_in_group(int (*run)(void));

/* Ends the program with "PROGRAM: WHAT: reason of errno". */
_Noreturn void incident_fail(const char *what);

#endif
