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

struct file_draft {
	char *path;	 /* behind symbolic links */
	char *temporary; /* its name while it is written; NULL: it has none */
	bool special;	 /* a device or a pipe, which no file can take the place of */
	FILE *stream;
	struct file_draft *next;
};

enum {
	NAMES = 100, /* that are tried */
	LINKS = 40,  /* that are followed, as by the kernel */
};

static struct file_draft *drafts; /* unfinished, for the exit handler */

static void remove_temporary(const struct file_draft *draft)
{
	if (draft->temporary)
		unlink(draft->temporary);
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
	free(draft->path);
	free(draft->temporary);
	free(draft);
}

/* In the folder where it is to be, and without a name, so that even a SIGKILL leaves nothing; or with one where that cannot be. */
static int open_temporary(struct file_draft *draft)
{
	char *path = memory_text(draft->path, strlen(draft->path));
	int fd = open(dirname(path), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	free(path);
	if (fd >= 0)
		return fd;
	draft->temporary = memory_format("%s.XXXXXX", draft->path);
	return mkostemp(draft->temporary, O_CLOEXEC);
}

/* The mode of the file whose place it takes; else what any new file has. */
static mode_t mode_of(const struct stat *there)
{
	mode_t mask = umask(0);

	umask(mask);
	return there ? there->st_mode & 07777 : 0666 & ~mask;
}

/* Where a symbolic link leads, to be freed; NULL: it is none. */
static char *target_of(const char *path)
{
	char target[PATH_MAX], *folder, *whole;
	ssize_t length = readlink(path, target, sizeof(target));

	if (length <= 0)
		return NULL;
	if (*target == '/')
		return memory_text(target, (size_t)length);
	folder = memory_text(path, strlen(path));
	whole = memory_format("%s/%.*s", dirname(folder), (int)length, target);
	free(folder);
	return whole;
}

/* To be freed; NULL, with errno, where links lead to each other. There may be no file yet where they lead, so realpath() cannot tell. */
static char *behind_links(const char *path)
{
	char *at = memory_text(path, strlen(path)), *next;

	for (int i = 0; i < LINKS; i++) {
		next = target_of(at);
		if (!next)
			return at;
		free(at);
		at = next;
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

static int open_draft(struct file_draft *draft, const char *path)
{
	struct stat status, *there = stat(path, &status) == 0 ? &status : NULL;
	int fd;

	draft->path = behind_links(path);
	if (!draft->path)
		return -1;
	draft->special = there && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode);
	if (draft->special)
		return open(path, O_WRONLY | O_CLOEXEC);
	if (there && S_ISDIR(there->st_mode)) {
		errno = EISDIR; /* at once, not when all is written */
		return -1;
	}
	fd = open_temporary(draft);
	if (fd < 0 || fchmod(fd, mode_of(there)) == 0)
		return fd;
	close(fd);
	return -1;
}

struct file_draft *file_draft(const char *path)
{
	static bool registered;
	struct file_draft *draft = NEW(struct file_draft);
	int fd = open_draft(draft, path);

	if (fd < 0 || !(draft->stream = fdopen(fd, "w"))) {
		fail_errno("cannot write '%s'", path);
		remove_temporary(draft);
		if (fd >= 0)
			close(fd);
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

FILE *file_draft_stream(struct file_draft *draft)
{
	return draft->stream;
}

/* A link cannot take the place of a file, so it has another name for a moment, one that no file has. */
static int link_draft(struct file_draft *draft)
{
	char *open_file = memory_format("/proc/self/fd/%d", fileno(draft->stream)), *name = NULL;
	int status = -1;

	for (int try = 0; status < 0 && try < NAMES && (try == 0 || errno == EEXIST); try++) {
		free(name);
		name = memory_format("%s.%d.%d", draft->path, (int)getpid(), try);
		status = linkat(AT_FDCWD, open_file, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
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
	return rename(draft->temporary, draft->path);
}

int file_draft_keep(struct file_draft *draft)
{
	int status = 0;

	if (fflush(draft->stream))
		status = fail_errno("cannot write '%s'", draft->path);
	else if (ferror(draft->stream))
		status = fail("cannot write '%s'", draft->path); /* why is forgotten */
	else if (!draft->special && (fsync(fileno(draft->stream)) || name_draft(draft)))
		status = fail_errno("cannot write '%s'", draft->path);
	if (fclose(draft->stream) && !status)
		status = fail_errno("cannot write '%s'", draft->path);
	if (status)
		remove_temporary(draft);
	draft_free(draft);
	return status;
}

/* Where the file system has no files without name, one with a name that is gone at once. */
static int open_nameless(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (fd >= 0)
		return fd;
	path = memory_format("%s/tailblame.XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

FILE *file_temporary(const char *folder)
{
	const char *given = getenv("TMPDIR");
	FILE *stream;
	int fd;

	if (!folder)
		folder = given && *given ? given : "/tmp";
	fd = open_nameless(folder);
	stream = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!stream) {
		fail_errno("cannot make a temporary file in '%s'", folder);
		if (fd >= 0)
			close(fd);
	}
	return stream;
}

/* errno may have been that of an earlier write, of which only the mark is left. */
int file_settle(FILE *temporary)
{
	bool failed = ferror(temporary);

	errno = 0;
	if (fflush(temporary) == 0 && !failed)
		return 0;
	return errno ? fail_errno("cannot write a temporary file") : fail("cannot write a temporary file; TMPDIR names a folder with room");
}

/* Of an earlier write that failed errno may be left, or what was called since has set it. */
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

char *file_read(const char *path, size_t *length)
{
	size_t own;
	FILE *stream = fopen(path, "re");
	char *text = stream ? read_all(stream, length ? length : &own) : NULL;

	if (!text)
		fail_errno("cannot read '%s'", path);
	if (stream)
		fclose(stream);
	return text;
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
