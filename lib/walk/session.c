#include "walk/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "wake/wake.h"
#include "walk/edge_rules.h"
#include "walk/difference.h"
#include "walk/dot.h"
#include "walk/node_name.h"
#include "walk/step_difference.h"
#include "walk/describe.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

enum { WORDS_MOST = 16, REPEATS_MOST = 16 };

struct session {
	struct whole *whole, *rebuilt; /* rebuilt: the whole if a rule made the session build it again; else NULL */
	struct session_options how;
	struct describer describer;
	uint32_t node; /* found last; NUMBER_NONE: none */
	struct normal_stream *normal; /* NULL: none */
	size_t known; /* how many rules there were before the session */
	struct vote found; /* what `at` found, as a vote without steps; used if that is no wait */
};

/* A command with its operands, options first. */
struct request {
	struct session *session;
	char *words[WORDS_MOST];
	int count;
	bool any_thread, again, steps; /* --thread=any, -r, --steps */
	uint64_t edge;		/* --edge=N; 0: not given */
};

struct session *session_new(struct whole *whole, const struct session_options *options)
{
	struct session *session = NEW(struct session);

	session->whole = whole;
	session->how = *options;
	session->describer = (struct describer){whole, answer_new(options->out, options->as_json, options->most), options->wall, false};
	session->node = NUMBER_NONE;
	session->known = options->semantics->rules.count;
	session->normal = options->normal ? normal_stream_new(whole, options->normal) : NULL;
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	answer_free(session->describer.answer);
	normal_stream_free(session->normal);
	whole_free(session->rebuilt);
	free(session);
}

bool session_incomplete(const struct session *session)
{
	return session->describer.incomplete;
}

/* The node that a command means: the one that its word names, or else the one found last. NUMBER_NONE after fail(). */
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
	describe_windows(&request->session->describer);
	return 0;
}

static int describe_at(struct session *session, uint32_t thread, int64_t from, int64_t to)
{
	struct state state;

	if (from >= to)
		return fail("that lasts no time: it must end after it begins");
	thread = whole_thread_then(session->whole, thread, from, to);
	state = state_of(session->whole, thread, from, to);
	session->node = state.segment;
	session->found = (struct vote){.from = from, .to = to, .thread = thread, .state = state};
	describe_state(&session->describer, thread, &state, from, to);
	describe_lost(&session->describer, from, to);
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
		return fail("the signal of window %llu is of thread %d, of which the data have nothing", (unsigned long long)number, signal->tid);
	return describe_at(session, thread, signal->start, signal->ts);
}

static int at_interval(struct session *session, char **words)
{
	uint32_t thread = thread_find_named(session->whole, words[0]);
	int64_t from, to;

	if (thread == NUMBER_NONE || number_time(words[1], strlen(words[1]), &from) < 0 || number_time(words[2], strlen(words[2]), &to) < 0)
		return -1;
	return describe_at(session, thread, wake_time(from), wake_time(to));
}

static int run_at(struct request *request)
{
	struct session *session = request->session;
	uint64_t number;
	uint32_t segment;

	if (request->count == 3)
		return at_interval(session, request->words);
	if (number_count(request->words[0], strlen(request->words[0]), &number) == 0)
		return at_window(session, number);
	segment = node_find(session->whole, request->words[0]);
	if (segment == NUMBER_NONE)
		return -1;
	return describe_at(session, segment_at(session->whole, segment)->thread, segment_at(session->whole, segment)->start,
		       segment_at(session->whole, segment)->end);
}

static void describe_lost_meanwhile(struct session *session, uint32_t node)
{
	describe_lost(&session->describer, segment_at(session->whole, node)->wait_from, segment_at(session->whole, node)->end);
}

static int run_similar(struct request *request)
{
	struct session *session = request->session;
	uint32_t node = meant(request, 0);
	struct similar_list list;

	if (node == NUMBER_NONE)
		return -1;
	list = similar_find(session->whole, node, request->any_thread, session->normal, session->how.most);
	describe_similar(&session->describer, &list, session->normal ? session->how.normal : session->whole);
	describe_lost_meanwhile(session, node);
	similar_free(&list);
	return 0;
}

static int run_back(struct request *request)
{
	struct session *session = request->session;
	uint32_t node = meant(request, 0);
	struct walk_back back;
	int status = 0;

	if (node == NUMBER_NONE)
		return -1;
	if (!segment_waits(segment_at(session->whole, node)))
		return fail("that segment has no wait");
	back = walk_back(session->whole, node, (size_t)request->edge, session->how.asks);
	if (request->edge <= back.choices) {
		describe_back(&session->describer, &back);
		describe_lost_meanwhile(session, node);
	} else {
		status = fail("that wait has %zu edge%s to choose from, not %llu", back.choices, back.choices == 1 ? "" : "s", (unsigned long long)request->edge);
	}
	walk_back_free(&back);
	return status;
}

/* `named`: this is the wait of the last culprit. If that culprit is the answer again, it is not said twice. */
static int describe_culprit(struct session *session, uint32_t node, bool named, uint32_t *wait)
{
	struct vote result;
	int status = vote(session->whole, node, session->normal, &result);

	*wait = NUMBER_NONE;
	if (status == 0) {
		*wait = vote_wait(&result);
		if (!named || *wait != node)
			describe_vote(&session->describer, &result);
	}
	vote_free(&result);
	return status;
}

/* The wait before the segment that really ended this wait; NUMBER_NONE: there is none. */
static uint32_t wait_behind(const struct whole *whole, uint32_t wait)
{
	const struct whole_edge *ender = wait == NUMBER_NONE ? NULL : whole_ender(whole, wait);

	return ender ? whole_origin(whole, ender->from) : NUMBER_NONE;
}

/* If the thread that `at` found did not wait, it is the culprit itself. */
static bool describe_itself(struct session *session)
{
	enum state_kind kind = session->found.state.kind;

	if (session->found.from == session->found.to || (kind != STATE_RUNNING && kind != STATE_RUNNABLE))
		return false;
	session->found.verdict = kind == STATE_RUNNING ? VERDICT_BUSY : VERDICT_STARVED;
	describe_vote(&session->describer, &session->found);
	return true;
}

static int run_culprit(struct request *request)
{
	struct session *session = request->session;
	uint32_t node, seen[REPEATS_MOST + 1], wait;
	bool named = false;
	int count = 0;

	if (!request->count && describe_itself(session))
		return 0;
	node = meant(request, 0);
	if (node == NUMBER_NONE)
		return -1;
	for (;;) {
		seen[count++] = node;
		if (describe_culprit(session, node, named, &wait) < 0)
			return -1;
		node = request->again && count <= REPEATS_MOST ? wait : NUMBER_NONE;
		named = node != seen[count - 1];
		if (!named)
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
	describe_node(&request->session->describer, node);
	return 0;
}

/* A node to compare. A name with "normal:" before it is of the stream with the normal cases. NUMBER_NONE after fail(). */
static struct segment_ref side_of(const struct request *request, int word)
{
	const struct session *session = request->session;
	const char *name = request->words[word];

	if (!session->normal || strncmp(name, NODE_NORMAL, strlen(NODE_NORMAL)) != 0)
		return (struct segment_ref){session->whole, node_find(session->whole, name)};
	return (struct segment_ref){session->how.normal, node_find(session->how.normal, name + strlen(NODE_NORMAL))};
}

static int run_compare(struct request *request)
{
	struct segment_ref one, other;

	if (request->steps)
		return describe_steps(&request->session->describer, request->words[0], request->words[1]);
	one = side_of(request, 0);
	if (one.segment == NUMBER_NONE)
		return -1;
	other = side_of(request, 1);
	if (other.segment == NUMBER_NONE)
		return -1;
	describe_difference(&request->session->describer, one, other);
	return 0;
}

/* --- what the user knows --------------------------------------------------------------------------------------------------- */

/* Builds the whole again, by the current rules, and finds the last node in it. -1 after fail(), which leaves everything as it was. */
static int rebuild(struct session *session)
{
	const struct segment *node = session->node == NUMBER_NONE ? NULL : segment_at(session->whole, session->node);
	int32_t tid = node ? session->whole->threads.items[node->thread].tid : 0;
	int64_t then = node ? node->end - 1 : 0;
	struct whole *whole;

	if (!session->how.again)
		return fail("that needs the events again, from a file; what is asked here came by a pipe");
	whole = session->how.again(session->how.context);
	if (!whole)
		return -1;
	if (edge_rules_apply(whole, session->how.semantics, true, NULL) < 0) {
		whole_free(whole);
		return -1;
	}
	normal_stream_free(session->normal);
	whole_free(session->rebuilt);
	session->whole = session->rebuilt = whole;
	session->normal = session->how.normal ? normal_stream_new(whole, session->how.normal) : NULL;
	session->describer.whole = whole;
	session->found = (struct vote){0};
	session->node = node && whole_thread_of(whole, tid) != NUMBER_NONE ? whole_at(whole, whole_thread_of(whole, tid), then) : NUMBER_NONE;
	return 0;
}

/* Adds a rule and applies it; sets *cut to the number of edges that it cuts. -1 after fail(), without the rule. */
static int learn(struct session *session, const char *line, size_t *cut)
{
	struct semantics *semantics = session->how.semantics;
	char reason[256];
	int status;

	if (semantics_add(semantics, line, "this line") < 0)
		return -1;
	if (semantics->rules.items[semantics->rules.count - 1].from.name)
		status = rebuild(session);
	else
		status = edge_rules_apply(session->whole, semantics, true, cut);
	if (status == 0)
		return 0;
	snprintf(reason, sizeof(reason), "%s", fail_text());
	semantics_drop_last(semantics);
	edge_rules_apply(session->whole, semantics, true, NULL);
	return fail("%s", reason);
}

/* Adds the key with a pattern that matches only this text; nothing if the text is empty. */
static void add_pattern(struct line *line, const char *key, const char *text)
{
	char *pattern = memory_new(2 * strlen(text) + 1, 1), *to = pattern;

	for (const char *at = text; *at; at++) {
		if (strchr("*?[\\", *at))
			*to++ = '\\';
		*to++ = *at;
	}
	if (*text)
		line_text(line, key, pattern);
	free(pattern);
}

/* Cuts all edges like this one, because in another stream numbers of nodes and edges differ. */
static int run_cut(struct request *request)
{
	struct session *session = request->session;
	const struct whole *whole = session->whole;
	uint32_t node = meant(request, 1);
	const struct whole_edge *edge;
	struct wait_identity identity;
	struct line line = {0};
	uint64_t number;
	size_t count = 0;
	char *clean;
	int status;

	if (node == NUMBER_NONE || number_count(request->words[0], strlen(request->words[0]), &number) < 0)
		return -1;
	edge = whole_edge_numbered(whole, node, (size_t)number);
	if (!edge)
		return fail("that node has no edge %llu; 'show' lists them", (unsigned long long)number);
	if (segment_at(whole, edge->from)->thread == segment_at(whole, edge->to)->thread)
		return fail("that edge is from the thread itself; no other thread woke it");
	identity = whole_identity_at(whole, segment_at(whole, edge->to)->identity);
	line_begin(&line, "cut");
	add_pattern(&line, "from", whole_text(whole, whole->threads.items[segment_at(whole, edge->from)->thread].name));
	add_pattern(&line, "to", whole_text(whole, whole->threads.items[segment_at(whole, edge->to)->thread].name));
	add_pattern(&line, "syscall", whole_text(whole, identity.syscall));
	add_pattern(&line, "function", whole_text(whole, identity.function));
	status = learn(session, line.text, &count);
	clean = clean_text(line.text, line.length);
	if (status == 0)
		answer_line(session->describer.answer, json_pack("{s:s, s:I}", "rule", clean, "edges", (json_int_t)count), "%s: %zu edge%s", clean, count,
			    count == 1 ? "" : "s");
	free(clean);
	line_free(&line);
	return status;
}

static int run_join(struct request *request)
{
	struct session *session = request->session;
	uint32_t from = meant(request, 0), to = from == NUMBER_NONE ? NUMBER_NONE : meant(request, 1);
	char *one, *other;
	struct line line = {0};
	int status;

	if (to == NUMBER_NONE)
		return -1;
	one = node_name(session->whole, from);
	other = node_name(session->whole, to);
	line_begin(&line, "join");
	line_text(&line, "from", one);
	line_text(&line, "to", other);
	status = learn(session, line.text, NULL);
	if (status == 0)
		answer_line(session->describer.answer, json_pack("{s:s, s:s}", "from", one, "to", other), "an edge from %s to %s", one, other);
	free(one);
	free(other);
	line_free(&line);
	return status;
}

static int run_boundary(struct request *request)
{
	struct session *session = request->session;
	struct line line = {0};
	size_t count = 0;
	int status;

	line_begin(&line, "boundary");
	line_text(&line, "event", request->words[0]);
	status = learn(session, line.text, NULL);
	line_free(&line);
	if (status < 0)
		return -1;
	for (size_t i = 0; i < session->whole->segments.count; i++)
		count += (session->whole->segments.items[i].flags & SEGMENT_BOUNDARY) != 0;
	answer_line(session->describer.answer, json_pack("{s:I}", "boundaries", (json_int_t)count), "%zu boundar%s", count, count == 1 ? "y" : "ies");
	return 0;
}

static int run_undo(struct request *request)
{
	struct session *session = request->session;
	struct semantics *semantics = session->how.semantics;
	bool rebuilds;
	char *line;
	int status;

	if (semantics->rules.count <= session->known)
		return fail("there is nothing to undo");
	rebuilds = semantics->rules.items[semantics->rules.count - 1].from.name != NULL;
	line = clean_text(semantics->rules.items[semantics->rules.count - 1].line, strlen(semantics->rules.items[semantics->rules.count - 1].line));
	semantics_drop_last(semantics);
	status = rebuilds ? rebuild(session) : edge_rules_apply(session->whole, semantics, true, NULL);
	if (status == 0)
		answer_line(session->describer.answer, json_pack("{s:s}", "undone", line), "undone: %s", line);
	free(line);
	return status;
}

static int run_save(struct request *request)
{
	struct session *session = request->session;
	struct file_draft *draft = file_draft(request->words[0]);
	size_t count;

	if (!draft)
		return -1;
	count = semantics_write(session->how.semantics, file_draft_stream(draft));
	if (file_draft_keep(draft) < 0)
		return -1;
	answer_line(session->describer.answer, json_pack("{s:I}", "rules", (json_int_t)count), "%zu rule%s", count, count == 1 ? "" : "s");
	return 0;
}

static void draw(struct session *session, uint32_t node, FILE *out)
{
	struct walk_back back = walk_back(session->whole, node, 0, false);
	struct vote votes;

	if (vote(session->whole, node, session->normal, &votes) == 0)
		dot_write(out, session->whole, &back, &votes);
	vote_free(&votes);
	walk_back_free(&back);
}

static int run_dot(struct request *request)
{
	struct session *session = request->session;
	struct file_draft *draft;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (session->node == NUMBER_NONE)
		return fail("which node? 'at' finds one, such as 'at 1'");
	if (!segment_waits(segment_at(session->whole, session->node)))
		return fail("that segment has no wait");
	if (request->count) {
		draft = file_draft(request->words[0]);
		if (!draft)
			return -1;
		draw(session, session->node, file_draft_stream(draft));
		return file_draft_keep(draft);
	}
	out = open_memstream(&text, &length);
	draw(session, session->node, out);
	fclose(out);
	length -= length > 0;
	text[length] = '\0'; /* the answer ends the line */
	answer_last(session->describer.answer, json_pack("{s:s}", "dot", text), "%s", text);
	free(text);
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
	const char *options; /* a letter for each option that it has */
	int (*run)(struct request *request);
	const char *help;
	uint64_t ends; /* how many lines are kept free for the end of the answer */
} commands[] = {
	{"windows", "", 0, 0, "", run_windows, "the moments that were abnormal, each with its worst signal"},
	{"at", "WINDOW | NODE | THREAD FROM TO", 1, 3, "", run_at, "what a thread did most of the time", 1},
	{"culprit", "[-r] [NODE]", 0, 1, "r", run_culprit, "who usually ends that wait, and who did not; -r: and what was behind that", 3},
	{"similar", "[--thread=any] [NODE]", 0, 1, "t", run_similar, "normal segments that did the same"},
	{"back", "[--edge=N] [NODE]", 0, 1, "e", run_back, "who ended that wait, and what that one had waited for", 1},
	{"show", "[NODE]", 0, 1, "", run_show, "all that is known of a node"},
	{"compare", "NODE NODE | --steps GOOD BAD", 2, 2, "s", run_compare, "what differs; --steps: of two files of step-log(1)"},
	{"cut", "EDGE [NODE]", 1, 2, "", run_cut, "edges like that one, as 'show' numbers them, are none"},
	{"join", "NODE NODE", 2, 2, "", run_join, "an edge that events do not show"},
	{"boundary", "EVENT", 1, 1, "", run_boundary, "at this event a thread begins something else"},
	{"undo", "", 0, 0, "", run_undo, "the last cut, join or boundary"},
	{"save", "FILE", 1, 1, "", run_save, "keep cuts, joins and boundaries, for --semantics"},
	{"dot", "[FILE]", 0, 1, "", run_dot, "the found node as a picture, for dot(1)"},
	{"help", "", 0, 0, "", run_help, "this list"},
	{"quit", "", 0, 0, "", run_quit, "the end"},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int run_help(struct request *request)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		char *usage = memory_format("%s %s", commands[i].name, commands[i].operands);

		answer_line(request->session->describer.answer, json_pack("{s:s, s:s}", "usage", usage, "help", commands[i].help), "%-37s%s", usage,
			    commands[i].help);
		free(usage);
	}
	answer_line(request->session->describer.answer, json_object(), "a node is THREAD/TID#N or THREAD/TID@SECONDS; without one the node that 'at' found is meant");
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

/* A word with '/', '#' or '@' is no option: names of threads and nodes may begin with '-'. */
static bool is_option(const char *word)
{
	return *word == '-' && !strpbrk(word, "/#@");
}

/* -1 after fail(): the command has no such option. */
static int take_option(struct request *request, const struct command *command, const char *word)
{
	static const char edge[] = "--edge=";

	if (!strcmp(word, "-r") && has_option(command, 'r')) {
		request->again = true;
		return 0;
	}
	if (!strcmp(word, "--steps") && has_option(command, 's')) {
		request->steps = true;
		return 0;
	}
	if (!strcmp(word, "--thread=any") && has_option(command, 't')) {
		request->any_thread = true;
		return 0;
	}
	if (!strncmp(word, edge, strlen(edge)) && has_option(command, 'e')) {
		if (number_count(word + strlen(edge), strlen(word) - strlen(edge), &request->edge) < 0)
			return -1;
		return request->edge ? 0 : fail("edges count from 1");
	}
	return fail("'%s' has no option '%s'", command->name, word);
}

/* Cuts a word off; in double quotes it may have spaces. NULL: there is none. */
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

static bool is_closed(const char *text)
{
	bool quoted = false;

	for (; *text; text++)
		quoted ^= *text == '"';
	return !quoted;
}

static enum session_status misuse(const struct command *command)
{
	fail("it is '%s%s%s'", command->name, *command->operands ? " " : "", command->operands);
	return SESSION_MISUSED;
}

static enum session_status run_one(struct session *session, char *text)
{
	struct request request = {.session = session};
	bool closed = is_closed(text);
	char *rest = text, *name = next_word(&rest), *word;
	const struct command *command = name ? find_command(name) : NULL;
	int status;

	if (!name || *name == '#')
		return SESSION_DONE;
	if (!command) {
		fail("there is no command '%s'; 'help' lists them", name);
		return SESSION_MISUSED;
	}
	if (!closed) {
		fail("a quote is not closed");
		return SESSION_MISUSED;
	}
	while ((word = next_word(&rest))) {
		if (is_option(word)) {
			if (take_option(&request, command, word) < 0)
				return SESSION_MISUSED;
			continue;
		}
		if (request.count == command->most)
			return misuse(command);
		request.words[request.count++] = word;
	}
	if (request.count < command->least || (command->run == run_at && request.count == 2))
		return misuse(command);
	if (command->run == run_quit)
		return SESSION_QUIT;
	answer_begin(session->describer.answer, command->name, command->ends + (session->whole->gaps.count > 0));
	status = command->run(&request);
	answer_end(session->describer.answer);
	if (ferror(session->how.out))
		return SESSION_QUIT; /* the output failed: the caller finds out why */
	return status < 0 ? SESSION_FAILED : SESSION_DONE;
}

/* The length of the first command, which ends at a ';' or a newline outside of quotes. */
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

char *session_complete(const struct session *session, const char *word, bool first, size_t *next)
{
	size_t length = strlen(word);

	while (first && *next < COMMANDS) {
		const char *name = commands[(*next)++].name;

		if (!strncmp(name, word, length))
			return memory_text(name, strlen(name));
	}
	while (!first && *next < session->whole->threads.count) {
		char *name = thread_name(session->whole, (uint32_t)(*next)++);

		for (char *quote = name; (quote = strchr(quote, '"'));)
			*quote = '_'; /* no word can contain a quote; the tid tells which thread is meant */
		if (!strncmp(name, word, length))
			return name;
		free(name);
	}
	return NULL;
}
