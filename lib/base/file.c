#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/place.h"

struct file_draft {
	struct place place; /* behind symbolic links */
	char *temporary;    /* its temporary name; NULL: it is nameless */
	FILE *stream;
	struct file_draft *next;
};

enum {
	TRIES = 100,
	RECORD_MODE = 0600, /* as perf's: a recording shows what every user of the machine does */
};

static struct file_draft *drafts; /* unfinished, for the exit handler */

static void remove_temporary(const struct file_draft *draft)
{
	if (draft->temporary)
		unlinkat(draft->place.folder, draft->temporary, 0);
}

static void remove_drafts(void)
{
	for (struct file_draft *draft = drafts; draft; draft = draft->next)
		remove_temporary(draft);
}

static void draft_free(struct file_draft *draft)
{
	for (struct file_draft **link = &drafts; *link; link = &(*link)->next)
		if (*link == draft) {
			*link = draft->next;
			break;
		}
	place_end(&draft->place);
	free(draft->temporary);
	free(draft);
}

/* Creates a file whose name begins with `front`. Returns its descriptor; -1 and errno. Sets *name, which the caller frees; NULL on failure. */
static int open_named(int folder, const char *front, int mode, char **name)
{
	int fd = -1;

	*name = NULL;
	errno = EEXIST;
	for (int try = 0; fd < 0 && errno == EEXIST && try < TRIES; try++) {
		free(*name);
		*name = place_name(front);
		fd = openat(folder, *name, mode | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd < 0) {
		free(*name);
		*name = NULL;
	}
	return fd;
}

/* Makes a nameless file in the target's folder, so that even SIGKILL leaves nothing; a named file if the file system has no nameless ones. */
static int open_temporary(struct file_draft *draft)
{
	int fd = openat(draft->place.folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : open_named(draft->place.folder, draft->place.name, O_WRONLY, &draft->temporary);
}

/*
 * The mode of the file that the draft replaces, if that file is our own; else `mode` less the umask. Set-user-ID is dropped: somebody trusted
 * the old contents with it, not the new ones.
 */
static mode_t mode_of(const struct place *place, mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	if (place->there >= 0 && place->status.st_uid == geteuid() && place->status.st_nlink == 1)
		return place->status.st_mode & 0777;
	return mode & ~mask;
}

static int open_draft(struct file_draft *draft, const char *path, mode_t mode)
{
	int fd;

	if (place_find(&draft->place, path) < 0)
		return -1;
	if (!place_is_file(&draft->place))
		return place_open(&draft->place);
	fd = open_temporary(draft);
	if (fd >= 0 && fchmod(fd, mode_of(&draft->place, mode)) == 0)
		return fd;
	fail_errno("cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static struct file_draft *new_draft(const char *path, mode_t mode)
{
	static bool registered;
	struct file_draft *draft = NEW(struct file_draft);
	int fd = open_draft(draft, path, mode);

	if (fd < 0 || !(draft->stream = fdopen(fd, "w"))) {
		if (fd >= 0) {
			fail_errno("cannot write '%s'", path);
			close(fd);
		}
		remove_temporary(draft);
		draft_free(draft);
		return NULL;
	}
	if (!registered) {
		atexit(remove_drafts);
		registered = true;
	}
	draft->next = drafts;
	drafts = draft;
	return draft;
}

struct file_draft *file_draft(const char *path)
{
	return new_draft(path, 0666);
}

struct file_draft *file_draft_record(const char *path)
{
	return new_draft(path, RECORD_MODE);
}

FILE *file_draft_stream(struct file_draft *draft)
{
	return draft->stream;
}

/* linkat() does not replace a file: link the draft under an unused name first, then rename it. */
static int link_draft(struct file_draft *draft)
{
	char *open_file = memory_format("/proc/self/fd/%d", fileno(draft->stream)), *name = NULL;
	int status = -1;

	errno = EEXIST;
	for (int try = 0; status < 0 && errno == EEXIST && try < TRIES; try++) {
		free(name);
		name = place_name(draft->place.name);
		status = linkat(AT_FDCWD, open_file, draft->place.folder, name, AT_SYMLINK_FOLLOW);
	}
	if (status == 0)
		draft->temporary = name;
	else
		free(name);
	free(open_file);
	return status;
}

static int name_draft(struct file_draft *draft)
{
	if (!draft->temporary && link_draft(draft) < 0)
		return -1;
	return renameat(draft->place.folder, draft->temporary, draft->place.folder, draft->place.name);
}

int file_draft_keep(struct file_draft *draft)
{
	const char *path = draft->place.path;
	int status = 0;

	if (fflush(draft->stream))
		status = fail_errno("cannot write '%s'", path);
	else if (ferror(draft->stream))
		status = fail("cannot write '%s'", path); /* errno of the earlier write is gone */
	else if (place_is_file(&draft->place) && (fsync(fileno(draft->stream)) || name_draft(draft)))
		status = fail_errno("cannot write '%s'", path);
	if (fclose(draft->stream) && !status)
		status = fail_errno("cannot write '%s'", path);
	if (status)
		remove_temporary(draft);
	draft_free(draft);
	return status;
}

/* Refuses a file that another user owns, or that has a second name. */
static int check_record(const struct place *place)
{
	const struct stat *status = &place->status;

	if (!place_is_file(place))
		return 0;
	if (status->st_uid != geteuid())
		return fail("cannot write '%s': it belongs to another user; remove it or name another file", place->path);
	if (status->st_nlink > 1)
		return fail("cannot write '%s': it has other names (hard links); remove it or name another file", place->path);
	return 0;
}

/* Returns a descriptor; -1 after fail(), with errno EEXIST if another process created the file meanwhile. */
static int open_record(const struct place *place)
{
	int fd;

	if (place->there >= 0)
		return check_record(place) < 0 ? -1 : place_open(place);
	fd = openat(place->folder, place->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, RECORD_MODE);
	return fd < 0 ? fail_errno("cannot open '%s'", place->path) : fd;
}

int file_record(const char *path)
{
	struct place place;
	int fd = -1;

	errno = EEXIST;
	for (int try = 0; fd < 0 && errno == EEXIST && try < TRIES; try++) {
		errno = 0;
		fd = place_find(&place, path) < 0 ? -1 : open_record(&place);
		int reason = errno;
		place_end(&place);
		errno = reason;
	}
	return fd;
}

/* If the file system has no nameless files, creates a named one and removes the name at once. */
static int open_nameless(int folder)
{
	int fd = openat(folder, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0)
		return fd;
	fd = open_named(folder, "tailblame", O_RDWR, &name);
	if (fd >= 0)
		unlinkat(folder, name, 0);
	free(name);
	return fd;
}

const char *file_temporary_folder(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given ? given : "/tmp";
}

FILE *file_temporary(const char *path)
{
	int folder = place_folder(path ? path : file_temporary_folder()), fd;
	FILE *stream;

	if (folder < 0) {
		fail_prefix("no temporary file");
		return NULL;
	}
	fd = open_nameless(folder);
	stream = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!stream) {
		fail_errno("cannot make a temporary file in '%s'", path ? path : file_temporary_folder());
		if (fd >= 0)
			close(fd);
	}
	close(folder);
	return stream;
}

/* If an earlier write failed, only the stream's error flag is left, not its errno. */
int file_settle(FILE *temporary)
{
	bool failed = ferror(temporary);

	errno = 0;
	if (fflush(temporary) == 0 && !failed)
		return 0;
	return errno ? fail_errno("cannot write a temporary file") : fail("cannot write a temporary file; TMPDIR names a folder with room");
}

/* errno may be from the failed write, or from a later call: returns it only if a write can have set it, else 0. */
static int reason_of_write(void)
{
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO || errno == EPIPE ? errno : 0;
}

int file_flush(FILE *output, const char *name, bool *closed)
{
	struct pollfd out = {.fd = fileno(output)};
	bool failed = ferror(output);
	int before = failed ? reason_of_write() : 0;

	errno = 0;
	if (fflush(output) == 0 && !failed)
		return 0;
	if (errno == 0)
		errno = before;
	if (errno == 0 && poll(&out, 1, 0) == 1 && out.revents & POLLERR)
		errno = EPIPE;
	*closed = errno == EPIPE;
	return errno ? fail_errno("cannot write %s", name) : fail("cannot write %s", name);
}

static char *read_all(FILE *stream, size_t *length)
{
	size_t room = 4096, got;
	char *text = memory_new(room, 1);

	*length = 0;
	while ((got = fread(text + *length, 1, room - *length - 1, stream)) > 0) {
		*length += got;
		if (*length > FILE_READ_MAX) {
			free(text);
			errno = EFBIG;
			return NULL;
		}
		if (*length == room - 1)
			text = memory_grow(text, room *= 2, 1);
	}
	text[*length] = '\0';
	if (ferror(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Reads a stream, and closes it; NULL: it could not be opened. */
static char *read_stream(FILE *stream, const char *path, size_t *length)
{
	size_t own;
	char *text = stream ? read_all(stream, length ? length : &own) : NULL;

	if (!text)
		fail_errno("cannot read '%s'", path);
	if (stream)
		fclose(stream);
	return text;
}

char *file_read(const char *path, size_t *length)
{
	return read_stream(fopen(path, "re"), path, length);
}

char *file_read_safely(const char *path, size_t *length)
{
	int fd = place_open_to_read(path);

	return fd < 0 ? NULL : read_stream(fdopen(fd, "r"), path, length);
}

char *file_shipped(const char *name)
{
	char program[PATH_MAX] = "";
	const char *data = getenv("TAILBLAME_DATA");
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *folder = length > 0 ? dirname(program) : ".";
	char *places[] = {
		data ? memory_format("%s/%s", data, name) : NULL,
		memory_format("%s/../share/tailblame/%s", folder, name),
		memory_format("%s/../%s", folder, name),
	};
	char *found = NULL;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i] && !found && access(places[i], R_OK) == 0)
			found = places[i];
		else
			free(places[i]);
	if (!found)
		fail("'%s' is not installed; set TAILBLAME_DATA to the folder that holds it", name);
	return found;
}
