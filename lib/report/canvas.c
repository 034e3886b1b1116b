#include "report/canvas.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/place.h"
#include "model/display.h"

extern char **environ;

struct canvas {
	struct place folder;
	FILE *errors; /* gnuplot's complaints */
	ARRAY(char *) files;
};

void canvas_close(struct canvas *canvas)
{
	size_t i;

	if (!canvas)
		return;
	for (i = 0; i < canvas->files.count; i++) {
		unlinkat(canvas->folder.there, canvas->files.items[i], 0);
		free(canvas->files.items[i]);
	}
	place_remove(&canvas->folder);
	if (canvas->errors)
		fclose(canvas->errors);
	free(canvas->files.items);
	free(canvas);
}

char *canvas_undrawn(struct canvas *canvas, char **complaint)
{
	*complaint = memory_format("no chart: %s", fail_text());
	canvas_close(canvas);
	return NULL;
}

struct canvas *canvas_open(char **complaint)
{
	struct canvas *canvas = NEW(struct canvas);

	if (place_workspace(&canvas->folder, file_temporary_folder()) == 0 && (canvas->errors = file_temporary(NULL)))
		return canvas;
	canvas_undrawn(canvas, complaint);
	return NULL;
}

FILE *canvas_file(struct canvas *canvas, const char *name)
{
	int fd = openat(canvas->folder.there, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file) {
		fail_errno("cannot write a chart's data, '%s'", name);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*ARRAY_ADD(&canvas->files) = memory_text(name, strlen(name));
	return file;
}

int canvas_file_close(FILE *file)
{
	bool failed = ferror(file);

	return fclose(file) != 0 || failed ? fail_errno("cannot write a chart's data") : 0;
}

/* Replaces double quotes, which would begin a quoted column, and backslashes, which would begin an escape. */
void canvas_text(FILE *file, const char *text, size_t columns)
{
	char *fitting = display_abridge(text, columns), *p;

	for (p = fitting; *p; p++)
		fputc(*p == '"' ? '\'' : *p == '\\' ? '/' : *p, file);
	free(fitting);
}

static char *read_all(int fd, size_t *length)
{
	char *text = NULL, block[16384];
	ssize_t got;
	FILE *out = open_memstream(&text, length);

	while ((got = read(fd, block, sizeof(block))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			fwrite(block, 1, got, out);
	fclose(out);
	return text;
}

/* Blocks signals in gnuplot: Ctrl-C or the end of a service reaches the whole pipe, but only the input should end, not the pictures. */
static void keep_from_ending(posix_spawnattr_t *attributes)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaddset(&blocked, ends[i]);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setsigmask(attributes, &blocked);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

/* Starts gnuplot in the folder; its output goes into the pipe, its complaints into a file. Returns 0 or an errno. */
static int start(struct canvas *canvas, char *const *argv, const int *pipe, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	keep_from_ending(&attributes);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(canvas->errors), STDERR_FILENO);
	posix_spawn_file_actions_addfchdir_np(&actions, canvas->folder.there);
	error = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static char *run(struct canvas *canvas, char *const *argv, size_t *length, int *status)
{
	int pipe[2], error;
	pid_t child;
	char *text;

	if (pipe2(pipe, O_CLOEXEC) < 0) {
		fail_errno("cannot make a pipe");
		return NULL;
	}
	if (ftruncate(fileno(canvas->errors), 0) == 0)
		lseek(fileno(canvas->errors), 0, SEEK_SET);
	error = start(canvas, argv, pipe, &child);
	close(pipe[1]);
	if (error) {
		close(pipe[0]);
		fail("cannot start gnuplot: %s; install gnuplot-nox",
		     error == ENOENT ? "it is not installed" : strerror(error));
		return NULL;
	}
	text = read_all(pipe[0], length);
	close(pipe[0]);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return text;
}

static void fail_with_complaint(const struct canvas *canvas, const char *script)
{
	size_t length;
	char *text, *line, *clean;

	lseek(fileno(canvas->errors), 0, SEEK_SET);
	line = text = read_all(fileno(canvas->errors), &length);

	/* gnuplot first prints a line that only points at the place. */
	while (line && strspn(line, " \n^") > 0)
		line += strspn(line, " \n^");
	if (line)
		line[strcspn(line, "\n")] = '\0';
	clean = display_clean(line ? line : "");
	fail("gnuplot could not draw '%s'%s%s", script, *clean ? ": " : "", clean);
	free(clean);
	free(text);
}

/* Runs the script with these settings; returns what it wrote, which the caller frees. NULL after fail(). */
static char *canvas_draw(struct canvas *canvas, const char *script, const char *settings)
{
	char *found = file_shipped(script), *path = found ? realpath(found, NULL) : NULL, *text;
	char *argv[] = {"gnuplot", "-d", "-e", (char *)settings, path, NULL};
	size_t length = 0;
	int status = 0;

	free(found);
	if (!path)
		return NULL;
	text = run(canvas, argv, &length, &status);
	free(path);
	if (text && (length == 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
		fail_with_complaint(canvas, script);
		free(text);
		text = NULL;
	}
	return text;
}

int canvas_unit(double seconds)
{
	int unit = 0;

	while (unit < 3 && seconds < 1) {
		seconds *= 1000;
		unit++;
	}
	return unit;
}

double canvas_in_unit(double seconds, int unit)
{
	return seconds * pow(1000, unit);
}

/* Drops what comes before <svg>: the picture will stand in a page. */
char *canvas_drawn(struct canvas *canvas, const char *script, char *settings, char **complaint)
{
	char *text = canvas_draw(canvas, script, settings), *svg = text ? strstr(text, "<svg") : NULL;

	if (!text)
		*complaint = memory_format("no chart: %s", fail_text());
	else if (svg)
		memmove(text, svg, strlen(svg) + 1);
	free(settings);
	canvas_close(canvas);
	return text;
}
