#include "run/known.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/open_files.h"
#include "run/facts.h"
#include "run/settings.h"

#define CHANGED "it changed meanwhile"

struct told {
	const char *text;
	int64_t since; /* of the first of the readings in a row that had this; INT64_MIN: it is among the first */
};

/* One reading: what stands in records behind the run. A line of all facts; then one for each setting: its name, a tab, its value. */
struct reading {
	char *text;
	ARRAY(struct told) lines; /* of the text, the first as it was, the others sorted */
};

struct known {
	struct reading last;
	int64_t read_at;
	int ask, answer; /* pipes to the process that reads; -1: there is none */
	pid_t pid;
};

/* --- a reading --------------------------------------------------------------------------------------------------------- */

/* *facts become those of now. -1 after fail(). */
static int read_all(const struct job *job, struct facts **facts, struct line *text, void (*complain)(const char *text))
{
	struct facts *now = facts_read(job, *facts);
	struct settings *settings = settings_read(job);

	facts_free(*facts);
	*facts = now;
	if (!settings)
		return -1;
	for (size_t i = 0; complain && settings_complaint(settings, i); i++)
		complain(settings_complaint(settings, i));
	facts_spell(now, text);
	line_append(text, "\n", 1);
	for (size_t i = 0; settings_spell(settings, i, text); i++)
		line_append(text, "\n", 1);
	settings_free(settings);
	return 0;
}

static int compare(const void *left, const void *right)
{
	return strcmp(((const struct told *)left)->text, ((const struct told *)right)->text);
}

/* Takes the text, which was read at that time. */
static struct reading cut(char *text, int64_t since)
{
	struct reading reading = {.text = text};
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && rest)
		*ARRAY_ADD(&reading.lines) = (struct told){line, since};
	if (reading.lines.count > 2)
		qsort(reading.lines.items + 1, reading.lines.count - 1, sizeof(*reading.lines.items), compare);
	return reading;
}

/* A line that the reading before has, too, holds since that one. */
static void join(struct reading *reading, const struct reading *before)
{
	for (size_t i = 0; i < reading->lines.count; i++) {
		struct told *line = &reading->lines.items[i];
		const struct told *from = &before->lines.items[i > 0], *same;

		same = bsearch(line, from, i > 0 ? before->lines.count - 1 : 1, sizeof(*line), compare);
		if (same)
			line->since = same->since;
	}
}

static void free_reading(struct reading *reading)
{
	free(reading->text);
	free(reading->lines.items);
}

/* --- the process that reads again -------------------------------------------------------------------------------------- */

static bool read_bytes(int fd, void *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = read(fd, bytes, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes = (char *)bytes + got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_bytes(int fd, const void *bytes, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes = (const char *)bytes + done;
		size -= (size_t)done;
	}
	return true;
}

/* Until nobody asks any more. */
static _Noreturn void serve(const struct job *job, struct facts *facts)
{
	struct line text = {0};
	char byte;

	while (read_bytes(STDIN_FILENO, &byte, 1)) {
		text.length = 0;
		if (read_all(job, &facts, &text, NULL) < 0 || !write_bytes(STDOUT_FILENO, &text.length, sizeof(text.length)) ||
		    !write_bytes(STDOUT_FILENO, text.text, text.length))
			_exit(1);
	}
	_exit(0);
}

static int start(struct known *known, const struct job *job, struct facts *facts)
{
	int asks[2], answers[2];

	if (pipe2(asks, O_CLOEXEC) < 0)
		return fail_errno("cannot make a pipe");
	if (pipe2(answers, O_CLOEXEC) < 0) {
		close(asks[0]);
		close(asks[1]);
		return fail_errno("cannot make a pipe");
	}
	known->pid = fork();
	if (known->pid == 0) {
		if (dup2(asks[0], STDIN_FILENO) < 0 || dup2(answers[1], STDOUT_FILENO) < 0)
			_exit(1);
		open_files_close(STDERR_FILENO + 1);
		serve(job, facts);
	}
	known->ask = asks[1];
	known->answer = answers[0];
	close(asks[0]);
	close(answers[1]);
	return known->pid < 0 ? fail_errno("cannot fork") : 0;
}

static int read_again(struct known *known, int64_t now)
{
	struct reading before = known->last;
	size_t size;
	char *text;

	if (!write_bytes(known->ask, "", 1) || !read_bytes(known->answer, &size, sizeof(size)))
		return fail("the process that reads settings has ended");
	text = memory_new(size + 1, 1);
	if (!read_bytes(known->answer, text, size)) {
		free(text);
		return fail("the process that reads settings has ended");
	}
	known->last = cut(text, now);
	join(&known->last, &before);
	free_reading(&before);
	known->read_at = now;
	return 0;
}

/* --- the records ------------------------------------------------------------------------------------------------------- */

struct known *known_new(const struct job *job, bool live, void (*complain)(const char *text))
{
	struct known *known = NEW(struct known);
	struct facts *facts = NULL;
	struct line text = {0};
	int status;

	known->read_at = INT64_MIN;
	known->ask = known->answer = -1;
	status = read_all(job, &facts, &text, complain);
	if (status == 0 && live)
		status = start(known, job, facts);
	facts_free(facts);
	if (status == 0) {
		known->last = cut(text.text, INT64_MIN);
		return known;
	}
	line_free(&text);
	known_free(known);
	return NULL;
}

void known_free(struct known *known)
{
	if (!known)
		return;
	if (known->ask >= 0) { /* the process ends by that; a confined command may wait for none */
		close(known->ask);
		close(known->answer);
	}
	free_reading(&known->last);
	free(known);
}

static int write_setting(const struct told *setting, const struct run_times *times, struct line *line, struct stream *stream)
{
	size_t name = strcspn(setting->text, "\t");

	line_append(line, setting->text, name);
	if (setting->since > times->begin)
		line_text(line, "error", CHANGED);
	else
		line_append(line, setting->text + name + 1, strlen(setting->text + name + 1));
	return stream_write_line(stream, line);
}

int known_write(struct known *known, const char *run, struct stream *stream, const struct run_times *times)
{
	int status = known->pid > 0 && times->end > known->read_at ? read_again(known, times->now) : 0;
	const struct told *facts = known->last.lines.items;
	struct line line = {0};

	if (status == 0 && *facts->text && facts->since <= times->begin) {
		line_begin(&line, "features");
		line_text(&line, "run", run);
		line_append(&line, facts->text, strlen(facts->text));
		status = stream_write_line(stream, &line);
	}
	for (size_t i = 1; i < known->last.lines.count && status == 0; i++) {
		line_begin(&line, "config");
		line_text(&line, "run", run);
		status = write_setting(&known->last.lines.items[i], times, &line, stream);
	}
	line_free(&line);
	return status;
}
