#include "wake/lock.h"
#include "wake/part.h"
#include "wake/name.h"

/* Threads that look for free memory themselves, and threads that the kernel kills for lack of memory. */

/* Of a run: it looks for free memory; only for memory of a control group; the kernel has killed the thread for lack of memory. */
enum {
	PIECE_RECLAIM = PIECE_OF(RECLAIM_BITS, 0),
	PIECE_GROUP = PIECE_OF(RECLAIM_BITS, 1),
	PIECE_KILLED = PIECE_OF(RECLAIM_BITS, 2),
};

static void reclaims(const struct at *at, piece_flags flags)
{
	struct thread *thread = at_own(at);

	if (thread)
		thread_set_run_flags(at->wake, thread, (thread->run_flags & ~(PIECE_RECLAIM | PIECE_GROUP)) | flags);
}

static void on_reclaim_begin(struct at *at)
{
	reclaims(at, PIECE_RECLAIM);
}

static void on_group_reclaim_begin(struct at *at)
{
	reclaims(at, PIECE_RECLAIM | PIECE_GROUP);
}

static void on_reclaim_end(struct at *at)
{
	reclaims(at, 0);
}

static void left(struct wake *wake, struct thread *thread)
{
	if (thread->run_flags & PIECE_RECLAIM && thread_asleep(thread) && !lock_wanted(thread))
		thread_last(thread)->call = reason_index(wake->reasons, (struct reason){.purpose = "memory"});
}

/* All threads of the process are about to end: whatever they still do belongs to that. */
static void on_oom_victim(struct at *at)
{
	enum { PID };
	int32_t tid = core_thread(at->wake, (int32_t)at_number(at, PID))->tid;
	int32_t process = events_tgid(at->wake->events, tid);

	for (size_t i = 0; i < at->wake->threads.count; i++) {
		struct thread *thread = at->wake->threads.items[i];

		if (thread->tid != TID_IDLE && thread->died == TIME_NONE &&
		    (thread->tid == tid || (process && events_tgid(at->wake->events, thread->tid) == process)))
			thread_set_run_flags(at->wake, thread, thread->run_flags | PIECE_KILLED);
	}
}

static bool tell_run(const struct wake *wake, const struct piece *run, int32_t asker, struct deed *deed)
{
	(void)wake, (void)asker;
	if (run->flags & PIECE_KILLED) {
		deed->kind = DEED_DIE;
	} else if (run->flags & PIECE_RECLAIM) {
		deed->kind = DEED_RECLAIM;
		deed->purpose = run->flags & PIECE_GROUP ? "group" : NULL;
	}
	return run->flags & (PIECE_KILLED | PIECE_RECLAIM);
}

static const struct part_event events[] = {
	{"vmscan:mm_vmscan_direct_reclaim_begin", on_reclaim_begin},
	{"vmscan:mm_vmscan_direct_reclaim_end", on_reclaim_end},
	{"vmscan:mm_vmscan_memcg_reclaim_begin", on_group_reclaim_begin},
	{"vmscan:mm_vmscan_memcg_reclaim_end", on_reclaim_end},
	{"oom:mark_victim", on_oom_victim, {"pid"}},
	{0},
};

const struct part reclaim_part = {.events = events, .left = left, .tell_run = tell_run};
