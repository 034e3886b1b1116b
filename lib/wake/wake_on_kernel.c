#include "wake/wake_event.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "wake/wake_quota.h"

void on_irq_entry(struct happening *at)
{
	enum { NAME };
	char name[32];
	int32_t irq;

	happening_text(at, NAME, name, sizeof(name));
	irq = wake_vector(at->wake->names, wake_name_text(at->wake->names, name)); /* several may share the line */
	context_enter(at->wake, at->cpu, CONTEXT_IRQ, irq, happening_flags(at));
}

void on_irq_exit(struct happening *at)
{
	context_leave(at->wake, at->cpu, CONTEXT_IRQ);
}

/* Whoever the interrupt hit, its time is not that thread's, nor does that wake whom the interrupt wakes. */
void on_vector(struct happening *at)
{
	if (happening_call(at) == CALL_NONE)
		return; /* an interrupt is given a vector, or loses it */
	if (happening_returns(at))
		context_leave(at->wake, at->cpu, CONTEXT_VECTOR);
	else
		context_enter(at->wake, at->cpu, CONTEXT_VECTOR, wake_vector(at->wake->names, happening_call(at)),
			      happening_flags(at));
}

void on_softirq_raise(struct happening *at)
{
	enum { VEC };

	context_raise(at->wake, at->cpu, (int32_t)happening_number(at, VEC), happening_flags(at));
}

void on_softirq_entry(struct happening *at)
{
	enum { VEC };

	context_enter(at->wake, at->cpu, CONTEXT_SOFTIRQ, (int32_t)happening_number(at, VEC), happening_flags(at));
}

void on_softirq_exit(struct happening *at)
{
	context_leave(at->wake, at->cpu, CONTEXT_SOFTIRQ);
}

void on_timer_entry(struct happening *at)
{
	context_enter(at->wake, at->cpu, CONTEXT_TIMER, 0, happening_flags(at));
}

void on_hrtimer_entry(struct happening *at)
{
	enum { TIMER, FUNCTION };

	wake_quota_timer(at->wake, (uint64_t)happening_number(at, FUNCTION));
	context_enter(at->wake, at->cpu, CONTEXT_TIMER, 0, happening_flags(at));
	at->cpu->context[at->cpu->depth].by = timer_armed(at->wake, (uint64_t)happening_number(at, TIMER));
}

/* Interrupts and timers arm timers again for those who armed them first, but what carries somebody's data is that one's doing. */
void on_timer_start(struct happening *at)
{
	enum { TIMER };
	struct raise by = context_doer(at->wake, at->cpu, happening_flags(at));

	if (by.thread != INDEX_NONE)
		timer_arm(at->wake, (uint64_t)happening_number(at, TIMER), at->wake->threads.items[by.thread]);
}

void on_timer_exit(struct happening *at)
{
	context_leave(at->wake, at->cpu, CONTEXT_TIMER);
}

static bool is_address(const char *text)
{
	size_t length;

	text += strncmp(text, "0x", 2) == 0 ? 2 : 0;
	for (length = 0; isxdigit((unsigned char)text[length]); length++)
		;
	return length >= 8 && text[length] == '\0';
}

/* Before Linux 5.12 the event has no more than the address of the queue; some texts say what function does the work. */
static void name_queue(const struct happening *at, char *name, size_t room)
{
	enum { WORK, QUEUE, FUNCTION };

	happening_text(at, QUEUE, name, room);
	if (!is_address(name))
		return;
	happening_text(at, FUNCTION, name, room);
	if (!*name || is_address(name))
		snprintf(name, room, "?");
}

void on_queue_work(struct happening *at)
{
	enum { WORK };
	int flags = happening_flags(at);
	struct work work = {.by = context_doer(at->wake, at->cpu, flags)};
	char queue[64];

	if (work.by.thread == INDEX_NONE)
		work.cause = (uint8_t)context_cause(at->wake, at->cpu, at->event->tid, flags, &work.cause_index);
	name_queue(at, queue, sizeof(queue));
	work_queue(at->wake, (uint64_t)happening_number(at, WORK), &work, queue);
}

void on_work_start(struct happening *at)
{
	enum { WORK };
	struct thread *thread = happening_own(at); /* some works are done in soft interrupts */

	if (thread)
		work_start(at->wake, thread, (uint64_t)happening_number(at, WORK), at->cpu->number);
}

void on_work_end(struct happening *at)
{
	struct thread *thread = happening_own(at);

	if (thread)
		work_end(at->wake, thread, at->cpu->number);
}

/* The thread that is in the system call for this file from now on; NULL: the idle one, which calls nothing. */
static struct thread *in_call(const struct happening *at, int16_t call, int32_t fd)
{
	struct thread *thread = at->event->tid == TID_IDLE ? NULL : wake_thread_on(at->wake, at->cpu, at->event->tid);

	if (thread) {
		thread->call = call;
		thread->called = at->wake->now;
		thread->fd = fd;
		thread->call_of_file = CALL_NONE;
		thread->fault = TIME_NONE;
		thread->dirty = 0;
		if (call != CALL_NONE)
			thread->broken = TIME_NONE;
	}
	return thread;
}

/* The file that the call is for, if its event names one. */
static int32_t happening_descriptor(const struct happening *at)
{
	enum { FD, FD_IN, OUT_FD, NAMES };

	for (int field = FD; field < NAMES; field++)
		if (happening_has(at, field))
			return (int32_t)happening_number(at, field);
	return FD_NONE;
}

void on_sys_enter(struct happening *at)
{
	struct thread *thread = in_call(at, happening_call(at), happening_descriptor(at));

	if (thread)
		poll_ask(at->wake, thread);
}

void on_futex(struct happening *at)
{
	enum { ADDRESS, OPERATION, LIMIT };
	struct thread *thread = in_call(at, happening_call(at), FD_NONE);

	if (thread)
		poll_futex(at->wake, thread, (uint64_t)happening_number(at, ADDRESS), happening_number(at, OPERATION),
			   happening_has(at, LIMIT) && happening_number(at, LIMIT) != 0);
}

void on_raw_sys_enter(struct happening *at)
{
	enum { ID, ARGUMENTS };

	in_call(at, wake_number_call(at->wake->names, (int)happening_number(at, ID)), (int32_t)happening_first(at, ARGUMENTS));
}

void on_function(struct happening *at)
{
	const struct thread *thread = at->current ? at->current
						  : wake_thread_on(at->wake, at->cpu, at->event->tid);

	*ARRAY_ADD(&at->wake->functions) = (struct function_event){
		at->wake->now, thread->index, happening_call(at), happening_returns(at)};
}

void on_sys_exit(struct happening *at)
{
	enum { RESULT };

	if (at->event->tid != TID_IDLE && happening_has(at, RESULT))
		poll_returns(at->wake, wake_thread_on(at->wake, at->cpu, at->event->tid), happening_number(at, RESULT));
	in_call(at, CALL_NONE, FD_NONE);
}
