#include "report/canvas.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/words.h"

extern char **environ;

struct canvas {
	char *directory;
	ARRAY(char *) files;
};

struct canvas *canvas_open(void)
{
	const char *parent = getenv("TMPDIR");
	struct canvas *canvas = NEW(struct canvas);

	canvas->directory = memory_format("%s/tailblame-XXXXXX", parent && *parent ? parent : "/tmp");
	if (mkdtemp(canvas->directory))
		return canvas;
	fail_errno("cannot make a directory for charts like '%s'", canvas->directory);
	free(canvas->directory);
	free(canvas);
	return NULL;
}

static char *path_of(struct canvas *canvas, const char *name)
{
	char *path = memory_format("%s/%s", canvas->directory, name);

	*ARRAY_ADD(&canvas->files) = path;
	return path;
}

FILE *canvas_file(struct canvas *canvas, const char *name)
{
	const char *path = path_of(canvas, name);
	FILE *file = fopen(path, "wx");

	if (!file)
		fail_errno("cannot write '%s'", path);
	return file;
}

int canvas_file_close(FILE *file)
{
	bool failed = ferror(file);

	return fclose(file) != 0 || failed ? fail_errno("cannot write a chart's data") : 0;
}

/* A double quote would begin a quoted column, a backslash an escape. */
void canvas_text(FILE *file, const char *text, size_t columns)
{
	char *fitting = words_abridge(text, columns), *p;

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

/* A Ctrl-C or the end of a service reaches the whole pipe, gnuplot too; here only the input is to end, not the pictures. */
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

/* Starts gnuplot in the directory, its output in the pipe, its complaints in a file. An errno. */
static int start(struct canvas *canvas, const char *errors, char *const *argv, const int *pipe, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	keep_from_ending(&attributes);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addchdir_np(&actions, canvas->directory);
	error = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static char *run(struct canvas *canvas, char *const *argv, size_t *length, int *status)
{
	const char *errors = path_of(canvas, "errors");
	int pipe[2], error;
	pid_t child;
	char *text;

	if (pipe2(pipe, O_CLOEXEC) < 0) {
		fail_errno("cannot make a pipe");
		return NULL;
	}
	error = start(canvas, errors, argv, pipe, &child);
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
	char *path = memory_format("%s/errors", canvas->directory), *text = file_read(path, NULL), *line = text, *clean;

	/* gnuplot points at the place in a line of its own first. */
	while (line && strspn(line, " \n^") > 0)
		line += strspn(line, " \n^");
	if (line)
		line[strcspn(line, "\n")] = '\0';
	clean = words_clean(line ? line : "");
	fail("gnuplot could not draw '%s'%s%s", script, *clean ? ": " : "", clean);
	free(clean);
	free(text);
	free(path);
}

char *canvas_draw(struct canvas *canvas, const char *script, const char *settings)
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

void canvas_close(struct canvas *canvas)
{
	size_t i;

	if (!canvas)
		return;
	for (i = 0; i < canvas->files.count; i++) {
		unlink(canvas->files.items[i]);
		free(canvas->files.items[i]);
	}
	rmdir(canvas->directory);
	free(canvas->files.items);
	free(canvas->directory);
	free(canvas);
}
