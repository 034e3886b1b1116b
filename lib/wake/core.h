/*
 * core: the memory of an open window, out of which wake graphs are cut: its threads, CPUs and gaps, and what each part of the
 * kernel keeps (part.h). Private to lib/wake, lib/calls and lib/walk.
 *
 * The state of threads and CPUs is certain only since the last gap: the beginning of the window or the last loss of
 * events. A thread is brought up to date with the gaps when it is next looked at (core_sync), not when they occur.
 *
 * Events enter through wake_event() in the order of time; everything else reads. Indexes stay valid until wake_forget().
 */
#ifndef WAKE_CORE_H
#define WAKE_CORE_H

#include "wake/thread.h"
#include "wake/wake.h"

/* Threads of a window: a large machine has some 100,000 at a time. */
enum { CPUS_MAX = 1 << 13, THREADS_MAX = 1 << 18 };

struct cpu_slice { /* a thread gets the CPU */
	int64_t start;
	int32_t thread;
};

struct cpu {
	uint32_t number, epoch;
	int32_t current; /* index of the thread on it; INDEX_NONE: not known */
	int32_t idle;	 /* index of its idle thread; INDEX_NONE */
	int32_t waking;	 /* index of the thread whose wake-up was the last event here; INDEX_NONE */
	int32_t leaving; /* index of the thread whose switch away was the last event here, not counting events of the switch itself; INDEX_NONE */
	int64_t last;	 /* time of the last event */
	int depth;	 /* how many interrupts and timers it is in, see context.h */
	ARRAY(struct cpu_slice) slices;
	void *of[PARTS_COUNT];
};

struct raise { /* who raised a soft interrupt, queued a work or armed a timer, and when */
	int32_t thread; /* index of that thread; INDEX_NONE: no thread did */
	int64_t ts;
	bool timer; /* a timer did */
	bool unknown; /* the raiser is not known: none was seen, or several raised it for packets of their own */
	int32_t armed; /* if a timer did: index of the raise by which it was armed; INDEX_NONE: not known */
	int32_t for_index; /* with for_cause: what the thread's runs were for at that time; INDEX_NONE */
	int32_t completed; /* with completed_cause, of a soft interrupt: what had just been completed there; INDEX_NONE */
	uint8_t for_cause, completed_cause;
	uint8_t sender; /* one more than the number of the packet timer (event/packet_timer.h); 0: it is none */
	int32_t number;	 /* of the soft interrupt, if that ended a wait */
	int32_t handler; /* likewise: index of the kernel thread that had to get the CPU first to handle it; INDEX_NONE: none had to */
};

struct gap {
	int64_t from, to;
};

struct part;
struct slot;

struct wake {
	struct events *events;
	const struct part *const *parts; /* by number */
	ARRAY(struct slot) slots; /* handlers of each type of event, by event_type.index; see event.c */
	struct hooks *hooks;	/* the parts that have each hook that is called often */
	struct name_table *names; /* of interrupts, work queues, functions */
	struct reasons *reasons; /* of waits */
	int64_t now;		  /* time of the last event */
	ARRAY(struct gap) gaps;	  /* the first ends where the window begins */
	struct thread *by_tid;
	ARRAY(struct thread *) threads;
	ARRAY(struct cpu *) cpus; /* by number; NULL: not seen */
	ARRAY(struct raise) raises; /* causes refer to them by index */
	bool switches, migrations; /* the data have switches; migrations */
	bool wakers, idlers;	   /* they have a wake-up by a thread; by an idle CPU */
	bool contexts;		   /* they have what tells interrupts from threads */
	void *of[PARTS_COUNT];	   /* state of the parts */
};

/* wake_new() is in parts.c and calls this with the table of the parts. NULL after fail(). */
struct wake *core_new(struct events *events, const struct part *const *parts);

/* The end of the last gap in the data; if there is none, the beginning of the data. */
int64_t core_since(const struct wake *wake);

struct cpu *core_cpu(struct wake *wake, uint32_t number); /* NULL after fail() */

/* The living thread with this tid, made if there is none. core_thread_on() with tid 0: the idle thread of the CPU. */
struct thread *core_thread(struct wake *wake, int32_t tid);
struct thread *core_thread_on(struct wake *wake, struct cpu *cpu, int32_t tid);
struct thread *core_thread_born(struct wake *wake, int32_t tid); /* a new thread that takes over the tid */
const struct thread *core_thread_find(struct wake *wake, int32_t tid, int64_t ts); /* that had the tid then, else that has it now; NULL: none */

/* Drops all pieces of the thread but the newest `pieces` (at least 1), and what parts keep of the time before those. */
void core_trim(struct wake *wake, struct thread *thread, size_t pieces);

/* The thread, brought up to date with the gaps. */
struct thread *core_sync(struct wake *wake, int32_t index);

/* Tells whether the thread is one of the kernel, as far as the data tell. */
bool core_is_kernels(const struct wake *wake, const struct thread *thread);

/* Tells whether the thread with the index `other` is known to be of the same process. */
bool core_same_process(const struct wake *wake, const struct thread *thread, int32_t other);

/*
 * When the process of `thread` started the process of `other` or an ancestor of that, up to eight generations above: a hook's shell starts what
 * the hook runs. TIME_NONE: it is not known to have started one of them.
 */
int64_t core_started(const struct wake *wake, const struct thread *thread, const struct thread *other);

/* The index of the thread that this one works for: its own index, if no part knows another; INDEX_NONE: not known. */
int32_t core_served(struct wake *wake, const struct thread *thread);

/* The thread that has the CPU when an event with this tid happens there. NULL: not known, because the data lack switches. */
struct thread *core_current(struct wake *wake, struct cpu *cpu, int32_t tid);
void core_switch_in(struct wake *wake, struct cpu *cpu, struct thread *thread, int64_t ts);

/* The thread that ended a wait (INDEX_NONE: none did), and when it did what ended the wait. */
struct doer {
	int32_t thread;
	int64_t ts;
};
struct doer core_ender(const struct wake *wake, const struct piece *wait);

/* The job for others that a kernel thread does in a run; false: none. */
struct kernel_job {
	int32_t owner;	   /* index of the thread that the job is for; INDEX_NONE: not known */
	const char *queue; /* name of the queue that the job was in, for people */
};
bool core_job(const struct wake *wake, const struct piece *run, struct kernel_job *job);

#endif
