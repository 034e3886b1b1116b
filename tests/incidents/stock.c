/*
 * stock SCRIPT [DISK]: the victim asks stock programs, which a script of the folder stock/ starts and disturbs; what the
 * script has to print is in stock/stock.sh. Whatever it starts is killed in the end, and its directory removed, even if
 * the victim is killed.
 * Expected: see the scripts
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { ANSWER_MAX = 1 << 16, TEXT_MAX = 1 << 13 };

static const char *script;
static char directory[] = "/tmp/incident-stock.XXXXXX";
static char healthy[TEXT_MAX], slow[TEXT_MAX], until[TEXT_MAX] = "\n", where[TEXT_MAX], program[TEXT_MAX];
static int to = -1, from = -1;

static pid_t group; /* of all that is started, whose leader does nothing */
static pid_t guardian;
static int alive_end; /* of the pipe that is closed when the victim is over */

static pid_t shell(const char *function, const char *argument, int in, int out)
{
	pid_t child = fork();

	if (child < 0)
		incident_fail("fork");
	if (child > 0)
		return child;
	setpgid(0, group);
	dup2(in, 0);
	dup2(out, 1);
	execlp("bash", "bash", script, function, argument, (char *)NULL);
	incident_fail("bash");
}

static void finish_shell(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) < 0)
		incident_fail("waitpid");
	if (status)
		exit(1); /* it has said why */
}

/* When the victim's end of the pipe is closed, in whatever way: what runs yet may still make files. */
static void guard(int alive)
{
	char letter;

	setpgid(0, 0);
	while (read(alive, &letter, 1) > 0)
		;
	kill(-group, SIGKILL);
	execlp("bash", "bash", "-c",
	       "umount -l $DIRECTORY/disk 2>/dev/null\n"
	       "for try in {1..50}; do rm -rf $DIRECTORY 2>/dev/null && exit; sleep 0.02; done", (char *)NULL);
	incident_fail(directory);
}

static void leader(int alive)
{
	(void)alive;
	setpgid(0, 0);
	for (;;)
		pause();
}

static pid_t start(void (*body)(int), int *alive)
{
	pid_t child = fork();

	if (child < 0)
		incident_fail("fork");
	if (child > 0)
		return child;
	close(alive[1]);
	body(alive[0]);
	_exit(1);
}

static void start_guard(void)
{
	int alive[2];

	if (pipe2(alive, O_CLOEXEC) < 0 || !mkdtemp(directory) || setenv("DIRECTORY", directory, 1) < 0)
		incident_fail(directory);
	group = start(leader, alive);
	setpgid(group, group);
	guardian = start(guard, alive);
	alive_end = alive[1];
}

/* "request TEXT" and the like; \n and \r stand for what they do in C. */
static bool keep(char *line, const char *key, char *text)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) || line[length] != ' ')
		return false;
	for (line += length + 1; *line && *line != '\n'; line++) {
		if (line[0] == '\\' && (line[1] == 'n' || line[1] == 'r'))
			*text++ = *++line == 'n' ? '\n' : '\r';
		else
			*text++ = *line;
	}
	*text = 0;
	return true;
}

static void start_servers(void)
{
	static char line[TEXT_MAX];
	int out[2];
	FILE *file;
	pid_t child;

	if (pipe2(out, O_CLOEXEC) < 0)
		incident_fail("pipe");
	child = shell("begin", NULL, 0, out[1]);
	close(out[1]);
	file = fdopen(out[0], "r");
	while (strcmp(line, "ready\n") && fgets(line, sizeof(line), file))
		if (!keep(line, "request", healthy) && !keep(line, "slow", slow) && !keep(line, "until", until) &&
		    !keep(line, "connect", where) && !keep(line, "run", program) && strcmp(line, "ready\n"))
			fputs(line, stderr);
	fclose(file);
	finish_shell(child);
}

static void connect_it(void)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};
	struct sockaddr_in inet = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	bool is_local = *where == '/';
	int result = -1, one = 1;

	strncpy(local.sun_path, where, sizeof(local.sun_path) - 1);
	inet.sin_port = htons((uint16_t)atoi(where));
	for (int tries = 0; result < 0; tries++) {
		to = from = socket(is_local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		result = is_local ? connect(to, (struct sockaddr *)&local, sizeof(local))
				  : connect(to, (struct sockaddr *)&inet, sizeof(inet));
		if (result == 0)
			break;
		close(to);
		if (tries == 1000)
			incident_fail(where);
		incident_sleep(10000);
	}
	if (!is_local)
		setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void run_it(void)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		incident_fail("pipe");
	shell("exec", program, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	to = in[1];
	from = out[0];
}

void request(void)
{
	static char answer[ANSWER_MAX];
	const char *text = incident_is_slow() && *slow ? slow : healthy;
	size_t length = 0, end = strlen(until);

	if (to < 0) {
		finish_shell(shell("request", incident_is_slow() ? "slow" : "healthy", 0, 2));
		return;
	}
	incident_write(to, text, strlen(text));
	do {
		ssize_t got = read(from, answer + length, sizeof(answer) - length);

		if (got <= 0)
			incident_fail("no answer");
		length += (size_t)got;
	} while (length < end || !memmem(answer, length, until, end));
}

static void disturb(void)
{
	finish_shell(shell("disturb", NULL, 0, 2));
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2 && argc != 3) {
		fputs("usage: stock SCRIPT [DISK]\n", stderr);
		return 2;
	}
	script = argv[1];
	if (argc == 3 && setenv("DISK", argv[2], 1) < 0)
		incident_fail("setenv");
	start_guard();
	start_servers();
	if (*where)
		connect_it();
	else if (*program)
		run_it();
	status = incident_run(request, disturb);
	close(alive_end);
	waitpid(guardian, NULL, 0);
	return status;
}
