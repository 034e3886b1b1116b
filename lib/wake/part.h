/*
 * part: what a part of the kernel adds to the core: one file with its own state, the table of the events that it
 * handles, and hooks that the core calls. Parts are listed in parts.h. Private to lib/wake.
 *
 * A part's state is wake->of[PART_...] for the window, thread->of[PART_...] for a thread, cpu->of[PART_...] for a CPU: memory
 * of the sizes that the part states, all zero at first. Every hook may be missing.
 *
 * A function is named after what calls it: on_EVENT handles an event, read_RECORD reads a record, and a hook's function has the name of
 * the hook, with a word added if that name is taken: free_all, walk_request.
 */
#ifndef WAKE_PART_H
#define WAKE_PART_H

#include "stream/record.h"
#include "wake/core.h"

/* An event, its CPU and its thread. */
struct at {
	struct wake *wake;
	const struct event *event;
	struct cpu *cpu;
	struct thread *current; /* NULL: not known */
	const struct slot *slot;
	const struct handler *handler;
};

enum { FLAGS_NONE = -1, FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10 };

/* The event. `field` is the index of a field in the row. */
int64_t at_number(const struct at *at, int field);
int64_t at_element(const struct at *at, int field, unsigned index); /* of an array; 0: it has no such element */
bool at_has(const struct at *at, int field);
size_t at_text(const struct at *at, int field, char *text, size_t room);
int at_flags(const struct at *at);    /* common_flags, which tell interrupts; FLAGS_NONE: the data lack them */
int16_t at_named(const struct at *at); /* what the row's `named` returned for the event's name */
bool at_returns(const struct at *at);  /* likewise: the event is the end of something */
bool at_completes(const struct at *at); /* a part's row for the event is `completing` */
bool at_known(const struct at *at);	/* a part has a row for the event */

/*
 * at_thread() returns the thread in whose context the event happened. at_own() returns the thread that did what the event is about: NULL in an
 * interrupt, for the idle thread, and if the thread is not known.
 */
struct thread *at_thread(const struct at *at);
struct thread *at_own(const struct at *at);

enum { ROW_FIELDS = 7 };

/* A row of a part's table of events. Of each part's table, only the first row that fits an event counts. */
struct part_event {
	const char *name; /* of the event; a prefix, if it ends in an underscore or a colon. NULL: the end of the table */
	void (*handle)(struct at *at);
	const char *field[ROW_FIELDS];
	bool names;	 /* the event tells names of threads */
	bool completing; /* it belongs to the completion of something, or to the wake-ups that follow one */
	bool waking;	 /* it may belong to the wake-up just before it: a CPU is chosen for the woken thread */
	bool aside;	 /* not the kernel's: it only says more of an event nearby; `cpu` and `current` are not set */
	/* Returns the index of the text that the rest of the event's name stands for; CALL_NONE: none. Called once per event format. */
	int16_t (*named)(struct wake *wake, const char *rest, bool *returns);
};

struct part_record { /* a kind of record that the part reads; read() returns -1 after fail() */
	enum kind kind;
	int (*read)(struct wake *wake, const struct fields *fields);
};

struct waking { /* a thread is being woken */
	struct thread *woken;
	struct cpu *cpu; /* on which this happens */
	int32_t index;
	uint8_t cause;
	int flags; /* common_flags of the event */
	int32_t tid;
};

struct ask { /* when the end of a wait was asked for, and by whom */
	int64_t since; /* no later than the begin of the wait */
	int32_t by;    /* index of the thread that asked: the one that waits, or another one of its process */
};

struct throttling { /* a thread that could run was not allowed to */
	int64_t from, to;
	const char *group; /* valid until the window is over; NULL: not known */
	int64_t quota, period;
	int32_t user; /* index of the other thread that used up most of the quota; INDEX_NONE: no other did */
};

struct telling { /* what parts know of a piece, or of a part of its time, of which a node is being made */
	const struct thread *thread;
	size_t piece;
	int64_t start, end;
	int32_t asker; /* index of the thread whose wait led here; INDEX_NONE */
	bool runs;     /* the thread had the CPU, if only to spin */
	struct deed *deed;
	struct deed_detail *detail;
	ARRAY(char *) texts; /* that parts made for the deed and the detail; freed with the telling */
	char *stack;	     /* functions from the innermost outward; NULL: not known */
};

struct cut;
struct walk;
struct errand;

struct part {
	const struct part_event *events;
	const struct part_record *records;
	size_t window, thread, cpu; /* sizes of the part's state of each */

	/* Life. forget(): the window is over. forget_meanings(), perhaps after it: numbers of the stream have lost their meaning. free() is last. */
	void (*begin)(struct wake *wake);
	void (*forget)(struct wake *wake);
	void (*forget_meanings)(struct wake *wake);
	void (*free)(struct wake *wake);
	void (*lost)(struct wake *wake, int64_t from); /* events were lost from `from` until now */

	/*
	 * thread_begin(): a thread is seen for the first time. thread_lost(): a thread has missed events; its last piece, if it has any, is that
	 * loss. thread_trim(): what a thread did before that time is not asked for any more. thread_free(): a thread is forgotten; the part frees
	 * what its state of the thread points to.
	 */
	void (*thread_begin)(struct thread *thread);
	void (*thread_lost)(struct thread *thread);
	void (*thread_trim)(const struct thread *thread, int64_t before);
	void (*thread_free)(struct thread *thread);
	void (*cpu_lost)(struct cpu *cpu); /* also when the CPU is seen for the first time */

	/* Tells whether the event's thread is not on the CPU that the event names. */
	bool (*elsewhere)(const struct wake *wake, const struct event *event);

	/* watches(): tells whether the part wants events of this type that its table does not name. watched() gets each, after all handlers. */
	bool (*watches)(const struct wake *wake, const struct event_type *type);
	void (*watched)(struct at *at);

	/* Called before each event, also if no part handles it. `apart`: the event has nothing to do with the one before it on its CPU. */
	void (*event)(struct at *at, bool apart);

	/* leaves(): a thread is about to leave its CPU. left(): it has left; its last piece says how. */
	void (*leaves)(struct wake *wake, struct thread *thread, struct cpu *cpu);
	void (*left)(struct wake *wake, struct thread *thread);

	/* enters(): a thread enters a system call, or has returned and is in none. returns(): it is about to return. */
	void (*enters)(struct wake *wake, struct thread *thread);
	void (*returns)(struct wake *wake, struct thread *thread, int64_t result);

	/* wakes(): a thread is being woken; a part that knows the cause better sets it. woke(): the wake-up has ended a sleep. */
	void (*wakes)(struct wake *wake, struct waking *waking);
	void (*woke)(struct wake *wake, const struct waking *waking);

	/* Finds the thread that this one works for; false: the part does not know. */
	bool (*serves)(const struct wake *wake, const struct thread *thread, int32_t *whom);

	/* Describes the job for others in a run whose cause is the part's; false: the run is none. */
	bool (*job)(const struct wake *wake, const struct piece *run, struct kernel_job *job);

	/* Sets the deed of a run that has flags or a cause of the part's; the asker: see node.h. False: it has none. */
	bool (*tell_run)(const struct wake *wake, const struct piece *run, int32_t asker, struct deed *deed);

	/* The thread that a run was for; INDEX_NONE: the part does not know. Of the parts that know, the last counts. */
	int32_t (*run_for)(struct cut *cut, const struct thread *thread, size_t run, int32_t asker, const struct deed *deed);

	/* Adds what the part knows to a node that is being made. */
	void (*tell)(struct cut *cut, struct telling *telling);

	/* The reason why something after `since` may have happened unseen, as the key doubt= of a deed; NULL: nothing can have. */
	const char *(*doubts)(const struct wake *wake, int64_t since);

	/* Tells whether the thread, runnable in [start, end), was throttled in that time; *found: the first throttling that can be shown. */
	bool (*throttled)(struct wake *wake, const struct thread *thread, int64_t start, int64_t end, struct throttling *found);

	/* The thread that ended a wait whose cause is the part's. */
	struct doer (*ender)(const struct wake *wake, const struct piece *wait);

	/* The index of what is wanted, if it is the part's; else INDEX_NONE. */
	int32_t (*find)(struct wake *wake, const struct wake_wanted *wanted);

	/* When the end of this wait was asked for, and by whom. Only the first part that has the hook is asked. */
	struct ask (*asked)(const struct wake *wake, const struct thread *thread, size_t wait);

	/* Tells whether the waker ended this wait by accident: then what the thread waited for is unknown. */
	bool (*cuts)(const struct wake *wake, const struct thread *thread, size_t wait);

	/* cut(): a graph is about to be cut out, so no more events come. walk(): the walk comes to something of the part's (walk.h). */
	void (*cut)(struct wake *wake);
	void (*walk)(struct walk *walk, struct errand errand);

	/* The walk comes to a wait, with its node, that a cause of the part's ended. */
	void (*explain)(struct walk *walk, const struct thread *thread, size_t wait, int32_t node, struct errand errand);

	/* The walk comes to a run whose cause is the part's. Returns the time back to which the thread's own story matters. */
	int64_t (*began)(struct walk *walk, const struct thread *thread, size_t run, int32_t node, struct errand errand);
};

#define PART_STATE(NUMBER, name) extern const struct part name##_part;
PARTS(PART_STATE)
#undef PART_STATE

/* For each hook that is called often, the parts that have it; each list ends with NULL. */
typedef const struct part *hook_list[PARTS_COUNT + 1];
struct hooks {
	hook_list elsewhere, event, leaves, left, enters, returns, wakes, woke, serves;
};

#endif
