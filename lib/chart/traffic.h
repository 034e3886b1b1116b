/*
 * traffic: system calls that only wait for work, and the descriptors of processes that are connections.
 *
 * A sleep lasts as long as its caller asked for, and a service waits until there is work: nobody is slow then. traffic_enter() tells
 * such idle waits from waits for an answer:
 *
 *	nanosleep, pause, accept, wait4 ...	always idle
 *	epoll_wait, poll, select ...		idle, unless the thread asked just before: it wrote to a connection whose asking side it is
 *	read, recv ...				idle, unless the process asked there and has no answer yet, or opened a file there
 *	futex					idle, unless it waits for a lock
 *	ioctl					idle where it runs a guest of KVM
 *	everything else				not idle
 *
 * The asking side of a connection is the one that called connect(), that a `traced` record names, or whose first transfer seen is to send. The
 * other side called accept(), or its first transfer seen is to receive, even by a call that began before the trace. A descriptor is a connection
 * if a socket's call was used on it, if a `file` record says that it is a socket, or if the process answers where it reads.
 */
#ifndef CHART_TRAFFIC_H
#define CHART_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

enum call_use {
	CALL_UNKNOWN, CALL_OTHER, CALL_IDLE, CALL_MANY, CALL_FCNTL, CALL_IOCTL, CALL_FUTEX, CALL_FUTEX_WAIT, CALL_ACCEPT, CALL_CONNECT, CALL_SOCKET, CALL_OPEN, CALL_CLOSE,
	CALL_READ, CALL_RECEIVE, CALL_WRITE, CALL_SEND
};

struct traffic;

struct traffic *traffic_new(void);
void traffic_free(struct traffic *traffic); /* NULL is allowed */
void traffic_forget(struct traffic *traffic); /* another stream begins, or events were lost */

/* The use of a call by name, or by number on a machine (event/machine.h). */
enum call_use call_use_named(const char *name);
enum call_use traffic_use(struct traffic *traffic, const char *machine, int64_t number);

/* Tells whether this call waits for a condition if the process has the C library musl; with any other library it waits for a mutex. */
bool call_is_condition_of_musl(enum call_use use, const int64_t argument[3]);

/* A thread enters a call, with its first three arguments; tgid 0: not known. True: it waits for work. */
bool traffic_enter(struct traffic *traffic, int32_t tid, int32_t tgid, enum call_use use, const int64_t argument[3], int64_t ts);

/* A transfer by a connection. The process is the asked side. */
enum { TRANSFER_NONE, TRANSFER_RECEIVED, TRANSFER_SENT, TRANSFER_CLOSED };

struct call_transfer {
	int what; /* TRANSFER_NONE... */
	int32_t process, fd;
};

/* The thread returns from its call with this result. Returns what was transferred. */
struct call_transfer traffic_return(struct traffic *traffic, int32_t tid, int64_t result);

/*
 * traffic_is_new(): no call of the thread that tells a side was seen yet. traffic_cut(): a call of such a thread returns, which began before the
 * trace. If it received something, on an unknown connection, what the thread sends next is the answer.
 */
bool traffic_is_new(const struct traffic *traffic, int32_t tid);
void traffic_cut(struct traffic *traffic, int32_t tid, enum call_use use);

/*
 * traffic_waits(): the thread is in a wait for many descriptors. traffic_question(): when the thread asked the question that has no answer yet; 0: it
 * has none. Sets *answers to whether an answer is to be expected: something has come by that connection before; or this is its first question, and
 * the thread has done nothing but wait since, so it is no server that reports something to another one now and then.
 */
bool traffic_waits(const struct traffic *traffic, int32_t tid);
int64_t traffic_question(struct traffic *traffic, int32_t tid, bool *answers);

/* A descriptor was a connection when tracing began; `asks`: the process is the asking side. */
void traffic_side(struct traffic *traffic, int32_t tgid, int32_t fd, bool asks);

/* A `file` record. True: the thread waits for work there, though traffic_enter() could not know it. */
bool traffic_file(struct traffic *traffic, int32_t tid, int32_t tgid, int32_t fd, const char *kind);

/* A thread has ended. True: it led a process that had descriptors. */
bool traffic_exit(struct traffic *traffic, int32_t tid);

#endif
