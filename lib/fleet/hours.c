#include "fleet/hours.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fail.h"
#include "base/memory.h"
#include "fleet/intake.h"
#include "fleet/stage_pipe.h"

#define HOUR ".tb.zst"
#define NOTE "moments" /* the note with the names of ranked files, one a line */

enum { NAME_MOST = 200, RECENT_SECONDS = 3 };

struct name {
	char text[NAME_MOST + 1];
};
typedef ARRAY(struct name) names;

struct hours {
	struct hours_options options;
	int folder;
	bool elsewhere; /* the path leads to another folder now, and a message has told that */
	struct timespec seen; /* the folder's mtime when it was last looked at */
	names done;	      /* ranked files, sorted */
	bool more;	      /* the folder had a file to rank when it was last read */
	struct name at_hand;  /* the file that is being ranked; "": none */
	struct stage_pipe stages; /* zstd, blame-rank, and take_in() */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static bool has(const names *list, const char *text)
{
	struct name name;

	snprintf(name.text, sizeof(name.text), "%s", text);
	return list->count && bsearch(&name, list->items, list->count, sizeof(name), by_name);
}

static void add(names *list, const char *text, size_t length)
{
	struct name *name = ARRAY_ADD(list);

	snprintf(name->text, sizeof(name->text), "%.*s", (int)length, text);
}

static void sort(names *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_name);
}

static bool is_hour(const char *name)
{
	size_t length = strlen(name);

	return *name != '.' && length <= NAME_MOST && length > strlen(HOUR) && !strcmp(name + length - strlen(HOUR), HOUR) && !strchr(name, '\n');
}

static void read_done(struct hours *hours)
{
	const struct folder *notes = outbox_notes(hours->options.outbox);
	size_t length;
	char *text = folder_mark(notes, NOTE) ? folder_read(notes, NOTE, OUTBOX_NOTE, &length) : NULL;

	for (const char *line = text; line && *line;) {
		size_t size = strcspn(line, "\n");

		if (size <= NAME_MOST)
			add(&hours->done, line, size);
		line += size + (line[size] == '\n');
	}
	free(text);
	sort(&hours->done);
}

static int open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		fail_errno("cannot read the folder '%s'", path);
	else if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH))
		fail("others can write to '%s', or it is another user's", path);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

struct hours *hours_new(const struct hours_options *options)
{
	struct hours *hours;
	int folder = open_folder(options->folder);

	if (folder < 0)
		return NULL;
	hours = NEW(struct hours);
	hours->options = *options;
	hours->folder = folder;
	hours->more = true;
	read_done(hours);
	return hours;
}

/* The hour files in the folder, sorted. */
static names list(const struct hours *hours)
{
	int fd = openat(hours->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	names found = {0};

	while (folder && (entry = readdir(folder)))
		if (is_hour(entry->d_name))
			add(&found, entry->d_name, strlen(entry->d_name));
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	sort(&found);
	return found;
}

/* Adds the current file to the ranked ones, forgets those that no longer exist, and writes the note. */
static void note_done(struct hours *hours)
{
	names there = list(hours);
	char *text = NULL;
	size_t size = 0, kept = 0;
	FILE *out = open_memstream(&text, &size);

	add(&hours->done, hours->at_hand.text, strlen(hours->at_hand.text));
	sort(&hours->done);
	for (size_t i = 0; i < hours->done.count; i++) {
		if (!has(&there, hours->done.items[i].text))
			continue;
		fprintf(out, "%s\n", hours->done.items[i].text);
		hours->done.items[kept++] = hours->done.items[i];
	}
	hours->done.count = kept;
	fclose(out);
	if (folder_write(outbox_notes(hours->options.outbox), NOTE, text, size) < 0)
		hours->options.tell(fail_text());
	free(text);
	ARRAY_FREE(&there);
}

/* Opens the file itself, as standard input: by the time that zstd opened a path, that might lead to a pipe or a link. */
static void unpack(void *context)
{
	const struct hours *hours = context;
	int fd = openat(hours->folder, hours->at_hand.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	setpriority(PRIO_PROCESS, 0, 19);
	execlp("zstd", "zstd", "-dcq", (char *)NULL);
	fprintf(stderr, "run-edge: cannot start 'zstd': %s\n", strerror(errno));
	_exit(127);
}

static void rank(void *context)
{
	const struct hours *hours = context;
	char blamed[] = "10", *arguments[] = {"blame-rank", "-n", blamed, NULL};

	stage_execute(hours->options.commands, arguments);
}

static void take_in(void *context)
{
	const struct hours *hours = context;
	char *name = memory_text(hours->at_hand.text, strlen(hours->at_hand.text) - strlen(HOUR));
	int status;

	prctl(PR_SET_NAME, "run-edge-hours");
	confine(CONFINE_SPOOL, hours->options.spool, NULL, 0);
	status = intake_moments(hours->options.outbox, hours->options.node, name);
	if (status == 1 && *fail_text())
		hours->options.tell(fail_text());
	_exit(status);
}

/* Finds the first file that was not ranked. */
static bool find_next(struct hours *hours)
{
	names there = list(hours);
	bool found = false;

	for (size_t i = 0; i < there.count && !found; i++) {
		found = !has(&hours->done, there.items[i].text);
		hours->at_hand = there.items[i];
	}
	ARRAY_FREE(&there);
	return found;
}

/* Tells once that the folder was moved or removed. */
static void look_for_another(struct hours *hours, const struct stat *own)
{
	struct stat there;
	bool elsewhere = stat(hours->options.folder, &there) < 0 || there.st_dev != own->st_dev || there.st_ino != own->st_ino;
	char *text;

	if (elsewhere && !hours->elsewhere) {
		text = memory_format("'%s' is no more the folder that it was; its hours are ranked again when run-edge is started again",
				     hours->options.folder);
		hours->options.tell(text);
		free(text);
	}
	hours->elsewhere = elsewhere;
}

/* The mtime has a granularity of a few milliseconds, so a later change may have the same time: a recent mtime counts as a change. */
static bool has_changed(struct hours *hours)
{
	struct stat status;
	struct timespec was = hours->seen;

	if (fstat(hours->folder, &status) < 0)
		return false;
	look_for_another(hours, &status);
	hours->seen = status.st_mtim;
	return was.tv_sec != status.st_mtim.tv_sec || was.tv_nsec != status.st_mtim.tv_nsec || time(NULL) - status.st_mtim.tv_sec < RECENT_SECONDS;
}

static void finish(struct hours *hours)
{
	char *text;

	if (hours->stages.failed) {
		text = memory_format("'%s/%s' could not be ranked; its moments are missing", hours->options.folder, hours->at_hand.text);
		hours->options.tell(text);
		if (outbox_tell(hours->options.outbox, hours->options.node, "", hours->at_hand.text, text) < 0)
			hours->options.tell(fail_text());
		free(text);
	}
	note_done(hours);
	*hours->at_hand.text = '\0';
}

void hours_step(struct hours *hours)
{
	static stage_function *const functions[STAGES] = {unpack, rank, take_in};

	stage_pipe_reap(&hours->stages, WNOHANG);
	if (stage_pipe_runs(&hours->stages))
		return;
	if (*hours->at_hand.text)
		finish(hours);
	if (!has_changed(hours) && !hours->more)
		return;
	hours->more = find_next(hours);
	if (hours->more)
		stage_pipe_start(&hours->stages, functions, hours);
	if (!stage_pipe_runs(&hours->stages)) /* there is no file, or no process could be made: the next step tries again */
		*hours->at_hand.text = '\0';
}

void hours_end(struct hours *hours)
{
	for (int i = 0; i < STAGES; i++)
		if (hours->stages.pids[i] > 0)
			kill(hours->stages.pids[i], SIGTERM);
	stage_pipe_reap(&hours->stages, 0);
	close(hours->folder);
	free(hours->done.items);
	free(hours);
}
