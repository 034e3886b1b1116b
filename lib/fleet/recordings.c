#include "fleet/recordings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fail.h"
#include "base/number.h"
#include "fleet/intake.h"
#include "fleet/order.h"
#include "fleet/program_search.h"
#include "fleet/stage_pipe.h"
#include "run/job.h"

enum { COMM_ROOM = 16, NAME_ROOM = 128, AGAIN_SECONDS = 60, END_SECONDS = 10 };

struct recording {
	struct order *order;	/* a copy */
	struct program_search *search;	/* for an order that names a server; NULL: not needed yet */
	struct stage_pipe stages;	/* trace-collect, run-features, and take_in() */
	bool ending;		/* the recording was told to end */
	bool wanted;		/* the orders that were read last have its order */
	bool refused;
	time_t again_at;	/* when to begin, or to try again; 0: it has not begun yet */
};

struct recordings {
	struct recordings_options options;
	uint64_t mark; /* mark of the note of orders when it was last read */
	ARRAY(struct recording *) all;
};

struct recordings *recordings_new(const struct recordings_options *options)
{
	struct recordings *recordings = NEW(struct recordings);

	recordings->options = *options;
	return recordings;
}

static void free_recording(struct recording *recording)
{
	struct orders one = {0};

	*ARRAY_ADD(&one.all) = *recording->order;
	orders_free(&one);
	program_search_free(recording->search);
	free(recording->order);
	free(recording);
}

static void tell(struct recordings *recordings, const struct order *order, const char *text)
{
	recordings->options.tell(text);
	if (outbox_tell(recordings->options.outbox, recordings->options.node, order->job, order->id, text) < 0)
		recordings->options.tell(fail_text());
}

/* The name of the note that counts the runs recorded for an order. */
static void name_count(const struct order *order, char name[NAME_ROOM])
{
	snprintf(name, NAME_ROOM, "count-%s", order->id);
}

static uint64_t runs_left(const struct recordings *recordings, const struct order *order)
{
	const struct folder *notes = outbox_notes(recordings->options.outbox);
	char name[NAME_ROOM], *text;
	uint64_t count = 0;
	size_t length;

	name_count(order, name);
	text = folder_mark(notes, name) ? folder_read(notes, name, OUTBOX_NOTE, &length) : NULL;
	if (text && number_count(text, length, &count) < 0)
		count = 0;
	free(text);
	return count < order->runs ? order->runs - count : 0;
}

/* Removes the count of an order that is over: a later order of the same job has another id. */
static void forget_count(const struct recordings *recordings, const struct order *order)
{
	char name[NAME_ROOM];

	name_count(order, name);
	folder_remove(outbox_notes(recordings->options.outbox), name);
}

struct counting {
	struct outbox *outbox;
	const struct order *order;
	uint64_t before;
};

static void count_run(void *context, uint64_t runs)
{
	const struct counting *counting = context;
	char name[NAME_ROOM], text[NUMBER_ROOM];

	name_count(counting->order, name);
	folder_write(outbox_notes(counting->outbox), name, text, number_spell_unsigned(text, counting->before + runs));
}

/* The context of each process of a pipe. */
struct beginning {
	const struct recordings *recordings;
	const struct order *order;
	const struct job *job;
	const char *path; /* of the job's file */
	uint64_t left;	  /* runs still to be recorded */
};

/* The process that puts runs into the outbox. */
static void take_in(void *context)
{
	const struct beginning *beginning = context;
	const struct recordings *recordings = beginning->recordings;
	struct counting counting = {recordings->options.outbox, beginning->order, beginning->order->runs - beginning->left};
	static char standard[] = "-", *const files[] = {standard};
	int status;

	prctl(PR_SET_NAME, "run-edge-intake");
	confine(CONFINE_SPOOL, recordings->options.folder, NULL, 0);
	status = intake_run(files, 1, recordings->options.outbox, beginning->left, count_run, &counting);
	if (status == 1 && *fail_text())
		recordings->options.tell(fail_text());
	_exit(status);
}

/*
 * Becomes trace-collect, with filters for each program. One more filter records the clock_nanosleep() in which this thread waits a second: its
 * events tell run-features the time, so that it writes runs that are over.
 */
static void collect(void *context)
{
	const struct beginning *beginning = context;
	const struct job *job = beginning->job;
	static const struct kind_of_event {
		const char *name;
		bool at_end; /* filter for the call that ends a process, exit_group() */
	} full_events[] = {{"raw_syscalls", false}, {NULL, false}},
	  light_events[] = {{"sched:sched_process_exec", false}, {"sched:sched_process_exit", false}, {"signal:signal_generate", false},
			    {"signal:signal_deliver", false}, {"raw_syscalls:sys_enter", true}, {NULL, false}};
	ARRAY(char *) arguments = {0};
	char own[COMM_ROOM] = "", *end = memory_format(" && id == %d", seccomp_syscall_resolve_name("exit_group"));

	*ARRAY_ADD(&arguments) = "trace-collect";
	*ARRAY_ADD(&arguments) = "-b";
	*ARRAY_ADD(&arguments) = "4M";
	prctl(PR_GET_NAME, own);
	for (size_t i = 0; i < job->programs.count; i++)
		for (const struct kind_of_event *event = beginning->order->light ? light_events : full_events; event->name; event++) {
			*ARRAY_ADD(&arguments) = "-e";
			*ARRAY_ADD(&arguments) = memory_format("%s/comm == \"%.15s\"%s", event->name, job->programs.items[i], event->at_end ? end : "");
		}
	*ARRAY_ADD(&arguments) = "-e";
	*ARRAY_ADD(&arguments) = memory_format("raw_syscalls:sys_exit/comm == \"%s\" && id == %d", own, seccomp_syscall_resolve_name("clock_nanosleep"));
	*ARRAY_ADD(&arguments) = NULL;
	stage_execute(beginning->recordings->options.commands, arguments.items);
}

static void make_features(void *context)
{
	const struct beginning *beginning = context;
	const struct recordings *recordings = beginning->recordings;
	char *arguments[] = {"run-features", "--job", (char *)beginning->path, "--node", (char *)recordings->options.node, "--live",
			     beginning->order->light ? "--light" : "--no-children", NULL};

	stage_execute(recordings->options.commands, arguments);
}

static void refuse(struct recordings *recordings, struct recording *recording)
{
	recording->refused = true;
	tell(recordings, recording->order, fail_text());
}

/* The job's file, which the caller frees. NULL: the order is for a server, and no command line has named that yet. */
static char *job_text(const struct recordings *recordings, struct recording *recording)
{
	const struct order *order = recording->order;
	const char *programs;

	if (!order->url)
		return memory_text(order->text, strlen(order->text));
	if (!recording->search)
		recording->search = program_search_new(order->url, recordings->options.permission);
	programs = program_search_look(recording->search);
	return *programs ? permission_with_programs(order->text, programs) : NULL;
}

/* Tells what was left out. `rest`: refused lines of the job's file. It is one sentence, because the outbox holds one for each order. */
static void tell_left_out(struct recordings *recordings, const struct recording *recording, const char *rest)
{
	size_t programs = recording->search ? program_search_left_out(recording->search) : 0;
	char *text = memory_format("left out%s%s", *rest ? ", because it may not be recorded here: " : "", rest), *more;

	if (programs) {
		more = memory_format("%s%s%zu programs whose names fit a pattern, because %d others name the server", text, *rest ? "; and " : ": ",
				     programs, JOB_WORDS - 1);
		free(text);
		text = more;
	}
	if (programs || *rest)
		tell(recordings, recording->order, text);
	free(text);
}

/* Writes the job's file, as far as it is allowed here, to the outbox's folder, and starts the pipe. */
static void begin(struct recordings *recordings, struct recording *recording)
{
	static stage_function *const functions[STAGES] = {collect, make_features, take_in};
	const struct order *order = recording->order;
	uint64_t left = runs_left(recordings, order);
	char *whole = job_text(recordings, recording), *rest, *text, *name, *path;
	struct job *job = NULL;

	if (!whole)
		return; /* the next step looks again */
	text = permission_filter(recordings->options.permission, whole, &rest);
	name = memory_format("%s.job", order->job);
	path = memory_format("%s/%s", recordings->options.folder, name);
	if (!text || folder_write(outbox_notes(recordings->options.outbox), name, text, strlen(text)) < 0 || !(job = job_load(path))) {
		refuse(recordings, recording);
	} else {
		if (!recording->again_at)
			tell_left_out(recordings, recording, rest);
		recording->again_at = time(NULL) + AGAIN_SECONDS;
		recording->ending = false; /* an earlier run of it may have been told to end */
		if (left)
			stage_pipe_start(&recording->stages, functions, &(struct beginning){recordings, order, job, path, left});
	}
	if (job)
		job_free(job);
	if (text)
		free(rest);
	free(text);
	free(name);
	free(path);
	free(whole);
}

/* Ends the first process of the pipe; the others end when their input does. */
static void stop(struct recording *recording)
{
	if (!recording->ending && recording->stages.pids[0] > 0)
		kill(recording->stages.pids[0], SIGTERM);
	recording->ending = true;
}

/* Tells whether the order names an address of this machine: the hub may know a machine only as a client in a server's log. */
static bool is_for_address(const struct order *order)
{
	char text[INET6_ADDRSTRLEN];
	struct ifaddrs *all = NULL;
	bool is = false;

	if (getifaddrs(&all) < 0)
		return false;
	for (const struct ifaddrs *at = all; at && !is; at = at->ifa_next) {
		const struct sockaddr *address = at->ifa_addr;

		if (address && !(at->ifa_flags & IFF_LOOPBACK) &&
		    getnameinfo(address, address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in), text, sizeof(text),
				NULL, 0, NI_NUMERICHOST) == 0)
			is = order_is_for(order->nodes, text);
	}
	freeifaddrs(all);
	return is;
}

static bool is_of(const struct recordings *recordings, const struct order *order)
{
	return order_is_for(order->nodes, recordings->options.node) || is_for_address(order);
}

static struct recording *find(const struct recordings *recordings, const char *id)
{
	for (size_t i = 0; i < recordings->all.count; i++)
		if (!strcmp(recordings->all.items[i]->order->id, id))
			return recordings->all.items[i];
	return NULL;
}

static void add(struct recordings *recordings, const struct order *order)
{
	struct recording *recording = find(recordings, order->id);
	struct orders one = {0};

	if (!recording) {
		recording = NEW(struct recording);
		orders_add(&one, order);
		recording->order = NEW(struct order);
		*recording->order = one.all.items[0];
		free(one.all.items);
		*ARRAY_ADD(&recordings->all) = recording;
	}
	recording->wanted = true;
}

static void read_orders(struct recordings *recordings)
{
	const struct folder *notes = outbox_notes(recordings->options.outbox);
	uint64_t mark = folder_mark(notes, "orders");
	struct orders orders = {0};
	size_t length;
	char *text;

	if (mark == recordings->mark)
		return;
	recordings->mark = mark;
	text = mark ? folder_read(notes, "orders", OUTBOX_NOTE, &length) : NULL;
	if (text && orders_read(&orders, text, length) == 0) {
		for (size_t i = 0; i < recordings->all.count; i++)
			recordings->all.items[i]->wanted = false;
		for (size_t i = 0; i < orders.all.count; i++)
			if (is_of(recordings, &orders.all.items[i]))
				add(recordings, &orders.all.items[i]);
	} else if (text) {
		fail_prefix("the orders are malformed, so those before hold");
		recordings->options.tell(fail_text());
	}
	orders_free(&orders);
	free(text);
}

void recordings_step(struct recordings *recordings)
{
	time_t now = time(NULL);
	size_t kept = 0;

	read_orders(recordings);
	for (size_t i = 0; i < recordings->all.count; i++) {
		struct recording *recording = recordings->all.items[i];

		stage_pipe_reap(&recording->stages, WNOHANG);
		if (!recording->wanted || now >= recording->order->until)
			stop(recording);
		else if (!recording->refused && !stage_pipe_runs(&recording->stages) && now >= recording->again_at)
			begin(recordings, recording);
		if (recording->wanted || stage_pipe_runs(&recording->stages)) {
			recordings->all.items[kept++] = recording;
		} else {
			forget_count(recordings, recording->order);
			free_recording(recording);
		}
	}
	recordings->all.count = kept;
}

void recordings_end(struct recordings *recordings)
{
	const struct timespec moment = {0, 20000000};
	time_t end = time(NULL) + END_SECONDS;

	for (size_t i = 0; i < recordings->all.count; i++)
		stop(recordings->all.items[i]);
	for (size_t i = 0; i < recordings->all.count; i++) {
		struct recording *recording = recordings->all.items[i];

		while (stage_pipe_reap(&recording->stages, WNOHANG), stage_pipe_runs(&recording->stages) && time(NULL) < end)
			nanosleep(&moment, NULL);
		free_recording(recording);
	}
	free(recordings->all.items);
	free(recordings);
}
