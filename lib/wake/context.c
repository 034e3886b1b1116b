#include "wake/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "event/packet_timer.h"
#include "wake/earlier_names.h"
#include "wake/limit.h"
#include "wake/part.h"
#include "wake/served.h"
#include "wake/softirq.h"
#include "wake/walk.h"
#include "wake/name.h"

enum { CONTEXTS_MAX = 8 };

enum context_kind {
	CONTEXT_THREAD,
	CONTEXT_IRQ,	/* of a device */
	CONTEXT_VECTOR, /* an interrupt of x86 without a handler: the CPU's own timer, calls of other CPUs */
	CONTEXT_SOFTIRQ,
	CONTEXT_TIMER,
};

struct context {
	uint8_t kind;
	uint8_t completed_cause; /* with `completed`: what was last completed here */
	bool stolen;	   /* cut out of the running thread's run */
	int32_t number;	   /* of the interrupt; of a timer, one more than its number as a packet timer; 0: it is none */
	int entered;	   /* flags of its entry: the interrupts that the CPU was then in, this one among them */
	struct raise by;   /* who raised the soft interrupt, or armed the timer */
	int32_t completed; /* index of what was last completed here; INDEX_NONE: nothing */
	int within;	   /* flags of that completion: the interrupts that the CPU was then in */
};

struct contexts { /* of a CPU; stack[0] is the thread's own, cpu->depth contexts are on top of it */
	struct context stack[CONTEXTS_MAX];
	struct raise raised[SOFTIRQS];
	bool pending[SOFTIRQS]; /* raised, and not handled since */
};

/* A timer, by its address. Its memory may become another timer's; that one is armed before it expires. */
struct armed_timer {
	uint64_t address;
	struct raise by;
	int32_t last; /* index of the thread that armed it last, if it has not expired since; INDEX_NONE */
	UT_hash_handle hh;
};

struct timers {
	struct armed_timer *by_address;
	uint64_t senders[PACKET_TIMERS]; /* address of each packet timer's function, as the stream tells; 0: not told */
};

/* A raise by nobody, where nothing was completed. */
#define RAISE_NONE \
	((struct raise){.thread = INDEX_NONE, .armed = INDEX_NONE, .for_index = INDEX_NONE, .completed = INDEX_NONE})

static struct contexts *of(const struct cpu *cpu)
{
	return cpu->of[PART_CONTEXT];
}

static struct context *top_of(const struct cpu *cpu)
{
	return &of(cpu)->stack[cpu->depth];
}

static void cpu_lost(struct cpu *cpu)
{
	cpu->depth = 0;
	of(cpu)->stack[0] = (struct context){.kind = CONTEXT_THREAD, .by = RAISE_NONE, .completed = INDEX_NONE};
	for (int i = 0; i < SOFTIRQS; i++) {
		of(cpu)->raised[i] = RAISE_NONE;
		of(cpu)->pending[i] = false;
	}
}

/* The flags of an event that tell which interrupts the CPU is in; FLAGS_NONE: not known. */
static int within(int flags)
{
	return flags == FLAGS_NONE ? FLAGS_NONE : flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ);
}

/* Tells whether a context that was entered in `those` interrupts can go on at an event in `these`: further ones may be on top. */
static bool goes_on(int those, int these)
{
	return those == FLAGS_NONE || these == FLAGS_NONE || those == 0 || those == these ||
	       (those == FLAG_SOFTIRQ && these & FLAG_SOFTIRQ);
}

static struct thread *running(const struct wake *wake, const struct cpu *cpu)
{
	return cpu->current == INDEX_NONE ? NULL : wake->threads.items[cpu->current];
}

/* Tells whether the context takes time from the thread. A soft interrupt that the thread raised and handles at once is its own work. */
static bool steals(const struct cpu *cpu, const struct context *context)
{
	if (context->kind == CONTEXT_SOFTIRQ)
		return context->by.thread == INDEX_NONE || context->by.thread != cpu->current;
	return context->kind == CONTEXT_IRQ || context->kind == CONTEXT_VECTOR;
}

static void enter(struct wake *wake, struct cpu *cpu, enum context_kind kind, int32_t number, int flags)
{
	struct thread *thread = running(wake, cpu);
	struct context *context;
	struct piece *piece;

	wake->contexts = true;
	if (cpu->depth == CONTEXTS_MAX - 1)
		return; /* more than can be: exits were not traced */
	context = &of(cpu)->stack[++cpu->depth];
	*context = (struct context){
		.kind = (uint8_t)kind, .number = number, .entered = within(flags), .by = RAISE_NONE, .completed = INDEX_NONE};
	if (kind == CONTEXT_SOFTIRQ && number >= 0 && number < SOFTIRQS) {
		context->by = of(cpu)->raised[number];
		context->by.unknown |= softirq_carries(number) && !of(cpu)->pending[number];
		of(cpu)->raised[number] = RAISE_NONE;
		of(cpu)->pending[number] = false;
	}
	if (cpu->depth == 1 && thread && thread_running(thread) && steals(cpu, context)) {
		context->stolen = true;
		piece = thread_piece(thread, kind == CONTEXT_SOFTIRQ ? WHAT_SOFTIRQ : WHAT_IRQ, wake->now, cpu->number);
		piece->cause_index = number;
	}
}

/*
 * An interrupt may bring data to receive while NET_RX is being handled. That handles these data together with what it was raised for, and
 * since Linux 6.4 it is not raised again: so it is not known any more who raised it.
 */
static void join(const struct wake *wake, struct cpu *cpu)
{
	const struct context *top = top_of(cpu);
	struct context *beneath = &of(cpu)->stack[cpu->depth - 1];

	if (top->kind != CONTEXT_IRQ || beneath->kind != CONTEXT_SOFTIRQ || beneath->number != SOFTIRQ_NET_RX ||
	    of(cpu)->pending[SOFTIRQ_NET_RX] || !name_receives(wake->names, top->number))
		return;
	if (beneath->by.thread != INDEX_NONE || beneath->by.timer) {
		beneath->by = RAISE_NONE;
		beneath->by.unknown = true;
	}
}

static void leave(const struct wake *wake, struct cpu *cpu, enum context_kind kind, int64_t ts)
{
	struct thread *thread = running(wake, cpu);
	int depth = cpu->depth;

	while (depth > 0 && of(cpu)->stack[depth].kind != kind)
		depth--;
	if (depth == 0)
		return; /* entered before the data */
	for (; cpu->depth >= depth; cpu->depth--)
		join(wake, cpu);
	if (cpu->depth == 0 && of(cpu)->stack[1].stolen && thread && thread_running(thread))
		thread_piece(thread, WHAT_RUN, ts, cpu->number);
}

/* Leaves the contexts that cannot go on at an event with these flags. */
static void leave_all(struct wake *wake, struct cpu *cpu, int flags)
{
	while (cpu->depth > 0 && !goes_on(top_of(cpu)->entered, within(flags)))
		leave(wake, cpu, top_of(cpu)->kind, cpu->last);
}

/* The context of the CPU, by entries, exits and the event's flags, which count more. *hidden: it is in another, which was not seen to begin. */
static struct context *context(struct cpu *cpu, int flags, bool *hidden)
{
	struct context *top = top_of(cpu);

	*hidden = false;
	if (flags == FLAGS_NONE)
		return top;
	if (!(flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)))
		return top->kind == CONTEXT_TIMER ? top : &of(cpu)->stack[0]; /* some kernels run timers in threads */
	*hidden = top->entered != FLAGS_NONE && top->entered != within(flags);
	return top;
}

const struct raise *context_raiser(const struct cpu *cpu)
{
	return top_of(cpu)->kind == CONTEXT_SOFTIRQ ? &top_of(cpu)->by : NULL;
}

static int32_t keep(struct wake *wake, struct raise by)
{
	*ARRAY_ADD(&wake->raises) = by;
	return (int32_t)wake->raises.count - 1;
}

static int32_t remember(struct wake *wake, struct raise by)
{
	return by.thread == INDEX_NONE ? INDEX_NONE : keep(wake, by);
}

/* Tells whether it is an interrupt between CPUs, or for the kernel's own purposes. On ARM these have handlers, as interrupts of devices do. */
static bool is_internal(const struct wake *wake, const struct context *at)
{
	const char *name = at->kind == CONTEXT_IRQ ? name_irq(wake->names, at->number) : NULL;

	return at->kind == CONTEXT_VECTOR || (name && strncmp(name, "IPI", 3) == 0);
}

struct raise context_doer(struct wake *wake, struct cpu *cpu, int flags)
{
	bool hidden;
	const struct context *at = context(cpu, flags, &hidden);

	if (at->kind == CONTEXT_SOFTIRQ && !hidden && !softirq_is_timer(at->number)) {
		struct raise by = at->by;

		if (by.thread == INDEX_NONE)
			by.ts = wake->now;
		return by;
	}
	if (at->kind == CONTEXT_THREAD && !hidden && cpu->current != cpu->idle) {
		const struct thread *thread = running(wake, cpu);

		return (struct raise){.thread = cpu->current,
				      .ts = wake->now,
				      .for_cause = thread ? thread->for_cause : CAUSE_NONE,
				      .for_index = thread ? thread->for_index : INDEX_NONE};
	}
	return (struct raise){.thread = INDEX_NONE,
			      .ts = wake->now,
			      .timer = !hidden && (at->kind == CONTEXT_TIMER || at->kind == CONTEXT_SOFTIRQ),
			      .unknown = hidden || at->kind == CONTEXT_THREAD || is_internal(wake, at),
			      .armed = INDEX_NONE,
			      .for_index = INDEX_NONE,
			      .sender = at->kind == CONTEXT_TIMER ? (uint8_t)at->number : 0};
}

static bool is_network(int32_t number)
{
	return number == SOFTIRQ_NET_TX || number == SOFTIRQ_NET_RX;
}

/* Tells whether this soft interrupt handles in one go what several raised it for, and nothing tells whose is which. Block requests are told apart. */
static bool mixes(int32_t number)
{
	return softirq_carries(number) && number != SOFTIRQ_BLOCK;
}

static bool alike(const struct raise *a, const struct raise *b)
{
	return a->thread == b->thread && a->timer == b->timer && a->unknown == b->unknown;
}

/*
 * A timer sends packets that were held back (late acknowledgements, retransmissions, packets that keep to a rate). But a timer
 * in a hard interrupt that raises NET_RX only looks whether the network has something. And a timer that sends what several
 * threads had to send, to keep to the rate of a device, was armed by any of them.
 */
static void raise_softirq(struct wake *wake, struct cpu *cpu, int32_t number, int flags)
{
	struct raise by = RAISE_NONE;
	const struct context *top;

	if (number < 0 || number >= SOFTIRQS)
		return;
	if (softirq_carries(number))
		by = context_doer(wake, cpu, flags);
	top = top_of(cpu);
	if (number == SOFTIRQ_NET_RX && top->kind == CONTEXT_IRQ)
		name_receiver(wake->names, top->number);
	if (number == SOFTIRQ_NET_RX && flags != FLAGS_NONE && !(flags & FLAG_SOFTIRQ))
		by.timer = false;
	if (number == SOFTIRQ_NET_RX && by.timer && top->kind == CONTEXT_TIMER)
		by.armed = remember(wake, top->by);
	by.completed = cpu->depth > 0 ? top->completed : INDEX_NONE;
	by.completed_cause = top->completed_cause;
	if (cpu->depth > 0)
		by.for_index = INDEX_NONE; /* the raiser's run was for that at an earlier time */
	if (mixes(number) && of(cpu)->pending[number] && !alike(&by, &of(cpu)->raised[number])) {
		by = RAISE_NONE;
		by.unknown = true;
	}
	of(cpu)->raised[number] = by;
	of(cpu)->pending[number] = true;
}

/*
 * In a thread, or an interrupt that no event announces, a completion ends at the next event of that context that is no wake-up. Events of an
 * interrupt on top of it do not end it.
 */
void context_completed(struct cpu *cpu, uint8_t cause, int32_t index, int flags)
{
	top_of(cpu)->completed_cause = cause;
	top_of(cpu)->completed = index;
	top_of(cpu)->within = within(flags);
}

/* The event belongs to no completion and to no wake-up after one: it ends what was being completed. */
static void end_completion(struct cpu *cpu, int flags)
{
	struct context *own = &of(cpu)->stack[0];
	int these = within(flags);

	if (these == FLAGS_NONE || these == own->within || !goes_on(own->within, these))
		own->completed = INDEX_NONE;
}

/* The kernel thread that had to get the CPU first to handle the raised soft interrupt; INDEX_NONE: none had to. */
static int32_t handler_of(const struct wake *wake, const struct cpu *cpu, const struct context *at)
{
	const struct thread *thread = running(wake, cpu);

	if (!softirq_carries(at->number) || !thread || strncmp(wake_comm(wake, thread), "ksoftirqd/", 10) != 0)
		return INDEX_NONE;
	return cpu->slices.items[cpu->slices.count - 1].start > at->by.ts ? thread->index : INDEX_NONE;
}

static uint8_t raised_cause(struct wake *wake, const struct cpu *cpu, const struct context *at, int32_t *index)
{
	struct raise by = at->by;
	const struct thread *raiser = by.thread == INDEX_NONE ? NULL : wake->threads.items[by.thread];
	bool sent = is_network(at->number);

	*index = sent && by.timer ? by.armed : INDEX_NONE;
	if (sent && by.timer && by.sender) {
		*index = *index == INDEX_NONE ? keep(wake, by) : *index;
		wake->raises.items[*index].sender = by.sender;
	}
	if (softirq_is_timer(at->number) || by.timer)
		return sent ? CAUSE_SENT : CAUSE_TIMER;
	if (by.unknown)
		return CAUSE_UNKNOWN;
	*index = by.thread;
	if (by.thread == cpu->current && raiser && thread_running(raiser) &&
	    raiser->pieces.items[raiser->pieces.count - 1].start <= by.ts)
		return CAUSE_THREAD;
	*index = by.number = at->number;
	by.handler = handler_of(wake, cpu, at);
	if (!raiser && by.handler == INDEX_NONE)
		return CAUSE_SOFTIRQ;
	*index = keep(wake, by);
	return raiser ? CAUSE_RAISED : CAUSE_DEFERRED;
}

uint8_t context_cause(struct wake *wake, struct cpu *cpu, int32_t tid, int flags, int32_t *index)
{
	bool hidden;
	const struct context *at = context(cpu, flags, &hidden);

	*index = at->within == within(flags) ? at->completed : INDEX_NONE;
	if (*index != INDEX_NONE)
		return at->completed_cause;
	if (hidden || is_internal(wake, at))
		return CAUSE_UNKNOWN;
	switch (at->kind) {
	case CONTEXT_TIMER:
		*index = remember(wake, at->by);
		return CAUSE_TIMER;
	case CONTEXT_IRQ:
		*index = at->number;
		return CAUSE_IRQ;
	case CONTEXT_SOFTIRQ:
		return raised_cause(wake, cpu, at, index);
	default:
		/* The idle thread wakes nobody: an interrupt that the data do not show has done that. */
		*index = core_thread_on(wake, cpu, tid)->index;
		return tid == TID_IDLE ? CAUSE_UNKNOWN : CAUSE_THREAD;
	}
}

static void wakes(struct wake *wake, struct waking *waking)
{
	waking->cause = context_cause(wake, waking->cpu, waking->tid, waking->flags, &waking->index);
}

static struct doer ender(const struct wake *wake, const struct piece *wait)
{
	const struct raise *raise = wait->cause == CAUSE_RAISED ? &wake->raises.items[wait->cause_index] : NULL;

	return raise ? (struct doer){raise->thread, raise->ts} : (struct doer){INDEX_NONE, TIME_NONE};
}

static void event(struct at *at, bool apart)
{
	if (of(at->cpu)->stack[0].completed != INDEX_NONE && (apart || !at_completes(at)))
		end_completion(at->cpu, apart ? FLAGS_NONE : at_flags(at));
	if (at->cpu->depth > 0 && at_known(at))
		leave_all(at->wake, at->cpu, at_flags(at));
}

/* The number of the interrupt, or soft interrupt, that a cause is. */
static int32_t context_number(const struct wake *wake, uint8_t cause, int32_t index)
{
	return cause == CAUSE_DEFERRED ? wake->raises.items[index].number : index;
}

bool context_tell_interrupt(const struct wake *wake, uint8_t cause, int32_t index, struct deed *deed)
{
	bool soft = cause == CAUSE_SOFTIRQ || cause == CAUSE_DEFERRED;

	if (cause == CAUSE_IRQ || soft)
		deed_by_interrupt(wake, deed, soft, context_number(wake, cause, index));
	return cause == CAUSE_IRQ || soft;
}

/* Makes the node of the thread's own timer, which ended the wait. */
static int32_t sleep_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	struct ask first = limit_since(cut->wake, thread, (size_t)(wait - thread->pieces.items));
	int32_t served = served_at(cut, cut->wake->threads.items[first.by], first.since), index;
	struct deed deed = deed_of(DEED_SLEEP);

	deed.who = wake_comm_at(cut->wake, thread, wait->start);
	if (served != INDEX_NONE)
		deed.whom = wake_comm_at(cut->wake, cut->wake->threads.items[served], wait->start);
	deed_in(cut->wake, &deed, wait);
	index = wait_end_node(cut, thread, wait, WHAT_TIMER, first.since, end, &deed);
	cut->graph->nodes.items[index].who_tid = thread->tid;
	if (served != INDEX_NONE)
		cut->graph->nodes.items[index].whom_tid = cut->wake->threads.items[served]->tid;
	return index;
}

static int32_t packet_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t start, int64_t end, int32_t tid)
{
	const struct raise *raise = wait->cause_index == INDEX_NONE ? NULL : &cut->wake->raises.items[wait->cause_index];
	struct deed deed = deed_of(DEED_PACKET);
	int32_t index;

	deed.purpose = raise && raise->sender ? packet_timers[raise->sender - 1].sends : NULL;
	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	index = wait_end_node(cut, thread, wait, WHAT_TIMER, start, end, &deed);
	cut->graph->nodes.items[index].tid = tid;
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

/* The cause of the wait has no history of its own: it gets a node that lasts as long as the wait. */
static int32_t cause_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	bool soft = wait->cause != CAUSE_IRQ;
	int32_t number = context_number(cut->wake, wait->cause, wait->cause_index), index;
	struct deed deed = deed_of(DEED_OUTSIDE);

	if (wait->cause == CAUSE_TIMER)
		return sleep_node(cut, thread, wait, end);
	if (wait->cause == CAUSE_SENT)
		return packet_node(cut, thread, wait, wait->start, end, 0);
	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	deed_by_interrupt(cut->wake, &deed, soft, number);
	if (soft && !softirq_carries(number)) {
		deed.kind = DEED_HOUSEKEEPING;
		deed_in(cut->wake, &deed, wait);
	}
	index = wait_end_node(cut, thread, wait, soft ? WHAT_SOFTIRQ : WHAT_IRQ, sooner(wait->start, end), end, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

/* Makes the node of a timer that another thread armed, over the part of the wait that it explains. */
static int32_t armed_node(struct cut *cut, const struct thread *thread, const struct piece *wait, const struct raise *raise,
		   int64_t end)
{
	const struct thread *by = cut->wake->threads.items[raise->thread];
	int64_t start = later(wait->start, raise->ts);
	struct deed deed = deed_of(DEED_ALARM);
	int32_t index;

	if (wait->cause == CAUSE_SENT)
		return packet_node(cut, thread, wait, start, end, by->tid);
	deed.who = wake_comm_at(cut->wake, by, raise->ts);
	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	index = new_node(cut, WHAT_TIMER, start, end, by->tid, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

int32_t context_raised_node(struct cut *cut, const struct thread *thread, const struct raise *raise, int64_t end)
{
	struct deed deed = deed_of(DEED_DELIVER);
	int32_t index;

	deed.whom = wake_comm_at(cut->wake, thread, raise->ts);
	index = new_node(cut, WHAT_SOFTIRQ, raise->ts, end, 0, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

/*
 * A soft interrupt had to wait until a kernel thread got the CPU. What this thread did since the raise explains the time since then; the raiser
 * explains the time before. False: the soft interrupt did not have to wait.
 */
static bool walk_deferred(struct walk *walk, const struct thread *thread, const struct piece *wait, struct errand errand)
{
	const struct raise *raise = &walk->cut.wake->raises.items[wait->cause_index];
	struct errand raiser = errand;
	const struct thread *handler;
	size_t at;

	if (raise->handler == INDEX_NONE || raise->ts >= errand.at)
		return false;
	handler = core_sync(walk->cut.wake, raise->handler);
	at = walk_piece_at(handler, &errand);
	if (at == 0)
		return false;
	errand.index = raise->handler;
	raiser.index = raise->thread;
	raiser.after = piece_node(&walk->cut, handler, at - 1, thread->index);
	raiser.edge = EDGE_ASYNC;
	raiser.at = raiser.ts = raise->ts;
	if (raise->ts > errand.floor && raise->thread == INDEX_NONE)
		walk_link(walk, cause_node(&walk->cut, thread, wait, raise->ts), raiser.after, raiser.edge, raise->ts);
	else if (raise->ts > errand.floor)
		walk_later(walk, raiser);
	errand.floor = later(errand.floor, raise->ts);
	walk_later(walk, errand);
	return true;
}

static void explain_raised(struct walk *walk, const struct thread *thread, const struct piece *wait, int32_t node,
			   struct errand errand)
{
	const struct raise *raise = &walk->cut.wake->raises.items[wait->cause_index];

	errand.after = context_raised_node(&walk->cut, thread, raise, errand.ts);
	walk_link(walk, errand.after, node, EDGE_WAKE, errand.ts);
	errand.index = raise->thread;
	errand.at = sooner(errand.at, raise->ts);
	errand.edge = EDGE_SEQ;
	walk_later(walk, errand);
}

static void explain_timer(struct walk *walk, const struct thread *thread, const struct piece *wait, int32_t node,
			  struct errand errand)
{
	const struct raise *raise = wait->cause_index == INDEX_NONE ? NULL : &walk->cut.wake->raises.items[wait->cause_index];

	/* a tick that is over may have got the timer that ended a later wait (ask.c) */
	if (!raise || raise->thread == thread->index || raise->thread == INDEX_NONE || raise->ts > errand.ts) {
		walk_link(walk, cause_node(&walk->cut, thread, wait, errand.ts), node, EDGE_TIMER, errand.ts);
		return;
	}
	errand.after = armed_node(&walk->cut, thread, wait, raise, errand.ts);
	walk_link(walk, errand.after, node, EDGE_TIMER, errand.ts);
	if (raise->ts <= errand.floor)
		return;
	errand.index = raise->thread;
	errand.at = sooner(errand.at, raise->ts);
	errand.ts = raise->ts;
	errand.edge = EDGE_SEQ;
	walk_later(walk, errand);
}

static void explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *wait = &thread->pieces.items[at];

	errand.part = PART_SCHED;
	if ((wait->cause == CAUSE_RAISED || wait->cause == CAUSE_DEFERRED) && walk_deferred(walk, thread, wait, errand))
		return;
	if (wait->cause == CAUSE_RAISED)
		explain_raised(walk, thread, wait, node, errand);
	else if (wait->cause == CAUSE_TIMER || wait->cause == CAUSE_SENT)
		explain_timer(walk, thread, wait, node, errand);
	else
		walk_link(walk, cause_node(&walk->cut, thread, wait, errand.ts), node, EDGE_WAKE, errand.ts);
}

static void on_irq_entry(struct at *at)
{
	enum { NAME };
	char name[32];
	int32_t irq;

	at_text(at, NAME, name, sizeof(name));
	irq = name_vector(at->wake->names, name_text(at->wake->names, name)); /* several may share the line */
	enter(at->wake, at->cpu, CONTEXT_IRQ, irq, at_flags(at));
}

static void on_irq_exit(struct at *at)
{
	leave(at->wake, at->cpu, CONTEXT_IRQ, at->wake->now);
}

/* The time of an interrupt does not belong to the thread that it hit, and that thread does not wake the threads that the interrupt wakes. */
static void on_vector(struct at *at)
{
	if (at_named(at) == CALL_NONE)
		return; /* an interrupt is given a vector, or loses it */
	if (at_returns(at))
		leave(at->wake, at->cpu, CONTEXT_VECTOR, at->wake->now);
	else
		enter(at->wake, at->cpu, CONTEXT_VECTOR, name_vector(at->wake->names, at_named(at)), at_flags(at));
}

/* "local_timer_entry" and "local_timer_exit" are of one interrupt. */
static int16_t vector_named(struct wake *wake, const char *name, bool *returns)
{
	const char *suffix = strrchr(name, '_');
	char *vector;
	int16_t text;

	*returns = suffix && !strcmp(suffix, "_exit");
	if (!*returns && (!suffix || strcmp(suffix, "_entry")))
		return CALL_NONE;
	vector = memory_text(name, (size_t)(suffix - name));
	text = name_text(wake->names, vector);
	free(vector);
	return text;
}

static void on_softirq_raise(struct at *at)
{
	enum { VEC };

	raise_softirq(at->wake, at->cpu, (int32_t)at_number(at, VEC), at_flags(at));
}

static void on_softirq_entry(struct at *at)
{
	enum { VEC };

	enter(at->wake, at->cpu, CONTEXT_SOFTIRQ, (int32_t)at_number(at, VEC), at_flags(at));
}

static void on_softirq_exit(struct at *at)
{
	leave(at->wake, at->cpu, CONTEXT_SOFTIRQ, at->wake->now);
}

static struct armed_timer *find_timer(const struct wake *wake, uint64_t address)
{
	const struct timers *timers = wake->of[PART_CONTEXT];
	struct armed_timer *timer;

	HASH_FIND(hh, timers->by_address, &address, sizeof(address), timer);
	return timer;
}

static void arm(struct wake *wake, uint64_t address, const struct thread *by)
{
	struct armed_timer *timer = find_timer(wake, address);
	struct timers *timers = wake->of[PART_CONTEXT];

	if (!timer) {
		timer = NEW(struct armed_timer);
		timer->address = address;
		timer->last = INDEX_NONE;
		HASH_ADD(hh, timers->by_address, address, sizeof(address), timer);
	}
	timer->by = (struct raise){by->index, wake->now};
	if (timer->last != INDEX_NONE && timer->last != by->index)
		timer->by.thread = INDEX_NONE; /* the timer may have been for the other's wait */
	timer->last = by->index;
}

/* The last arming of the expiring timer. Thread INDEX_NONE: not known, or another thread had armed the timer before and it had not expired. */
static struct raise armed(struct wake *wake, uint64_t address)
{
	struct armed_timer *timer = find_timer(wake, address);

	if (!timer)
		return RAISE_NONE;
	timer->last = INDEX_NONE;
	return timer->by;
}

static void forget_timers(struct wake *wake)
{
	struct timers *timers = wake->of[PART_CONTEXT];

	HASH_FREE(timers->by_address);
}

static void lost_timers(struct wake *wake, int64_t from)
{
	(void)from;
	forget_timers(wake);
}

/* One more than the timer's number as a packet timer; 0: it is none. The field is the address of its function or, in text, the name. */
static int sender_of(const struct at *at, int field)
{
	const struct timers *timers = at->wake->of[PART_CONTEXT];
	uint64_t address = (uint64_t)at_number(at, field);
	char name[64];

	for (int i = 0; address && i < PACKET_TIMERS; i++)
		if (timers->senders[i] == address)
			return i + 1;
	return at->event->fields && at_text(at, field, name, sizeof(name)) ? packet_timer_find(name, strlen(name)) + 1 : 0;
}

static int read_timer(struct wake *wake, const struct fields *fields)
{
	struct timers *timers = wake->of[PART_CONTEXT];
	int64_t address = 0;

	if (fields_integer(fields, "address", &address) < 0)
		return -1;
	for (int i = 0; i < PACKET_TIMERS; i++)
		if (fields_is(fields, "function", packet_timers[i].function))
			timers->senders[i] = (uint64_t)address;
	return 0;
}

static void forget_meanings(struct wake *wake)
{
	struct timers *timers = wake->of[PART_CONTEXT];

	memset(timers->senders, 0, sizeof(timers->senders));
}

static void on_timer_entry(struct at *at)
{
	enum { FUNCTION };

	enter(at->wake, at->cpu, CONTEXT_TIMER, sender_of(at, FUNCTION), at_flags(at));
}

static void on_hrtimer_entry(struct at *at)
{
	enum { TIMER, FUNCTION };

	enter(at->wake, at->cpu, CONTEXT_TIMER, sender_of(at, FUNCTION), at_flags(at));
	top_of(at->cpu)->by = armed(at->wake, (uint64_t)at_number(at, TIMER));
}

/* Interrupts and timers re-arm a timer for the thread that armed it first, so they do not count, unless they carry a thread's data. */
static void on_timer_start(struct at *at)
{
	enum { TIMER };
	struct raise by = context_doer(at->wake, at->cpu, at_flags(at));

	if (by.thread != INDEX_NONE)
		arm(at->wake, (uint64_t)at_number(at, TIMER), at->wake->threads.items[by.thread]);
}

static void on_timer_exit(struct at *at)
{
	leave(at->wake, at->cpu, CONTEXT_TIMER, at->wake->now);
}

static const struct part_event events[] = {
	{"irq:irq_handler_entry", on_irq_entry, {"name"}},
	{"irq:irq_handler_exit", on_irq_exit},
	{"irq_vectors:", on_vector, .named = vector_named},
	{"irq:softirq_raise", on_softirq_raise, {"vec"}},
	{"irq:softirq_entry", on_softirq_entry, {"vec"}},
	{"irq:softirq_exit", on_softirq_exit},
	{"timer:hrtimer_start", on_timer_start, {"hrtimer"}},
	{"timer:hrtimer_expire_entry", on_hrtimer_entry, {"hrtimer", "function"}},
	{"timer:hrtimer_expire_exit", on_timer_exit},
	{"timer:timer_expire_entry", on_timer_entry, {"function"}},
	{"timer:timer_expire_exit", on_timer_exit},
	{0},
};

static const struct part_record records[] = {{KIND_TIMER, read_timer}, {0}};

const struct part context_part = {
	.events = events,
	.records = records,
	.forget_meanings = forget_meanings,
	.window = sizeof(struct timers),
	.cpu = sizeof(struct contexts),
	.forget = forget_timers,
	.lost = lost_timers,
	.cpu_lost = cpu_lost,
	.event = event,
	.wakes = wakes,
	.ender = ender,
	.explain = explain,
};
