#include "walk/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "walk/difference.h"
#include "walk/node_name.h"
#include "walk/tell.h"
#include "walk/whole_find.h"

enum { WORDS_MOST = 16, REPEATS_MOST = 16 };

struct session {
	const struct whole *whole;
	struct session_options how;
	struct teller teller;
	uint32_t node; /* that was found last; NUMBER_NONE: none was */
	struct vote found; /* what `at` found, as a verdict, where that was no wait; without steps */
};

/* A command with its operands, options first. */
struct request {
	struct session *session;
	char *words[WORDS_MOST];
	int count;
	bool any_thread, again; /* --thread=any, -r */
	uint64_t edge;		/* --edge=N */
};

struct session *session_new(const struct whole *whole, const struct session_options *options)
{
	struct session *session = NEW(struct session);

	session->whole = whole;
	session->how = *options;
	session->teller = (struct teller){whole, answer_new(options->out, options->as_json, options->most), options->wall, false};
	session->node = NUMBER_NONE;
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	answer_free(session->teller.answer);
	free(session);
}

bool session_incomplete(const struct session *session)
{
	return session->teller.incomplete;
}

/* The node that a command means: its word, or the one found last. NUMBER_NONE after fail(). */
static uint32_t meant(const struct request *request, int word)
{
	struct session *session = request->session;

	if (word < request->count)
		return node_find(session->whole, request->words[word]);
	if (session->node == NUMBER_NONE)
		fail("which node? 'at' finds one, such as 'at 1'; or name one: THREAD/TID#N");
	return session->node;
}

static int run_windows(struct request *request)
{
	tell_windows(&request->session->teller);
	return 0;
}

/* Of the threads that had a tid one after the other, the one that did something in the interval. */
static uint32_t thread_then(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	int32_t tid = whole->threads.items[thread].tid;

	for (uint32_t i = 0; i < whole->threads.count; i++) {
		size_t count, first;
		const uint32_t *segments = whole_segments(whole, i, &count);

		if (whole->threads.items[i].tid != tid)
			continue;
		first = whole_first(whole, i, from);
		if (first < count && segment_at(whole, segments[first])->start < to)
			return i;
	}
	return thread;
}

static int tell_at(struct session *session, uint32_t thread, int64_t from, int64_t to)
{
	struct state state;

	if (from >= to)
		return fail("FROM must be before TO");
	thread = thread_then(session->whole, thread, from, to);
	state = state_of(session->whole, thread, from, to);
	session->node = state.segment;
	session->found = (struct vote){.from = from, .to = to, .thread = thread, .state = state};
	tell_state(&session->teller, thread, &state, from, to);
	tell_lost(&session->teller, from, to);
	return 0;
}

static int at_window(struct session *session, uint64_t number)
{
	const struct whole *whole = session->whole;
	const struct whole_window *window = number > 0 && number <= whole->windows.count ? &whole->windows.items[number - 1] : NULL;
	const struct whole_signal *signal = window && window->signal != NUMBER_NONE ? &whole->signals.items[window->signal] : NULL;
	uint32_t thread = signal && signal->tid ? whole_thread_of(whole, signal->tid) : NUMBER_NONE;

	if (!window)
		return fail("there is no window %llu", (unsigned long long)number);
	if (!signal || !signal->tid)
		return fail("the signals of window %llu are of no thread; say 'at THREAD FROM TO'", (unsigned long long)number);
	if (thread == NUMBER_NONE)
		return fail("of thread %d, whose signal window %llu has, nothing is in the data", signal->tid, (unsigned long long)number);
	return tell_at(session, thread, signal->start, signal->ts);
}

static int at_interval(struct session *session, char **words)
{
	uint32_t thread = thread_find_named(session->whole, words[0]);
	int64_t from, to;

	if (thread == NUMBER_NONE || number_time(words[1], strlen(words[1]), &from) < 0 || number_time(words[2], strlen(words[2]), &to) < 0)
		return -1;
	return tell_at(session, thread, from, to);
}

static int run_at(struct request *request)
{
	struct session *session = request->session;
	uint64_t number;
	uint32_t segment;

	if (request->count == 3)
		return at_interval(session, request->words);
	if (request->count == 2)
		return fail("it is 'at THREAD FROM TO', 'at WINDOW' or 'at NODE'");
	if (number_count(request->words[0], strlen(request->words[0]), &number) == 0)
		return at_window(session, number);
	segment = node_find(session->whole, request->words[0]);
	if (segment == NUMBER_NONE)
		return -1;
	return tell_at(session, segment_at(session->whole, segment)->thread, segment_at(session->whole, segment)->start,
		       segment_at(session->whole, segment)->end);
}

static void tell_lost_meanwhile(struct session *session, uint32_t node)
{
	tell_lost(&session->teller, segment_at(session->whole, node)->wait_from, segment_at(session->whole, node)->end);
}

static int run_similar(struct request *request)
{
	struct session *session = request->session;
	uint32_t node = meant(request, 0);
	struct similar_list list;

	if (node == NUMBER_NONE)
		return -1;
	list = similar_find(session->whole, node, request->any_thread);
	tell_similar(&session->teller, &list);
	tell_lost_meanwhile(session, node);
	similar_free(&list);
	return 0;
}

static int run_back(struct request *request)
{
	struct session *session = request->session;
	uint32_t node = meant(request, 0);
	struct back back;

	if (node == NUMBER_NONE)
		return -1;
	if (!segment_waits(segment_at(session->whole, node)))
		return fail("that segment has no wait");
	back = back_walk(session->whole, node, (size_t)request->edge, session->how.asks);
	tell_back(&session->teller, &back);
	tell_lost_meanwhile(session, node);
	back_free(&back);
	return 0;
}

static int tell_culprit(struct session *session, uint32_t node, uint32_t *wait)
{
	struct vote result;
	int status = vote(session->whole, node, &result);

	*wait = NUMBER_NONE;
	if (status == 0) {
		tell_vote(&session->teller, &result);
		*wait = vote_wait(&result);
	}
	vote_free(&result);
	return status;
}

/* The wait that whoever really ended this one came out of; NUMBER_NONE: there is none. */
static uint32_t wait_behind(const struct whole *whole, uint32_t wait)
{
	const struct whole_edge *ender = wait == NUMBER_NONE ? NULL : whole_ender(whole, wait);
	uint32_t before = ender ? segment_at(whole, ender->from)->before : NUMBER_NONE;

	return before != NUMBER_NONE && segment_waits(segment_at(whole, before)) ? before : NUMBER_NONE;
}

/* A thread that did not wait is the culprit itself. */
static bool tell_itself(struct session *session)
{
	enum state_kind kind = session->found.state.kind;

	if (session->found.from == session->found.to || (kind != STATE_RUNNING && kind != STATE_RUNNABLE))
		return false;
	session->found.verdict = kind == STATE_RUNNING ? VERDICT_BUSY : VERDICT_STARVED;
	tell_vote(&session->teller, &session->found);
	return true;
}

static int run_culprit(struct request *request)
{
	struct session *session = request->session;
	uint32_t node, seen[REPEATS_MOST + 1], wait;
	int count = 0;

	if (!request->count && tell_itself(session))
		return 0;
	node = meant(request, 0);
	if (node == NUMBER_NONE)
		return -1;
	for (;;) {
		seen[count++] = node;
		if (tell_culprit(session, node, &wait) < 0)
			return -1;
		node = request->again && count <= REPEATS_MOST ? wait : NUMBER_NONE;
		if (node == seen[count - 1])
			node = wait_behind(session->whole, wait);
		for (int i = 0; i < count && node != NUMBER_NONE; i++)
			if (seen[i] == node)
				node = NUMBER_NONE;
		if (node == NUMBER_NONE)
			return 0;
	}
}

static int run_show(struct request *request)
{
	uint32_t node = meant(request, 0);

	if (node == NUMBER_NONE)
		return -1;
	tell_node(&request->session->teller, node);
	return 0;
}

static int run_compare(struct request *request)
{
	uint32_t one = meant(request, 0), other = one == NUMBER_NONE ? NUMBER_NONE : meant(request, 1);

	if (other == NUMBER_NONE)
		return -1;
	tell_difference(&request->session->teller, (struct side){request->session->whole, one}, (struct side){request->session->whole, other});
	return 0;
}

static int run_help(struct request *request);

static int run_quit(struct request *request)
{
	(void)request;
	return 0;
}

static const struct command {
	const char *name, *operands;
	int least, most;
	const char *options; /* letters of those that it has */
	int (*run)(struct request *request);
	const char *help;
	uint64_t ends; /* lines that come last, whatever is left out before */
} commands[] = {
	{"windows", "", 0, 0, "", run_windows, "the moments that were abnormal, each with its worst signal"},
	{"at", "WINDOW | NODE | THREAD FROM TO", 1, 3, "", run_at, "what a thread did most of the time"},
	{"culprit", "[-r] [NODE]", 0, 1, "r", run_culprit, "who usually ends that wait, and who did not; -r: and what was behind that", 3},
	{"similar", "[--thread=any] [NODE]", 0, 1, "t", run_similar, "normal segments that did the same"},
	{"back", "[--edge=N] [NODE]", 0, 1, "e", run_back, "who ended that wait, and what that one had waited for", 1},
	{"show", "[NODE]", 0, 1, "", run_show, "all that is known of a node"},
	{"compare", "NODE NODE", 2, 2, "", run_compare, "what differs"},
	{"help", "", 0, 0, "", run_help, "this list"},
	{"quit", "", 0, 0, "", run_quit, "the end"},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int run_help(struct request *request)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		char *usage = memory_format("%s %s", commands[i].name, commands[i].operands);

		answer_line(request->session->teller.answer, json_pack("{s:s, s:s}", "usage", usage, "help", commands[i].help), "%-36s%s", usage,
			    commands[i].help);
		free(usage);
	}
	answer_line(request->session->teller.answer, json_object(), "a node is THREAD/TID#N or THREAD/TID@SECONDS; without one the node that 'at' found is meant");
	return 0;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static bool has_option(const struct command *command, char letter)
{
	return strchr(command->options, letter) != NULL;
}

/* A word that begins with '-'. -1 after fail(): the command has no such option. */
static int take_option(struct request *request, const struct command *command, const char *word)
{
	static const char edge[] = "--edge=";

	if (!strcmp(word, "-r") && has_option(command, 'r')) {
		request->again = true;
		return 0;
	}
	if (!strcmp(word, "--thread=any") && has_option(command, 't')) {
		request->any_thread = true;
		return 0;
	}
	if (!strncmp(word, edge, strlen(edge)) && has_option(command, 'e'))
		return number_count(word + strlen(edge), strlen(word) - strlen(edge), &request->edge);
	return fail("'%s' has no option '%s'", command->name, word);
}

/* Cuts a word off; one in quotes may have spaces. NULL: there is none. */
static char *next_word(char **rest)
{
	char *at = *rest + strspn(*rest, " \t\r\n"), *word = at, *to = at;
	bool quoted = false;

	if (!*at)
		return NULL;
	for (; *at && (quoted || !strchr(" \t\r\n", *at)); at++) {
		if (*at == '"')
			quoted = !quoted;
		else
			*to++ = *at;
	}
	*rest = *at ? at + 1 : at;
	*to = '\0';
	return word;
}

static enum session_status misuse(const struct command *command)
{
	fail("it is '%s%s%s'", command->name, *command->operands ? " " : "", command->operands);
	return SESSION_MISUSED;
}

static enum session_status run_one(struct session *session, char *text)
{
	struct request request = {.session = session};
	char *rest = text, *name = next_word(&rest), *word;
	const struct command *command = name ? find_command(name) : NULL;
	int status;

	if (!name || *name == '#')
		return SESSION_DONE;
	if (!command) {
		fail("there is no command '%s'; 'help' lists them", name);
		return SESSION_MISUSED;
	}
	while ((word = next_word(&rest))) {
		if (*word == '-' && take_option(&request, command, word) < 0)
			return SESSION_MISUSED;
		if (*word != '-' && request.count == command->most)
			return misuse(command);
		if (*word != '-')
			request.words[request.count++] = word;
	}
	if (request.count < command->least)
		return misuse(command);
	if (command->run == run_quit)
		return SESSION_QUIT;
	answer_begin(session->teller.answer, command->name, command->ends + (session->whole->gaps.count > 0));
	status = command->run(&request);
	answer_end(session->teller.answer);
	if (ferror(session->how.out))
		return SESSION_QUIT; /* nobody reads on: the caller finds out why */
	return status < 0 ? SESSION_FAILED : SESSION_DONE;
}

/* Where the command ends: at a ';' or a new line, outside of quotes. */
static size_t command_length(const char *text)
{
	bool quoted = false;
	size_t length = 0;

	for (; text[length] && (quoted || (text[length] != ';' && text[length] != '\n')); length++)
		quoted ^= text[length] == '"';
	return length;
}

enum session_status session_run(struct session *session, const char *text)
{
	enum session_status status = SESSION_DONE;

	while (*text && status == SESSION_DONE) {
		size_t length = *text == '#' ? strcspn(text, "\n") : command_length(text);
		char *one = memory_text(text, length);

		status = run_one(session, one);
		free(one);
		text += length + (text[length] != '\0');
	}
	return status;
}

char *session_complete(const struct session *session, const char *word, bool first, size_t index)
{
	size_t length = strlen(word);

	if (first) {
		for (size_t i = 0; i < COMMANDS; i++)
			if (!strncmp(commands[i].name, word, length) && index-- == 0)
				return memory_text(commands[i].name, strlen(commands[i].name));
		return NULL;
	}
	for (uint32_t i = 0; i < session->whole->threads.count; i++) {
		char *name = thread_name(session->whole, i);

		if (!strncmp(name, word, length) && index-- == 0)
			return name;
		free(name);
	}
	return NULL;
}
