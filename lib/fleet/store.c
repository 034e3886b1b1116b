#include "fleet/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include <xxhash.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "stream/fields.h"
#include "stream/record.h"

struct seen {
	XXH128_hash_t id;
	UT_hash_handle hh;
};

struct store {
	FILE *out;
	char *name;
	bool is_file, terminal;
	struct seen *seen;
};

/* Remembers an id; false: it was known already. */
static bool remember_id(struct store *store, const char *id)
{
	XXH128_hash_t hash = XXH3_128bits(id, strlen(id));
	struct seen *seen;

	HASH_FIND(hh, store->seen, &hash, sizeof(hash), seen);
	if (seen)
		return false;
	seen = NEW(struct seen);
	seen->id = hash;
	HASH_ADD(hh, store->seen, id, sizeof(seen->id), seen);
	return true;
}

/* Notes the id of a `run` record, or of a `stream` record if it has one. `number`: of the line, for messages. */
static int note_id(struct store *store, const char *text, size_t length, const char *key, long long number)
{
	struct fields fields;
	char *id;

	if (fields_parse(&fields, text, length) < 0)
		return fail_prefix("%s:%lld", store->name, number);
	id = fields_copy(&fields, key);
	if (!id && !strcmp(key, "id"))
		return fail("%s:%lld: a run needs an id", store->name, number);
	if (id)
		remember_id(store, id);
	free(id);
	return 0;
}

static bool is_kind(const char *text, size_t length, const char *kind)
{
	size_t size = strlen(kind);

	return length >= size && !memcmp(text, kind, size) && (length == size || text[size] == ' ');
}

#define BEGINNING "stream "

/* Tells whether a first line, which a crash may have cut, is that of a file of ours: all other files stay as they are. */
static bool is_beginning(const char *text, size_t length)
{
	return !memcmp(text, BEGINNING, length < strlen(BEGINNING) ? length : strlen(BEGINNING));
}

/* Reads the ids that the file has; sets *whole to the end of its last whole stream. */
static int read_known(struct store *store, int fd, off_t *whole)
{
	FILE *file = fdopen(fd, "r");
	char *text = NULL;
	size_t room = 0;
	off_t at = 0;
	ssize_t length;
	int status = file ? 0 : fail_errno("cannot read '%s'", store->name);

	*whole = 0;
	for (long long number = 1; status == 0 && (length = getline(&text, &room, file)) > 0; number++) {
		at += length;
		if (number == 1 && !is_beginning(text, (size_t)length))
			status = fail("'%s' has no runs of a fleet in it", store->name);
		else if (text[length - 1] != '\n')
			break;
		else if (is_kind(text, (size_t)length - 1, "run"))
			status = note_id(store, text, (size_t)length - 1, "id", number);
		else if (is_kind(text, (size_t)length - 1, "stream"))
			status = note_id(store, text, (size_t)length - 1, "moments", number);
		else if (is_kind(text, (size_t)length - 1, "end"))
			*whole = at;
	}
	if (status == 0 && ferror(file))
		status = fail_errno("cannot read '%s'", store->name);
	free(text);
	if (file)
		fclose(file);
	else
		close(fd);
	return status;
}

/* Forgets all ids. */
static void forget(struct store *store)
{
	HASH_FREE(store->seen);
}

/*
 * Reads the ids of the file, and cuts off the rest of a run that a crash cut. That run was not acknowledged, so it comes again: its id must be
 * forgotten, so a second round reads all ids anew.
 */
static int recover(struct store *store, const char *path, int fd)
{
	char own[32];
	struct stat status;
	off_t whole = 0;
	int input;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return fail("'%s' is no file", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return fail_errno("another pull writes '%s'", path);
	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 2; i++) {
		input = open(own, O_RDONLY | O_CLOEXEC);
		if (input < 0)
			return fail_errno("cannot read '%s'", path);
		forget(store);
		if (read_known(store, input, &whole) < 0)
			return -1;
		if (whole == status.st_size)
			break;
		if (ftruncate(fd, whole) < 0)
			return fail_errno("cannot write '%s'", path);
		status.st_size = whole;
	}
	return lseek(fd, whole, SEEK_SET) < 0 ? fail_errno("cannot write '%s'", path) : 0;
}

struct store *store_open(const char *path)
{
	struct store *store = NEW(struct store);
	int fd = path ? file_record(path) : STDOUT_FILENO;

	store->name = memory_text(path ? path : "standard output", strlen(path ? path : "standard output"));
	store->is_file = path != NULL;
	store->terminal = !path && isatty(fd);
	if (fd >= 0 && (!path || recover(store, path, fd) == 0)) {
		store->out = path ? fdopen(fd, "w") : stdout;
		return store;
	}
	if (fd >= 0 && path)
		close(fd);
	store_close(store);
	return NULL;
}

void store_close(struct store *store)
{
	forget(store);
	if (store->out && store->is_file)
		fclose(store->out);
	free(store->name);
	free(store);
}

static unsigned long long count_lines(const char *text, size_t length)
{
	unsigned long long count = 0;

	for (const char *at = text; (at = memchr(at, '\n', length - (size_t)(at - text))); at++)
		count++;
	return count;
}

/* A machine may have sent any bytes within quotes, and a terminal obeys them. */
static void write_clean(FILE *out, const char *text, size_t length)
{
	for (const char *at = text, *end = text + length, *newline; at < end; at = newline + 1) {
		char *clean;

		newline = memchr(at, '\n', (size_t)(end - at));
		clean = clean_text(at, (size_t)(newline - at));
		fprintf(out, "%s\n", clean);
		free(clean);
	}
}

int store_add(struct store *store, const struct parcel *parcel)
{
	if (!remember_id(store, parcel->id))
		return 1;
	if (!parcel->moments)
		fprintf(store->out, "stream version=%d\n", STREAM_VERSION);
	if (store->terminal)
		write_clean(store->out, parcel->text, parcel->length);
	else
		fwrite(parcel->text, 1, parcel->length, store->out);
	if (!parcel->moments)
		fprintf(store->out, "end records=%llu lost=0\n", count_lines(parcel->text, parcel->length) + 1);
	return ferror(store->out) ? fail_errno("cannot write '%s'", store->name) : 0;
}

int store_sync(struct store *store, bool *closed)
{
	*closed = false;
	if (file_flush(store->out, store->name, closed) < 0)
		return -1;
	if (fsync(fileno(store->out)) < 0 && errno != EINVAL && errno != EROFS)
		return fail_errno("cannot write '%s'", store->name);
	return 0;
}
