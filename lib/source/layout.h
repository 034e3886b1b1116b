/*
 * layout: where the payload of an event names threads, calls and locks, for the event writer, which reads these of each event.
 */
#ifndef SOURCE_LAYOUT_H
#define SOURCE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_PART "part" /* the field that tells apart the functions that share an event */
enum { LAYOUT_THREADS = 2 };

/* A field that names a thread other than the one in whose context the event happened. */
struct layout_thread {
	uint16_t tid, comm; /* offsets in the payload; comm 0: the event does not give the name */
	bool dynamic;	    /* at `comm` is the place of the name, not the name */
};

/* Offsets in an event of a try to lock a file; all 0: the event is another. */
struct layout_lock {
	uint16_t dev_at, inode_at, start_at, end_at, result_at;
	bool is_flock; /* by flock(2), else by fcntl(2) */
};

struct layout {
	bool is_switch, is_exec, is_fork, is_exit;
	bool shared; /* it concerns others than the thread in whose context it happened: a CPU or a device changes hands */
	struct layout_thread threads[LAYOUT_THREADS];
	int thread_count;
	uint16_t clone_at; /* offset of the flags with which a thread is made, 64 bits; 0: the event has none */
	uint16_t part_at;  /* offset of LAYOUT_PART; 0: none */
	uint16_t waits_at; /* offset of the field that names the thread that the event is about; 0: none */
	bool is_call;	   /* a thread enters a system call, or leaves it */
	uint16_t fd_at;	   /* offset of the call's first argument if that may be a descriptor; 0: it is none */
	uint16_t call_at;  /* offset of the call's number if the event may be of any call; 0: the event is of one call */
	struct layout_lock lock;
	uint16_t state_at; /* offset of the state in which a thread leaves the CPU; 0: none */
};

struct tep_event;

/*
 * Learns the layout of an event from its format. `event` is its name in the stream, "system:name", which may differ from that in tracefs;
 * `waits` is the field that names the thread that the event is about; NULL: none.
 */
void layout_learn(struct layout *layout, const char *event, const char *waits, struct tep_event *format);

#endif
