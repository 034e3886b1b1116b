/*
 * part: what a part of the kernel adds to the core: one file with its own state, the table of the events that it
 * handles, and hooks that the core calls. Parts are listed in parts.h. Private to lib/wake.
 *
 * What a part keeps of the window is wake->of[PART_...], of a thread thread->of[PART_...], of a CPU cpu->of[PART_...]:
 * memory of the sizes that it states, all zero at first. Every hook may be missing.
 *
 * A function is named after what calls it: on_EVENT handles an event, read_RECORD a record, and a hook has its own name, with a word
 * behind it if that is taken: free_all, walk_request.
 */
#ifndef WAKE_PART_H
#define WAKE_PART_H

#include "stream/record.h"
#include "wake/core.h"

/* An event, where it happened, and to whom. */
struct at {
	struct wake *wake;
	const struct event *event;
	struct cpu *cpu;
	struct thread *current; /* NULL: nobody knows */
	const struct slot *slot;
	const struct handler *handler;
};

enum { FLAGS_NONE = -1, FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10 };

/* Fields by their place in the row. */
int64_t at_number(const struct at *at, int field);
int64_t at_first(const struct at *at, int field); /* of an array */
bool at_has(const struct at *at, int field);
size_t at_text(const struct at *at, int field, char *text, size_t room);
int at_flags(const struct at *at);    /* common_flags, which tell interrupts; FLAGS_NONE: the data lack them */
int16_t at_named(const struct at *at); /* the text that the row's `named` made of the event's name */
bool at_returns(const struct at *at);  /* likewise: it is the end of something */
bool at_completes(const struct at *at); /* a part says that the event belongs to the completion of something */
bool at_known(const struct at *at);	/* a part has a row for it */

/*
 * The thread in whose context it happened. And the thread whose own doing it is: NULL in an interrupt, for the idle thread, and where nobody
 * knows.
 */
struct thread *at_thread(const struct at *at);
struct thread *at_own(const struct at *at);

enum { ROW_FIELDS = 7 };

/* A row of a part's table of events; of rows that fit an event the first counts, and of each part one. */
struct part_event {
	const char *name; /* of the event; all that begin so, if it ends in an underscore or a colon. NULL: the table's end */
	void (*handle)(struct at *at);
	const char *field[ROW_FIELDS];
	bool names;	 /* it tells how threads are called */
	bool completing; /* it belongs to the completion of something, which a wake-up may follow */
	bool waking;	 /* it belongs to a wake-up, which the choice of a CPU may follow */
	bool aside;	 /* no event of the kernel's: it tells of one nearby, and nothing else */
	/* The text that the rest of the event's name stands for; CALL_NONE: none. Once per event format. */
	int16_t (*named)(struct wake *wake, const char *rest, bool *returns);
};

struct part_record { /* a kind of record that the part reads. -1 after fail() */
	enum kind kind;
	int (*read)(struct wake *wake, const struct fields *fields);
};

struct waking { /* a thread is being woken */
	struct thread *woken;
	struct cpu *cpu; /* where */
	int32_t index;
	uint8_t cause;
	int flags; /* the event's */
	int32_t tid;
};

struct ask { /* since when, and by whom, the end of a wait was asked for */
	int64_t since; /* at most the wait's begin */
	int32_t by;    /* index of the thread that asked: the one that waits, or another one of its process */
};

struct throttling { /* a thread that could run was not allowed to */
	int64_t from, to;
	const char *group; /* valid until the window is over; NULL: not known */
	int64_t quota, period;
	int32_t user; /* index of the other thread that used up most of the quota; INDEX_NONE: no other did */
};

struct telling { /* a node is made of a piece, or of some of its time: what is known of that besides its kind */
	const struct thread *thread;
	size_t piece;
	int64_t start, end;
	int32_t asker; /* index of the thread whose wait led here; INDEX_NONE */
	bool runs;     /* it had the CPU, if only to wait in a loop */
	struct deed *deed;
	struct deed_detail *detail;
	ARRAY(char *) texts; /* that parts made for these; freed behind them */
	char *stack;	     /* functions from the innermost outward; NULL: not known */
};

struct cut;
struct walk;
struct errand;

struct part {
	const struct part_event *events;
	const struct part_record *records;
	size_t window, thread, cpu; /* sizes of what it keeps of each */

	/* Life. forget(): the window is over. forget_meanings(), perhaps behind it: numbers of the stream have lost their meaning. free() is last. */
	void (*begin)(struct wake *wake);
	void (*forget)(struct wake *wake);
	void (*forget_meanings)(struct wake *wake);
	void (*free)(struct wake *wake);
	void (*lost)(struct wake *wake, int64_t from); /* events were lost, from then until now */

	/*
	 * A thread or CPU is seen first; has missed events: its last piece, if it has any, is that loss; what it did before a time is not asked for any
	 * more; it is forgotten: what the part's state of it points at, the part frees.
	 */
	void (*thread_begin)(struct thread *thread);
	void (*thread_lost)(struct thread *thread);
	void (*thread_trim)(const struct thread *thread, int64_t before);
	void (*thread_free)(struct thread *thread);
	void (*cpu_lost)(struct cpu *cpu); /* also when it is seen first */

	/* Tells whether the event's thread is not on the CPU that the event names. */
	bool (*elsewhere)(const struct wake *wake, const struct event *event);

	/* Tells whether the part wants events of this type, too, though its table does not name them; then each is handed to it, behind all else. */
	bool (*watches)(const struct wake *wake, const struct event_type *type);
	void (*watched)(struct at *at);

	/* Before each event, whether a part handles it or not; `apart`: it has nothing to do with the one before on its CPU. */
	void (*event)(struct at *at, bool apart);

	/* A thread leaves its CPU; has left it: its last piece says how. */
	void (*leaves)(struct wake *wake, struct thread *thread, struct cpu *cpu);
	void (*left)(struct wake *wake, struct thread *thread);

	/* A thread enters a system call; is about to return from it. */
	void (*enters)(struct wake *wake, struct thread *thread);
	void (*returns)(struct wake *wake, struct thread *thread, int64_t result);

	/* A thread is being woken: the part may know the cause better. Then, if that ended a sleep, it is awake. */
	void (*wakes)(struct wake *wake, struct waking *waking);
	void (*woke)(struct wake *wake, const struct waking *waking);

	/* Finds the thread that the thread works for; false: the part does not know. */
	bool (*serves)(const struct wake *wake, const struct thread *thread, int32_t *whom);

	/* A run for a cause of the part's is a job for others; false: it is not. */
	bool (*job)(const struct wake *wake, const struct piece *run, struct kernel_job *job);

	/* The deed of a run, as its flags or its cause tell; the asker: see node.h. False: nothing of the part's. */
	bool (*tell_run)(const struct wake *wake, const struct piece *run, int32_t asker, struct deed *deed);

	/* The thread for which a run was; INDEX_NONE: the part does not know. Of parts that do, the last counts. */
	int32_t (*run_for)(struct cut *cut, const struct thread *thread, size_t run, int32_t asker, const struct deed *deed);

	/* Adds to a node in the making what the part knows of it. */
	void (*tell)(struct cut *cut, struct telling *telling);

	/* The reason why something after `since` may have happened unseen, as the key doubt= of a deed; NULL: nothing can have. */
	const char *(*doubts)(const struct wake *wake, int64_t since);

	/* Tells whether the thread, runnable in [start, end), was throttled in some of that: the first time that can be shown. */
	bool (*throttled)(struct wake *wake, const struct thread *thread, int64_t start, int64_t end, struct throttling *found);

	/* The thread behind a cause of the part's. */
	struct doer (*ender)(const struct wake *wake, const struct piece *wait);

	/* The index of what is wanted, if it is the part's; else INDEX_NONE. */
	int32_t (*find)(struct wake *wake, const struct wake_wanted *wanted);

	/* Since when the end of this wait was waited for; the first part that has the hook knows it. */
	struct ask (*asked)(const struct wake *wake, const struct thread *thread, size_t wait);

	/* True: the waker ended this wait by accident, so its ender is unknown. */
	bool (*cuts)(const struct wake *wake, const struct thread *thread, size_t wait);

	/* A graph is cut out: no more events come; the walk comes to something of the part's (walk.h). */
	void (*cut)(struct wake *wake);
	void (*walk)(struct walk *walk, struct errand errand);

	/* The walk comes to a wait of the node's thread that was ended by a cause of the part's. */
	void (*explain)(struct walk *walk, const struct thread *thread, size_t wait, int32_t node, struct errand errand);

	/* The walk comes to a run for a cause of the part's: how far back the thread's own story matters. */
	int64_t (*began)(struct walk *walk, const struct thread *thread, size_t run, int32_t node, struct errand errand);
};

#define PART_STATE(NUMBER, name) extern const struct part name##_part;
PARTS(PART_STATE)
#undef PART_STATE

/* Those parts that have a hook, of the hooks that are called often; each list ends with NULL. */
typedef const struct part *hook_list[PARTS_COUNT + 1];
struct hooks {
	hook_list elsewhere, event, leaves, left, enters, returns, wakes, woke, serves;
};

#endif
