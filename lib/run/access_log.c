#include "run/access_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/run.h"

enum { TOKENS_MAX = 64, AGENT_ROOM = 512, OK_BELOW = 400, LINE_ROOM = 64 << 10 };

/* Each time but TIME_BEGUN is that of the request's end: nginx logs when it wrote the line, Apache's %t is when the request came. */
enum meaning { SKIPPED, CLIENT, SECONDS, MILLISECONDS, MICROSECONDS, TIME_BEGUN, TIME_LOCAL, TIME_ISO, TIME_UNIX, BYTES, STATUS, AGENT, MEANINGS };

static const struct {
	const char *name, *format;
} formats[] = {
	{"nginx", "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\" \"$http_user_agent\" $request_time"},
	{"apache", "%h %l %u [%t] \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D"},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* Variables of nginx and directives of Apache; others are skipped. */
static const struct {
	const char *name;
	enum meaning meaning;
} variables[] = {
	{"$remote_addr", CLIENT},     {"$http_x_forwarded_for", CLIENT}, {"$request_time", SECONDS},  {"$time_local", TIME_LOCAL},
	{"$time_iso8601", TIME_ISO},  {"$msec", TIME_UNIX},		  {"$body_bytes_sent", BYTES}, {"$bytes_sent", BYTES},
	{"$status", STATUS},	      {"$http_user_agent", AGENT},
}, directives[] = {
	{"h", CLIENT}, {"a", CLIENT},	{"T", SECONDS}, {"D", MICROSECONDS}, {"{ms}T", MILLISECONDS},	 {"{us}T", MICROSECONDS},
	{"{s}T", SECONDS}, {"t", TIME_BEGUN}, {"b", BYTES},	{"B", BYTES},	     {"O", BYTES},		 {"s", STATUS},
	{"{User-Agent}i", AGENT},	 {"{User-agent}i", AGENT},
};

/* A field, and the text that follows it. */
struct token {
	enum meaning meaning;
	char *behind;
};

struct access_log {
	char *before; /* the text before the first field */
	struct token tokens[TOKENS_MAX];
	int count;
};

void access_log_free(struct access_log *format)
{
	for (int i = 0; i < format->count; i++)
		free(format->tokens[i].behind);
	free(format->before);
	free(format);
}

/* Sets *meaning to that of the variable or directive that begins here, and returns its end. NULL: none begins here. */
static const char *read_name(const char *at, enum meaning *meaning)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *name = at + 1, *end;

	*meaning = SKIPPED;
	if (*at == '$' && strspn(name, letters)) {
		end = name + strspn(name, letters);
		for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
			if (strlen(variables[i].name) == (size_t)(end - at) && !strncmp(variables[i].name, at, (size_t)(end - at)))
				*meaning = variables[i].meaning;
		return end;
	}
	if (*at != '%' || name[0] == '%' || !name[0])
		return NULL;
	name += strspn(name, "<>!,0123456789");
	end = *name == '{' ? strchr(name, '}') : name;
	if (!end || !*end || (*name == '{' && !end[1]))
		return NULL;
	end += *name == '{' ? 2 : 1;
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (strlen(directives[i].name) == (size_t)(end - name) && !strncmp(directives[i].name, name, (size_t)(end - name)))
			*meaning = directives[i].meaning;
	return end;
}

/* The text up to the next field; sets *next to that field. */
static char *read_text(const char *at, const char **next)
{
	enum meaning meaning;
	const char *end = at;

	while (*end && !read_name(end, &meaning))
		end++;
	*next = end;
	return memory_text(at, (size_t)(end - at));
}

static bool has(const struct access_log *format, enum meaning from, enum meaning to)
{
	for (int i = 0; i < format->count; i++)
		if (format->tokens[i].meaning >= from && format->tokens[i].meaning <= to)
			return true;
	return false;
}

static int read_format(struct access_log *format, const char *text)
{
	const char *at, *end;

	format->before = read_text(text, &at);
	while (*at) {
		struct token *token = &format->tokens[format->count];

		if (format->count == TOKENS_MAX)
			return fail("more than %d fields in a log's format", TOKENS_MAX);
		end = read_name(at, &token->meaning);
		token->behind = read_text(end, &at);
		format->count++;
		if (!*token->behind && *at)
			return fail("nothing stands between two fields of the log's format, at '%s'", at);
	}
	if (!has(format, CLIENT, CLIENT))
		return fail("the log's format '%s' has no client, such as $remote_addr or %%h; formats with a name are nginx and apache", text);
	if (!has(format, SECONDS, MICROSECONDS))
		return fail("the log's format '%s' has no time that a request took, such as $request_time or %%D", text);
	return 0;
}

/* Resolves the escapes of Apache's quoted formats: \" is a quote, \t a tab. The caller frees the result. */
static char *without_escapes(const char *text)
{
	char *copy = memory_text(text, strlen(text)), *to = copy;

	for (const char *at = copy; *at; at++) {
		bool escapes = *at == '\\' && at[1] && strchr("\"t", at[1]);

		if (escapes)
			at++;
		*to++ = escapes && *at == 't' ? '\t' : *at;
	}
	*to = '\0';
	return copy;
}

struct access_log *access_log_format(const char *text)
{
	struct access_log *format = NEW(struct access_log);
	char *plain;

	for (size_t i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, text))
			text = formats[i].format;
	plain = without_escapes(text);
	if (read_format(format, plain) < 0) {
		access_log_free(format);
		format = NULL;
	}
	free(plain);
	return format;
}

/* The fields of a line. */
struct request {
	const char *field[MEANINGS]; /* NULL: missing */
	size_t length[MEANINGS];
};

/* Finds the next place of `text`. Ignores a quote after a backslash, because both servers escape quotes with one. */
static const char *find(const char *at, const char *text)
{
	if (!*text)
		return at + strlen(at);
	for (; *at; at++) {
		if (*at == '\\' && at[1] && *text == '"')
			at++;
		else if (!strncmp(at, text, strlen(text)))
			return at;
	}
	return NULL;
}

static int cut(const struct access_log *format, const char *text, struct request *request)
{
	const char *at = text;

	*request = (struct request){0};
	if (strncmp(at, format->before, strlen(format->before)))
		return -1;
	at += strlen(format->before);
	for (int i = 0; i < format->count; i++) {
		const struct token *token = &format->tokens[i];
		const char *bracket = token->meaning == TIME_BEGUN && *at == '[' ? strchr(at, ']') : NULL; /* there is a blank in the brackets */
		const char *end = find(bracket ? bracket : at, token->behind);

		if (!end)
			return -1;
		if (!request->field[token->meaning]) {
			request->field[token->meaning] = at;
			request->length[token->meaning] = (size_t)(end - at);
		}
		at = end + strlen(token->behind);
	}
	return 0;
}

static int read_number(const struct request *request, enum meaning meaning, double *number)
{
	return request->field[meaning] ? number_double(request->field[meaning], request->length[meaning], number) : -1;
}

/* The seconds that the request took. The finest unit comes first, because Apache's %T has whole seconds. */
static int read_elapsed(const struct request *request, double *seconds)
{
	static const struct {
		enum meaning meaning;
		double unit;
	} kinds[] = {{MICROSECONDS, 1e6}, {MILLISECONDS, 1e3}, {SECONDS, 1}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (read_number(request, kinds[i].meaning, seconds) == 0 && *seconds >= 0) {
			*seconds /= kinds[i].unit;
			return 0;
		}
	return -1;
}

/* When the request began, in seconds since 1970; 0: unknown. */
static double read_begin(const struct request *request, double seconds)
{
	static const struct {
		enum meaning meaning;
		const char *format;
	} kinds[] = {{TIME_BEGUN, "%d/%b/%Y:%H:%M:%S %z"}, {TIME_BEGUN, "[%d/%b/%Y:%H:%M:%S %z]"},
		     {TIME_LOCAL, "%d/%b/%Y:%H:%M:%S %z"}, {TIME_ISO, "%Y-%m-%dT%H:%M:%S%z"}};
	double end = 0;

	if (read_number(request, TIME_UNIX, &end) == 0)
		return end > seconds ? end - seconds : 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		enum meaning meaning = kinds[i].meaning;
		struct tm parts = {0};
		char *copy;
		bool read;

		if (!request->field[meaning])
			continue;
		copy = memory_text(request->field[meaning], request->length[meaning]);
		read = strptime(copy, kinds[i].format, &parts) != NULL;
		free(copy);
		if (read) {
			long offset = parts.tm_gmtoff; /* timegm() sets it to 0 */
			double time = (double)(timegm(&parts) - offset);

			return meaning == TIME_BEGUN ? time : time > seconds ? time - seconds : 0;
		}
	}
	return 0;
}

/* A browser's User-Agent also names browsers that it resembles. The first name of this list that it has is its own. */
static const char *const browsers[] = {"Edg/", "OPR/", "Firefox/", "Chrome/", "CriOS/", "Safari/"};

static void put_product(struct line *line, const char *agent)
{
	const char *product = agent, *slash;

	if (!strncmp(agent, "Mozilla/", 8))
		for (size_t i = 0; i < sizeof(browsers) / sizeof(browsers[0]) && product == agent; i++) {
			const char *found = strstr(agent, browsers[i]);

			product = found ? found : agent;
		}
	slash = product + strcspn(product, "/ ");
	line_bytes(line, "fact.program", product, (size_t)(slash - product));
	if (*slash == '/')
		line_bytes(line, "fact.program.version", slash + 1, strcspn(slash + 1, " ;)"));
}

/* Writes the system, such as "Windows NT 10.0" from "Mozilla/5.0 (Windows NT 10.0; Win64; x64) ..."; else the first words in parentheses. */
static void put_os(struct line *line, const char *agent)
{
	static const char *const systems[] = {"Windows NT", "Android", "iPhone OS", "CPU OS", "Mac OS X", "CrOS", "Linux"};
	const char *open = strchr(agent, '('), *found = NULL;

	if (!open)
		return;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]) && !found; i++)
		found = strstr(open, systems[i]);
	found = found ? found : open + 1;
	if (strcspn(found, ";)"))
		line_bytes(line, "fact.os", found, strcspn(found, ";)"));
}

static void put_features(const struct request *request, const char *id, struct line *line)
{
	double bytes = 0, status = 0;
	char agent[AGENT_ROOM] = "";

	line_begin(line, "features");
	line_text(line, "run", id);
	if (read_number(request, BYTES, &bytes) == 0)
		line_double(line, "bytes", bytes);
	if (read_number(request, STATUS, &status) == 0)
		line_double(line, "status", status);
	if (request->field[AGENT])
		snprintf(agent, sizeof(agent), "%.*s", (int)(request->length[AGENT] < AGENT_ROOM ? request->length[AGENT] : AGENT_ROOM - 1),
			 request->field[AGENT]);
	if (*agent && strcmp(agent, "-") != 0) {
		put_product(line, agent);
		put_os(line, agent);
	}
}

/* Makes the records of a line. Returns 0; -1: the line does not fit the format. */
static int read_run(const struct access_log *format, const char *text, unsigned long long number, const char *job, struct line *run,
		    struct line *features)
{
	struct request request;
	double seconds, status = 0;
	int64_t begin = 0;
	char *id, begun[64];

	if (cut(format, text, &request) < 0 || read_elapsed(&request, &seconds) < 0 || request.length[CLIENT] == 0)
		return -1;
	snprintf(begun, sizeof(begun), "%.6f", read_begin(&request, seconds));
	if (number_time(begun, strlen(begun), &begin) < 0)
		return -1;
	id = memory_format("%.*s::%s:%llu", (int)(request.length[CLIENT] < RUN_ID_NODE ? request.length[CLIENT] : RUN_ID_NODE), request.field[CLIENT],
			   begun, number);
	line_begin(run, "run");
	line_text(run, "id", id);
	line_bytes(run, "node", request.field[CLIENT], request.length[CLIENT]);
	line_text(run, "job", job);
	line_time(run, "ts", begin);
	line_double(run, "elapsed", seconds);
	if (read_number(&request, STATUS, &status) == 0)
		line_unsigned(run, "exit", status >= OK_BELOW);
	line_text(run, "light", "yes");
	put_features(&request, id, features);
	free(id);
	return 0;
}

/* Reads a line of at most `room` - 1 bytes, without its newline. Returns 1; 0: there is none; -1: it was longer, and its rest was skipped. */
static int next_line(FILE *file, char *text, size_t room)
{
	size_t length;
	int c;

	if (!fgets(text, (int)room, file))
		return 0;
	length = strlen(text);
	if (length + 1 < room || text[length - 1] == '\n') {
		text[strcspn(text, "\r\n")] = '\0';
		return 1;
	}
	while ((c = getc(file)) != EOF && c != '\n')
		;
	return -1;
}

static int write_runs(const struct access_log *format, FILE *file, const char *name, const char *job, struct stream *output,
		      struct access_log_count *count)
{
	struct line run = {0}, features = {0};
	char *text = memory_new(LINE_ROOM, 1);
	int status = 0, got;

	for (unsigned long long number = 1; status == 0 && !stream_output_closed(output) && (got = next_line(file, text, LINE_ROOM)) != 0; number++) {
		count->lines++;
		if (got > 0 && read_run(format, text, count->lines, job, &run, &features) == 0) {
			status = stream_write_line(output, &run) < 0 || stream_write_line(output, &features) < 0 ? -1 : 0;
		} else if (count->strange++ == 0) {
			count->first = number;
			count->first_file = name;
		}
	}
	free(text);
	line_free(&run);
	line_free(&features);
	return status;
}

int access_log_read(const struct access_log *format, const char *file, const char *job, struct stream *output, struct access_log_count *count)
{
	bool standard = !strcmp(file, "-");
	const char *name = standard ? "standard input" : file;
	FILE *input = standard ? stdin : fopen(file, "re");
	int status;

	if (!input)
		return fail_errno("cannot open '%s'", file);
	status = write_runs(format, input, name, job, output, count);
	if (status == 0 && ferror(input))
		status = fail_errno("cannot read '%s'", name);
	if (!standard)
		fclose(input);
	return status;
}
