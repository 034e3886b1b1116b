#include <string.h>

#include "wake/wake_event.h"

enum { DISK, INODE };

/* The writeback events name the disk as text; a file system that has none, or several, goes by a name: "btrfs-1". */
static uint64_t disk_named(const struct happening *at)
{
	char name[32];
	uint64_t disk = 0;
	size_t length = happening_text(at, DISK, name, sizeof(name));

	if (device_parse(name, length, &disk) == 0)
		return events_device_disk(at->wake->events, disk);
	return length ? wake_name_disk(at->wake->names, name) : 0;
}

void on_dirty(struct happening *at)
{
	const struct thread *thread = happening_own(at);

	if (thread)
		dirty_inode(at->wake, disk_named(at), (uint64_t)happening_number(at, INODE),
			    thread_served(at->wake, thread));
}

/* It sleeps right after that; where the pause is none, not at all. */
void on_balance_dirty(struct happening *at)
{
	enum { BDI, PAUSE };
	struct thread *thread = happening_own(at);

	if (thread)
		thread->dirty = happening_has(at, PAUSE) && happening_number(at, PAUSE) <= 0 ? 0 : disk_named(at);
}

/* Where nobody is known to have written the pages, they are of whoever writes them back. */
static void write_back(const struct happening *at, uint64_t disk)
{
	struct thread *thread = happening_own(at);
	int32_t owner = dirty_owner(at->wake, disk, (uint64_t)happening_number(at, INODE));

	if (thread)
		thread->writer = owner == INDEX_NONE ? thread->index : owner;
}

void on_write_inode(struct happening *at)
{
	write_back(at, disk_named(at));
}

void on_journal_inode(struct happening *at)
{
	write_back(at, events_device_disk(at->wake->events, (uint64_t)happening_number(at, DISK)));
}

void on_write_over(struct happening *at)
{
	struct thread *thread = happening_own(at);

	if (thread)
		thread->writer = INDEX_NONE;
}

/* Its runs have these flags from now on. */
static void does(const struct happening *at, struct thread *thread, int flags)
{
	if (thread->doing == flags)
		return;
	thread->doing = (uint16_t)flags;
	if (thread_running(thread))
		thread_piece(thread, WHAT_RUN, at->wake->now, thread->pieces.items[thread->pieces.count - 1].cpu);
}

static void reclaims(const struct happening *at, int flags)
{
	struct thread *thread = happening_own(at);

	if (thread)
		does(at, thread, (thread->doing & ~(PIECE_RECLAIM | PIECE_GROUP)) | flags);
}

void on_reclaim_begin(struct happening *at)
{
	reclaims(at, PIECE_RECLAIM);
}

void on_group_reclaim_begin(struct happening *at)
{
	reclaims(at, PIECE_RECLAIM | PIECE_GROUP);
}

void on_reclaim_end(struct happening *at)
{
	reclaims(at, 0);
}

void reclaim_sleeps(struct wake *wake, struct thread *thread)
{
	struct piece *piece = thread->pieces.count ? &thread->pieces.items[thread->pieces.count - 1] : NULL;

	if (piece && piece->what == WHAT_WAIT && thread->doing & PIECE_RECLAIM && thread->lock == CALL_NONE)
		piece->call = wake_name_text(wake->names, "memory reclaim");
}

/* All threads of the process end, and nothing else that they do is of their own free will. */
void on_oom_victim(struct happening *at)
{
	enum { PID };
	int32_t tid = wake_thread(at->wake, (int32_t)happening_number(at, PID))->tid;
	int32_t process = events_tgid(at->wake->events, tid);

	for (size_t i = 0; i < at->wake->threads.count; i++) {
		struct thread *thread = at->wake->threads.items[i];

		if (thread->tid != TID_IDLE && thread->died == TIME_NONE &&
		    (thread->tid == tid || (process && events_tgid(at->wake->events, thread->tid) == process)))
			does(at, thread, thread->doing | PIECE_KILLED);
	}
}

/* The kernel's flags of a contention, the more telling first. */
static const struct {
	int64_t flag;
	const char *name;
} locks[] = {
	{0x20, "kernel mutex"},
	{0x10, "kernel per-CPU semaphore"},
	{0x08, "kernel real-time lock"},
	{0x02, "kernel semaphore for reading"},
	{0x04, "kernel semaphore for writing"},
};

enum { LOCK_SPIN = 1, LOCK_MUTEX = 0x20 };

void on_contention_begin(struct happening *at)
{
	enum { FLAGS, LOCK };
	struct thread *thread = happening_own(at);
	int64_t flags = happening_number(at, FLAGS);

	if (!thread)
		return;
	spin_over(at->wake, thread, at->cpu->number);
	does(at, thread, flags & LOCK_SPIN ? thread->doing | PIECE_SPIN : thread->doing & ~PIECE_SPIN);
	if (flags & LOCK_SPIN && flags & LOCK_MUTEX)
		spin_begin(at->wake, thread);
	else if (flags & LOCK_SPIN)
		return; /* it will not sleep for this one, but perhaps for one that it tries to get meanwhile */
	thread->lock_address = (uint64_t)happening_number(at, LOCK);
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		if (flags & locks[i].flag) {
			thread->lock = wake_name_text(at->wake->names, locks[i].name);
			return;
		}
}

void on_contention_end(struct happening *at)
{
	enum { LOCK };
	struct thread *thread = happening_own(at);

	if (!thread)
		return;
	if (thread->lock_address == (uint64_t)happening_number(at, LOCK))
		thread->lock = CALL_NONE;
	spin_over(at->wake, thread, at->cpu->number);
	does(at, thread, thread->doing & ~PIECE_SPIN);
}
