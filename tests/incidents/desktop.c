/*
 * Programs of a desktop whose main thread hangs, after the cases of Argus: desktop CASE. Most calls of request() are quick; two take some
 * 150 ms. graph-walk(1) is asked who was to blame; the answer stands at each case.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "incident.h"

enum { ROUNDS = 40, TRIES = 30, PAUSE_US = 2000, TRY_US = 5000 };

static bool bad; /* this round */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void (*hang)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_changed = PTHREAD_COND_INITIALIZER;
static bool done;

void request(void)
{
	hang();
}

static void tell_done(void)
{
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_signal(&done_changed);
	pthread_mutex_unlock(&lock);
}

static void pipe_or_die(int *ends)
{
	if (pipe(ends) < 0)
		incident_fail("pipe");
}

static void sockets_or_die(int type, int *ends)
{
	if (socketpair(AF_UNIX, type, 0, ends) < 0)
		incident_fail("socketpair");
}

/*
 * Chromium: the browser waits, for a limited time, for the renderer's answer, which comes by a thread of each. Twice the renderer waits
 * for the browser meanwhile. Culprit: renderer in futex, which never ended normally; circle: browser, after its own timer.
 */
static int asked[2], sent[2], received[2];
static sem_t *help; /* of the browser, for the renderer; shared */

static void renderer_out(void)
{
	char byte;

	for (;;) {
		incident_read(sent[0], &byte, 1);
		incident_write(received[1], &byte, 1);
	}
}

static void renderer(void)
{
	char byte;

	incident_thread("renderer-out", renderer_out);
	for (;;) {
		incident_read(asked[0], &byte, 1);
		if (byte)
			incident_wait(help);
		incident_compute(HEALTHY_US);
		incident_write(sent[1], &byte, 1);
	}
}

static void browser_io(void)
{
	char byte;

	for (;;) {
		incident_read(received[0], &byte, 1);
		tell_done();
	}
}

static void get_first_rect(void)
{
	struct timespec limit;
	char byte = bad;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_nsec += TROUBLE_MS * 1000000;
	limit.tv_sec += limit.tv_nsec / 1000000000;
	limit.tv_nsec %= 1000000000;
	done = false;
	incident_write(asked[1], &byte, 1);
	pthread_mutex_lock(&lock);
	while (!done && pthread_cond_timedwait(&done_changed, &lock, &limit) != ETIMEDOUT)
		;
	if (bad)
		sem_post(help);
	while (!done)
		pthread_cond_wait(&done_changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void begin_circle(void)
{
	help = incident_semaphore();
	pipe_or_die(asked);
	pipe_or_die(sent);
	pipe_or_die(received);
	incident_name("browser");
	incident_process("renderer", renderer);
	incident_thread("browser-io", browser_io);
}

/* System Preferences: a datagram never comes, and the program looks for it again and again. It is yielding. */
static int datagrams[2];

static void window_server(void)
{
	char byte;

	for (;;) {
		incident_read(datagrams[1], &byte, 1);
		incident_write(datagrams[1], &byte, 1);
	}
}

static void reconfigure(void)
{
	char byte = bad;

	incident_write(datagrams[0], &byte, 1);
	incident_read(datagrams[0], &byte, 1);
	for (int i = 0; byte && i < TRIES && recv(datagrams[0], &byte, 1, MSG_DONTWAIT) < 0; i++)
		incident_sleep(TRY_US);
}

static void begin_datagram(void)
{
	sockets_or_die(SOCK_DGRAM, datagrams);
	incident_name("preferences");
	incident_process("window-server", window_server);
}

/* Sequel Pro: the main thread waits for a worker, that one for another, which reconnects. Culprit: ssh, asleep. */
static sem_t query, tunnel, answered;
static int connection[2];

static void database(void)
{
	char byte;

	for (;;) {
		incident_read(connection[1], &byte, 1);
		incident_compute(HEALTHY_US);
		incident_write(connection[1], &byte, 1);
	}
}

static void ssh(void)
{
	char byte = 0;

	for (;;) {
		incident_wait(&tunnel);
		if (bad)
			incident_sleep(TROUBLE_MS * 1000); /* until it tries again to connect */
		incident_write(connection[0], &byte, 1);
		incident_read(connection[0], &byte, 1);
		sem_post(&answered);
	}
}

static void worker(void)
{
	for (;;) {
		incident_wait(&query);
		sem_post(&tunnel);
		incident_wait(&answered);
		tell_done();
	}
}

static void run_query(void)
{
	done = false;
	sem_post(&query);
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&done_changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void begin_reconnect(void)
{
	sem_init(&query, 0, 0);
	sem_init(&tunnel, 0, 0);
	sem_init(&answered, 0, 0);
	sockets_or_die(SOCK_STREAM, connection);
	incident_name("sequel");
	incident_process("mysqld", database);
	incident_thread("ssh", ssh);
	incident_thread("worker", worker);
}

/* Installer: a synchronous request to a daemon, which asks its user. Culprit: authd in read, which never ended normally. */
static int rights[2], question[2], answer[2];

static void user(void)
{
	char byte;

	for (;;) {
		incident_read(question[0], &byte, 1);
		incident_sleep(TROUBLE_MS * 1000);
		incident_write(answer[1], &byte, 1);
	}
}

static void authd(void)
{
	char byte;

	for (;;) {
		incident_read(rights[1], &byte, 1);
		incident_compute(HEALTHY_US);
		if (byte) {
			incident_write(question[1], &byte, 1);
			incident_read(answer[0], &byte, 1);
		}
		incident_write(rights[1], &byte, 1);
	}
}

static void ask_rights(void)
{
	char byte = bad;

	incident_write(rights[0], &byte, 1);
	incident_read(rights[0], &byte, 1);
}

static void begin_installer(void)
{
	sockets_or_die(SOCK_STREAM, rights);
	pipe_or_die(question);
	pipe_or_die(answer);
	incident_name("installer");
	incident_process("user", user);
	incident_process("authd", authd);
}

/* Notes: a thread queues a block to the main loop, which asks a daemon that does not answer. Culprit: hidd, asleep. */
static int blocks[2], wheels[2], devices[2];

static void hidd(void)
{
	char byte;

	for (;;) {
		incident_read(devices[1], &byte, 1);
		incident_compute(HEALTHY_US);
		if (byte)
			incident_sleep(TROUBLE_MS * 1000);
		incident_write(devices[1], &byte, 1);
	}
}

static void detector(void)
{
	char byte;

	for (;;) {
		incident_read(wheels[0], &byte, 1);
		incident_write(blocks[1], &byte, 1);
	}
}

static void perform_block(char byte)
{
	incident_write(devices[0], &byte, 1);
	incident_read(devices[0], &byte, 1);
}

static void run_loop(void)
{
	char byte = bad;

	incident_write(wheels[1], &byte, 1);
	incident_read(blocks[0], &byte, 1);
	perform_block(byte);
}

static void begin_notes(void)
{
	pipe_or_die(blocks);
	pipe_or_die(wheels);
	sockets_or_die(SOCK_STREAM, devices);
	incident_name("notes");
	incident_process("hidd", hidd);
	incident_thread("detector", detector);
}

/* Word: the main thread makes one system call after the other. It is busy. */
static void search_styles(void)
{
	int64_t end = now_ns() + (int64_t)(bad ? TROUBLE_MS * 1000 : HEALTHY_US) * 1000;

	while (now_ns() < end)
		for (int i = 0; i < 100; i++)
			getppid();
}

static void begin_word(void)
{
	incident_name("word");
}

/* TextEdit: the main thread computes. It is busy; so are others, each in another function, which samples name. */
#define EDITORS(EDITOR) \
	EDITOR(characters_at_index) EDITOR(convert_image) EDITOR(lay_out_lines) EDITOR(fold_code) EDITOR(highlight_text)
#define EDITOR(name) \
	static __attribute__((noinline)) void name(void) \
	{ \
		int64_t end = now_ns() + (int64_t)(bad ? TROUBLE_MS * 1000 : HEALTHY_US) * 1000; \
\
		while (now_ns() < end) \
			for (volatile int i = 0; i < 10000; i++) \
				; \
	}
EDITORS(EDITOR)

static void begin_editor(void)
{
	incident_name("editor");
}

static const struct {
	const char *name;
	void (*begin)(void), (*hang)(void);
} cases[] = {
	{"circle", begin_circle, get_first_rect},	{"datagram", begin_datagram, reconfigure}, {"reconnect", begin_reconnect, run_query},
	{"installer", begin_installer, ask_rights}, {"notes", begin_notes, run_loop}, {"word", begin_word, search_styles},
	{"editor", begin_editor, characters_at_index}, {"copy", begin_editor, convert_image}, {"paste", begin_editor, lay_out_lines},
	{"fold", begin_editor, fold_code}, {"highlight", begin_editor, highlight_text},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

int main(int argc, char **argv)
{
	size_t i = 0;

	while (argc == 2 && i < CASES && strcmp(argv[1], cases[i].name) != 0)
		i++;
	if (argc != 2 || i == CASES) {
		fprintf(stderr, "usage: desktop circle|datagram|reconnect|installer|notes|word|editor|copy|paste|fold|highlight\n");
		return 1;
	}
	hang = cases[i].hang;
	cases[i].begin();
	for (int round = 0; round < ROUNDS; round++) {
		incident_sleep(PAUSE_US);
		bad = round == ROUNDS / 2 || round == ROUNDS * 3 / 4;
		request();
	}
	return 0;
}
