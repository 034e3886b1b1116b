#include "source/markers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "source/marker_rings.h"
#include "source/sent_files.h"
#include "stream/line.h"

enum {
	DATAGRAM_MOST = 1 << 16,
	TEXT_MOST = 200,
	THROW_MOST = 1000,
	TAKEN_MOST = 64, /* datagrams at a time, because events wait meanwhile */
	TAKEN_LAST = 600, /* datagrams at the end: more than can wait (512 under systemd), and yet a bound for a sender that never stops */
	SENDERS = 64,	 /* processes that are counted one by one in a second; others are counted together */
	SENDER_MOST = 200000,
	ALL_MOST = 400000,
	DROPPED_MOST = 100000000, /* markers that a sender may claim to have dropped since its last datagram */
	FOLDER_MODE = 0711,
	LOCK_TRIES = 200,
	LOCK_PAUSE_NS = 10000000,
};

/* Older markers were held back, and explain nothing any more. */
#define OLDEST (60 * NSEC_PER_SEC)

/* Below this number, a double can tell an integer from its neighbours. */
#define NUMBER_MOST 9007199254740992.0

enum op { OP_CREATE = 1, OP_RUN, OP_PAUSE, OP_AWAIT, OP_END, OP_THROW, OPS };
static const char *const op_names[OPS] = {[OP_CREATE] = "create", [OP_RUN] = "run", [OP_PAUSE] = "pause", [OP_AWAIT] = "await", [OP_END] = "end"};

/* What the mode says in a row of op await, and of op end. */
enum { MODES = 3 };
static const char *const modes[MODES] = {NULL, "all", "any"};
static const char *const results[MODES] = {"done", "error", "cancelled"};

/* A row of a datagram. */
enum { ROW_TIME, ROW_WHAT, ROW_ID, ROW_PARENT, ROW_ON, ROW_NUMBERS };
enum { HEAD_MAGIC, HEAD_ROWS, HEAD_TID, HEAD_PID, HEAD_DROPPED };
enum { ROW_SIZE = ROW_NUMBERS * sizeof(double) };

struct row {
	double number[ROW_NUMBERS];
};

struct sender {
	int32_t pid;	     /* 0: all processes that have no place of their own */
	int32_t tid, thread; /* the thread as the sender calls it, and as events call it; 0: not known */
	uint32_t markers;
	uint64_t lost;
};

struct markers {
	int fd[MARKERS]; /* -1: the kind is not wanted */
	struct marker_rings *rings;
	int64_t second;
	uint32_t markers; /* of this second */
	uint64_t lost;	  /* of all seconds */
	struct sender senders[SENDERS];
	int count;
	char datagram[DATAGRAM_MOST];
};

/* The caller frees it. */
static char *socket_path(int kind)
{
	const char *path = getenv("TAILBLAME_MARKERS");

	return memory_format("%s%s", path && *path ? path : MARKERS_PATH, kind == MARKERS_OF_THROWS ? MARKERS_THROWN : "");
}

/* --- the socket ---------------------------------------------------------------------------------------------------------- */

static int address_of(const char *path, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address->sun_path))
		return fail("'%s' is too long for a socket's name", path);
	strcpy(address->sun_path, path);
	return 0;
}

/*
 * Opens the socket's folder. -1 after fail(). A user who can open a folder can lock it. So our own folder has a mode by which other users can
 * pass through it, but cannot list or open it.
 */
static int open_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? memory_text(path, slash == path ? 1 : (size_t)(slash - path)) : memory_text(".", 1);
	int fd;

	mkdir(folder, FOLDER_MODE); /* it may be there already; else the next call says what is wrong */
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fail_errno("cannot open '%s'", folder);
	else if (strncmp(path, MARKERS_PATH, strlen(MARKERS_PATH)) == 0)
		fchmod(fd, FOLDER_MODE); /* an earlier version let others open it */
	free(folder);
	return fd;
}

/*
 * A process that makes or removes the socket holds this lock on its folder. If other users can open the folder, they can hold the lock as long as
 * they like, so after two seconds we go on without it. Returns the folder, open; -1 after fail().
 */
static int lock_folder(const char *path)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
	int fd = open_folder(path);

	for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && i < LOCK_TRIES; i++)
		nanosleep(&pause, NULL);
	return fd;
}

static const char names_file[] = "names";

int markers_names(void)
{
	char *path = socket_path(MARKERS_OF_TASKS);
	int folder = open_folder(path), fd;

	free(path);
	if (folder < 0)
		return -1;
	fd = openat(folder, names_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644); /* a pipe in its place is not waited for */
	if (fd < 0)
		fail_errno("cannot make '%s' beside the socket of markers", names_file);
	close(folder);
	return fd;
}

bool markers_name(int names, bool wanted)
{
	struct flock lock = {.l_type = wanted ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};

	return fcntl(names, F_OFD_SETLK, &lock) == 0 && wanted;
}

/* Removes the file `names`, if nobody has it locked. */
static void remove_names(int folder)
{
	int fd = openat(folder, names_file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && markers_name(fd, true))
		unlinkat(folder, names_file, 0);
	if (fd >= 0)
		close(fd);
}

/* 1: it is a socket that nobody reads; 0: somebody reads it, or that is unknown, or it is another file. */
static int is_dead(const struct sockaddr_un *address)
{
	struct stat file;
	int fd, dead;

	if (lstat(address->sun_path, &file) < 0 || !S_ISSOCK(file.st_mode))
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	dead = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return dead;
}

/* Makes the socket's file with its final mode: a later chmod(2) would change whatever file has the name then. */
static int bind_for_all(int fd, const struct sockaddr_un *address)
{
	mode_t mask = umask(0);
	int status = fchmod(fd, 0666) < 0 ? -1 : bind(fd, (const struct sockaddr *)address, sizeof(*address)), reason = errno;

	umask(mask);
	errno = reason;
	return status;
}

/* Refuses files, and has the kernel attach the sender's credentials to each datagram. */
static int set_up(int fd)
{
	int on = 1;

	sent_files_refuse(fd);
	return setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
}

static int bind_socket(int fd, const char *path)
{
	struct sockaddr_un address;
	int folder, status = -1;

	if (address_of(path, &address) < 0)
		return -1;
	folder = lock_folder(path);
	if (folder < 0)
		return -1;
	if (is_dead(&address))
		unlink(path);
	if (set_up(fd) == 0 && bind_for_all(fd, &address) == 0)
		status = 0;
	else if (errno == EADDRINUSE)
		fail("another trace-collect has '%s'", path);
	else
		fail_errno("cannot make '%s'", path);
	close(folder);
	return status;
}

/* A descriptor; -1 after fail(). */
static int open_socket(int kind)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char *path = socket_path(kind);

	if (fd < 0) {
		fail_errno("cannot make a socket");
	} else if (bind_socket(fd, path) < 0) {
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

struct markers *markers_open(const bool wanted[MARKERS])
{
	struct markers *markers = NEW(struct markers);

	markers->rings = marker_rings_new();
	for (int kind = 0; kind < MARKERS; kind++)
		markers->fd[kind] = -1;
	for (int kind = 0; kind < MARKERS; kind++)
		if (wanted[kind] && (markers->fd[kind] = open_socket(kind)) < 0) {
			markers_close(markers);
			return NULL;
		}
	return markers;
}

/* Removes a socket's file; with `dead`, only if nobody reads the socket. */
static int remove_socket(int kind, bool dead)
{
	char *path = socket_path(kind);
	struct sockaddr_un address;
	struct stat file;
	int folder = -1, status = 0;

	if (lstat(path, &file) == 0 && S_ISSOCK(file.st_mode) && address_of(path, &address) == 0) {
		folder = lock_folder(path);
		status = folder < 0 ? -1 : !dead || is_dead(&address) ? unlink(path) : 0;
		if (status == 0 && kind == MARKERS_OF_TASKS && access(path, F_OK) < 0)
			remove_names(folder);
	}
	if (folder >= 0)
		close(folder);
	free(path);
	return status;
}

void markers_close(struct markers *markers)
{
	if (markers)
		marker_rings_free(markers->rings);
	for (int kind = 0; markers && kind < MARKERS; kind++)
		if (markers->fd[kind] >= 0) {
			remove_socket(kind, false);
			sent_files_close(markers->fd[kind]);
		}
	free(markers);
}

int markers_sweep(void)
{
	int status = 0;

	for (int kind = 0; kind < MARKERS; kind++)
		status |= remove_socket(kind, true);
	return status;
}

int markers_descriptor(const struct markers *markers, int kind)
{
	return markers->fd[kind];
}

/* --- a datagram ---------------------------------------------------------------------------------------------------------- */

static struct row row_at(const void *datagram, size_t number)
{
	struct row row;

	memcpy(&row, (const char *)datagram + number * ROW_SIZE, sizeof(row));
	return row;
}

static bool is_whole(double number)
{
	return number >= 0 && number < NUMBER_MOST && floor(number) == number;
}

static unsigned op_of(const struct row *row)
{
	return (unsigned)row->number[ROW_WHAT] % 16;
}

static unsigned mode_of(const struct row *row)
{
	return (unsigned)row->number[ROW_WHAT] / 16 % 16;
}

static size_t text_of(const struct row *row)
{
	return (size_t)row->number[ROW_WHAT] / 256;
}

static bool is_sound(const struct row *row, int kind, int64_t now)
{
	const double *number = row->number;
	double most = kind == MARKERS_OF_THROWS ? THROW_MOST : TEXT_MOST;

	for (int i = 0; i < ROW_NUMBERS; i++)
		if (!is_whole(number[i]))
			return false;
	return number[ROW_WHAT] < 256.0 * (most + 1) && op_of(row) >= OP_CREATE && op_of(row) < OPS && (op_of(row) == OP_THROW) == (kind == MARKERS_OF_THROWS) && mode_of(row) < MODES && number[ROW_ID] > 0 &&
	       (int64_t)number[ROW_TIME] <= now && (int64_t)number[ROW_TIME] > now - OLDEST;
}

/* How many markers a datagram has; -1: it is malformed, or a number is out of bounds. */
static int count_of(int kind, const void *datagram, size_t size, int64_t now)
{
	size_t texts = 0, rows;
	struct row head;

	if (size < ROW_SIZE)
		return -1;
	head = row_at(datagram, 0);
	for (int i = 0; i < ROW_NUMBERS; i++)
		if (!is_whole(head.number[i]))
			return -1;
	if (head.number[HEAD_MAGIC] != MARKERS_MAGIC || head.number[HEAD_ROWS] >= (double)(size / ROW_SIZE) ||
	    head.number[HEAD_DROPPED] > DROPPED_MOST)
		return -1;
	rows = (size_t)head.number[HEAD_ROWS];
	for (size_t i = 1; i <= rows; i++) {
		struct row row = row_at(datagram, i);

		if (!is_sound(&row, kind, now))
			return -1;
		texts += text_of(&row);
	}
	return (rows + 1) * ROW_SIZE + texts == size ? (int)rows : -1;
}

static void add_number(struct line *line, const char *key, double number)
{
	if (number > 0)
		line_unsigned(line, key, (uint64_t)number);
}

static void spell(struct line *line, const struct row *row, int32_t pid, int32_t tid, const char *text)
{
	unsigned op = op_of(row);

	line_begin(line, kind_name(KIND_ASYNC));
	line_time(line, "ts", (int64_t)row->number[ROW_TIME]);
	line_text(line, "op", op_names[op]);
	line_integer(line, "pid", pid);
	if (tid)
		line_integer(line, "tid", tid);
	add_number(line, "id", row->number[ROW_ID]);
	add_number(line, "parent", row->number[ROW_PARENT]);
	if ((op == OP_CREATE || op == OP_RUN) && text_of(row))
		line_bytes(line, "name", text, text_of(row));
	add_number(line, "on", row->number[ROW_ON]);
	if (op == OP_RUN && mode_of(row))
		line_text(line, "prompt", "yes");
	if (op == OP_CREATE && mode_of(row))
		line_text(line, "before", "yes");
	if (op == OP_AWAIT && mode_of(row))
		line_text(line, "mode", modes[mode_of(row)]);
	if (op == OP_END)
		line_text(line, "result", results[mode_of(row)]);
}

static void add_object(struct line *line, const char *key, double number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)number);
	if (number > 0)
		line_text(line, key, text);
}

/* Cuts the next line off the text; returns its length. */
static size_t next_part(const char **text, size_t *left, const char **part)
{
	const char *end = memchr(*text, '\n', *left);
	size_t length = end ? (size_t)(end - *text) : *left, taken = length + (end != NULL);

	*part = *text;
	*text += taken;
	*left -= taken;
	return length;
}

static void spell_throw(struct line *line, const struct row *row, int32_t pid, int32_t tid, const char *text)
{
	size_t left = text_of(row), length;
	const char *part, *end;

	line_begin(line, kind_name(KIND_EXCEPTION));
	line_time(line, "ts", (int64_t)row->number[ROW_TIME]);
	if (tid)
		line_integer(line, "tid", tid);
	line_integer(line, "pid", pid);
	add_object(line, "object", row->number[ROW_ID]);
	length = next_part(&text, &left, &part);
	line_bytes(line, "name", length ? part : "?", length ? length : 1);
	length = next_part(&text, &left, &part);
	if (length)
		line_bytes(line, "what", part, length);
	length = next_part(&text, &left, &part);
	end = memchr(part, ';', length);
	if (length)
		line_bytes(line, "function", part, end ? (size_t)(end - part) : length);
	add_object(line, "cause", row->number[ROW_PARENT]);
	if (mode_of(row))
		line_text(line, "again", "yes");
	if (length)
		line_bytes(line, "calls", part, length);
}

static int write_lost(struct stream *stream, int32_t pid, uint64_t count, int64_t now)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_ASYNC));
	line_time(&line, "ts", now);
	line_text(&line, "op", "lost");
	line_integer(&line, "pid", pid);
	line_unsigned(&line, "count", count);
	status = stream_write_line(stream, &line);
	line_free(&line);
	stream_mark_incomplete(stream);
	return status;
}

int markers_write(struct stream *stream, int kind, const void *datagram, size_t size, int32_t pid, int32_t tid, int64_t now)
{
	int rows = count_of(kind, datagram, size, now);
	const char *text = (const char *)datagram + (rows + 1) * ROW_SIZE;
	struct line line = {0};
	int status = 0;

	for (int i = 1; i <= rows && status == 0; i++) {
		struct row row = row_at(datagram, (size_t)i);

		(kind == MARKERS_OF_THROWS ? spell_throw : spell)(&line, &row, pid, tid, text);
		text += text_of(&row);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	if (rows >= 0 && status == 0 && row_at(datagram, 0).number[HEAD_DROPPED] > 0)
		status = write_lost(stream, pid, (uint64_t)row_at(datagram, 0).number[HEAD_DROPPED], now);
	return status < 0 ? -2 : rows;
}

/* --- senders ------------------------------------------------------------------------------------------------------------- */

/* The last place is shared by all processes that have none of their own. */
static struct sender *find_sender(struct markers *markers, int32_t pid)
{
	for (int i = 0; i < markers->count; i++)
		if (markers->senders[i].pid == pid)
			return &markers->senders[i];
	if (markers->count == SENDERS)
		return &markers->senders[SENDERS - 1];
	markers->senders[markers->count] = (struct sender){.pid = markers->count == SENDERS - 1 ? 0 : pid};
	return &markers->senders[markers->count++];
}

/* A sender in another PID namespace has other numbers for its threads, so of these only the first is known. 0: not known. */
static int32_t find_thread(const struct row *head, int32_t pid)
{
	int32_t tid = head->number[HEAD_TID] <= INT32_MAX ? (int32_t)head->number[HEAD_TID] : 0;
	char path[64];

	if (head->number[HEAD_TID] == head->number[HEAD_PID])
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return tid && head->number[HEAD_PID] == pid && access(path, F_OK) == 0 ? tid : 0;
}

static int32_t thread_of(struct sender *sender, const struct row *head, int32_t pid)
{
	int32_t tid = head->number[HEAD_TID] <= INT32_MAX ? (int32_t)head->number[HEAD_TID] : 0;

	if (sender->pid != pid)
		return find_thread(head, pid);
	if (!sender->tid || sender->tid != tid) {
		sender->tid = tid;
		sender->thread = find_thread(head, pid);
	}
	return sender->thread;
}

/* Writes how many were dropped in this second. */
static int tell_lost(const struct markers *markers, struct stream *stream, int64_t now)
{
	int status = 0;

	for (int i = 0; i < markers->count && status == 0; i++)
		if (markers->senders[i].lost)
			status = write_lost(stream, markers->senders[i].pid, markers->senders[i].lost, now);
	return status;
}

static int end_second(struct markers *markers, struct stream *stream, int64_t now)
{
	int status;

	if (now / NSEC_PER_SEC == markers->second)
		return 0;
	status = tell_lost(markers, stream, now);
	markers->second = now / NSEC_PER_SEC;
	markers->markers = 0;
	markers->count = 0;
	return status;
}

static int take(struct markers *markers, struct stream *stream, int kind, size_t size, int32_t pid, int64_t now)
{
	int count = count_of(kind, markers->datagram, size, now);
	struct sender *sender;
	uint64_t dropped;
	struct row head;

	if (count < 0)
		return 0;
	head = row_at(markers->datagram, 0);
	dropped = (uint64_t)head.number[HEAD_DROPPED];
	markers->lost += dropped;
	sender = find_sender(markers, pid);
	if (sender->markers + (uint32_t)count > SENDER_MOST || markers->markers + (uint32_t)count > ALL_MOST) {
		sender->lost += (uint32_t)count + dropped;
		markers->lost += (uint32_t)count;
		return 0;
	}
	sender->markers += (uint32_t)count + 1; /* an empty datagram costs, too */
	markers->markers += (uint32_t)count + 1;
	return markers_write(stream, kind, markers->datagram, size, pid, thread_of(sender, &head, pid), now) == -2 ? -1 : 0;
}

/* The sender's credentials, as the kernel attached them; pid 0: the process is not in this PID namespace. */
static struct ucred sender_of(struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	struct ucred sender = {0};

	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_CREDENTIALS)
		memcpy(&sender, CMSG_DATA(control), sizeof(sender));
	return sender;
}

/* Tells whether the datagram only says which descriptor of its sender is a ring. */
static bool is_ring(const struct markers *markers, int kind, size_t size)
{
	return kind == MARKERS_OF_TASKS && size == ROW_SIZE && row_at(markers->datagram, 0).number[HEAD_MAGIC] == MARKER_RING_MAGIC;
}

static int take_ring(struct markers *markers, struct stream *stream, const struct ucred *sender, int64_t now)
{
	double number = row_at(markers->datagram, 0).number[1];

	if (number >= 0 && number <= INT32_MAX && marker_rings_add(markers->rings, sender->pid, sender->uid, (int)number))
		return 0;
	markers->lost++;
	return write_lost(stream, sender->pid, 1, now);
}

static int take_kind(struct markers *markers, struct stream *stream, int kind, int most)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control;

	for (int i = 0; i < most; i++) {
		struct iovec data = {markers->datagram, sizeof(markers->datagram)};
		struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
		ssize_t size = sent_files_receive(markers->fd[kind], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		int64_t now = now_by(CLOCK_MONOTONIC);
		struct ucred sender;

		if (end_second(markers, stream, now) < 0)
			return -1;
		if (size < 0)
			return 0;
		sender = sender_of(&message);
		if (sender.pid <= 0 || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
			continue;
		if ((is_ring(markers, kind, (size_t)size) ? take_ring(markers, stream, &sender, now)
							  : take(markers, stream, kind, (size_t)size, sender.pid, now)) < 0)
			return -1;
	}
	return 0;
}

static int take_rings(struct markers *markers, struct stream *stream, bool last)
{
	int32_t pid;
	size_t size;

	marker_rings_look(markers->rings, last);
	while ((size = marker_rings_next(markers->rings, markers->datagram, sizeof(markers->datagram), &pid)))
		if (take(markers, stream, MARKERS_OF_TASKS, size, pid, now_by(CLOCK_MONOTONIC)) < 0)
			return -1;
	return 0;
}

int markers_take(struct markers *markers, struct stream *stream, bool last)
{
	for (int kind = 0; kind < MARKERS; kind++)
		if (markers->fd[kind] >= 0 && take_kind(markers, stream, kind, last ? TAKEN_LAST : TAKEN_MOST) < 0)
			return -1;
	if (take_rings(markers, stream, last) < 0)
		return -1;
	return last ? tell_lost(markers, stream, now_by(CLOCK_MONOTONIC)) : 0; /* no end of this second will come */
}

uint64_t markers_lost(const struct markers *markers)
{
	return markers->lost;
}
