/* proc: reads the files of a process or thread in /proc/ID. Names in them are as their owners chose them. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The beginning of /proc/ID/FILE, at most room - 1 bytes and a NUL. Returns the length; -1, and text is "": it cannot be read. */
ssize_t proc_read(int32_t id, const char *file, char *text, size_t room);

/* The name of a thread; "": it is gone. */
void proc_comm(int32_t id, char *comm, size_t room);

/*
 * The path of the file that a process executes, as the process sees it, and whether the file was deleted since. False: the process is gone, or
 * is a kernel thread. program/executable.h finds the file itself.
 */
bool proc_exe(int32_t id, char *path, size_t room, bool *deleted);

/* The real user of a process; 0 also if it is gone. Its files in /proc may have another owner: root, if nobody may debug the process. */
uint32_t proc_user(int32_t id);

struct proc_stat { /* of a thread */
	char state;	 /* 'R': it runs, or lacks nothing but a CPU; 'S', 'D': it waits; 'T', 't': a signal, a tracer has stopped it; 'Z': a zombie */
	int32_t parent;	 /* process */
	int32_t threads; /* of its process */
	int32_t cpu;	 /* the one that it ran on last */
};

/* False: the thread is gone, and *stat is 0. */
bool proc_stat(int32_t id, struct proc_stat *stat);

/* The state of a thread, as in struct proc_stat; '\0': it is gone. */
char proc_state(int32_t id);

struct proc_call { /* in which a thread sleeps */
	long number;
	unsigned long long arguments[6], stack, code; /* its registers */
};

/* False: the thread sleeps in no call, or may not be looked at, and *call is 0. */
bool proc_call(int32_t id, struct proc_call *call);

#endif
