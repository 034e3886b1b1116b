/*
 * run-hub: order the runs of a fleet, and collect them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/clean.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "fleet/board.h"
#include "fleet/store.h"
#include "fleet/subject.h"
#include "fleet/node_choice.h"
#include "run/job.h"
#include "run/run.h"

enum { WATCH_SECONDS = 60 /* between two judgements of the runs, while more arrive */ };

static struct link_options to = {.server = "nats://127.0.0.1:4222"};
static const char *since, *until, *nodes = "*", *output, *url, *metric = "elapsed";
static uint64_t runs = 20, most = UINT64_C(8) << 30;
static bool light, follow, moments;

static const struct option_entry options[] = {
	{OPTION_STRING, 's', "server", &to.server, "URL", "the NATS server, tls://HOST"},
	{OPTION_STRING, 0, "ca", &to.ca, "FILE", "the certificates that sign the server's"},
	{OPTION_STRING, 0, "cert", &to.cert, "FILE", "the certificate of the hub"},
	{OPTION_STRING, 0, "key", &to.key, "FILE", "its key"},
	{OPTION_STRING, 0, "login", &to.login, "FILE", "a file of user and password"},
	{OPTION_STRING, 0, "since", &since, "TIME", "pull --moments: only those since then"},
	{OPTION_STRING, 'u', "until", &until, "TIME", "order, watch: until then, 7d or 2026-12-01T05:00; pull --moments: those before"},
	{OPTION_COUNT, 'r', "runs", &runs, "N", "order, watch: this many runs on each machine (default 20)"},
	{OPTION_STRING, 0, "nodes", &nodes, "GLOBS", "order, pull: only machines of these names, with commas between them"},
	{OPTION_STRING, 0, "url", &url, "HOST", "order: programs whose command lines name this server"},
	{OPTION_STRING, 0, "metric", &metric, "METRIC", "watch: group by it (default elapsed), as run-cluster does"},
	{OPTION_FLAG, 0, "light", &light, NULL, "order: only begin, end and exit status"},
	{OPTION_STRING, 'o', "output", &output, "FILE", "pull, watch: append to this file"},
	{OPTION_FLAG, 0, "follow", &follow, NULL, "pull: go on as messages arrive"},
	{OPTION_FLAG, 'm', "moments", &moments, NULL, "pull: what was slow, and who was to blame, in place of runs"},
	{OPTION_SIZE, 0, "size", &most, "SIZE", "init: the most that the server stores (default 8G)"},
	{0},
};

/* Reads a time, as seconds since 1970. A duration counts from now: forward if `direction` is 1, back if it is -1. */
static int64_t read_time(const char *text, int direction)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M", "%Y-%m-%d"};
	int64_t ns;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm day = {0};
		const char *rest = strptime(text, formats[i], &day);

		if (rest && !*rest)
			return timegm(&day);
	}
	if (number_duration(text, strlen(text), &ns) < 0)
		die_usage("'%s' is neither a duration such as 7d nor a time such as 2026-12-01T05:00", text);
	return time(NULL) + direction * (ns / NSEC_PER_SEC);
}

static int64_t read_until(void)
{
	if (!until)
		die_usage("an order needs --until");
	return read_time(until, 1);
}

static struct fleet_link *open_link(void)
{
	struct fleet_link *link = fleet_link_open(&to);

	if (!link)
		die("%s", fail_text());
	return link;
}

/* Ends the program with our message and the server's complaint, if it has one. */
static _Noreturn void give_up(struct fleet_link *link)
{
	char *complaint = fleet_link_complaint(link);

	if (complaint)
		die("%s (%s)", fail_text(), complaint);
	die("%s", fail_text());
}

static int init(char *const *arguments)
{
	struct fleet_link *link;

	(void)arguments;
	confine(CONFINE_NETWORK, NULL, NULL, 0);
	link = open_link();
	if (fleet_link_init(link, most) < 0)
		give_up(link);
	fleet_link_close(link);
	return EXIT_DONE;
}

/* Makes the order of a job, without an id. The caller frees its `job` and `text`. */
static struct order load_order(const char *name)
{
	char *path = job_find(name), *text;
	struct job *job = job_load(path);
	struct order order = {.until = read_until(), .runs = runs, .nodes = (char *)nodes, .light = light, .url = (char *)url};

	if (!job || !(text = file_read(path, NULL)))
		die("%s", fail_text());
	if (job->programs.count == 0 && !url)
		die("the job '%s' names no program", path);
	if (!order_job_is_name(job->name) || strlen(text) > ORDER_TEXT_MOST)
		die("the job '%s' has more than %d bytes, or its name is not of letters, digits, '_', '-' and '.'", path, ORDER_TEXT_MOST);
	if (url && !order_url_is_name(url))
		die_usage("--url is the name of a server, of letters, digits and _-.:/[]");
	if (runs == 0)
		die_usage("--runs must be above 0");
	order.job = memory_text(job->name, strlen(job->name));
	order.text = text;
	job_free(job);
	free(path);
	return order;
}

static void tell_anew(bool anew)
{
	if (anew)
		warn("the orders on the server were malformed, and are gone: %s", fail_text());
}

static int give_order(char *const *arguments)
{
	struct order order = load_order(arguments[0]);
	struct fleet_link *link;
	bool anew;

	confine(CONFINE_NETWORK, NULL, NULL, 0);
	link = open_link();
	if (board_put(link, &order, &anew) < 0)
		give_up(link);
	tell_anew(anew);
	fleet_link_close(link);
	free(order.job);
	free(order.text);
	return EXIT_DONE;
}

static int cancel(char *const *arguments)
{
	struct fleet_link *link;
	bool anew;

	confine(CONFINE_NETWORK, NULL, NULL, 0);
	link = open_link();
	if (board_remove(link, arguments[0], &anew) < 0)
		give_up(link);
	tell_anew(anew);
	fleet_link_close(link);
	return EXIT_DONE;
}

static int list_orders(char *const *arguments)
{
	struct orders orders = {0};
	struct fleet_link *link;
	bool closed;

	(void)arguments;
	confine(CONFINE_NETWORK, NULL, NULL, 0);
	link = open_link();
	if (board_read(link, &orders) < 0)
		give_up(link);
	for (size_t i = 0; i < orders.all.count; i++) {
		const struct order *order = &orders.all.items[i];
		char when[32] = "?", *clean;
		struct tm day;
		time_t end = (time_t)order->until;

		if (gmtime_r(&end, &day))
			strftime(when, sizeof(when), "%FT%H:%MZ", &day);
		clean = clean_text(order->nodes, strlen(order->nodes)); /* the order's other names were checked: they have no control characters */
		printf("%s: %llu runs, %s, on '%s', until %s%s%s\n", order->job, (unsigned long long)order->runs, order->light ? "light" : "full",
		       clean, when, order->url ? ", of what names " : "", order->url ? order->url : "");
		free(clean);
	}
	orders_free(&orders);
	fleet_link_close(link);
	if (file_flush(stdout, "standard output", &closed) < 0 && !closed)
		die("%s", fail_text());
	return EXIT_DONE;
}

/* A pull writes the moments of this time; it skips all others. */
struct wanted {
	int64_t since, until; /* ns since 1970, of moments */
};

static bool is_wanted(const struct wanted *wanted, const struct parcel *parcel)
{
	return order_is_for(nodes, parcel->node) && (!parcel->moments || (parcel->from >= wanted->since && parcel->from < wanted->until));
}

/* The server let the sender use the subject: checks that the parcel has the machine and job of the subject. 0; -1 after fail(). */
static int check_sender(const struct parcel *parcel, const char *subject)
{
	bool is_log = !strncmp(subject, "tb.log.", 7) && !parcel->told && !parcel->moments; /* a sender of these may name any machine */
	char *own = parcel_subject(parcel, parcel->node);
	int status = is_log || !strcmp(own, subject) ? 0 : fail("it is of another machine or job");

	free(own);
	return status;
}

/* A machine that sent a message with the id of another machine, whose own message would then count as known. */
struct forger {
	char *name;
	UT_hash_handle hh;
};

/* Warns of each forger once: it may send any number of messages. */
static void tell_forger(const char *subject, const char *place)
{
	static struct forger *forgers;
	const char *last = strrchr(subject, '.'), *name = last ? last + 1 : subject;
	struct forger *forger;

	HASH_FIND_STR(forgers, name, forger);
	if (forger)
		return;
	forger = NEW(struct forger);
	forger->name = memory_text(name, strlen(name));
	HASH_ADD_KEYPTR(hh, forgers, forger->name, strlen(name), forger);
	warn("passed over a message of %s, and all like it of this machine: its id is that of another machine", place);
}

/* Writes the run or moments of a parcel, unless the options leave them out: 0; 1: none count, and a warning says why; -1 after fail(). */
static int take_parcel(struct store *store, const struct parcel *parcel, const char *subject, const char *place, const struct wanted *wanted)
{
	if (check_sender(parcel, subject) < 0)
		return -1;
	if (!run_id_is_of(parcel->id, parcel->node))
		tell_forger(subject, place);
	else if (parcel->told)
		warn("%s: %s", place, parcel->told);
	else if (is_wanted(wanted, parcel) && store_add(store, parcel) < 0)
		die("%s", fail_text());
	else
		return 0;
	return 1;
}

/* Writes the run or moments of a message: 0; 1: a warning says why it has none that count. */
static int take(struct store *store, const struct fleet_message *message, const struct wanted *wanted)
{
	struct parcel parcel;
	char *place = clean_text(message->subject, strlen(message->subject));
	int status = parcel_open(&parcel, message->bytes, message->size);

	if (status == 0) {
		status = take_parcel(store, &parcel, message->subject, place, wanted);
		parcel_free(&parcel);
	}
	if (status < 0)
		warn("passed over a message of %s: %s", place, fail_text());
	free(place);
	return status != 0;
}

/* Warns of the first failure of a pull only; a pull goes on until the server is back. */
static void wait_for_server(struct fleet_link *link, bool *told)
{
	char *complaint = fleet_link_complaint(link);

	if (!*told)
		warn("%s%s%s; waiting for the server", fail_text(), complaint ? ": " : "", complaint ? complaint : "");
	*told = true;
	free(complaint);
	sleep(1);
}

static struct wanted read_wanted(void)
{
	struct wanted wanted = {INT64_MIN, INT64_MAX};

	if (!moments)
		return wanted;
	if (since && __builtin_mul_overflow(read_time(since, -1), NSEC_PER_SEC, &wanted.since))
		die_usage("'%s' is too far away", since);
	if (until && __builtin_mul_overflow(read_time(until, -1), NSEC_PER_SEC, &wanted.until))
		die_usage("'%s' is too far away", until);
	return wanted;
}

/* A pull in progress. */
struct pulling {
	struct store *store;
	struct fleet_link *link;
	struct wanted wanted;
	char *name; /* of its consumer */
	bool all_seen, closed, strange, told;
};

static struct pulling begin_pull(const char *name)
{
	struct pulling pulling = {.wanted = read_wanted(), .store = store_open(output)};

	if (!pulling.store)
		die("%s", fail_text());
	if (!order_job_is_name(name) || strchr(name, '.'))
		die_usage("the name of a pull is of letters, digits, '_' and '-'");
	to.patient = follow;
	/* a pull of runs cannot have this name: no name has an equals sign */
	pulling.name = memory_format("%s%s", name, moments ? "=moments" : "");
	confine(CONFINE_NETWORK, output, NULL, 0);
	pulling.link = open_link();
	return pulling;
}

/* Pulls once. Returns the number of messages; -1, after a wait: the server is gone. */
static int pull_some(struct pulling *pulling)
{
	const struct fleet_message *messages;
	int count = fleet_link_pull(pulling->link, pulling->name, moments ? FLEET_MOMENTS : FLEET_SUBJECTS, &messages, &pulling->all_seen);

	if (count < 0 && !follow)
		give_up(pulling->link);
	if (count < 0)
		wait_for_server(pulling->link, &pulling->told);
	else
		pulling->told = false;
	for (int i = 0; i < count; i++)
		pulling->strange |= take(pulling->store, &messages[i], &pulling->wanted) != 0;
	if (count > 0 && store_sync(pulling->store, &pulling->closed) < 0)
		die("%s", fail_text());
	if (count > 0 && !pulling->closed && fleet_link_acknowledge(pulling->link) < 0 && !follow)
		give_up(pulling->link);
	return count;
}

static int pull(char *const *arguments)
{
	struct pulling pulling;

	if (!moments && (since || until))
		die_usage("--since and --until choose moments: they need --moments");
	pulling = begin_pull(arguments[0]);
	while (!pulling.closed && (follow || !pulling.all_seen))
		pull_some(&pulling);
	fleet_link_close(pulling.link);
	store_close(pulling.store);
	free(pulling.name);
	return pulling.strange ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* The name of the job whose runs are full. The caller frees it. */
static char *full_name(const struct order *light_order)
{
	return memory_format("%s.full", light_order->job);
}

/*
 * Orders full runs from the nodes of the slowest and the fastest group, as the job NAME.full, unless that order is there. 0; -1 after
 * fail(): the server is gone.
 */
static int judge(struct fleet_link *link, const struct order *light_order)
{
	struct grouping_options how = {.metric = metric, .job = light_order->job};
	struct order order = *light_order;
	struct node_choice choice;
	bool there, anew;
	int status, found = 0;

	order.job = full_name(light_order);
	status = board_has(link, order.job, &there);
	if (status == 0 && !there && (found = node_choice_make((char *)output, &how, &choice)) < 0)
		warn("%s", fail_text());
	if (found > 0) {
		order.until = read_until();
		order.nodes = choice.nodes;
		status = board_put(link, &order, &anew);
		if (status == 0) {
			tell_anew(anew);
			warn("%s", choice.text);
		}
		free(choice.nodes);
		free(choice.text);
	}
	free(order.job);
	return status;
}

static int watch(char *const *arguments)
{
	struct order order = load_order(arguments[0]);
	char *full = full_name(&order);
	struct pulling pulling;
	bool fresh = true; /* the file may have runs that were not judged */
	bool told = false; /* a warning said that judging fails; pulls may succeed all the same */
	time_t judged = 0;

	if (!output || moments || light)
		die_usage("watch needs --output, and has neither --moments nor --light");
	if (!order_job_is_name(full))
		die("the name of the job '%s' is too long for its full runs, which would be of '%s'", order.job, full);
	free(full);
	follow = true;
	pulling = begin_pull(arguments[1]);
	while (!pulling.closed) {
		int count = pull_some(&pulling);

		fresh |= count > 0;
		if (!fresh || count < 0 || (count > 0 && time(NULL) < judged + WATCH_SECONDS))
			continue;
		fresh = judge(pulling.link, &order) < 0;
		if (fresh)
			wait_for_server(pulling.link, &told);
		else
			told = false;
		judged = time(NULL);
	}
	return EXIT_FAILED;
}

static const struct {
	const char *name;
	int operands;
	int (*run)(char *const *arguments);
} commands[] = {
	{"init", 0, init}, {"order", 1, give_order}, {"orders", 0, list_orders}, {"cancel", 1, cancel}, {"pull", 1, pull}, {"watch", 2, watch},
};

static const char *command_at(size_t index)
{
	return index < sizeof(commands) / sizeof(commands[0]) ? commands[index].name : NULL;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "init|order|orders|cancel|pull|watch [JOB] [NAME]", "order the runs of a fleet, and collect them");
	int index;

	if (first == argc)
		die_usage("what to do is init, order, orders, cancel, pull or watch");
	index = listing_find("command", argv[first], command_at);
	if (index < 0)
		die_usage("%s", fail_text());
	if (argc - first - 1 != commands[index].operands)
		die_usage("'%s' takes %d operands, not %d", argv[first], commands[index].operands, argc - first - 1);
	return commands[index].run(argv + first + 1);
}
