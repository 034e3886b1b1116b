#include "fleet/outbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "fleet/parcel.h"
#include "fleet/subject.h"
#include "stream/line.h"

#define WAITING ".run"
#define SENT	".sent"
#define TOLD	"told-"	  /* what names begin with that are no runs */
#define DROPPED "dropped" /* a note */

enum { NAME_ROOM = 64, KEPT_SECONDS = 600, NOTE_MOST = 2 << 20, ADDED_UNSEEN = 64 };

struct waiting {
	char name[NAME_ROOM];
};

struct outbox {
	char *folder; /* for messages */
	int root, runs; /* descriptors */
	uint64_t most, used; /* bytes; `used` by what this process knows */
	unsigned added;
	ARRAY(struct waiting) waiting; /* names, the oldest first, as they were when `at` was 0 */
	size_t at;
};

static int open_in(int folder, const char *path, const char *name)
{
	struct stat status;
	int fd = -1;

	if (mkdirat(folder, name, 0700) < 0 && errno != EEXIST)
		return fail_errno("cannot make '%s%s'", path, name);
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0) {
		fail_errno("cannot open '%s%s'", path, name);
	} else if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH)) {
		fail("others can write to '%s%s', or it is another user's", path, name);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static int make_parent(const char *folder)
{
	char *copy = memory_text(folder, strlen(folder)), *parent = dirname(copy);
	bool done = mkdir(parent, 0755) == 0 || errno == EEXIST;

	if (!done)
		fail_errno("cannot make '%s'", parent);
	free(copy);
	return done ? 0 : -1;
}

struct outbox *outbox_open(const char *folder, uint64_t most)
{
	int root = make_parent(folder) < 0 ? -1 : open_in(AT_FDCWD, "", folder), runs = root < 0 ? -1 : open_in(root, "", "runs");
	struct outbox *outbox;

	if (runs < 0) {
		if (root >= 0)
			close(root);
		return NULL;
	}
	outbox = NEW(struct outbox);
	outbox->folder = memory_text(folder, strlen(folder));
	outbox->root = root;
	outbox->runs = runs;
	outbox->most = most;
	return outbox;
}

void outbox_free(struct outbox *outbox)
{
	close(outbox->root);
	close(outbox->runs);
	free(outbox->folder);
	free(outbox->waiting.items);
	free(outbox);
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name);

	return length < NAME_ROOM && length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct waiting *)a)->name, ((const struct waiting *)b)->name);
}

/* Names of files that end so, the oldest first, for names begin with a time. */
static size_t list(const struct outbox *outbox, const char *end, struct waiting **names)
{
	int fd = openat(outbox->runs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	ARRAY(struct waiting) found = {0};
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (ends_with(entry->d_name, end))
			memcpy(ARRAY_ADD(&found)->name, entry->d_name, strlen(entry->d_name) + 1);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), by_name);
	*names = found.items;
	return found.count;
}

static uint64_t size_of(const struct outbox *outbox, const char *name)
{
	struct stat status;

	return fstatat(outbox->runs, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)status.st_size : 0;
}

static void count_dropped(const struct outbox *outbox, uint64_t more)
{
	char text[NUMBER_ROOM];

	outbox_note(outbox, DROPPED, text, number_spell_unsigned(text, outbox_dropped(outbox) + more));
}

uint64_t outbox_dropped(const struct outbox *outbox)
{
	size_t length;
	char *text = outbox_note_mark(outbox, DROPPED) ? outbox_noted(outbox, DROPPED, &length) : NULL;
	uint64_t count = 0;

	if (text && number_count(text, length, &count) < 0)
		count = 0;
	free(text);
	return count;
}

/* Those that were sent go first: the server most likely has them. Whoever sends may have removed one meanwhile. */
static void make_room(struct outbox *outbox, uint64_t more)
{
	static const char *const kinds[] = {WAITING, SENT};
	struct waiting *names[2];
	size_t counts[2];
	uint64_t total = more, dropped = 0;

	outbox->used += more;
	if (outbox->added % ADDED_UNSEEN && outbox->used <= outbox->most) /* others add, too */
		return;
	for (int i = 0; i < 2; i++) {
		counts[i] = list(outbox, kinds[i], &names[i]);
		for (size_t j = 0; j < counts[i]; j++)
			total += size_of(outbox, names[i][j].name);
	}
	for (int i = 1; i >= 0; i--) {
		for (size_t j = 0; j < counts[i] && total > outbox->most; j++) {
			uint64_t size = size_of(outbox, names[i][j].name);

			if (!strncmp(names[i][j].name, TOLD, strlen(TOLD)))
				continue;
			if (unlinkat(outbox->runs, names[i][j].name, 0) == 0 && i == 0)
				dropped++;
			total -= size < total ? size : total;
		}
		free(names[i]);
	}
	outbox->used = total;
	if (dropped)
		count_dropped(outbox, dropped);
}

static bool write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t done = write(fd, bytes, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		length -= (size_t)done;
	}
	return true;
}

/* A file gets its name when all of it is on the disk. */
static int write_file(const struct outbox *outbox, int folder, const char *name, const char *bytes, size_t length)
{
	char draft[NAME_ROOM];
	bool done;
	int fd;

	snprintf(draft, sizeof(draft), "draft-%d", (int)getpid());
	fd = openat(folder, draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	done = fd >= 0 && write_all(fd, bytes, length) && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	if (done && renameat(folder, draft, folder, name) == 0 && fsync(folder) == 0)
		return 0;
	fail_errno("cannot write '%s' in '%s'", name, outbox->folder);
	unlinkat(folder, draft, 0);
	return -1;
}

int outbox_add(struct outbox *outbox, const char *text, size_t length)
{
	char name[NAME_ROOM], *bytes;
	struct timespec now;
	size_t size;
	int status;

	if (parcel_pack(text, length, &bytes, &size) < 0)
		return -1;
	make_room(outbox, size);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), "%012lld.%09ld-%d-%u" WAITING, (long long)now.tv_sec, now.tv_nsec, (int)getpid(), outbox->added++);
	status = write_file(outbox, outbox->runs, name, bytes, size);
	free(bytes);
	return status;
}

int outbox_tell(struct outbox *outbox, const char *node, const char *job, const char *about, const char *text)
{
	char *id = memory_format("%s:%s:%016llx", node, job, (unsigned long long)XXH3_64bits(text, strlen(text)));
	char name[NAME_ROOM], *bytes;
	struct line line = {0};
	size_t size;
	int status;

	line_begin(&line, FLEET_TOLD);
	line_text(&line, "id", id);
	line_text(&line, "job", job);
	line_text(&line, "node", node);
	line_text(&line, "text", text);
	line_append(&line, "\n", 1);
	snprintf(name, sizeof(name), TOLD "%.32s" WAITING, about);
	status = parcel_pack(line.text, line.length, &bytes, &size);
	if (status == 0) {
		status = write_file(outbox, outbox->runs, name, bytes, size);
		free(bytes);
	}
	line_free(&line);
	free(id);
	return status;
}

void outbox_rewind(struct outbox *outbox)
{
	ARRAY_FREE(&outbox->waiting);
	outbox->at = 0;
}

const char *outbox_next(struct outbox *outbox)
{
	if (outbox->at == outbox->waiting.count) {
		bool was_last = outbox->at > 0;

		outbox_rewind(outbox);
		if (was_last)
			return NULL;
		outbox->waiting.count = outbox->waiting.room = list(outbox, WAITING, &outbox->waiting.items);
	}
	return outbox->at < outbox->waiting.count ? outbox->waiting.items[outbox->at++].name : NULL;
}

/* NULL after fail(). */
static char *read_in(int folder, const char *name, size_t most, size_t *length)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	char *bytes = NULL;
	ssize_t got = 0;

	*length = 0;
	if (fd < 0 || fstat(fd, &status) < 0) {
		fail_errno("cannot read '%s'", name);
	} else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > most) {
		errno = EFBIG;
		fail("'%s' is too large, or no file", name);
	} else {
		bytes = memory_new((size_t)status.st_size + 1, 1);
		while (*length < (size_t)status.st_size && (got = read(fd, bytes + *length, (size_t)status.st_size - *length)) > 0)
			*length += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

int outbox_read(const struct outbox *outbox, const char *name, char **bytes, size_t *size)
{
	*bytes = read_in(outbox->runs, name, PARCEL_MOST, size);
	return *bytes ? 0 : errno == ENOENT ? 1 : -1;
}

void outbox_sent(struct outbox *outbox, const char *name)
{
	char sent[NAME_ROOM];

	snprintf(sent, sizeof(sent), "%.*s" SENT, (int)(strlen(name) - strlen(WAITING)), name);
	utimensat(outbox->runs, name, NULL, AT_SYMLINK_NOFOLLOW); /* when it was sent */
	renameat(outbox->runs, name, outbox->runs, sent);
}

void outbox_remove(struct outbox *outbox, const char *name)
{
	unlinkat(outbox->runs, name, 0);
}

void outbox_again(struct outbox *outbox)
{
	struct waiting *names;
	size_t count = list(outbox, SENT, &names);

	for (size_t i = 0; i < count; i++) {
		char name[NAME_ROOM];

		snprintf(name, sizeof(name), "%.*s" WAITING, (int)(strlen(names[i].name) - strlen(SENT)), names[i].name);
		renameat(outbox->runs, names[i].name, outbox->runs, name);
	}
	free(names);
	outbox_rewind(outbox);
}

void outbox_sweep(struct outbox *outbox)
{
	struct waiting *names;
	size_t count = list(outbox, SENT, &names);
	time_t now = time(NULL);

	for (size_t i = 0; i < count; i++) {
		struct stat status;

		if (fstatat(outbox->runs, names[i].name, &status, AT_SYMLINK_NOFOLLOW) == 0 && now - status.st_mtime > KEPT_SECONDS)
			unlinkat(outbox->runs, names[i].name, 0);
	}
	free(names);
}

int outbox_note(const struct outbox *outbox, const char *name, const char *text, size_t length)
{
	return write_file(outbox, outbox->root, name, text, length);
}

char *outbox_noted(const struct outbox *outbox, const char *name, size_t *length)
{
	return read_in(outbox->root, name, NOTE_MOST, length);
}

void outbox_forget(const struct outbox *outbox, const char *name)
{
	unlinkat(outbox->root, name, 0);
}

uint64_t outbox_note_mark(const struct outbox *outbox, const char *name)
{
	struct stat status;

	if (fstatat(outbox->root, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec + (uint64_t)status.st_ino;
}
