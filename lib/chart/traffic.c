#include "chart/traffic.h"

#include <linux/futex.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "event/machine.h"

enum { SOCKET_TYPE = 0xf }; /* of socket(2)'s second argument, without flags */
enum { PAGE = 1 << 10, PAGES = 1 << 12 }; /* the kernel's largest tid is 2^22 */
enum { NUMBERS = 1024, NAME_ROOM = 64, EVENTFD_LENGTH = 8 };
enum { DESCRIPTORS_MAX = 1 << 16, PROCESSES_MAX = 1 << 12 }; /* of a process, higher ones are not kept; processes with descriptors */
enum { DESCRIPTORS_KEPT = 1 << 22 }; /* of all processes. If there are more, or too many processes, the oldest process goes. */

/* A wait for many descriptors that begins this long after a question is a wait for its answer. */
static const int64_t question_lasts = NSEC_PER_SEC;

enum role { ROLE_UNKNOWN, ROLE_FILE, ROLE_ASKS, ROLE_ASKED };

struct descriptor {
	uint8_t role;
	bool connection; /* data go both ways */
	bool connected;
	bool received;	/* something came from the other side */
	bool waits;	/* the process has asked and has no answer yet */
	bool fresh;	/* a stream whose socket(2) was seen, and whose process has not waited between two sends by it */
};

struct process_descriptors {
	struct descriptor *items;
	int count;
	int32_t older, newer; /* processes by age, by tgid; 0: none */
};

/* A thread and, if it leads a process, that process. */
struct thread_calls {
	int32_t tgid, fd;
	enum call_use use; /* of the call that it is in */
	int32_t asked_fd;
	bool known;   /* it has not ended since it was first seen */
	bool answers; /* its first call seen received something on an unknown connection: what it sends next is the answer */
	bool stream;  /* the socket that it makes is SOCK_STREAM */
	bool waited, elsewhere; /* since it asked: waited for many descriptors; transferred something on another connection or pipe */
	int64_t asked; /* when it asked on asked_fd; 0: it was answered, or never asked */
	struct process_descriptors *process;
};

struct traffic {
	struct thread_calls *pages[PAGES];
	uint16_t known[PAGES]; /* threads of each page */
	int processes, descriptors;
	int32_t oldest, newest;
	uint8_t use[NUMBERS]; /* enum call_use */
};

static const struct {
	const char *name;
	enum call_use use;
} uses[] = {
	{"nanosleep", CALL_IDLE}, {"clock_nanosleep", CALL_IDLE}, {"pause", CALL_IDLE}, {"rt_sigsuspend", CALL_IDLE}, {"sigsuspend", CALL_IDLE},
	{"rt_sigtimedwait", CALL_IDLE}, {"restart_syscall", CALL_IDLE}, {"wait4", CALL_IDLE}, {"waitid", CALL_IDLE}, {"waitpid", CALL_IDLE},
	{"msgrcv", CALL_IDLE}, {"mq_timedreceive", CALL_IDLE}, {"exit", CALL_IDLE}, {"exit_group", CALL_IDLE},
	{"epoll_wait", CALL_MANY}, {"epoll_pwait", CALL_MANY}, {"epoll_pwait2", CALL_MANY}, {"poll", CALL_MANY}, {"ppoll", CALL_MANY},
	{"select", CALL_MANY}, {"_newselect", CALL_MANY}, {"pselect6", CALL_MANY}, {"io_getevents", CALL_MANY}, {"io_pgetevents", CALL_MANY},
	{"io_uring_enter", CALL_MANY}, {"fcntl", CALL_FCNTL}, {"ioctl", CALL_IOCTL}, {"futex", CALL_FUTEX}, {"futex_wait", CALL_FUTEX_WAIT}, {"futex_waitv", CALL_IDLE},
	{"accept", CALL_ACCEPT}, {"accept4", CALL_ACCEPT}, {"connect", CALL_CONNECT}, {"socket", CALL_SOCKET}, {"open", CALL_OPEN}, {"openat", CALL_OPEN},
	{"openat2", CALL_OPEN}, {"creat", CALL_OPEN}, {"close", CALL_CLOSE},
	{"read", CALL_READ}, {"readv", CALL_READ}, {"recvfrom", CALL_RECEIVE}, {"recvmsg", CALL_RECEIVE}, {"recvmmsg", CALL_RECEIVE},
	{"recv", CALL_RECEIVE}, {"write", CALL_WRITE}, {"writev", CALL_WRITE}, {"sendfile64", CALL_WRITE}, {"sendfile", CALL_WRITE},
	{"sendto", CALL_SEND}, {"sendmsg", CALL_SEND}, {"sendmmsg", CALL_SEND}, {"send", CALL_SEND},
};

enum call_use call_use_named(const char *name)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (!strcmp(uses[i].name, name))
			return uses[i].use;
	return CALL_OTHER;
}

enum call_use traffic_use(struct traffic *traffic, const char *machine, int64_t number)
{
	char name[NAME_ROOM];

	if (number < 0 || number >= NUMBERS)
		return CALL_OTHER;
	if (traffic->use[number] == CALL_UNKNOWN) {
		machine_spell_call(machine_of(machine), number, name, sizeof(name));
		traffic->use[number] = (uint8_t)call_use_named(name);
	}
	return (enum call_use)traffic->use[number];
}

struct traffic *traffic_new(void)
{
	return NEW(struct traffic);
}

static struct thread_calls *find(const struct traffic *traffic, int32_t tid)
{
	return tid > 0 && tid < PAGE * PAGES && traffic->pages[tid / PAGE] ? &traffic->pages[tid / PAGE][tid % PAGE] : NULL;
}

static struct thread_calls *thread_of(struct traffic *traffic, int32_t tid)
{
	struct thread_calls *thread;

	if (tid <= 0 || tid >= PAGE * PAGES)
		return NULL;
	if (!traffic->pages[tid / PAGE])
		traffic->pages[tid / PAGE] = memory_new(PAGE, sizeof(struct thread_calls));
	thread = &traffic->pages[tid / PAGE][tid % PAGE];
	traffic->known[tid / PAGE] += !thread->known;
	thread->known = true;
	return thread;
}

static void forget_process(struct traffic *traffic, struct thread_calls *leader)
{
	struct process_descriptors *process = leader->process;

	if (!process)
		return;
	*(process->older ? &find(traffic, process->older)->process->newer : &traffic->oldest) = process->newer;
	*(process->newer ? &find(traffic, process->newer)->process->older : &traffic->newest) = process->older;
	traffic->descriptors -= process->count;
	free(process->items);
	free(process);
	leader->process = NULL;
	traffic->processes--;
}

void traffic_forget(struct traffic *traffic)
{
	while (traffic->oldest)
		forget_process(traffic, find(traffic, traffic->oldest));
	for (int page = 0; page < PAGES; page++) {
		free(traffic->pages[page]);
		traffic->pages[page] = NULL;
		traffic->known[page] = 0;
	}
	memset(traffic->use, CALL_UNKNOWN, sizeof(traffic->use));
}

void traffic_free(struct traffic *traffic)
{
	if (traffic)
		traffic_forget(traffic);
	free(traffic);
}

bool traffic_exit(struct traffic *traffic, int32_t tid)
{
	struct thread_calls *thread = find(traffic, tid);
	bool had_descriptors = thread && thread->process;

	if (!thread || !thread->known)
		return false;
	forget_process(traffic, thread);
	*thread = (struct thread_calls){0};
	if (--traffic->known[tid / PAGE] == 0) {
		free(traffic->pages[tid / PAGE]);
		traffic->pages[tid / PAGE] = NULL;
	}
	return had_descriptors;
}

static struct process_descriptors *process_of(struct traffic *traffic, int32_t tgid)
{
	struct thread_calls *leader = thread_of(traffic, tgid);
	struct process_descriptors *process;

	if (!leader || leader->process)
		return leader ? leader->process : NULL;
	if (traffic->processes == PROCESSES_MAX)
		forget_process(traffic, find(traffic, traffic->oldest));
	process = leader->process = NEW(struct process_descriptors);
	process->older = traffic->newest;
	*(traffic->newest ? &find(traffic, traffic->newest)->process->newer : &traffic->oldest) = tgid;
	traffic->newest = tgid;
	traffic->processes++;
	return process;
}

/* A descriptor of a process; NULL: it is not kept. */
static struct descriptor *descriptor_of(struct traffic *traffic, int32_t tgid, int64_t fd)
{
	struct process_descriptors *process = fd >= 0 && fd < DESCRIPTORS_MAX ? process_of(traffic, tgid) : NULL;
	int count;

	if (!process)
		return NULL;
	if (fd >= process->count) {
		count = (int)fd < 16 ? 32 : 2 * (int)fd;
		while (traffic->descriptors + count > DESCRIPTORS_KEPT && traffic->oldest != tgid)
			forget_process(traffic, find(traffic, traffic->oldest));
		traffic->descriptors += count - process->count;
		process->items = memory_grow(process->items, (size_t)count, sizeof(*process->items));
		memset(process->items + process->count, 0, (size_t)(count - process->count) * sizeof(*process->items));
		process->count = count;
	}
	return &process->items[fd];
}

/* The first transfer seen tells the side. */
static void take_role(struct descriptor *file, enum role role, bool connection)
{
	if (file->role == ROLE_UNKNOWN)
		file->role = (uint8_t)role;
	file->connection |= connection;
}

/* Tells whether a call to receive waits for work. Its entry shows no side yet, because it may find nothing to receive. */
static bool receives(struct traffic *traffic, const struct thread_calls *thread, bool connection)
{
	struct descriptor *file = descriptor_of(traffic, thread->tgid, thread->fd);

	if (!file)
		return false;
	file->connection |= connection;
	return file->role != ROLE_FILE && !file->waits;
}

static void sends(struct traffic *traffic, struct thread_calls *thread, bool connection, int64_t length, int64_t ts)
{
	struct descriptor *file = descriptor_of(traffic, thread->tgid, thread->fd);

	if (!file)
		return;
	if (thread->answers && file->role == ROLE_UNKNOWN)
		*file = (struct descriptor){.role = ROLE_ASKED, .received = true};
	thread->answers = false;
	take_role(file, ROLE_ASKS, connection);
	if (file->role == ROLE_ASKED && file->received && length != EVENTFD_LENGTH)
		file->connection = true; /* a process that answers where it reads does not read a file */
	if (file->role != ROLE_ASKS || !(file->received || file->connected))
		return;
	file->fresh &= !(file->waits && thread->waited);
	file->waits = true;
	thread->asked = ts;
	thread->asked_fd = thread->fd;
	thread->waited = thread->elsewhere = false;
}

enum { MUTEX = 2, READ_WRITE = 3 };

/* The value of the futex that the wait expects. */
static uint32_t awaited(enum call_use use, const int64_t argument[3])
{
	return (uint32_t)argument[use == CALL_FUTEX_WAIT ? 1 : 2];
}

/* Tells whether the call waits as long as the futex has that value. */
static bool awaits_change(enum call_use use, const int64_t argument[3])
{
	int64_t operation = argument[1] & FUTEX_CMD_MASK;

	return use == CALL_FUTEX_WAIT || (use == CALL_FUTEX && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET));
}

/*
 * Tells whether a futex with this value is a lock that others wait for: 2 is a mutex of all common libraries but musl, 3 a glibc read-write lock that
 * a writer holds, and FUTEX_WAITERS beside the holder's tid a robust mutex, or any mutex of musl, which has 16 as the tid. The value of a condition
 * is a count, which is mostly 0, but 2 in musl.
 */
static bool is_contended_lock(uint32_t value)
{
	enum { TID_MOST = 1 << 22 };
	uint32_t holder = value & FUTEX_TID_MASK;

	return value == MUTEX || value == READ_WRITE || (value & FUTEX_WAITERS && holder > 0 && holder <= TID_MOST);
}

static bool waits_for_lock(enum call_use use, const int64_t argument[3])
{
	return awaits_change(use, argument) ? is_contended_lock(awaited(use, argument)) : (argument[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_REQUEUE_PI;
}

bool call_is_condition_of_musl(enum call_use use, const int64_t argument[3])
{
	return awaits_change(use, argument) && awaited(use, argument) == MUTEX;
}

static void connects(struct traffic *traffic, const struct thread_calls *thread)
{
	struct descriptor *file = descriptor_of(traffic, thread->tgid, thread->fd);

	if (file)
		*file = (struct descriptor){.role = ROLE_ASKS, .connection = true, .connected = true, .fresh = file->fresh};
}

bool traffic_enter(struct traffic *traffic, int32_t tid, int32_t tgid, enum call_use use, const int64_t argument[3], int64_t ts)
{
	struct thread_calls *thread;

	if (use == CALL_IDLE)
		return true;
	if (use == CALL_FUTEX || use == CALL_FUTEX_WAIT)
		return !waits_for_lock(use, argument);
	if (use == CALL_IOCTL) /* a virtual CPU runs its guest in one call until that needs something, even while the guest is idle */
		return (uint32_t)argument[1] == KVM_RUN;
	thread = use != CALL_OTHER && use != CALL_FCNTL ? thread_of(traffic, tid) : NULL;
	if (!thread)
		return false;
	thread->tgid = tgid > 0 ? tgid : tid;
	thread->use = use;
	thread->fd = (int32_t)argument[0];
	switch (use) {
	case CALL_MANY:
		thread->waited = true;
		return !thread->asked || timestamp_between(thread->asked, ts) >= question_lasts;
	case CALL_READ:
	case CALL_RECEIVE:
		return receives(traffic, thread, use == CALL_RECEIVE);
	case CALL_WRITE:
	case CALL_SEND:
		sends(traffic, thread, use == CALL_SEND, argument[2], ts);
		return false;
	case CALL_CONNECT:
		connects(traffic, thread);
		return false;
	case CALL_SOCKET:
		thread->stream = (argument[1] & SOCKET_TYPE) == SOCK_STREAM;
		return false;
	default:
		return use == CALL_ACCEPT;
	}
}

static void received(struct thread_calls *thread, struct descriptor *file)
{
	take_role(file, ROLE_ASKED, false);
	file->received = true;
	file->waits = false;
	if (thread->asked_fd == thread->fd)
		thread->asked = 0;
}

/* The transfer of a call that has returned, on a descriptor of the asked side. */
static int what_of(const struct descriptor *file, enum call_use use)
{
	if (use == CALL_CLOSE)
		return TRANSFER_CLOSED;
	if (file->role != ROLE_ASKED || !file->connection)
		return TRANSFER_NONE;
	return use == CALL_READ || use == CALL_RECEIVE ? TRANSFER_RECEIVED : TRANSFER_SENT;
}

/* A call has made a new descriptor. */
static void make(struct traffic *traffic, const struct thread_calls *thread, enum call_use use, int64_t fd)
{
	struct descriptor *file = descriptor_of(traffic, thread->tgid, fd);

	if (file && use == CALL_SOCKET)
		*file = (struct descriptor){.fresh = thread->stream};
	else if (file)
		*file = (struct descriptor){.role = use == CALL_OPEN ? ROLE_FILE : ROLE_ASKED, .connection = use == CALL_ACCEPT};
}

struct call_transfer traffic_return(struct traffic *traffic, int32_t tid, int64_t result)
{
	struct call_transfer transfer = {TRANSFER_NONE, 0, 0};
	struct thread_calls *thread = find(traffic, tid);
	enum call_use use = thread ? thread->use : CALL_UNKNOWN;
	struct descriptor *file;

	if (use == CALL_UNKNOWN)
		return transfer;
	thread->use = CALL_UNKNOWN;
	if (result >= 0 && (use == CALL_ACCEPT || use == CALL_OPEN || use == CALL_SOCKET))
		make(traffic, thread, use, result);
	if (use != CALL_CLOSE && (use < CALL_READ || result <= 0))
		return transfer;
	file = descriptor_of(traffic, thread->tgid, thread->fd);
	if (!file)
		return transfer;
	thread->elsewhere |= use != CALL_CLOSE && thread->fd != thread->asked_fd && file->role != ROLE_FILE;
	if (use == CALL_READ || use == CALL_RECEIVE)
		received(thread, file);
	transfer = (struct call_transfer){what_of(file, use), thread->tgid, thread->fd};
	if (use == CALL_CLOSE)
		*file = (struct descriptor){0};
	return transfer;
}

bool traffic_is_new(const struct traffic *traffic, int32_t tid)
{
	const struct thread_calls *thread = find(traffic, tid);

	return !thread || !thread->tgid;
}

void traffic_cut(struct traffic *traffic, int32_t tid, enum call_use use)
{
	struct thread_calls *thread = use == CALL_RECEIVE ? thread_of(traffic, tid) : NULL;

	if (thread)
		thread->answers = true;
}

bool traffic_waits(const struct traffic *traffic, int32_t tid)
{
	const struct thread_calls *thread = find(traffic, tid);

	return thread && thread->use == CALL_MANY;
}

int64_t traffic_question(struct traffic *traffic, int32_t tid, bool *answers)
{
	const struct thread_calls *thread = find(traffic, tid);
	const struct descriptor *file = thread && thread->tgid ? descriptor_of(traffic, thread->tgid, thread->asked_fd) : NULL;

	*answers = file && (file->received || (file->fresh && !thread->elsewhere));
	return file && file->waits ? thread->asked : 0;
}

void traffic_side(struct traffic *traffic, int32_t tgid, int32_t fd, bool asks)
{
	struct descriptor *file = descriptor_of(traffic, tgid, fd);

	if (file)
		*file = (struct descriptor){.role = asks ? ROLE_ASKS : ROLE_ASKED, .connection = true, .connected = asks};
}

bool traffic_file(struct traffic *traffic, int32_t tid, int32_t tgid, int32_t fd, const char *kind)
{
	const struct thread_calls *thread = find(traffic, tid);
	struct descriptor *file = descriptor_of(traffic, tgid > 0 ? tgid : tid, fd);

	if (!file)
		return false;
	if (!strcmp(kind, "file")) {
		file->role = ROLE_FILE;
		return false;
	}
	if (file->role == ROLE_FILE)
		file->role = ROLE_UNKNOWN;
	file->connection |= !strcmp(kind, "socket");
	return thread && thread->fd == fd && thread->use == CALL_READ && !file->waits;
}
