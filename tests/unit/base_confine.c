/* A command that is confined can do what it said that it needs, and nothing else: that ends it, with a message. */
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), _exit(1)))

static void call_a_socket(void) { socket(AF_UNIX, SOCK_STREAM, 0); }
static void call_the_net(void) { socket(AF_INET, SOCK_STREAM, 0); }
static void make_a_file(void) { close(open("made", O_WRONLY | O_CREAT, 0600)); }
static void make_a_nameless_file(void) { close(open(".", O_WRONLY | O_TMPFILE, 0600)); }
static void write_a_file(void) { close(open("/dev/null", O_WRONLY)); }
static void read_a_file(void) { close(open("/dev/null", O_RDONLY)); }
static void start_a_program(void) { execl("/bin/true", "true", NULL); }
static void make_a_process(void) { if (fork() == 0) _exit(0); }
static void trace(void) { ptrace(PTRACE_TRACEME, 0, 0, 0); }
static void signal_another(void) { kill(getppid(), 0); }
static void change_user(void) { if (setuid(65534) < 0) _exit(2); }
static void keep_a_file(void)
{
	struct file_draft *draft = file_draft("kept");

	confine(CONFINE_RENAME, "kept", NULL, 0);
	CHECK(draft && fprintf(file_draft_stream(draft), "x") == 1 && file_draft_keep(draft) == 0 && access("kept", R_OK) == 0);
}

static int may_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	close(fd);
	return fd >= 0;
}

/* What it starts, too. */
static void write_elsewhere(void)
{
	const int landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;

	CHECK(mkdir("place", 0700) == 0 && mkdir("temporary", 0700) == 0 && mkdir("elsewhere", 0700) == 0);
	CHECK(may_write("elsewhere/file") && setenv("TMPDIR", "temporary", 1) == 0);
	confine(CONFINE_RENAME | CONFINE_TEMPORARY | CONFINE_SPAWN, "place", NULL, 0);
	CHECK(may_write("place/file") && rename("place/file", "place/other") == 0 && unlink("place/other") == 0);
	CHECK(may_write("temporary/file") && rename("temporary/file", "place/file") == 0 && unlink("place/file") == 0);
	CHECK(may_write("elsewhere/file") == !landlock);
	CHECK(unlink("elsewhere/file") < 0 || !landlock);
	CHECK(access("elsewhere/file", R_OK) == 0 || !landlock);
	CHECK((system("echo x 2>/dev/null >elsewhere/file") == 0) == !landlock);
}

enum { BY_ITSELF = 1 << 16 }; /* it confines itself, when its file is open */

static const struct attempt {
	const char *name;
	unsigned needs;
	void (*call)(void);
	int allowed;
} attempts[] = {
	{"a socket", CONFINE_NOTHING_ELSE, call_a_socket, 0},
	{"a socket, which it needs", CONFINE_SOCKET, call_a_socket, 1},
	{"the net", CONFINE_SOCKET, call_the_net, 0},
	{"the net from gnuplot", CONFINE_SPAWN, call_the_net, 0},
	{"a new file", CONFINE_RENAME, make_a_file, 0},
	{"a file without name", CONFINE_NOTHING_ELSE, make_a_nameless_file, 0},
	{"a temporary file", CONFINE_TEMPORARY, make_a_nameless_file, 1},
	{"writing a file", CONFINE_NOTHING_ELSE, write_a_file, 0},
	{"reading a file", CONFINE_NOTHING_ELSE, read_a_file, 1},
	{"a program", CONFINE_RENAME | CONFINE_TEMPORARY, start_a_program, 0},
	{"a program, which it needs", CONFINE_SPAWN, start_a_program, 1},
	{"a process", CONFINE_SOCKET, make_a_process, 0},
	{"ptrace", CONFINE_SPAWN, trace, 0},
	{"a signal", CONFINE_TEMPORARY, signal_another, 0},
	{"another user", CONFINE_TEMPORARY, change_user, 0},
	{"a file that is whole", BY_ITSELF, keep_a_file, 1},
	{"files elsewhere", BY_ITSELF, write_elsewhere, 1},
};

static void check(const struct attempt *attempt)
{
	char said[256] = "";
	size_t length = 0;
	int pipes[2], status;
	ssize_t got;
	pid_t child;

	CHECK(pipe(pipes) == 0);
	child = fork();
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		if (attempt->needs != BY_ITSELF)
			confine(attempt->needs, NULL, NULL, 0);
		attempt->call();
		_exit(0);
	}
	close(pipes[1]);
	while (length < sizeof(said) - 1 && (got = read(pipes[0], said + length, sizeof(said) - 1 - length)) > 0)
		length += (size_t)got;
	close(pipes[0]);
	waitpid(child, &status, 0);
	if (attempt->allowed ? status == 0 : WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && strstr(said, "system call"))
		return;
	fprintf(stderr, "%s: status %#x, '%s'\n", attempt->name, (unsigned)status, said);
	exit(1);
}

int main(void)
{
	char folder[] = "/tmp/confine.XXXXXX";

#if defined(__SANITIZE_ADDRESS__)
	return 77; /* the leak checker needs most of what is tried here */
#endif
	if (confine_obstacle()) {
		fprintf(stderr, "%s\n", confine_obstacle());
		return 77;
	}
	CHECK(mkdtemp(folder) && chdir(folder) == 0);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		check(&attempts[i]);
	unlink("kept");
	unlink("elsewhere/file");
	rmdir("elsewhere");
	rmdir("temporary");
	rmdir("place");
	CHECK(chdir("/") == 0 && rmdir(folder) == 0);
	return 0;
}
