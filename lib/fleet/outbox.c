#include "fleet/outbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "fleet/parcel.h"
#include "fleet/subject.h"
#include "run/run.h"
#include "stream/line.h"

#define WAITING ".run"
#define SENT	".sent"
#define TOLD	"told-"	  /* prefix of the names of sentences */
#define SECRET	"secret"  /* name of the note with the secret */

enum { KEPT_SECONDS = 600, ADDED_UNSEEN = 64, SECRET_LENGTH = 32 /* digits */ };

struct waiting {
	char name[FOLDER_NAME];
};

struct outbox {
	struct folder notes, runs; /* `runs` is in `notes` */
	char secret[SECRET_LENGTH + 1];
	uint64_t most, used; /* bytes; `used` as far as this process knows */
	unsigned added;
	ARRAY(struct waiting) waiting; /* names, the oldest first, read when `at` was 0 */
	size_t at;
};

static int make_parent(const char *folder)
{
	char *copy = memory_text(folder, strlen(folder)), *parent = dirname(copy);
	bool done = mkdir(parent, 0755) == 0 || errno == EEXIST;

	if (!done)
		fail_errno("cannot make '%s'", parent);
	free(copy);
	return done ? 0 : -1;
}

static int make_secret(struct outbox *outbox)
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return fail_errno("there are no random numbers");
	snprintf(outbox->secret, sizeof(outbox->secret), "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
	return folder_write(&outbox->notes, SECRET, outbox->secret, SECRET_LENGTH);
}

/* Reads or makes the secret. All processes that use the folder share it, so that a message that is sent again has the same name. */
static int take_secret(struct outbox *outbox)
{
	size_t length = 0;
	char *text;
	int status = 0;

	flock(outbox->notes.fd, LOCK_EX);
	text = folder_mark(&outbox->notes, SECRET) ? folder_read(&outbox->notes, SECRET, SECRET_LENGTH, &length) : NULL;
	if (text && length == SECRET_LENGTH)
		memcpy(outbox->secret, text, length);
	else
		status = make_secret(outbox);
	free(text);
	flock(outbox->notes.fd, LOCK_UN);
	return status;
}

char *outbox_message_name(const struct outbox *outbox, const char *id)
{
	return memory_format("%s:%s", outbox->secret, id);
}

struct outbox *outbox_open(const char *folder, uint64_t most)
{
	struct outbox opened = {.most = most}, *outbox;

	if (make_parent(folder) < 0 || folder_open(&opened.notes, AT_FDCWD, folder) < 0)
		return NULL;
	if (folder_open(&opened.runs, opened.notes.fd, "runs") < 0) {
		folder_close(&opened.notes);
		return NULL;
	}
	outbox = NEW(struct outbox);
	*outbox = opened;
	if (take_secret(outbox) == 0)
		return outbox;
	outbox_free(outbox);
	return NULL;
}

void outbox_free(struct outbox *outbox)
{
	folder_close(&outbox->notes);
	folder_close(&outbox->runs);
	free(outbox->waiting.items);
	free(outbox);
}

const struct folder *outbox_notes(const struct outbox *outbox)
{
	return &outbox->notes;
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name);

	return length < FOLDER_NAME && length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct waiting *)a)->name, ((const struct waiting *)b)->name);
}

/* Lists the names of files that end with `end`, the oldest first, because names of runs begin with a time. The caller frees *names. */
static size_t list(const struct outbox *outbox, const char *end, struct waiting **names)
{
	int fd = openat(outbox->runs.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

	return fstatat(outbox->runs.fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)status.st_size : 0;
}

static void count_dropped(const struct outbox *outbox, uint64_t more)
{
	char text[NUMBER_ROOM];

	folder_write(&outbox->notes, OUTBOX_DROPPED, text, number_spell_unsigned(text, outbox_dropped(outbox) + more));
}

uint64_t outbox_dropped(const struct outbox *outbox)
{
	size_t length;
	char *text = folder_mark(&outbox->notes, OUTBOX_DROPPED) ? folder_read(&outbox->notes, OUTBOX_DROPPED, OUTBOX_NOTE, &length) : NULL;
	uint64_t count = 0;

	if (text && number_count(text, length, &count) < 0)
		count = 0;
	free(text);
	return count;
}

/* Drops messages until there is room. Sent ones go first, because the server most likely has them. The sender may remove one meanwhile. */
static void make_room(struct outbox *outbox, uint64_t more)
{
	static const char *const kinds[] = {WAITING, SENT};
	struct waiting *names[2];
	size_t counts[2];
	uint64_t total = more, dropped = 0;

	outbox->used += more;
	if (outbox->added % ADDED_UNSEEN && outbox->used <= outbox->most) /* else measures anew, because other processes add, too */
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
			if (unlinkat(outbox->runs.fd, names[i][j].name, 0) == 0 && i == 0)
				dropped++;
			total -= size < total ? size : total;
		}
		free(names[i]);
	}
	outbox->used = total;
	if (dropped)
		count_dropped(outbox, dropped);
}

int outbox_add(struct outbox *outbox, const char *text, size_t length)
{
	char name[FOLDER_NAME], *bytes;
	struct timespec now;
	size_t size;
	int status;

	if (parcel_pack(text, length, &bytes, &size) < 0)
		return -1;
	make_room(outbox, size);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), "%012lld.%09ld-%d-%u" WAITING, (long long)now.tv_sec, now.tv_nsec, (int)getpid(), outbox->added++);
	status = folder_write(&outbox->runs, name, bytes, size);
	free(bytes);
	return status;
}

int outbox_tell(struct outbox *outbox, const char *node, const char *job, const char *about, const char *text)
{
	char *id = memory_format("%.*s:%s:%016llx", RUN_ID_NODE, node, job, (unsigned long long)XXH3_64bits(text, strlen(text)));
	char name[FOLDER_NAME], *bytes;
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
		status = folder_write(&outbox->runs, name, bytes, size);
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

int outbox_read(const struct outbox *outbox, const char *name, char **bytes, size_t *size)
{
	*bytes = folder_read(&outbox->runs, name, PARCEL_MOST, size);
	return *bytes ? 0 : errno == ENOENT ? 1 : -1;
}

void outbox_sent(struct outbox *outbox, const char *name, bool kept)
{
	char sent[FOLDER_NAME];

	if (!kept) {
		folder_remove(&outbox->runs, name);
		return;
	}
	snprintf(sent, sizeof(sent), "%.*s" SENT, (int)(strlen(name) - strlen(WAITING)), name);
	utimensat(outbox->runs.fd, name, NULL, AT_SYMLINK_NOFOLLOW); /* notes the time of sending */
	renameat(outbox->runs.fd, name, outbox->runs.fd, sent);
}

void outbox_again(struct outbox *outbox)
{
	struct waiting *names;
	size_t count = list(outbox, SENT, &names);

	for (size_t i = 0; i < count; i++) {
		char name[FOLDER_NAME];

		snprintf(name, sizeof(name), "%.*s" WAITING, (int)(strlen(names[i].name) - strlen(SENT)), names[i].name);
		if (folder_mark(&outbox->runs, name)) /* a newer sentence about the same waits */
			folder_remove(&outbox->runs, names[i].name);
		else
			renameat(outbox->runs.fd, names[i].name, outbox->runs.fd, name);
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

		if (fstatat(outbox->runs.fd, names[i].name, &status, AT_SYMLINK_NOFOLLOW) == 0 && now - status.st_mtime > KEPT_SECONDS)
			unlinkat(outbox->runs.fd, names[i].name, 0);
	}
	free(names);
}
