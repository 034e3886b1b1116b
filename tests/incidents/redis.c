/*
 * The victim asks a stock redis-server, of its own and without persistence; another client's script keeps that busy
 * now and then, and it does one thing at a time.
 * Expected: redis-server: running (for bulky)
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char directory[] = "/tmp/incident-redis.XXXXXX";
static int server;
static sem_t *go;

/* Reads until the newline that ends a short answer. */
static void command(int fd, const char *text)
{
	char letter = 0;

	incident_write(fd, text, strlen(text));
	while (letter != '\n')
		incident_read(fd, &letter, 1);
}

static int connection(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	for (int tries = 0; connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0; tries++) {
		if (tries == 500)
			incident_fail("no answer from redis-server");
		incident_sleep(10000);
	}
	return fd;
}

static void redis_server(void)
{
	execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", address.sun_path, "--save", "", "--dir",
	       directory, "--daemonize", "no", "--loglevel", "warning", "--logfile", "/dev/null", (char *)NULL);
	incident_fail("redis-server");
}

static void bulky(void)
{
	char script[256];
	int fd = connection();

	snprintf(script, sizeof(script),
		 "EVAL \"local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end "
		 "local e = now() + %d while now() < e do end return 1\" 0\r\n", TROUBLE_MS);
	for (;;) {
		incident_wait(go);
		command(fd, script);
	}
}

void request(void)
{
	command(server, "INCR visits\r\n");
}

static void disturb(void)
{
	sem_post(go);
	incident_sleep(5000); /* until the script runs */
}

int main(void)
{
	int status;

	if (!mkdtemp(directory))
		incident_fail(directory);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", directory);
	go = incident_semaphore();
	pid_t redis = incident_process("redis-server", redis_server);
	server = connection();
	incident_process("bulky", bulky);
	status = incident_run(request, disturb);
	kill(redis, SIGKILL);
	waitpid(redis, NULL, 0);
	unlink(address.sun_path);
	rmdir(directory);
	return status;
}
