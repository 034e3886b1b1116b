/*
 * graph-walk: ask a graph of everything who ended which wait, who usually does, and so who is to blame.
 */
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "event/event.h"
#include "walk/answer.h"
#include "walk/whole_build.h"
#include "walk/edge_rules.h"
#include "walk/session.h"
#include "walk/whole_record.h"

static const char *format_name(size_t index)
{
	static const char *const names[] = {"text", "json"};

	return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

static const char *script, *format, *normal_file, *semantics_file, *host = "";
static struct option_list asked;
static uint64_t most = 20;

static const struct option_entry options[] = {
	{OPTION_LIST, 'x', "execute", &asked, "COMMANDS", "run these commands, with ';' between them"},
	{OPTION_STRING, 0, "script", &script, "FILE", "run the commands of this file, a line each"},
	{OPTION_STRING, 0, "normal", &normal_file, "FILE", "a stream in which all went well: what is usual is asked of that"},
	{OPTION_STRING, 0, "semantics", &semantics_file, "FILE", "what you know of the program (tailblame-semantics(5))"},
	{OPTION_STRING, 0, "host", &host, "HOST", "of a stream of several hosts, this one"},
	{OPTION_STRING, 'f', "format", &format, "FORMAT", .names = format_name},
	{OPTION_COUNT, 'n', "lines", &most, "N", "lines of an answer (20)"},
	{0},
};

/* A stream that has a whole graph, or events to build one from. */
struct reading {
	char *const *files;
	int count;
	const struct semantics *semantics;
	struct stream *stream;
	struct whole_builder *builder;
	struct whole_reader *reader;
	struct whole *whole; /* NULL: the stream is not over */
	int64_t wall;
};

/* Keeps the graph of a stream; frees it if it is empty and another was kept. -1 after fail(), as also if `whole` is NULL. */
static int keep_whole(struct reading *reading, struct whole *whole)
{
	if (!whole)
		return -1;
	if (reading->whole && !whole->segments.count) {
		whole_free(whole);
		return 0;
	}
	if (reading->whole && reading->whole->segments.count) {
		whole_free(whole);
		return fail("there are several streams; a graph is of one");
	}
	whole_free(reading->whole);
	reading->whole = whole;
	return 0;
}

static int is_over(void *context)
{
	struct reading *reading = context;
	bool read = whole_reader_has(reading->reader);
	struct whole *built = whole_builder_finish(reading->builder), *was_read = read ? whole_reader_finish(reading->reader) : NULL;

	if (read && built && semantics_has_events(reading->semantics)) { /* only a graph built from events can follow them */
		whole_free(was_read);
		was_read = NULL;
		read = false;
		if (!built->segments.count) {
			whole_free(built);
			return fail("what is known of events needs events, and the stream has a graph only; give --semantics to graph-build");
		}
	}
	whole_free(read ? built : was_read);
	return keep_whole(reading, read ? was_read : built);
}

/* Tells whether an event can be dropped: the stream has a graph, and the semantics tell nothing of events, which only a built graph can follow. */
static bool is_needless(const struct reading *reading, const struct record *record)
{
	return record->kind == KIND_EVENT && whole_reader_has(reading->reader) && !semantics_has_events(reading->semantics);
}

static int see_record(void *context, const struct record *record)
{
	struct reading *reading = context;
	const struct fields *fields;

	if (answer_interrupted())
		return fail("interrupted");
	if (is_needless(reading, record))
		return STREAM_DROP;
	fields = record->kind == KIND_STREAM ? stream_fields(reading->stream, record) : NULL;

	if (fields && fields_time(fields, "wall", &reading->wall) < 0)
		return stream_fail(reading->stream, "%s", fail_text());
	if (record->kind != KIND_EVENT && record->kind != KIND_STREAM && whole_reader_record(reading->reader, record) < 0)
		return -1;
	if (record->kind == KIND_GRAPH || record->kind == KIND_NODE || record->kind == KIND_EDGE)
		return STREAM_DROP;
	return whole_builder_record(reading->builder, record) < 0 ? -1 : STREAM_DROP;
}

/* Reads or builds the graph. Returns the exit status: EXIT_INCOMPLETE if the stream lacks something; EXIT_FAILED after fail(). */
static int read_whole(struct reading *reading)
{
	struct handlers handlers = {.finish = is_over, .only = host, .on = {[KIND_GRAPH] = see_record, [KIND_NODE] = see_record, [KIND_EDGE] = see_record}};
	struct events *events;
	int status;

	reading->stream = stream_open(reading->files, reading->count);
	if (!reading->stream)
		return EXIT_FAILED;
	events = events_new(reading->stream);
	reading->builder = whole_builder_new(reading->stream, events);
	if (!reading->builder)
		return EXIT_FAILED;
	whole_builder_semantics(reading->builder, reading->semantics);
	reading->reader = whole_reader_new(reading->stream);
	whole_builder_reads(&handlers, see_record);
	status = stream_finish(reading->stream, &handlers, reading);
	if (status != EXIT_FAILED && !reading->whole)
		status = EXIT_FAILED;
	if (status == EXIT_FAILED && !*fail_text())
		fail("there is no stream");
	if (status != EXIT_FAILED && status && *fail_text())
		warn("%s", fail_text());
	if (status != EXIT_FAILED && whole_builder_complaint(reading->builder))
		warn("%s", whole_builder_complaint(reading->builder));
	whole_builder_free(reading->builder);
	whole_reader_free(reading->reader);
	events_free(events);
	return status;
}

/* Reads the same stream again, by the current semantics. NULL after fail(). */
static struct whole *read_again(void *context)
{
	const struct reading *before = context;
	struct reading reading = {.files = before->files, .count = before->count, .semantics = before->semantics, .wall = TIME_NONE};

	if (read_whole(&reading) != EXIT_FAILED)
		return reading.whole;
	whole_free(reading.whole);
	return NULL;
}

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *prompt(EditLine *line)
{
	static char text[] = "graph-walk> ";

	(void)line;
	return text;
}

static struct session *prompted; /* Tab completes names of this session */

/* Returns where the word at the cursor begins. Spaces in quotes are part of a word. */
static const char *word_begin(const LineInfo *info)
{
	const char *begin = info->buffer;
	bool quoted = false;

	for (const char *at = begin; at < info->cursor; at++) {
		quoted ^= *at == '"';
		if (!quoted && (*at == ' ' || *at == ';'))
			begin = at + 1;
	}
	return begin;
}

static bool is_first(const LineInfo *info, const char *begin)
{
	bool first = true;

	for (const char *at = info->buffer; at < begin; at++)
		first = *at == ';' || (first && *at == ' ');
	return first;
}

/* Returns the beginning that all completions of the word share, to be freed; NULL: there are none. *only: there is just one. */
static char *agreed(const char *word, bool first, bool *only)
{
	size_t length, next = 0;
	char *common = session_complete(prompted, word, first, &next), *other;

	*only = true;
	while (common && (other = session_complete(prompted, word, first, &next))) {
		*only = false;
		for (length = 0; common[length] && common[length] == other[length]; length++)
			;
		common[length] = '\0';
		free(other);
	}
	return common;
}

/* Completes the word at the cursor, in quotes if it gets spaces or semicolons. */
static unsigned char complete(EditLine *line, int key)
{
	const LineInfo *info = el_line(line);
	const char *begin = word_begin(info);
	bool opened = *begin == '"' && begin < info->cursor, only, more, quotes;
	size_t length = (size_t)(info->cursor - begin) - opened;
	char *word = memory_text(begin + opened, length), *common = agreed(word, is_first(info, begin), &only);

	(void)key;
	more = common && strlen(common) > length;
	quotes = more && (opened || strpbrk(common, " ;"));
	if (quotes && !opened) {
		el_deletestr(line, (int)length);
		el_insertstr(line, "\"");
		length = 0;
	}
	if (more)
		el_insertstr(line, common + length);
	if (quotes && only)
		el_insertstr(line, "\"");
	free(common);
	free(word);
	return more ? CC_REFRESH : CC_ERROR;
}

static void interrupted(int signal)
{
	(void)signal;
	answer_interrupt();
}

/*
 * The terminal, opened a second time: its reads do not block, and standard input, which other processes share, keeps its flags. If it cannot be
 * opened, as after su(1), this is standard input, and reads block.
 */
static int keyboard = STDIN_FILENO;

static void open_keyboard(void)
{
	int fd = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		keyboard = fd;
}

/*
 * Reads a character. SIGINT is unblocked only during the wait, so it ends the wait even if it came just before. If it comes just after the
 * wait, the terminal discards what was typed, and there is nothing to read.
 */
static int read_key(EditLine *line, wchar_t *key)
{
	struct pollfd input = {.fd = keyboard, .events = POLLIN};
	unsigned char byte = 0;
	sigset_t none;
	ssize_t got;

	(void)line;
	sigemptyset(&none);
	do { /* no locale is set, so the line holds ASCII only */
		if (ppoll(&input, 1, NULL, &none) < 0)
			return -1;
		got = read(keyboard, &byte, 1);
	} while ((got < 0 && errno == EAGAIN) || (got == 1 && byte > 127));
	*key = byte;
	return (int)got;
}

static void block_interrupts(int how)
{
	sigset_t interrupts;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigprocmask(how, &interrupts, NULL);
}

/* Reads commands until the user ends the session. A command that fails prints its message; the session goes on. */
static void converse(struct session *session)
{
	EditLine *line = el_init("graph-walk", stdin, stdout, stderr);
	History *past = history_init();
	enum session_status status = SESSION_DONE;
	const char *text;
	HistEvent event;
	int length;

	if (!line || !past)
		die("cannot use this terminal");
	prompted = session;
	open_keyboard();
	sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupted}, NULL);
	history(past, &event, H_SETSIZE, 1000);
	el_set(line, EL_PROMPT, prompt);
	el_set(line, EL_EDITOR, "emacs");
	el_set(line, EL_HIST, history, past);
	el_set(line, EL_ADDFN, "complete", "complete the word", complete);
	el_set(line, EL_BIND, "^I", "complete", NULL);
	el_set(line, EL_GETCFN, read_key);
	while (status != SESSION_QUIT) {
		block_interrupts(SIG_BLOCK);
		text = el_gets(line, &length);
		block_interrupts(SIG_UNBLOCK);
		if (!text && errno == EINTR) {
			putc('\n', stdout);
			el_reset(line);
			errno = 0;
			continue;
		}
		if (!text || length <= 0) {
			putc('\n', stdout);
			break;
		}
		if (length > 1)
			history(past, &event, H_ENTER, text);
		status = session_run(session, text);
		if (status == SESSION_FAILED || status == SESSION_MISUSED)
			warn("%s", fail_text());
		fflush(stdout);
	}
	history_end(past);
	el_end(line);
}

/* Runs a line of a script; its length is `length` bytes. */
static enum session_status run_line(struct session *session, const char *line, size_t length)
{
	if (strlen(line) == length)
		return session_run(session, line);
	fail("the commands are no text: they have a NUL");
	return SESSION_FAILED;
}

static enum session_status run_file(struct session *session, FILE *in)
{
	enum session_status status = SESSION_DONE;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (status == SESSION_DONE && (length = getline(&line, &room, in)) >= 0)
		status = run_line(session, line, (size_t)length);
	if (status == SESSION_DONE && ferror(in)) {
		fail_errno("cannot read the commands");
		status = SESSION_FAILED;
	}
	free(line);
	return status;
}

static enum session_status run_asked(struct session *session, FILE *commands)
{
	enum session_status status = SESSION_DONE;

	for (int i = 0; i < asked.count && status == SESSION_DONE; i++)
		status = session_run(session, asked.items[i]);
	return status == SESSION_DONE && commands ? run_file(session, commands) : status;
}

static void check_usage(int argc, char **argv, int first, bool at_prompt)
{
	if (argc - first > 1)
		die_usage("a graph is of one stream");
	if (most == 0)
		die_usage("--lines must be at least 1");
	if (!asked.count && !script && !at_prompt && (argc == first || !strcmp(argv[first], "-")))
		die_usage("standard input is the stream: say what to ask, by -x or --script");
	if (at_prompt && argc == first)
		die_usage("a stream is missing");
}

/* Reads the semantics, confines the command, and reads the streams. Returns the exit status. */
static int read_streams(struct reading *reading, struct reading *normal, struct semantics *semantics)
{
	char *files[2] = {reading->count ? reading->files[0] : NULL, normal->files[0]};
	int status, of_normal = EXIT_DONE;

	if (semantics_choose(semantics, semantics_file) < 0)
		die("%s", fail_text());
	/* save and dot write into the working folder */
	confine(CONFINE_RENAME | CONFINE_TEMPORARY, ".", reading->count ? files : files + 1, reading->count + normal->count);
	status = read_whole(reading);
	if (status != EXIT_FAILED && normal->count)
		of_normal = read_whole(normal);
	if (status == EXIT_FAILED || of_normal == EXIT_FAILED || edge_rules_apply(reading->whole, semantics, true, NULL) < 0)
		die("%s", fail_text());
	if (normal->count && edge_rules_apply(normal->whole, semantics, false, NULL) < 0)
		die("%s", fail_text());
	return status ? status : of_normal;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE]", "ask a graph of everything who is to blame"), status, ended = EXIT_DONE;
	struct semantics semantics = {0};
	struct reading reading = {.files = argv + first, .count = argc - first, .semantics = &semantics, .wall = TIME_NONE};
	struct reading normal = {.files = (char *const *)&normal_file, .count = normal_file != NULL, .semantics = &semantics, .wall = TIME_NONE};
	struct session_options how = {.out = stdout, .most = most, .semantics = &semantics, .context = &reading};
	enum session_status done = SESSION_DONE;
	struct session *session;
	FILE *commands = NULL;
	bool closed;

	/* open */
	how.asks = !asked.count && !script && isatty(STDIN_FILENO);
	check_usage(argc, argv, first, how.asks);
	how.as_json = format && listing_find("format", format, format_name) == 1;
	if (format && listing_find("format", format, format_name) < 0)
		die_usage("%s", fail_text());
	if (script && !(commands = fopen(script, "re")))
		die("cannot open '%s': %s", script, strerror(errno));
	tzset();
	signal(SIGPIPE, SIG_IGN);
	status = read_streams(&reading, &normal, &semantics);

	/* ask */
	how.most = most;
	how.wall = reading.wall;
	how.normal = normal.whole;
	how.again = reading.count && is_file(reading.files[0]) ? read_again : NULL;
	session = session_new(reading.whole, &how);
	if (how.asks)
		converse(session);
	else
		done = run_asked(session, !asked.count && !script ? stdin : commands);
	if (done == SESSION_FAILED || done == SESSION_MISUSED)
		warn("%s", fail_text());
	if (session_incomplete(session))
		ended = EXIT_INCOMPLETE;

	/* close */
	session_free(session);
	whole_free(reading.whole);
	whole_free(normal.whole);
	semantics_free(&semantics);
	if (file_flush(stdout, "standard output", &closed) < 0 && !closed)
		die("%s", fail_text());
	if (done == SESSION_FAILED)
		return EXIT_FAILED;
	return done == SESSION_MISUSED ? EXIT_USAGE : ended ? ended : status;
}
