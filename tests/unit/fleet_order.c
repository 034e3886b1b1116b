/* Orders and what of them a machine allows; when a machine may send. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "fleet/order.h"
#include "fleet/permission.h"
#include "fleet/program_search.h"
#include "fleet/sender.h"
#include "fleet/subject.h"
#include "run/job.h"

static struct permission *permission_of(const char *text)
{
	char path[] = "/tmp/fleet-order-XXXXXX";
	int fd = mkstemp(path);
	struct permission *permission;

	assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	permission = permission_load(path);
	unlink(path);
	return permission;
}

/* What is allowed of a job, and what is left out. */
static void filters(const struct permission *permission, const char *job, const char *kept, const char *left)
{
	char *rest = NULL, *text = permission_filter(permission, job, &rest);

	if (!kept) {
		assert(!text);
		return;
	}
	assert(text && !strcmp(text, kept) && !strcmp(rest, left));
	free(text);
	free(rest);
}

static void test_nodes(void)
{
	assert(order_is_for("*", "k1") && order_is_for("a,k[12]", "k1") && order_is_for("k1", "k1"));
	assert(!order_is_for("a,b", "k1") && !order_is_for("", "k1") && !order_is_for("k", "k1"));
	assert(order_node_is_name("k1.example.org") && !order_node_is_name("a,b") && !order_node_is_name("k*"));
}

static void test_url(void)
{
	static const char line[] = "wget\0-q\0https://a.example.org:80/x\0b.example.org.";

	assert(program_search_is_named("a.example.org", line, sizeof(line) - 1) && program_search_is_named("b.example.org", line, sizeof(line) - 1));
	assert(!program_search_is_named("example.org", line, sizeof(line) - 1) && !program_search_is_named("a.example", line, sizeof(line) - 1));
	assert(!program_search_is_named("a.example.or", line, sizeof(line) - 1) && !program_search_is_named("c.org", line, sizeof(line) - 1));
	assert(program_search_is_named("A.Example.org:80", line, sizeof(line) - 1) && !program_search_is_named("a.example.org:8", line, sizeof(line) - 1));
	assert(order_url_is_name("a.example.org:80/x") && !order_url_is_name("a b") && !order_url_is_name(""));
}

static void test_may(void)
{
	struct permission *permission = permission_of("program wget db*\nsysctl net.ipv4.* vm.swappiness\nconfig Ini /etc/app/*\ndirectory /srv/* # disks\n");

	assert(permission);
	filters(permission, "program wget\n", "program wget\n", "");
	filters(permission, "program wget dbshell\nmap poll=select\n", "program wget dbshell\nmap poll=select\n", "");
	filters(permission, "program wget curl\n", NULL, NULL);
	filters(permission, "program wge*\n", NULL, NULL);
	filters(permission, "program db\";rm\n", NULL, NULL);
	filters(permission, "program\n", NULL, NULL);
	filters(permission, "map poll=select\n", NULL, NULL);
	filters(permission, "program wget\nsysctl net.ipv4.tcp_*\nsysctl net.*\nsysctl vm.swappiness\n", "program wget\nsysctl net.ipv4.tcp_*\nsysctl vm.swappiness\n",
		"sysctl net.*");
	filters(permission, "program wget\nconfig Ini /etc/app/a\nconfig Ini /etc/app/../shadow\nconfig Shadow /etc/app/a\n",
		"program wget\nconfig Ini /etc/app/a\n", "config Ini /etc/app/../shadow; config Shadow /etc/app/a");
	filters(permission, "program wget\nname other\nhost a\ndirectory /srv/x\n", "program wget\ndirectory /srv/x\n", "name other; host a");
	filters(permission, "program wget\nsalt x\nlater word\nlater\nsize read arg=3\n", "program wget\nsalt x\nsize read arg=3\n", "later word; later");
	assert(permission_covers(permission, "wget") && permission_covers(permission, "db"));
	assert(!permission_covers(permission, "curl") && !permission_covers(permission, "db\"x") && !permission_covers(permission, ""));
	permission_free(permission);

	permission = permission_load("/nonexistent/may");
	assert(permission);
	filters(permission, "program wget\n", NULL, NULL);
	permission_free(permission);
	assert(!permission_of("program w?t\n") && !permission_of("program *x\n") && !permission_of("map a=b\n"));
}

static void test_programs(void)
{
	char *text = permission_with_programs("# all\nprogram a b\n program\tc\nprograms x\nmap poll=select", "d e");

	assert(!strcmp(text, "program d e\n# all\nprograms x\nmap poll=select\n"));
	free(text);
}

static int reads(const char *text)
{
	struct orders orders = {0};
	int status = orders_read(&orders, text, strlen(text)), count = (int)orders.all.count;

	orders_free(&orders);
	return status < 0 ? -1 : count;
}

static void test_orders(void)
{
#define ORDER "order id=1 until=9 runs=1 text=\"program p\" job="
	assert(reads("") == 0 && reads(ORDER "a\n" ORDER "b\n") == 2);
	assert(reads(ORDER "a\n" ORDER "a\n") == 1); /* the later one */
	assert(reads("later kind=1\n" ORDER "a\n") == 1);
	assert(reads(ORDER "../a\n") < 0 && reads(ORDER ".a\n") < 0 && reads(ORDER "-a\n") < 0 && reads(ORDER "\"a b\"\n") < 0);
	assert(reads("order id=x until=9 runs=1 text=p job=a\n") < 0);
	assert(reads("order id=1 until=0 runs=1 text=p job=a\n") < 0);
	assert(reads("order id=1 until=9 runs=0 text=p job=a\n") < 0);
	assert(reads("order id=1 until=9 runs=1 job=a\n") < 0);
	assert(reads("order id=1 until=9 runs=99999999 text=p job=a\n") < 0);
	assert(reads("order id=1 until=nine runs=1 text=p job=a\n") < 0);
}

static void test_window(void)
{
	struct sender_options always = {.node = "n"}, night = {.node = "n", .window_from = 23 * 60, .window_to = 5 * 60};
	int first = -1, last = -1, minutes = 0, from, to;

	assert(sender_window("01:00-05:30", &from, &to) == 0 && from == 60 && to == 330);
	assert(sender_window("1-5", &from, &to) < 0 && sender_window("01:00-24:00", &from, &to) < 0 && sender_window("01:00-05:00x", &from, &to) < 0);
	for (int minute = 0; minute < 24 * 60; minute++)
		assert(sender_may(&always, minute));
	/* over midnight: from the node's own moment in the first half, to the end */
	for (int i = 0; i < 24 * 60; i++) {
		int minute = (23 * 60 + i) % (24 * 60);

		if (!sender_may(&night, minute))
			continue;
		first = first < 0 ? i : first;
		last = i;
		minutes++;
	}
	assert(first >= 0 && first <= 180 && last == 359 && minutes == last - first + 1);
}

#define SERVER "search.example.org"

enum { FITTING = 70 };

/* A process whose command line names the server: it lives until this one ends, or kills it. */
static pid_t start_named(const char *name, int ready)
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid > 0)
		return pid;
	dup2(ready, STDOUT_FILENO);
	execl("/proc/self/exe", "fleet_order", name, "http://" SERVER "/x", (char *)NULL);
	_exit(1);
}

static int be_named(const char *name)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	if (write(STDOUT_FILENO, "", 1) == 1)
		pause();
	return 1;
}

/* Anybody may start programs that name the server: they must not take the place of one that the machine's file names. */
static void test_search(void)
{
	struct permission *permission = permission_of("program fit*\nprogram real none\n");
	struct program_search *search;
	char name[16], byte, *copy, *rest = NULL;
	pid_t pids[FITTING + 1];
	int ready[2], words = 0;

	assert(pipe(ready) == 0);
	for (int i = 0; i <= FITTING; i++) {
		snprintf(name, sizeof(name), i < FITTING ? "fit%d" : "real", i);
		pids[i] = start_named(name, ready[1]);
	}
	for (int i = 0; i <= FITTING; i++)
		assert(read(ready[0], &byte, 1) == 1);
	search = program_search_new(SERVER, permission);
	copy = memory_text(program_search_look(search), strlen(program_search_look(search)));
	assert(!strncmp(copy, "real fit", 8) && program_search_left_out(search) == FITTING + 1 - (JOB_WORDS - 1));
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words++;
	assert(words == JOB_WORDS - 1);
	for (int i = 0; i <= FITTING; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	close(ready[0]);
	close(ready[1]);
	free(copy);
	program_search_free(search);
	permission_free(permission);
}

static void test_subject(void)
{
	char *subject = subject_make("run", "wget", "a.example"), *empty = subject_token("");

	assert(!strcmp(subject, "tb.run.wget.a=2Eexample") && !strcmp(empty, "="));
	free(subject);
	free(empty);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return be_named(argv[1]);
	test_nodes();
	test_url();
	test_may();
	test_programs();
	test_orders();
	test_window();
	test_subject();
	test_search();
	return 0;
}
