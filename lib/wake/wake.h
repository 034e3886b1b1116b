/*
 * wake: what is remembered of an open window, so that a wake graph can be cut out of it. Private to lib/wake.
 *
 * For each thread there is a chain of pieces, contiguous in time: a piece ends where the next one starts, the last one
 * is still open. For each CPU there is a list of who got it when, and what it is in the middle of: interrupts nest, so
 * that is a stack. For each block request there is who submitted it, and when it was queued, issued and completed.
 *
 * The state of threads and CPUs is certain only since the last gap: the beginning of the window or the last loss of
 * events. A thread first seen after a gap has been what it is found to be since that gap ("began before the data").
 * A thread is brought up to date with the gaps when it is next looked at (wake_thread_sync), not when they occur.
 *
 * Events enter through wake_event() in the order of time; everything else reads. Indexes stay valid until wake_free().
 */
#ifndef WAKE_H
#define WAKE_H

#include <uthash.h>

#include "event/event.h"
#include "graph/graph.h"

enum { INDEX_NONE = -1, CPUS_MAX = 1 << 13, CONTEXTS_MAX = 8, SOFTIRQS = 10, CALL_NONE = -1, FD_NONE = -1, TID_IDLE = 0 };

/* Who ended a wait. */
enum cause {
	CAUSE_NONE,    /* nobody yet: it lasts */
	CAUSE_UNKNOWN, /* somebody that the data do not show */
	CAUSE_THREAD,  /* index: thread; it was on a CPU when the wait ended */
	CAUSE_RAISED,  /* index: of a raise; a soft interrupt, handled when its raiser had left the CPU */
	CAUSE_REQUEST, /* index: request that had completed */
	CAUSE_TIMER,   /* index: of a raise, who armed it; INDEX_NONE: not known */
	CAUSE_SENT,    /* a packet that a timer sent on this machine; index: as above */
	CAUSE_IRQ,     /* index: number of the interrupt */
	CAUSE_SOFTIRQ, /* index: number of the soft interrupt */
	CAUSE_DEFERRED, /* index: of a raise; the same, but a kernel thread handled it when it got the CPU */
	CAUSE_WORK,    /* index: work; of a run, which does what somebody had queued */
	CAUSE_DIRTY,   /* index: of a throttle; a timer, for too much was to be written to a disk */
	CAUSE_PEER,    /* index: thread; of a run, at the end of which it woke that one, of another process */
};

enum piece_flag {
	PIECE_ASSUMED = 1, /* it began before the data: its start is that of the data */
	PIECE_LOST = 2,	   /* unknown because events were lost */
	PIECE_EARLY = 4,   /* a wake-up came while the thread was still on its way to sleep */
	PIECE_RECLAIM = 8, /* a run: to find free memory */
	PIECE_SPIN = 16,   /* a run: in a loop, for a lock of the kernel; a wait: so, for a known owner */
	PIECE_BATCH = 32,  /* a run: of several in a row that served several processes */
	PIECE_TICK = 64,   /* a wait that a timer of its own or a signal ended, and not what it waited for */
	PIECE_GUESSED = 128, /* a run: the switch to it is hidden, so it may have begun later */
	PIECE_GROUP = 256, /* with PIECE_RECLAIM: not of all memory, but of what a control group may have */
	PIECE_KILLED = 512, /* a run: the kernel has killed it, for want of memory, and it ends */
	PIECE_ROOM = 1024, /* a wait that a thread ended in a call that receives: there is room to send, which is no answer */
	PIECE_CONDITION = 2048, /* a wait in a futex that is no mutex */
	PIECE_BROKEN = 4096, /* a wait that a signal broke off, and the thread's end followed: nothing was waited for any more */
};

/*
 * WHAT_RUN, WHAT_RUNNABLE, WHAT_WAIT, WHAT_UNKNOWN; WHAT_IRQ and WHAT_SOFTIRQ for the time that an interrupt took
 * from the running thread (cause_index is its number).
 */
struct piece {
	int64_t start;
	int32_t cause_index;
	int32_t node;  /* in the graph at hand; NODE_NONE */
	int16_t call;  /* index of the system call that it waits in; CALL_NONE */
	uint16_t cpu, flags;
	uint8_t what, cause;
};

/*
 * Whom a thread served since it last slept, that is: woke. Where it served several processes in one go, its run is cut
 * after each.
 */
struct batch {
	int64_t until;	 /* time of the last wake-up */
	int32_t process; /* then woken; 0: none yet */
	bool several;
};

/* Where a thread's stack was seen: it went to sleep, or woke another. */
enum { MARK_SLEEP = -1 };
struct mark {
	int64_t ts;
	uint32_t stack; /* its number */
	int32_t woken;	/* tid; MARK_SLEEP */
};

struct called { /* what a thread was called until it was renamed */
	int64_t until;
	char *comm;
};

struct thread {
	int32_t tid, index;
	int32_t parent;	 /* index of the thread that forked it; INDEX_NONE */
	int32_t work;	 /* what it was asked to do, a kernel thread; INDEX_NONE */
	int32_t writer;	 /* index of the thread whose pages it writes back (perhaps its own); INDEX_NONE: it does not */
	uint32_t epoch;	 /* number of gaps it has been brought up to date with */
	int64_t born;	 /* TIME_NONE: before the data */
	int64_t died;	 /* TIME_NONE: not yet */
	int16_t call;	 /* the system call it is in; CALL_NONE */
	int16_t lock;	 /* the lock of the kernel that it tries to get, and may sleep for; CALL_NONE */
	uint64_t lock_address;
	uint16_t doing;	 /* the flags of its runs */
	int32_t fd;	 /* the file that this call is for; FD_NONE: none, or not known */
	int16_t call_of_file; /* the name of its waits with the kind of that file; CALL_NONE */
	int64_t called;	 /* when it entered that call */
	uint64_t dirty;	 /* the disk that it is about to wait for, as it wrote more than that keeps up with; 0: none */
	int64_t spins;	 /* since when it spins for a mutex; TIME_NONE: it does not */
	int64_t fault;	 /* when it began to handle a fault of a mapped file, and has called nothing since; TIME_NONE */
	uint64_t asks_for; /* the futex or file that it last called for, in vain so far, and since when; see wake_poll.c */
	int64_t asks_since;
	int16_t asks_call;
	bool asks_condition, asks_timed; /* it is a futex that is no mutex; the last call had a limit of time */
	bool asks;	 /* it is in that call */
	bool condition;	 /* which is for a futex that is no mutex */
	int64_t broken;	 /* begin of the wait that a signal broke off, since when it has called nothing; TIME_NONE */
	int64_t woke;	 /* when it last woke another; TIME_NONE: never */
	struct batch batch;
	bool early;	 /* a wake-up came while it was running, perhaps on its way to sleep */
	char *comm;	 /* set when another thread takes over its tid; else ask struct events */
	ARRAY(struct called) called_before; /* in the order of time; see wake_called.c */
	bool called_itself; /* its name is not that of its parent any more */
	ARRAY(struct piece) pieces;
	ARRAY(struct mark) marks; /* see wake_stack.h */
	UT_hash_handle hh;
};

struct raise { /* who raised a soft interrupt, queued a work or armed a timer, and when */
	int32_t thread; /* index; INDEX_NONE: not a thread */
	int64_t ts;
	bool timer; /* not a thread: a timer */
	bool unknown; /* it is not known who: nobody was seen, or several were, for packets of their own */
	int32_t armed; /* then: index of a raise, who armed it; INDEX_NONE: not known */
	int32_t work; /* index of the work that the thread then did; INDEX_NONE */
	int32_t completed; /* request whose completion was then handled; INDEX_NONE. Only where a soft interrupt is raised */
	int32_t number;	 /* of the soft interrupt, if that ended a wait */
	int32_t handler; /* then: index of the kernel thread that had to get the CPU to handle it; INDEX_NONE: none had to */
};

/* Nobody, and nothing was completed. */
#define RAISE_NONE ((struct raise){.thread = INDEX_NONE, .armed = INDEX_NONE, .work = INDEX_NONE, .completed = INDEX_NONE})

struct work { /* something queued for a kernel thread to do */
	struct raise by; /* who queued it, and when */
	int32_t owner;	 /* index of the thread for whom that one worked, if it is a kernel thread too; else by.thread */
	int64_t started;
	int32_t cause_index;
	uint8_t cause; /* what queued it, and that one's index, where by.thread is INDEX_NONE */
	bool throttled; /* to go on with requests that a limit of a control group held back */
	int16_t queue; /* index of the work queue's name */
	uint64_t serves; /* the loop device whose requests it does; 0: none */
};

enum context_kind {
	CONTEXT_THREAD,
	CONTEXT_IRQ,	/* of a device */
	CONTEXT_VECTOR, /* of x86, without a handler: the CPU's own timer, calls of other CPUs */
	CONTEXT_SOFTIRQ,
	CONTEXT_TIMER,
};

/* What a CPU is in the middle of. */
struct context {
	uint8_t kind;
	bool stolen;	   /* cut out of the running thread's run */
	int32_t number;	   /* of the interrupt */
	int entered;	   /* the interrupts that it was entered in, itself among them, as the flags of that event tell */
	struct raise by;   /* who raised the soft interrupt, or armed the timer */
	int32_t completed; /* request whose completion was last handled here; INDEX_NONE */
	int within;	   /* the interrupts that this was in, as that event's flags tell */
};

struct tenure { /* who got the CPU when */
	int64_t start;
	int32_t thread;
};

struct cpu {
	uint32_t number, epoch;
	int32_t current; /* index of the thread on it; INDEX_NONE: not known */
	int32_t idle;	 /* index of its idle thread; INDEX_NONE */
	int32_t waking;	 /* thread whose wake-up was the last event here */
	int32_t leaving; /* thread whose switch away was the last event here, but for those of the switch itself; INDEX_NONE */
	int64_t last;	 /* time of the last event */
	int depth;	 /* contexts on top of the thread's own, context[0] */
	struct context context[CONTEXTS_MAX];
	struct raise raised[SOFTIRQS];
	bool pending[SOFTIRQS]; /* raised, and not handled since */
	ARRAY(struct tenure) tenures;
};

struct ender { /* CAUSE_NONE, CAUSE_THREAD, CAUSE_RAISED, CAUSE_REQUEST */
	uint8_t cause;
	int32_t index;
};

struct request {
	uint64_t disk, sector;
	uint32_t sectors;
	int32_t submitter; /* index of a thread; INDEX_NONE: not in the data */
	int32_t owner;	   /* of the thread for whom it was submitted */
	int64_t queued, issued, completed; /* TIME_NONE: not in the data, or not yet */
	int32_t service_node, queue_node, behind_node; /* in the graph at hand */
	int32_t next;			   /* open request at the same sector, then one completed with it; INDEX_NONE */
	bool flush_after;		   /* it is over when the disk's cache is flushed behind it */
	char rwbs[4];
	struct ender ender;	  /* of its service: for whom the loop device waited */
	uint64_t serves;	  /* a loop device, of which a work submitted it; 0: none */
	int32_t upper;		  /* the loop device's request for which it was submitted; INDEX_NONE: not known */
	int32_t lower;		  /* of those that were submitted for it the last, then the last to complete; INDEX_NONE */
	uint32_t handed_on;	  /* how many of its sectors these have */
	int32_t data;		  /* index of its data part; INDEX_NONE: it has no other */
};

/* A write that is followed by a flush of the disk's cache, until that begins: the flush waits for it. */
struct data_part {
	struct ender ender;
	int64_t completed;
	int32_t node; /* in the graph at hand */
};

struct flush { /* a request that waits for a flush of its disk's cache; see wake_flush.c */
	int32_t request;
	uint8_t state;
	bool alone; /* it is nothing else, or that is done */
};

/* What does the requests of a loop device; see wake_backed.c. */
enum { OWNER_NOBODY = -2 };
struct backing {
	uint64_t work;	 /* address of the work; 0: this is no loop device, as far as is known */
	bool several;	 /* there are other works, too */
	bool did;	 /* the work did the whole of a request, and that is not told yet */
	bool whole;	 /* so it did with the last one that has data */
	bool disorder;	 /* which of the requests that were issued is next is not known */
	int32_t working; /* index of the work that is being done; INDEX_NONE */
	int32_t owner;	 /* of all requests issued since a work began; OWNER_NOBODY: none; INDEX_NONE: several, or not known */
	size_t next;	 /* of disk.issued: those before were handed on */
};

struct disk {
	uint64_t dev;
	int64_t longest;       /* longest service so far */
	int64_t shortest[4];   /* and shortest, of reads, writes, flushes, others; 0: none */
	ARRAY(int32_t) issued; /* requests in the order in which they were issued */
	ARRAY(struct flush) flushes;
	struct backing backing;
	UT_hash_handle hh;
};

struct function_event { /* a traced function was entered, or returned */
	int64_t ts;
	int32_t thread;
	int16_t function; /* index of its name */
	bool returns;
};

struct gap {
	int64_t from, to;
};

struct wake {
	struct events *events;
	struct wake_types *types; /* what to do with each type of event */
	struct wake_stacks *stacks; /* what they consist of */
	struct wake_quotas *quotas; /* see wake_quota.h */
	struct wake_frequencies *frequencies; /* see wake_frequency.h */
	struct wake_names *names; /* of interrupts and system calls */
	int64_t now;		  /* time of the last event */
	ARRAY(struct gap) gaps;	  /* the first ends where the window begins */
	struct thread *by_tid;
	ARRAY(struct thread *) threads;
	ARRAY(struct cpu *) cpus; /* by number; NULL: not seen */
	ARRAY(struct raise) raises;
	ARRAY(uint64_t) throttles; /* disks */
	ARRAY(struct function_event) functions;
	ARRAY(struct work) works; /* begun, by a known thread */
	struct queued_work *queued, *spare_work; /* by address; see wake_work.c */
	struct armed_timer *timers; /* by address; see wake_timer.c */
	struct dirty_inode *inodes; /* see wake_dirty.c */
	struct wake_file *files; /* what descriptors are; see wake_on_file.c */
	struct acquaintance *acquaintances; /* processes that woke each other; see wake_batch.c */
	ARRAY(struct request) requests;
	ARRAY(struct data_part) data_parts;
	struct open_request *open, *spare; /* by disk and sector; see wake_request.c */
	struct disk *disks;
	struct ender ender; /* of the request of a loop device that is being completed: */
	int32_t handed_on;  /* the request that was submitted for that one; INDEX_NONE: none, or not known */
	bool switches, migrations; /* these are among the data */
	bool wakers, idlers;	   /* so are threads, and idle CPUs, that woke others */
	bool contexts;		   /* and what tells interrupts from threads */
};

/* wake.c: life, threads and CPUs */
struct wake *wake_new(struct events *events);
void wake_free(struct wake *wake);
void wake_forget(struct wake *wake);		 /* the window is over: types and names stay */
int wake_stream(struct wake *wake, const struct fields *fields); /* a `stream` record: types stay; numbers mean other things */

/*
 * A time of the stream as it is kept here: at most 95 years from zero, so that what lies between any two times, and that
 * before a third, fits. No trace has others, but somebody may write them.
 */
static inline int64_t wake_time(int64_t ts)
{
	const int64_t most = INT64_C(3000000000000000000);

	return ts > most ? most : ts < -most ? -most : ts;
}

void wake_begin(struct wake *wake, int64_t ts);	 /* the first event of a window; later calls do nothing */
void wake_until(struct wake *wake, int64_t ts);	 /* time has come so far */
int64_t wake_first(const struct wake *wake);	 /* where the data begin */
int64_t wake_since(const struct wake *wake);	 /* end of the last gap */

/* Events of this CPU were lost between these times; `from` may be TIME_NONE: since its last event. */
void wake_lost(struct wake *wake, uint32_t cpu, int64_t from, int64_t to);

/* What numbers of stacks and file descriptors mean may have been said anew in what is lost. */
void wake_forget_meanings(struct wake *wake);

struct cpu *wake_cpu(struct wake *wake, uint32_t number); /* NULL after fail() */

/* The living thread of this tid, made where there is none; where tid is 0, the idle one of the CPU. */
struct thread *wake_thread(struct wake *wake, int32_t tid);
struct thread *wake_thread_on(struct wake *wake, struct cpu *cpu, int32_t tid);
const struct thread *wake_thread_find(struct wake *wake, int32_t tid, int64_t ts); /* that had it then; NULL: none */
struct thread *wake_thread_born(struct wake *wake, int32_t tid);       /* a new one that takes over the tid */

/* The thread that has the CPU, now that an event happened there to this tid. NULL: without switches nobody knows. */
struct thread *wake_current(struct wake *wake, struct cpu *cpu, int32_t tid);
void wake_switch_in(struct wake *wake, struct cpu *cpu, struct thread *thread, int64_t ts);
void wake_thread_sync(struct wake *wake, struct thread *thread);

/* wake_thread.c: the chain of a thread */
bool thread_unseen(const struct thread *thread); /* nothing is known of it since the last gap */
bool thread_running(const struct thread *thread);
bool thread_runnable(const struct thread *thread);
int32_t thread_served(const struct wake *wake, const struct thread *thread); /* whom it works for; INDEX_NONE: unknown */
struct piece *thread_piece(struct thread *thread, enum node_what what, int64_t ts, uint32_t cpu); /* begins one */
void thread_switch_out(struct thread *thread, struct cpu *cpu, char state, int64_t ts);
void thread_switch_in(struct wake *wake, struct thread *thread, struct cpu *cpu, int64_t ts);
/* True if that ended a sleep. */
bool thread_wake(struct wake *wake, struct thread *thread, enum cause cause, int32_t index, uint32_t cpu, int64_t ts);
void thread_migrate(struct thread *thread, uint32_t cpu, int64_t ts, bool waking);
void thread_vanish(struct thread *thread, int64_t ts); /* unless it slept, what it did from then on is not known */
size_t thread_find(const struct thread *thread, int64_t ts); /* number of pieces that start at or before ts */
void thread_split(struct thread *thread, int64_t ts); /* a run, of which what follows ts becomes a piece of its own */
int64_t thread_piece_end(const struct wake *wake, const struct thread *thread, size_t piece);
bool thread_idled(const struct thread *thread, size_t first, size_t last); /* in these pieces, which are over, it did next to nothing */

/*
 * wake_context.c: what a CPU is in the middle of. `flags` are the event's common_flags, which tell hard and soft
 * interrupts even where no event announces them; FLAGS_NONE where the data lack them.
 */
enum { FLAGS_NONE = -1, FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10 };
void context_enter(struct wake *wake, struct cpu *cpu, enum context_kind kind, int32_t number, int flags);
void context_leave(struct wake *wake, struct cpu *cpu, enum context_kind kind);
void context_left(struct wake *wake, struct cpu *cpu, int flags); /* an event; what cannot go on in its interrupts is over */
void context_raise(struct wake *wake, struct cpu *cpu, int32_t number, int flags);
void context_completed(struct cpu *cpu, int32_t request, int flags);
struct raise context_doer(struct wake *wake, struct cpu *cpu, int flags); /* whose doing it is, now */
void context_other(struct cpu *cpu, int flags); /* an event that has nothing to do with completing or waking */
enum cause context_cause(struct wake *wake, struct cpu *cpu, int32_t tid, int flags, int32_t *index);
const char *softirq_name(int32_t number);
bool softirq_carries(int32_t number); /* somebody's data; else it is the kernel's housekeeping */

/* wake_request.c: block requests, one for each bio; sectors of 512 bytes; INDEX_NONE: there is none */
int32_t request_queue(struct wake *wake, const struct request *request);
void request_issue(struct wake *wake, const struct request *range);
void request_requeue(struct wake *wake, const struct request *range);
int32_t request_complete(struct wake *wake, const struct request *range); /* the first of them */
int32_t request_own(const struct wake *wake, int32_t first, int32_t thread); /* of those the thread's; else the first */
void request_hand_back(struct wake *wake, const struct request *range); /* the bio is complete, not a request */
int32_t request_find(struct wake *wake, uint64_t disk, uint64_t sector, int64_t from, int64_t to);
/* Of its service: of one that is not complete now, or when events were lost that may have told of it. */
int64_t request_end(const struct wake *wake, const struct request *request);
void request_settle(struct wake *wake); /* no more events: makes disk.longest count those still in service */
struct disk *request_disk(struct wake *wake, uint64_t dev);
void request_forget(struct wake *wake);

/*
 * wake_backed.c: a loop device. A work has begun, or ends; a request is issued to the device; a thread has submitted a
 * request, perhaps for one of the device. Then a request is about to be completed, and each of its bios is.
 */
uint64_t backed_by(const struct wake *wake, const char *queue); /* the device whose requests works on this queue do; 0: none */
void backed_queue(struct wake *wake, uint64_t address, const struct work *work);
void backed_start(struct wake *wake, int32_t work);
void backed_end(struct wake *wake, int32_t work);
void backed_did(struct wake *wake, int32_t work); /* it raises the soft interrupt for what is complete; INDEX_NONE: none does */
void backed_issue(struct wake *wake, struct disk *disk, int32_t request);
void backed_submit(struct wake *wake, const struct thread *thread, int32_t request);
void backed_ender(struct wake *wake, struct cpu *cpu, uint64_t disk, int32_t tid, int flags);
void backed_complete(struct wake *wake, int32_t request);

/* wake_behind.c: until when a request that was issued stood behind others in the device; a request was completed */
int64_t request_behind(struct wake *wake, int32_t request);
void behind_served(struct disk *disk, const struct request *request);

/*
 * wake_flush.c: flushes of a disk's cache, each a request without sectors. The bio may ask for one; the disk is sent one
 * for all that asked, and completes it; what a bio had become is over. Returned is a request that is complete with
 * that; INDEX_NONE: there is none. The last three are of wake_request.c.
 */
bool flush_is(const struct request *request); /* the request is the disk's flush */
void flush_ask(struct wake *wake, const struct request *asker);
void flush_issue(struct wake *wake, const struct request *range);
int32_t flush_complete(struct wake *wake, const struct request *range);
int32_t flush_over(struct wake *wake, const struct request *range);
void flush_data_issued(struct request *request, const struct request *range);
void flush_data_completed(struct wake *wake, int32_t index);
void flush_hand_back(struct wake *wake, const struct request *range);

/*
 * wake_work.c: work queues. The time that a kernel thread spends on a work belongs to whoever queued it; if that is
 * no thread, or not known, it is its own. `work` tells who or what queues it: by, cause, cause_index.
 */
void work_queue(struct wake *wake, uint64_t address, const struct work *work, const char *queue);
void work_start(struct wake *wake, struct thread *thread, uint64_t address, uint32_t cpu);
void work_end(struct wake *wake, struct thread *thread, uint32_t cpu);
bool work_is_queued(const struct wake *wake, uint64_t address);
void work_lost(struct wake *wake); /* events were: which works are queued is not known */
void work_forget(struct wake *wake);

/* wake_on_memory.c: the thread falls asleep, perhaps as it looks for free memory */
void reclaim_sleeps(struct wake *wake, struct thread *thread);

/* wake_on_file.c: the thread falls asleep, perhaps for a fault of a mapped file, or in a call for a file of a known kind */
void fault_sleeps(struct wake *wake, struct thread *thread);
void file_sleeps(struct wake *wake, struct thread *thread);
int wake_file_read(struct wake *wake, const struct fields *fields); /* a `file` record. -1 after fail() */
void wake_files_free(struct wake *wake);

/* wake_spin.c: the thread spins for a mutex of the kernel, and no more; from then on its owner may be known */
void spin_begin(struct wake *wake, struct thread *thread);
void spin_over(struct wake *wake, struct thread *thread, uint32_t cpu);

/* wake_batch.c: the thread wakes a peer */
void batch_serve(struct wake *wake, struct thread *thread, const struct thread *peer);
void batch_forget(struct wake *wake);

/* wake_poll.c: the thread has entered a call, one for a futex, or is about to return from it, or ends */
void poll_ask(struct wake *wake, struct thread *thread);
void poll_futex(struct wake *wake, struct thread *thread, uint64_t address, int64_t operation, bool timed);
void poll_returns(struct wake *wake, struct thread *thread, int64_t result);
void poll_ends(struct thread *thread);

/*
 * wake_loop.c: waits for any of many events, or for an answer. Something else than a timer has ended the wait of a thread;
 * and since when what ended this wait was waited for, which may be before it: the thread had asked for it, and did other
 * things, or another one of its process had (by: its index), and this one had nothing to do with it then.
 */
struct ask {
	int64_t since;
	int32_t by;
};
bool loop_call(const struct wake *wake, int16_t call); /* it waits for any of many */
void loop_answered(struct wake *wake, struct thread *thread);
struct ask loop_asked(const struct wake *wake, const struct thread *thread, size_t wait);

/*
 * wake_timer.c: who armed a timer last, as it expires; by.thread is INDEX_NONE where that is not known, or another thread had
 * armed it and it had not expired.
 */
void timer_arm(struct wake *wake, uint64_t address, const struct thread *by);
struct raise timer_armed(struct wake *wake, uint64_t address);
void timer_forget(struct wake *wake);

/* wake_dirty.c: whose the pages are that are waiting to be written back: index of the thread, INDEX_NONE */
void dirty_inode(struct wake *wake, uint64_t disk, uint64_t inode, int32_t by);
int32_t dirty_owner(const struct wake *wake, uint64_t disk, uint64_t inode);
void dirty_forget(struct wake *wake);

/* wake_event.c: from an event to the functions above */
struct wake_types *wake_types_new(struct events *events);
void wake_types_free(struct wake_types *types);
int wake_event(struct wake *wake, const struct event *event); /* -1 after fail() */

/* wake_name.c: names for people; those of nodes are made in the graph and belong to it */
struct wake_names *wake_names_new(void);
void wake_names_free(struct wake_names *names);
void wake_names_begin(struct wake_names *names, const char *machine); /* a stream from this machine: its numbers are its own */
int32_t wake_vector(struct wake_names *names, int16_t name); /* the number of an interrupt, for its name */
void wake_name_receiver(struct wake_names *names, int32_t number); /* the interrupt has raised NET_RX */
bool wake_receives(const struct wake_names *names, int32_t number); /* it did once */
const char *wake_irq_name(const struct wake_names *names, int32_t number); /* NULL: none */
int16_t wake_name_text(struct wake_names *names, const char *text); /* of a call, a lock, a work queue: its index */
int16_t wake_number_call(struct wake_names *names, int number);	    /* by its number on the stream's machine */
const char *wake_text(const struct wake_names *names, int16_t index, const char *none);
uint64_t wake_name_disk(struct wake_names *names, const char *name); /* a number for what has only a name; 0: too many have */
const char *wake_disk_name(const struct wake_names *names, uint64_t disk); /* NULL: the number is of a disk */
void wake_name_function(struct wake_names *names, const char *event, char *function); /* a chart's; takes over the function */
const char *wake_function(const struct wake_names *names, int16_t index); /* NULL: no chart tells */
const char *wake_comm(const struct wake *wake, const struct thread *thread); /* what it was called last */

/* wake_called.c: what it was called at this time */
const char *wake_comm_at(const struct wake *wake, const struct thread *thread, int64_t ts);
void called_forget(struct thread *thread);

/* wake_walk.c: the graph of what delayed the target in [from, to) */
enum target { TARGET_NONE, TARGET_THREAD, TARGET_REQUEST };
struct graph *wake_graph(struct wake *wake, const char *id, enum target target, int32_t index, int64_t from,
			 int64_t to);

#endif
