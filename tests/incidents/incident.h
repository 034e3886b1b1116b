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

/* Keeps a CPU busy until the calling thread has used so much CPU time. */
void incident_compute(long us);
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
 * Makes an ext4 file system on the block device, mounts it where only this process and its children see it, and goes
 * there; and leaves it again.
 */
void incident_mount(const char *device);
void incident_unmount(void);

/* Ends the program with "PROGRAM: WHAT: reason of errno". */
_Noreturn void incident_fail(const char *what);

#endif
