#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

struct file_draft {
	char *path;
	char *temporary; /* NULL: a device or a pipe, which no file can take the place of */
	FILE *stream;
	struct file_draft *next;
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

static bool is_special(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static int open_draft(struct file_draft *draft)
{
	if (is_special(draft->path))
		return open(draft->path, O_WRONLY | O_CLOEXEC);
	draft->temporary = memory_format("%s.XXXXXX", draft->path);
	return mkostemp(draft->temporary, O_CLOEXEC);
}

struct file_draft *file_draft(const char *path)
{
	static bool registered;
	struct file_draft *draft = NEW(struct file_draft);
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	draft->path = memory_text(path, strlen(path));
	fd = open_draft(draft);
	if (fd < 0 || (draft->temporary && fchmod(fd, 0666 & ~mask) < 0) || !(draft->stream = fdopen(fd, "w"))) {
		fail_errno("cannot write '%s'", path);
		if (fd >= 0) {
			remove_temporary(draft);
			close(fd);
		}
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

int file_draft_keep(struct file_draft *draft)
{
	int status = 0;
	bool bad = ferror(draft->stream);

	if (fflush(draft->stream) || (draft->temporary && fsync(fileno(draft->stream))) || bad)
		status = fail_errno("cannot write '%s'", draft->path);
	if (fclose(draft->stream) && !status)
		status = fail_errno("cannot write '%s'", draft->path);
	if (!status && draft->temporary && rename(draft->temporary, draft->path))
		status = fail_errno("cannot write '%s'", draft->path);
	if (status)
		remove_temporary(draft);
	draft_free(draft);
	return status;
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
