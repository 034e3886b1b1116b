#include "wake/wake.h"

#include <string.h>

/*
 * Soft interrupts, by number. One that carries somebody's data (a packet sent to this very machine) is the doing of
 * the thread that raised it. The others are the kernel's housekeeping, whoever happened to be running.
 */
static const struct {
	const char *name;
	bool carries, timer;
} softirqs[SOFTIRQS] = {
	{"HI", true, false},	   {"TIMER", false, true},   {"NET_TX", true, false}, {"NET_RX", true, false},
	{"BLOCK", true, false},	   {"IRQ_POLL", true, false}, {"TASKLET", true, false}, {"SCHED", false, false},
	{"HRTIMER", false, true}, {"RCU", false, false},
};

enum { NET_TX = 2, NET_RX = 3, BLOCK = 4 };

static bool is_timer(int32_t number)
{
	return number >= 0 && number < SOFTIRQS && softirqs[number].timer;
}

const char *softirq_name(int32_t number)
{
	return number >= 0 && number < SOFTIRQS ? softirqs[number].name : "?";
}

bool softirq_carries(int32_t number)
{
	return number >= 0 && number < SOFTIRQS && softirqs[number].carries;
}

/* The interrupts that an event is in, as its flags tell. */
static int within(int flags)
{
	return flags == FLAGS_NONE ? FLAGS_NONE : flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ);
}

/* Whether what was in those interrupts goes on while an event is in these: there may be more of them, on top. */
static bool goes_on(int those, int these)
{
	return those == FLAGS_NONE || these == FLAGS_NONE || those == 0 || those == these ||
	       (those == FLAG_SOFTIRQ && these & FLAG_SOFTIRQ);
}

static struct thread *running(const struct wake *wake, const struct cpu *cpu)
{
	return cpu->current == INDEX_NONE ? NULL : wake->threads.items[cpu->current];
}

/* A soft interrupt that a thread raised and that is handled at once is the thread's own work. */
static bool steals(const struct cpu *cpu, const struct context *context)
{
	if (context->kind == CONTEXT_SOFTIRQ)
		return context->by.thread == INDEX_NONE || context->by.thread != cpu->current;
	return context->kind == CONTEXT_IRQ || context->kind == CONTEXT_VECTOR;
}

void context_enter(struct wake *wake, struct cpu *cpu, enum context_kind kind, int32_t number, int flags)
{
	struct thread *thread = running(wake, cpu);
	struct context *context;
	struct piece *piece;

	wake->contexts = true;
	if (cpu->depth == CONTEXTS_MAX - 1)
		return; /* more than can be: exits were not traced */
	context = &cpu->context[++cpu->depth];
	*context = (struct context){
		.kind = (uint8_t)kind, .number = number, .entered = within(flags), .by = RAISE_NONE, .completed = INDEX_NONE};
	if (kind == CONTEXT_SOFTIRQ && number >= 0 && number < SOFTIRQS) {
		context->by = cpu->raised[number];
		context->by.unknown |= softirqs[number].carries && !cpu->pending[number];
		cpu->raised[number] = RAISE_NONE;
		cpu->pending[number] = false;
	}
	if (cpu->depth == 1 && thread && thread_running(thread) && steals(cpu, context)) {
		context->stolen = true;
		piece = thread_piece(thread, kind == CONTEXT_SOFTIRQ ? WHAT_SOFTIRQ : WHAT_IRQ, wake->now, cpu->number);
		piece->cause_index = number;
	}
}

/*
 * What an interrupt has to receive is handled by the soft interrupt that it hit, together with what that was raised for: since
 * Linux 6.4 it is then not raised again.
 */
static void join(const struct wake *wake, struct cpu *cpu)
{
	const struct context *top = &cpu->context[cpu->depth];
	struct context *beneath = &cpu->context[cpu->depth - 1];

	if (top->kind != CONTEXT_IRQ || beneath->kind != CONTEXT_SOFTIRQ || beneath->number != NET_RX ||
	    cpu->pending[NET_RX] || !wake_receives(wake->names, top->number))
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

	while (depth > 0 && cpu->context[depth].kind != kind)
		depth--;
	if (depth == 0)
		return; /* entered before the data */
	for (; cpu->depth >= depth; cpu->depth--)
		join(wake, cpu);
	if (cpu->depth == 0 && cpu->context[1].stolen && thread && thread_running(thread))
		thread_piece(thread, WHAT_RUN, ts, cpu->number);
}

void context_leave(struct wake *wake, struct cpu *cpu, enum context_kind kind)
{
	leave(wake, cpu, kind, wake->now);
}

void context_left(struct wake *wake, struct cpu *cpu, int flags)
{
	while (cpu->depth > 0 && !goes_on(cpu->context[cpu->depth].entered, within(flags)))
		leave(wake, cpu, cpu->context[cpu->depth].kind, cpu->last);
}

/* What the CPU is in, by what was entered and left, and by the event's own flags, which know better. */
static struct context *context(struct cpu *cpu, int flags, bool *hidden)
{
	struct context *top = &cpu->context[cpu->depth];

	*hidden = false;
	if (flags == FLAGS_NONE)
		return top;
	if (!(flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)))
		return top->kind == CONTEXT_TIMER ? top : &cpu->context[0]; /* some kernels run timers in threads */
	*hidden = top->entered != FLAGS_NONE && top->entered != within(flags);
	return top;
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

/* One between CPUs, or for the kernel's own purposes. On ARM these have handlers, as those of devices do. */
static bool is_internal(const struct wake *wake, const struct context *at)
{
	const char *name = at->kind == CONTEXT_IRQ ? wake_irq_name(wake->names, at->number) : NULL;

	return at->kind == CONTEXT_VECTOR || (name && strncmp(name, "IPI", 3) == 0);
}

struct raise context_doer(struct wake *wake, struct cpu *cpu, int flags)
{
	bool hidden;
	const struct context *at = context(cpu, flags, &hidden);

	if (at->kind == CONTEXT_SOFTIRQ && !hidden && !is_timer(at->number)) {
		struct raise by = at->by;

		if (by.thread == INDEX_NONE)
			by.ts = wake->now;
		return by;
	}
	if (at->kind == CONTEXT_THREAD && !hidden && cpu->current != cpu->idle)
		return (struct raise){.thread = cpu->current,
				      .ts = wake->now,
				      .work = cpu->current == INDEX_NONE ? INDEX_NONE : wake->threads.items[cpu->current]->work};
	return (struct raise){.thread = INDEX_NONE,
			      .ts = wake->now,
			      .timer = !hidden && (at->kind == CONTEXT_TIMER || at->kind == CONTEXT_SOFTIRQ),
			      .unknown = hidden || at->kind == CONTEXT_THREAD || is_internal(wake, at),
			      .armed = INDEX_NONE,
			      .work = INDEX_NONE};
}

static bool is_network(int32_t number)
{
	return number == NET_TX || number == NET_RX;
}

/* Whether what several raised is handled in one go, and nothing says which is whose. Block requests are known by themselves. */
static bool mixes(int32_t number)
{
	return softirq_carries(number) && number != BLOCK;
}

static bool alike(const struct raise *a, const struct raise *b)
{
	return a->thread == b->thread && a->timer == b->timer && a->unknown == b->unknown;
}

/*
 * A timer sends packets that were held back (to be acknowledged late, to be sent again, to keep to a rate). But one that
 * interrupts to receive only looks whether the network has something. And one that sends what several had to send, each to
 * keep to the rate of a device, was armed by any of them.
 */
void context_raise(struct wake *wake, struct cpu *cpu, int32_t number, int flags)
{
	struct raise by = RAISE_NONE;
	const struct context *top;

	if (number < 0 || number >= SOFTIRQS)
		return;
	if (softirq_carries(number))
		by = context_doer(wake, cpu, flags);
	top = &cpu->context[cpu->depth];
	if (number == NET_RX && top->kind == CONTEXT_IRQ)
		wake_name_receiver(wake->names, top->number);
	if (number == NET_RX && flags != FLAGS_NONE && !(flags & FLAG_SOFTIRQ))
		by.timer = false;
	if (number == NET_RX && by.timer && top->kind == CONTEXT_TIMER)
		by.armed = remember(wake, top->by);
	by.completed = cpu->depth > 0 ? cpu->context[cpu->depth].completed : INDEX_NONE;
	if (cpu->depth > 0)
		by.work = INDEX_NONE; /* that was before */
	if (number == BLOCK && by.thread != INDEX_NONE)
		backed_did(wake, by.work);
	if (mixes(number) && cpu->pending[number] && !alike(&by, &cpu->raised[number])) {
		by = RAISE_NONE;
		by.unknown = true;
	}
	cpu->raised[number] = by;
	cpu->pending[number] = true;
}

/*
 * In a thread, or an interrupt that no event announces, a completion is over with the next event there that is no wake-up. An
 * interrupt on top of it is not there.
 */
void context_completed(struct cpu *cpu, int32_t request, int flags)
{
	cpu->context[cpu->depth].completed = request;
	cpu->context[cpu->depth].within = within(flags);
}

void context_other(struct cpu *cpu, int flags)
{
	struct context *own = &cpu->context[0];
	int these = within(flags);

	if (these == FLAGS_NONE || these == own->within || !goes_on(own->within, these))
		own->completed = INDEX_NONE;
}

/* Who had to get the CPU first to handle what was raised; INDEX_NONE: nobody had to. */
static int32_t handler_of(const struct wake *wake, const struct cpu *cpu, const struct context *at)
{
	const struct thread *thread = running(wake, cpu);

	if (!softirq_carries(at->number) || !thread || strncmp(wake_comm(wake, thread), "ksoftirqd/", 10) != 0)
		return INDEX_NONE;
	return cpu->tenures.items[cpu->tenures.count - 1].start > at->by.ts ? thread->index : INDEX_NONE;
}

static enum cause raised_cause(struct wake *wake, const struct cpu *cpu, const struct context *at, int32_t *index)
{
	struct raise by = at->by;
	const struct thread *raiser = by.thread == INDEX_NONE ? NULL : wake->threads.items[by.thread];
	bool sent = is_network(at->number);

	*index = sent && by.timer ? by.armed : INDEX_NONE;
	if (is_timer(at->number) || by.timer)
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

enum cause context_cause(struct wake *wake, struct cpu *cpu, int32_t tid, int flags, int32_t *index)
{
	bool hidden;
	const struct context *at = context(cpu, flags, &hidden);

	*index = at->within == within(flags) ? at->completed : INDEX_NONE;
	if (*index != INDEX_NONE)
		return CAUSE_REQUEST;
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
		/* The idle thread wakes nobody: that is an interrupt that the data do not show. */
		*index = wake_thread_on(wake, cpu, tid)->index;
		return tid == TID_IDLE ? CAUSE_UNKNOWN : CAUSE_THREAD;
	}
}
