/*
 * graph-walk: ask a graph of everything who ended which wait, who usually does, and so who is to blame.
 */
#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "event/event.h"
#include "walk/build.h"
#include "walk/session.h"
#include "walk/whole_record.h"

static const char *format_name(size_t index)
{
	static const char *const names[] = {"text", "json"};

	return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

static const char *script, *format;
static struct option_list asked;
static uint64_t most = 20;

static const struct option_entry options[] = {
	{OPTION_LIST, 'x', "execute", &asked, "COMMANDS", "run these commands, with ';' between them"},
	{OPTION_STRING, 0, "script", &script, "FILE", "run the commands of this file, a line each"},
	{OPTION_STRING, 'f', "format", &format, "FORMAT", .names = format_name},
	{OPTION_COUNT, 'n', "lines", &most, "N", "lines of an answer (20)"},
	{0},
};

/* A stream that has a whole graph, or events to build one from. */
struct reading {
	struct stream *stream;
	struct whole_builder *builder;
	struct whole_reader *reader;
	struct whole *whole; /* NULL: the stream is not over */
	int64_t wall;
	bool several;
};

static int is_over(void *context)
{
	struct reading *reading = context;
	bool read = whole_reader_has(reading->reader);
	struct whole *built = whole_builder_finish(reading->builder), *was_read = read ? whole_reader_finish(reading->reader) : NULL;

	if ((read && !was_read) || (!read && !built))
		return -1;
	if (reading->whole && (read ? was_read : built)->segments.count) {
		whole_free(built);
		whole_free(was_read);
		return fail("there are several streams; a graph is of one");
	}
	if (!reading->whole)
		reading->whole = read ? was_read : built;
	whole_free(reading->whole == built ? was_read : built);
	return 0;
}

static int see_record(void *context, const struct record *record)
{
	struct reading *reading = context;
	const struct fields *fields = record->kind == KIND_STREAM ? stream_fields(reading->stream, record) : NULL;

	if (fields && fields_time(fields, "wall", &reading->wall) < 0)
		return stream_fail(reading->stream, "%s", fail_text());
	if (record->kind != KIND_EVENT && record->kind != KIND_STREAM && whole_reader_record(reading->reader, record) < 0)
		return -1;
	if (record->kind == KIND_GRAPH || record->kind == KIND_NODE || record->kind == KIND_EDGE)
		return STREAM_DROP;
	return whole_builder_record(reading->builder, record) < 0 ? -1 : STREAM_DROP;
}

/* Exit status; EXIT_INCOMPLETE where the stream lacks something. */
static int read_whole(struct reading *reading, char *const *files, int count)
{
	struct handlers handlers = {.finish = is_over, .on = {[KIND_GRAPH] = see_record, [KIND_NODE] = see_record, [KIND_EDGE] = see_record}};
	struct events *events;
	int status;

	reading->stream = stream_open(files, count);
	if (!reading->stream)
		die("%s", fail_text());
	events = events_new(reading->stream);
	reading->builder = whole_builder_new(reading->stream, events);
	if (!reading->builder)
		die("%s", fail_text());
	reading->reader = whole_reader_new(reading->stream);
	confine(CONFINE_NOTHING_ELSE, NULL, files, count);
	whole_builder_reads(&handlers, see_record);
	status = stream_finish(reading->stream, &handlers, reading);
	if (status == EXIT_FAILED || !reading->whole)
		die("%s", *fail_text() ? fail_text() : "there is no stream");
	if (status && *fail_text())
		warn("%s", fail_text());
	if (whole_builder_complaint(reading->builder))
		warn("%s", whole_builder_complaint(reading->builder));
	whole_builder_free(reading->builder);
	whole_reader_free(reading->reader);
	events_free(events);
	return status;
}

static char *prompt(EditLine *line)
{
	static char text[] = "graph-walk> ";

	(void)line;
	return text;
}

static struct session *prompted; /* whose names Tab completes */

/* Completes a word as far as all its completions agree. */
static unsigned char complete(EditLine *line, int key)
{
	const LineInfo *info = el_line(line);
	const char *begin = info->cursor;
	char *word, *common, *other;
	bool first = true;
	size_t length;

	(void)key;
	while (begin > info->buffer && begin[-1] != ' ' && begin[-1] != ';')
		begin--;
	for (const char *at = info->buffer; at < begin; at++)
		first = *at == ';' || (first && *at == ' ');
	word = memory_text(begin, (size_t)(info->cursor - begin));
	common = session_complete(prompted, word, first, 0);
	for (size_t i = 1; common && (other = session_complete(prompted, word, first, i)); i++) {
		for (length = 0; common[length] && common[length] == other[length]; length++)
			;
		common[length] = '\0';
		free(other);
	}
	length = common && strlen(common) > strlen(word) ? strlen(word) : 0;
	if (length)
		el_insertstr(line, common + length);
	free(common);
	free(word);
	return length ? CC_REFRESH : CC_ERROR;
}

static void interrupted(int signal)
{
	(void)signal;
}

/* A person is asked until that one has enough; what fails is told, and nothing ends. */
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
	sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupted}, NULL);
	history(past, &event, H_SETSIZE, 1000);
	el_set(line, EL_PROMPT, prompt);
	el_set(line, EL_EDITOR, "emacs");
	el_set(line, EL_HIST, history, past);
	el_set(line, EL_ADDFN, "complete", "complete the word", complete);
	el_set(line, EL_BIND, "^I", "complete", NULL);
	while (status != SESSION_QUIT) {
		text = el_gets(line, &length);
		if (!text && errno == EINTR) {
			putc('\n', stdout);
			el_reset(line);
			errno = 0;
			continue;
		}
		if (!text || length <= 0)
			break;
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

static enum session_status run_file(struct session *session, FILE *in)
{
	enum session_status status = SESSION_DONE;
	char *line = NULL;
	size_t room = 0;

	while (status == SESSION_DONE && getline(&line, &room, in) >= 0)
		status = session_run(session, line);
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

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE]", "ask a graph of everything who is to blame"), status, ended = EXIT_DONE;
	struct reading reading = {.wall = TIME_NONE};
	enum session_status done = SESSION_DONE;
	struct session *session;
	FILE *commands = NULL;
	int as;
	bool at_prompt, closed;

	/* open */
	as = format ? listing_find("format", format, format_name) : 0;
	if (as < 0)
		die_usage("%s", fail_text());
	if (argc - first > 1)
		die_usage("a graph is of one stream");
	if (most == 0)
		die_usage("--lines must be at least 1");
	at_prompt = !asked.count && !script && isatty(STDIN_FILENO);
	if (!asked.count && !script && !at_prompt && (argc == first || !strcmp(argv[first], "-")))
		die_usage("standard input is the stream: say what to ask, by -x or --script");
	if (at_prompt && argc == first)
		die_usage("a stream is missing");
	if (script && !(commands = fopen(script, "re")))
		die("cannot open '%s': %s", script, strerror(errno));
	tzset();
	signal(SIGPIPE, SIG_IGN);
	status = read_whole(&reading, argv + first, argc - first);

	/* ask */
	session = session_new(reading.whole, &(struct session_options){stdout, as == 1, at_prompt, most, reading.wall});
	if (at_prompt)
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
	if (file_flush(stdout, "standard output", &closed) < 0 && !closed)
		die("%s", fail_text());
	if (done == SESSION_FAILED)
		return EXIT_FAILED;
	return done == SESSION_MISUSED ? EXIT_USAGE : ended ? ended : status;
}
