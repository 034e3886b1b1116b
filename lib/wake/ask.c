#include "wake/ask.h"

#include <stdlib.h>
#include <string.h>

#include "wake/context.h"
#include "wake/earlier_names.h"
#include "wake/limit.h"
#include "wake/node.h"
#include "wake/part.h"
#include "wake/question.h"
#include "wake/reason.h"
#include "wake/request.h"
#include "wake/retry.h"
#include "wake/writeback.h"

/*
 * One principle: a request is a wake-up from one thread to another, answered by the first later wake-up the other way; a wait
 * belongs to the request that its end answers, if that request was made before the wait began and is not answered yet, else to
 * the thread itself. The threads of a process are one party: any of them may hand a request on, or take its answer.
 *
 * Three things follow from what a wait is for. A wait for any of many events belongs to its request whatever the thread did
 * since; any other wait does only if the thread did nothing else. Waits in vain belong to what ends the last of them (retry.c).
 * And a thread that answers several parties in one run serves each up to its answer.
 */

/*
 * The processes that a thread served, which means woke, since it last slept. If it served several in one go, its run is cut
 * after each.
 */
struct batch {
	int64_t until;	 /* time of the last wake-up */
	int32_t process; /* the process woken then; 0: none yet */
	bool several;
};

struct asking { /* of a thread */
	int64_t woke, others;  /* when it last woke a thread, and one other than `whom`; TIME_NONE: never */
	int32_t whom;	       /* index of the thread that it woke last */
	struct batch batch;
};

/* A process has woken another one: it has asked for something, or answered. */
struct acquaintance {
	struct {
		int32_t waker, woken;
	} processes;
	UT_hash_handle hh;
};

struct acquaintances {
	struct acquaintance *known;
};

static struct acquaintances *of(const struct wake *wake)
{
	return wake->of[PART_ASK];
}

static struct asking *asking_of(const struct thread *thread)
{
	return thread->of[PART_ASK];
}

static void thread_begin(struct thread *thread)
{
	*asking_of(thread) = (struct asking){.woke = TIME_NONE, .others = TIME_NONE, .whom = INDEX_NONE};
}

static void thread_lost(struct thread *thread)
{
	asking_of(thread)->batch = (struct batch){0};
}

static void left(struct wake *wake, struct thread *thread)
{
	(void)wake;
	if (thread_asleep(thread) && thread->tid != TID_IDLE)
		asking_of(thread)->batch = (struct batch){0};
}

/*
 * A thread that waits for any of many events is idle: it has done all that it could. So what it did before for others, or
 * when its own timer woke it, did not delay the event that it waits for. Nor do answers of others, which the thread waited for
 * before, delay an answer.
 */

/* How far back an ask is looked for, in pieces of a thread. */
enum { PATIENCE = 4096 };

static bool is_idle(const struct wake *wake, const struct piece *piece)
{
	return piece->what == WHAT_WAIT && reason_at(wake->reasons, piece->call)->many;
}

/* Tells whether the wait was for something to do, or for an answer, and not for a lock. */
static bool takes(const struct wake *wake, const struct piece *wait)
{
	return wait->what == WHAT_WAIT && (wait->flags & PIECE_CONDITION || is_idle(wake, wait) ||
					   reason_at(wake->reasons, wait->call)->receives);
}

static bool is_own_timer(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	return wait->cause == CAUSE_TIMER && (wait->cause_index == INDEX_NONE ||
					      wake->raises.items[wait->cause_index].thread == thread->index);
}

/* The thread that ended the wait; INDEX_NONE: none did. */
static int32_t ended_by(const struct wake *wake, const struct piece *wait)
{
	return wait->flags & PIECE_TICK ? INDEX_NONE : core_ender(wake, wait).thread;
}

/* Tells whether the process had asked the other's process when the wait began, and has no answer yet: its timer did not end the wait for that. */
static bool has_asked(const struct wake *wake, const struct thread *thread, const struct piece *wait, int32_t other)
{
	struct question question = question_in(wake, thread, wait);

	return other != INDEX_NONE && question.since != TIME_NONE &&
	       events_tgid(wake->events, wake->threads.items[question.of]->tid) == events_tgid(wake->events, wake->threads.items[other]->tid);
}

/* When the thread that ended the wait did what ended it. */
static int64_t ended(const struct wake *wake, const struct piece *wait)
{
	return wait->cause == CAUSE_RAISED ? core_ender(wake, wait).ts : wait[1].start;
}

/*
 * Tells whether the other ended this wait with an answer, seen from the wait at hand. If that one is idle, this one must be, too. Room
 * to send more is an answer only if the wait at hand was also ended by such room.
 */
static bool is_answer(const struct wake *wake, const struct piece *wait, int32_t other, const struct piece *hand)
{
	return ended_by(wake, wait) == other && (is_idle(wake, wait) || !is_idle(wake, hand)) &&
	       (!(wait->flags & PIECE_ROOM) || hand->flags & PIECE_ROOM);
}

/* The time when the other last answered the thread, within the thread's first `count` pieces; TIME_NONE: the data show no answer. */
static int64_t last_answer(const struct wake *wake, const struct thread *thread, size_t count, int32_t other,
			   const struct piece *hand)
{
	for (size_t left = PATIENCE; count-- > 0 && left; left--) {
		const struct piece *wait = &thread->pieces.items[count];

		if (is_answer(wake, wait, other, hand))
			return wait[1].start;
	}
	return TIME_NONE;
}

/* When the thread had last woken the other by that time; TIME_NONE: it had not. */
static int64_t last_request(const struct wake *wake, const struct thread *thread, const struct thread *other, int64_t ts)
{
	size_t i = thread_find(other, ts);

	for (size_t left = PATIENCE; i-- > 0 && left; left--) {
		const struct piece *wait = &other->pieces.items[i];

		if (i + 1 < other->pieces.count && wait[1].start <= ts && ended_by(wake, wait) == thread->index)
			return ended(wake, wait);
	}
	return TIME_NONE;
}

/*
 * Tells whether the thread, when this wait began, had asked the other and had no answer, and has since asked the other again and nobody else: a
 * thread that asks through a new socket each time waited for the one answer, too.
 */
static bool has_asked_again(const struct wake *wake, const struct thread *thread, size_t at, int32_t other)
{
	const struct piece *wait = &thread->pieces.items[at];
	const struct asking *asking = asking_of(thread);
	int64_t since;

	if (other == INDEX_NONE || asking->whom != other || asking->others >= wait[1].start)
		return false;
	since = last_request(wake, thread, wake->threads.items[other], wait->start);
	return since != TIME_NONE && last_answer(wake, thread, at, other, wait) < since;
}

static void answered_wait(struct wake *wake, struct thread *thread)
{
	size_t last = thread->pieces.count;
	const struct piece *answered;
	int32_t by;
	int64_t ran = 0;

	if (last < 2) /* the wait took no time */
		return;
	last -= 2; /* the last piece is runnable, the one before it is the wait */
	answered = &thread->pieces.items[last];
	if (answered->cause == CAUSE_REQUEST || !is_idle(wake, answered))
		return;
	by = ended_by(wake, answered);
	for (size_t i = last; i-- > 0;) {
		struct piece *piece = &thread->pieces.items[i];
		int64_t end = piece[1].start;

		if (piece->what != WHAT_WAIT) {
			ran += piece->what == WHAT_RUN ? end - piece->start : 0;
			continue;
		}
		if (!is_own_timer(wake, thread, piece) || !is_idle(wake, piece))
			return;
		if (((asking_of(thread)->woke >= end && !has_asked_again(wake, thread, i, by)) || ran > (end - piece->start) / IDLENESS) &&
		    !has_asked(wake, thread, piece, by))
			return;
		piece->cause = by == INDEX_NONE ? answered->cause : CAUSE_THREAD;
		piece->cause_index = by == INDEX_NONE ? answered->cause_index : by;
		piece->flags |= PIECE_TICK;
		ran = 0;
	}
}

/* The last wait of the thread that was over by then. NULL: none. */
static const struct piece *last_wait(const struct thread *thread, int64_t ts)
{
	size_t at = thread_find(thread, ts);

	for (size_t left = PATIENCE; at-- > 0 && left; left--) {
		const struct piece *wait = &thread->pieces.items[at];

		if (wait->what == WHAT_WAIT && at + 1 < thread->pieces.count && wait[1].start <= ts)
			return wait;
	}
	return NULL;
}

/*
 * When the thread woke `by`, which at this time woke or made the other thread of its own process: so it handed the request on. TIME_NONE: it did
 * not.
 */
static int64_t handed_over(const struct wake *wake, const struct thread *thread, const struct thread *other, int32_t by, int64_t ts)
{
	const struct piece *before;

	if (!core_same_process(wake, other, by) || core_same_process(wake, other, thread->index))
		return TIME_NONE;
	before = last_wait(wake->threads.items[by], ts);
	return before && ended_by(wake, before) == thread->index ? ended(wake, before) : TIME_NONE;
}

/*
 * The request of the thread to the other that the other has not answered before the wait: the thread last woke the other, or made
 * it; or it first woke another thread of that process, which handed the request on. If there is none, a request of another thread
 * of the waiting process counts: its threads may share what they wait for, as those of a Go program do.
 */
static struct ask find_request(const struct wake *wake, const struct thread *thread, size_t at, const struct thread *other)
{
	int64_t end = thread_piece_end(wake, thread, at), over;
	int64_t answered = last_answer(wake, thread, at, other->index, &thread->pieces.items[at]);
	bool condition = thread->pieces.items[at].flags & PIECE_CONDITION;
	struct ask relayed = {TIME_NONE, thread->index}, shared = {TIME_NONE, INDEX_NONE};
	size_t i = thread_find(other, end);

	for (size_t left = PATIENCE; i-- > 0 && left; left--) {
		const struct piece *wait = &other->pieces.items[i];
		int32_t by = i + 1 < other->pieces.count && wait[1].start <= end ? ended_by(wake, wait) : INDEX_NONE;

		if (by == INDEX_NONE)
			continue;
		if (ended(wake, wait) < answered)
			break;
		if (by == thread->index)
			return (struct ask){ended(wake, wait), by};
		over = condition ? TIME_NONE : handed_over(wake, thread, other, by, ended(wake, wait));
		if (over != TIME_NONE && over >= answered)
			relayed.since = over;
		if (shared.since == TIME_NONE && core_same_process(wake, thread, by) && !core_same_process(wake, thread, other->index))
			shared = (struct ask){ended(wake, wait), by};
	}
	if (other->parent == thread->index && other->born >= answered)
		return (struct ask){other->born, thread->index};
	if (other->parent != INDEX_NONE && !condition && relayed.since == TIME_NONE) {
		over = handed_over(wake, thread, other, other->parent, other->born);
		relayed.since = over >= answered ? over : TIME_NONE;
	}
	return relayed.since == TIME_NONE ? shared : relayed;
}

/* Tells whether the thread did next to nothing but run between these times. */
static bool was_busy(const struct wake *wake, const struct thread *thread, int64_t from, int64_t to)
{
	int64_t waited = 0, ran = 0;

	for (size_t i = thread_find(thread, from); i < thread->pieces.count && thread->pieces.items[i].start < to; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int64_t time = sooner(thread_piece_end(wake, thread, i), to) - piece->start;

		waited += piece->what == WHAT_WAIT ? time : 0;
		ran += piece->what == WHAT_RUN ? time : 0;
	}
	return waited <= ran / IDLENESS;
}

/* Tells whether the thread has ended, and did nothing after this time. */
static bool has_ended(const struct thread *thread, int64_t ts)
{
	return thread->died != TIME_NONE && thread_find(thread, ts) == thread->pieces.count;
}

/*
 * Tells whether the wait was for the request. A wait for any of many events was, whenever the request was made. Any other wait was, if
 * the thread did next to nothing but wait since, as a thread does that asks several and takes their answers in turn. A condition may
 * also be a lock, as in Java; then the wake-up of the other is no request, but the end of a turn, after which the other did what it
 * liked: so the other must have ended with the answer, or have been busy. A request of another thread must not have been answered to
 * that thread.
 */
static bool is_awaited(const struct wake *wake, const struct thread *thread, size_t at, const struct thread *other, struct ask ask)
{
	const struct piece *wait = &thread->pieces.items[at];
	const struct thread *asker = wake->threads.items[ask.by];
	int64_t end = thread_piece_end(wake, thread, at);
	piece_flags kind = wait->flags & PIECE_CONDITION;

	if (asker != thread)
		return is_idle(wake, wait) && thread_idled(thread, thread_find(thread, ask.since), at, 0) &&
		       last_answer(wake, asker, thread_find(asker, end - 1), other->index, wait) < ask.since;
	if (is_idle(wake, wait))
		return true;
	return thread_idled(thread, thread_find(thread, ask.since), at, kind) &&
	       (!kind || has_ended(other, end) || was_busy(wake, other, ask.since, end));
}

/* The request that the end of this wait answers; since TIME_NONE: none is known. */
static struct ask asked_before(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at];
	struct ask ask = {TIME_NONE, thread->index};
	int32_t by = ended_by(wake, wait);

	if (by == INDEX_NONE || by == thread->index || !takes(wake, wait))
		return ask;
	ask = find_request(wake, thread, at, wake->threads.items[by]);
	if (ask.since != TIME_NONE && !is_awaited(wake, thread, at, wake->threads.items[by], ask))
		ask.since = TIME_NONE;
	return ask;
}

/*
 * The wait was ended by another thread of the process, which handed on an answer from another process. The answer came while this
 * thread waited; else the wait was for the other thread alone, as for a lock that it has. Returns the request of that answer, if
 * this thread did next to nothing since the request, as threads of a pool do: otherwise since TIME_NONE.
 */
static struct ask handed_on(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at], *last;
	struct ask ask = {TIME_NONE, INDEX_NONE};
	int32_t by = ended_by(wake, wait);
	const struct thread *other;

	if (by == INDEX_NONE || by == thread->index || !core_same_process(wake, thread, by) || !takes(wake, wait))
		return ask;
	other = wake->threads.items[by];
	last = last_wait(other, ended(wake, wait));
	if (last && last[1].start > wait->start && ended_by(wake, last) != INDEX_NONE &&
	    !core_same_process(wake, thread, ended_by(wake, last)))
		ask = asked_before(wake, other, (size_t)(last - other->pieces.items));
	if (ask.since != TIME_NONE && !thread_idled(thread, thread_find(thread, ask.since), at, 0))
		ask.since = TIME_NONE;
	return ask;
}

/*
 * The only process that the thread has started within the data and that lives at their end, as a question that the process answers by ending. None
 * if there are several: then the thread waits for any of them.
 */
static struct question only_child(const struct wake *wake, const struct thread *thread)
{
	static const struct question none = {TIME_NONE, INDEX_NONE, INDEX_NONE};
	struct question question = none;

	for (size_t i = 0; i < wake->threads.count; i++) {
		const struct thread *child = wake->threads.items[i];

		if (child->parent != thread->index || child->died != TIME_NONE || core_same_process(wake, thread, child->index))
			continue;
		if (question.of != INDEX_NONE)
			return none;
		question = (struct question){child->born, thread->index, child->index};
	}
	return question;
}

bool ask_is_for_child(const struct wake *wake, const struct thread *thread, size_t at, int32_t child)
{
	size_t first;

	if (child == INDEX_NONE || wake->threads.items[child]->born > thread->pieces.items[at].start)
		return false;
	first = thread_find(thread, wake->threads.items[child]->born);
	if (at > first + PATIENCE)
		return false;
	for (size_t i = first; i < at; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int32_t by = piece->what == WHAT_WAIT ? core_ender(wake, piece).thread : INDEX_NONE;

		if (by != INDEX_NONE && by != child && !core_is_kernels(wake, wake->threads.items[by]))
			return false;
	}
	return true;
}

bool ask_is_open(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at];

	return takes(wake, wait) && (is_own_timer(wake, thread, wait) ? is_idle(wake, wait) : wait->cause == CAUSE_NONE);
}

/* The question of this wait that is still open at the end of the data. */
static struct question open_question(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at];
	struct question none = {TIME_NONE, INDEX_NONE, INDEX_NONE}, question, child;

	if (wait->what == WHAT_WAIT && wait->cause == CAUSE_NONE && reason_at(wake->reasons, wait->call)->children)
		return only_child(wake, thread);
	if (!ask_is_open(wake, thread, at))
		return none;
	question = question_in(wake, thread, wait);
	child = question.of == INDEX_NONE && wait->cause == CAUSE_NONE ? only_child(wake, thread) : none;
	return ask_is_for_child(wake, thread, at, child.of) ? child : question;
}

int32_t ask_awaits(const struct wake *wake, const struct thread *thread, size_t wait)
{
	return open_question(wake, thread, wait).of;
}

bool ask_of_unknown(const struct wake *wake, const struct thread *thread, size_t wait)
{
	const struct piece *piece = &thread->pieces.items[wait];

	return is_idle(wake, piece) && is_own_timer(wake, thread, piece) && question_of_unknown(wake, thread, piece);
}

static struct ask still_asked(const struct wake *wake, const struct thread *thread, size_t at)
{
	struct question question = open_question(wake, thread, at);

	return (struct ask){question.since, question.by};
}

/* What ended an idle thread's wait may have been sent before the wait: then the thread has waited since that time. */
static struct ask on_its_way(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at];
	struct doer doer = is_idle(wake, wait) && !(wait->flags & PIECE_TICK) ? core_ender(wake, wait) : (struct doer){INDEX_NONE, TIME_NONE};

	return (struct ask){doer.thread == INDEX_NONE ? TIME_NONE : doer.ts, thread->index};
}

static struct ask asked(const struct wake *wake, const struct thread *thread, size_t at)
{
	int64_t start = thread->pieces.items[at].start;
	struct ask ask = asked_before(wake, thread, at);

	if (ask.since == TIME_NONE || ask.since >= start)
		ask = handed_on(wake, thread, at);
	if (ask_awaits(wake, thread, at) != INDEX_NONE)
		ask = still_asked(wake, thread, at);
	else if (ask.since == TIME_NONE && is_idle(wake, &thread->pieces.items[at]) && is_own_timer(wake, thread, &thread->pieces.items[at]))
		ask = limit_since(wake, thread, at);
	if (ask.since == TIME_NONE || ask.since >= start)
		ask = on_its_way(wake, thread, at);
	return ask.since == TIME_NONE || ask.since >= start ? (struct ask){start, thread->index} : ask;
}

/* --- who else was answered ---------------------------------------------------------------------------------------------- */

/* LONG: a wait for at least 1 / LONG of a graph's time is worth a look at all threads. */
enum { LONG = 4, OTHERS_LEAST = 10, HELPERS = 64, NAMES = 16 };

struct others {
	const struct thread *by; /* the thread that answers, between these times */
	int64_t since, until;
	int32_t helpers[HELPERS]; /* processes that it waited for meanwhile */
	int helper_count;
	uint32_t count; /* of answers */
	struct {
		const char *name;
		uint32_t count;
	} names[NAMES];
};

static bool is_helper(const struct others *others, int32_t process)
{
	for (int i = 0; i < others->helper_count; i++)
		if (others->helpers[i] == process)
			return true;
	return false;
}

static void find_helpers(const struct wake *wake, struct others *others)
{
	const struct thread *by = others->by;

	for (size_t i = thread_find(by, others->since); i < by->pieces.count && by->pieces.items[i].start < others->until; i++) {
		int32_t ender = by->pieces.items[i].what == WHAT_WAIT ? ended_by(wake, &by->pieces.items[i]) : INDEX_NONE;
		int32_t process = ender == INDEX_NONE ? 0 : events_tgid(wake->events, wake->threads.items[ender]->tid);

		if (ender != INDEX_NONE && !is_helper(others, process) && others->helper_count < HELPERS)
			others->helpers[others->helper_count++] = process;
	}
}

static void count_name(struct others *others, const char *name, uint32_t count)
{
	for (int i = 0; i < NAMES; i++) {
		if (others->names[i].name && strcmp(others->names[i].name, name) != 0)
			continue;
		others->names[i].name = name;
		others->names[i].count += count;
		return;
	}
}

/* Counts the answers that the thread got. */
static void count_answers(const struct wake *wake, struct others *others, const struct thread *thread)
{
	uint32_t count = 0;
	size_t i = thread_find(thread, others->since);

	for (i -= i > 0; i + 1 < thread->pieces.count && thread->pieces.items[i + 1].start < others->until; i++) {
		const struct piece *wait = &thread->pieces.items[i];

		count += wait->what == WHAT_WAIT && wait[1].start > others->since && ended_by(wake, wait) == others->by->index;
	}
	others->count += count;
	if (count)
		count_name(others, wake_comm(wake, thread), count);
}

/* Tells whether the wait was for room in a socket or pipe that another thread takes data out of. */
static bool is_for_room(const struct wake *wake, const struct piece *wait)
{
	const char *call = reason_at(wake->reasons, wait->call)->syscall;

	return wait->flags & PIECE_ROOM || (call && (strncmp(call, "send", strlen("send")) == 0 || strncmp(call, "write", strlen("write")) == 0));
}

/*
 * Tells how many answers the thread that ended this wait gave to other processes meanwhile, if there were OTHERS_LEAST or more, and the name under
 * which most of them were taken. Processes that did something for the answering thread meanwhile, as a server's servers do, do not count.
 */
static void tell_others(const struct wake *wake, const struct thread *thread, size_t at, struct deed_detail *detail)
{
	const struct piece *wait = &thread->pieces.items[at];
	int32_t by = at + 1 < thread->pieces.count ? ended_by(wake, wait) : INDEX_NONE, own = events_tgid(wake->events, thread->tid), process;
	bool room = is_for_room(wake, wait);
	struct others others = {0};

	if (by == INDEX_NONE || !own || core_is_kernels(wake, wake->threads.items[by]))
		return;
	others.by = wake->threads.items[by];
	others.since = room ? core_since(wake) : asked(wake, thread, at).since; /* the socket or pipe was filled before the wait */
	others.until = ended(wake, wait);
	if (!room)
		find_helpers(wake, &others);
	for (size_t i = 0; i < wake->threads.count && others.helper_count < HELPERS; i++) {
		process = events_tgid(wake->events, wake->threads.items[i]->tid);
		if (process && process != own && process != events_tgid(wake->events, others.by->tid) && !is_helper(&others, process) &&
		    !core_is_kernels(wake, wake->threads.items[i]))
			count_answers(wake, &others, wake->threads.items[i]);
	}
	if (others.count < OTHERS_LEAST || others.helper_count == HELPERS)
		return;
	detail->others = others.count;
	for (int i = 0; i < NAMES; i++)
		if (others.names[i].count > others.count / 2)
			detail->crowd = others.names[i].name;
}

static void tell(struct cut *cut, struct telling *telling)
{
	if (telling->deed->kind == DEED_WAIT && telling->end - telling->start >= (cut->graph->to - cut->graph->from) / LONG)
		tell_others(cut->wake, telling->thread, telling->piece, telling->detail);
}

static struct acquaintance *find_acquaintance(const struct wake *wake, int32_t waker, int32_t woken)
{
	struct acquaintance key = {.processes = {waker, woken}}, *found;

	HASH_FIND(hh, of(wake)->known, &key.processes, sizeof(key.processes), found);
	return found;
}

static void add_acquaintance(struct wake *wake, int32_t waker, int32_t woken)
{
	struct acquaintance *added;

	if (find_acquaintance(wake, waker, woken))
		return;
	added = NEW(struct acquaintance);
	added->processes.waker = waker;
	added->processes.woken = woken;
	HASH_ADD(hh, of(wake)->known, processes, sizeof(added->processes), added);
}

static void forget(struct wake *wake)
{
	struct acquaintance *known, *next;

	HASH_ITER(hh, of(wake)->known, known, next)
	{
		HASH_DEL(of(wake)->known, known);
		free(known);
	}
}

static void mark_runs(struct thread *thread, size_t from, int32_t peer)
{
	for (size_t i = from; i < thread->pieces.count; i++) {
		struct piece *piece = &thread->pieces.items[i];

		if (piece->what != WHAT_RUN)
			continue;
		if (peer != INDEX_NONE && (piece->cause == CAUSE_NONE || piece->cause == CAUSE_PEER)) { /* else the run is a job for others */
			piece->cause = CAUSE_PEER;
			piece->cause_index = peer;
		}
		piece->flags |= asking_of(thread)->batch.several ? PIECE_BATCH : 0;
	}
}

/* Index of the first piece since the thread last slept. */
static size_t segment_start(const struct thread *thread)
{
	size_t at = thread->pieces.count;

	while (at > 0 && thread->pieces.items[at - 1].what != WHAT_WAIT)
		at--;
	return at;
}

/*
 * A run serves only a process that has asked. A process that was never seen to wake the thread's process only gets something, as
 * a logger does. Kernel threads ask for nothing.
 */
static bool is_served(struct wake *wake, int32_t own, int32_t process, const struct thread *peer)
{
	return own && process && own != process && find_acquaintance(wake, process, own) &&
	       !core_is_kernels(wake, peer);
}

static void serve_peer(struct wake *wake, struct thread *thread, const struct thread *peer)
{
	struct batch *batch = &asking_of(thread)->batch;
	int32_t own = events_tgid(wake->events, thread->tid), process = events_tgid(wake->events, peer->tid);

	add_acquaintance(wake, own, process);
	if (!is_served(wake, own, process, peer))
		return;
	if (batch->process && batch->process != process) {
		thread_split(thread, batch->until);
		if (!batch->several) {
			batch->several = true;
			mark_runs(thread, segment_start(thread), INDEX_NONE);
		}
	}
	mark_runs(thread, batch->process ? thread_find(thread, batch->until) - 1 : segment_start(thread), peer->index);
	batch->process = process;
	batch->until = wake->now;
}

static void has_woken(const struct wake *wake, const struct thread *waker, const struct thread *woken)
{
	struct asking *asking = asking_of(waker);

	if (asking->whom != woken->index)
		asking->others = asking->woke;
	asking->whom = woken->index;
	asking->woke = wake->now;
}

static void woken_by(struct wake *wake, struct thread *waker, struct thread *woken)
{
	size_t count = woken->pieces.count; /* the last piece is runnable; a wait that took no time has no piece */

	has_woken(wake, waker, woken);
	if (!question_receives(wake, waker))
		serve_peer(wake, waker, woken);
	else if (count > 1 && woken->pieces.items[count - 2].what == WHAT_WAIT)
		woken->pieces.items[count - 2].flags |= PIECE_ROOM;
}

static void woke(struct wake *wake, const struct waking *waking)
{
	const struct raise *raise = waking->cause == CAUSE_RAISED ? &wake->raises.items[waking->index] : NULL;

	if (waking->cause == CAUSE_THREAD)
		woken_by(wake, wake->threads.items[waking->index], waking->woken);
	if (raise)
		has_woken(wake, wake->threads.items[raise->thread], waking->woken);
	if (waking->cause != CAUSE_TIMER && waking->cause != CAUSE_DIRTY)
		answered_wait(wake, waking->woken);
}

/* Tells whether the run is part of a batch and ended with a wake-up of another process than the asker's. */
static bool serves_another(const struct wake *wake, const struct piece *run, int32_t asker)
{
	return run->flags & PIECE_BATCH && run->cause == CAUSE_PEER && asker != INDEX_NONE &&
	       !core_same_process(wake, wake->threads.items[asker], run->cause_index);
}

static bool tell_run(const struct wake *wake, const struct piece *run, int32_t asker, struct deed *deed)
{
	if (!serves_another(wake, run, asker))
		return false;
	deed->kind = DEED_SERVE;
	deed->whom = wake_comm(wake, wake->threads.items[run->cause_index]);
	return true;
}

const struct part ask_part = {
	.window = sizeof(struct acquaintances),
	.thread = sizeof(struct asking),
	.forget = forget,
	.thread_begin = thread_begin,
	.thread_lost = thread_lost,
	.left = left,
	.woke = woke,
	.tell_run = tell_run,
	.tell = tell,
	.asked = asked,
};
