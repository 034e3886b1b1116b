#include "import/strace_line.h"

#include <errno.h>

#include "base/number.h"

static struct text_span after_blanks(struct text_span text)
{
	while (text.at < text.end && (*text.at == ' ' || *text.at == '\t'))
		text.at++;
	return text;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

/* strace prints modes and masks in octal, behind a zero. */
const char *strace_number(struct text_span text, uint64_t *number)
{
	bool negative = text.at < text.end && *text.at == '-';
	const char *at = text.at + negative, *begin;
	int base = 10, digit;
	uint64_t value = 0;

	if (text.end - at > 2 && at[0] == '0' && at[1] == 'x') {
		base = 16;
		at += 2;
	} else if (text.end - at > 1 && at[0] == '0') {
		base = 8;
	}
	for (begin = at; at < text.end && (digit = digit_of(*at)) < base; at++)
		value = value * (uint64_t)base + (uint64_t)digit;
	*number = negative ? -value : value;
	return at > begin ? at : NULL;
}

/* Reads "1700000000.123456" as nanoseconds. Returns what follows; NULL: it is no such number, or too large. */
static const char *read_seconds(struct text_span text, int64_t *ns)
{
	int64_t seconds = 0, part = 0, unit = NSEC_PER_SEC;
	const char *at = text.at, *begin = at;

	for (; at < text.end && is_digit(*at) && at - begin < 10; at++)
		seconds = seconds * 10 + (*at - '0');
	if (at == begin || at == text.end || *at != '.' || seconds > INT64_MAX / NSEC_PER_SEC - 1)
		return NULL;
	for (begin = ++at; at < text.end && is_digit(*at) && at - begin < 9; at++) {
		unit /= 10;
		part += (*at - '0') * unit;
	}
	*ns = seconds * NSEC_PER_SEC + part;
	return at > begin ? at : NULL;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/* The closing quote of the text whose opening quote is at `at`; `end`: there is none. */
static const char *closing_quote(const char *at, const char *end)
{
	while (++at < end && *at != '"')
		at += *at == '\\';
	return at < end ? at : end;
}

/* The '>' that ends the "<path>" behind a descriptor: the first '>' before the end or one of ",) ]}". NULL: there is none. */
static const char *closing_bracket(const char *at, const char *end)
{
	for (const char *close = at; (close = memchr(close, '>', (size_t)(end - close))); close++)
		if (close + 1 == end || strchr(",) ]}", close[1]))
			return close;
	return NULL;
}

/* The comma behind an argument, or the end of the arguments. */
static const char *argument_end(const char *at, const char *end)
{
	const char *close = at;
	int depth = 0;

	for (; at < end; at++)
		switch (*at) {
		case '"':
			at = closing_quote(at, end);
			if (at == end)
				return end;
			break;
		case '<':
			close = close ? closing_bracket(at, end) : NULL; /* if no '>' was found before, none follows here */
			at = close ? close : at;
			break;
		case '(': case '[': case '{':
			depth++;
			break;
		case ')': case ']': case '}':
			depth--;
			break;
		case ',':
			if (depth <= 0)
				return at;
			break;
		}
	return end;
}

/* A descriptor's path or a comment may follow a number. If any other text follows, the number is part of an expression and counts as 0. */
static uint64_t number_of(struct text_span argument)
{
	uint64_t number;
	const char *at = strace_number(argument, &number);

	if (!at)
		return 0;
	if (at == argument.end || (*at == '<' && at + 1 < argument.end && at[1] != '<'))
		return number;
	return *trimmed((struct text_span){at, argument.end}).at == '/' ? number : 0;
}

int strace_line_numbers(struct text_span arguments, uint64_t numbers[STRACE_ARGUMENTS])
{
	int i = 0;

	memset(numbers, 0, STRACE_ARGUMENTS * sizeof(*numbers));
	for (; i < STRACE_ARGUMENTS && arguments.at < arguments.end; i++) {
		const char *end;

		arguments = after_blanks(arguments);
		end = argument_end(arguments.at, arguments.end);
		numbers[i] = number_of(trimmed((struct text_span){arguments.at, end}));
		arguments.at = end + (end < arguments.end);
	}
	return i;
}

struct text_span strace_quoted(struct text_span text)
{
	const char *open = memchr(text.at, '"', text_span_length(text));

	return open ? (struct text_span){open + 1, closing_quote(open, text.end)} : (struct text_span){text.at, text.at};
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Errors that the kernel does not return to programs, so the C library has no names for them. */
static const struct {
	const char *name;
	int number;
} restarts[] = {
	{"ERESTARTSYS", 512}, {"ERESTARTNOINTR", 513}, {"ERESTARTNOHAND", 514}, {"ENOIOCTLCMD", 515}, {"ERESTART_RESTARTBLOCK", 516},
	{"EPROBE_DEFER", 517}, {"ENOTSUPP", 524}, {"EIOCBQUEUED", 529},
};

enum { ERRORS_MOST = 4096 };

/* The number of an error's name such as "ENOENT"; 0: unknown. */
static int error_number(struct text_span name)
{
	const char *known;

	for (size_t i = 0; i < sizeof(restarts) / sizeof(*restarts); i++)
		if (strlen(restarts[i].name) == text_span_length(name) && begins_with(name, restarts[i].name))
			return restarts[i].number;
	for (int i = 1; i <= EHWPOISON; i++)
		if ((known = strerrorname_np(i)) && strlen(known) == text_span_length(name) && begins_with(name, known))
			return i;
	return 0;
}

/* Reads " ENOENT (No such file or directory)" or " (errno 600)" behind -1 or ?. 0: there is no error. */
static int read_error(struct text_span text)
{
	struct text_span name = after_blanks(text);
	uint64_t number;

	text = name;
	if (begins_with(text, "(errno ") && strace_number((struct text_span){text.at + strlen("(errno "), text.end}, &number))
		return number < ERRORS_MOST ? (int)number : 0;
	for (name.end = name.at; name.end < text.end && *name.end != ' ' && *name.end != '(';)
		name.end++;
	return text_span_length(name) && *name.at == 'E' ? error_number(name) : 0;
}

/* Reads the result behind "= ": "3", "-1 ENOENT (...)", "? ERESTARTSYS (...)". A bare "?" is no return. */
static void take_result(struct text_span text, struct strace_line *read)
{
	bool unknown = text.at < text.end && *text.at == '?';
	uint64_t number = 0;
	const char *at = unknown ? text.at + 1 : strace_number(text, &number);
	int error = at && (unknown || (int64_t)number == -1) ? read_error((struct text_span){at, text.end}) : 0;

	read->returned = at && (!unknown || error);
	read->result = error ? -error : (int64_t)number;
}

/* Reads and removes "<0.000123>" at the end. */
static void take_duration(struct text_span *text, struct strace_line *read)
{
	const char *open = text->end;
	int64_t ns;

	read->duration = STRACE_UNTIMED;
	if (text_span_length(*text) < 3 || text->end[-1] != '>')
		return;
	while (open > text->at && *open != '<')
		open--;
	if (open == text->at || open[-1] != ' ' || read_seconds((struct text_span){open + 1, text->end}, &ns) != text->end - 1)
		return;
	read->duration = ns;
	*text = trimmed((struct text_span){text->at, open});
}

/* A result is a number or '?'. Only a descriptor's path, an error or an explanation may follow. Any other "= " stands within a path. */
static bool is_result(struct text_span text)
{
	uint64_t number;
	const char *at = text.at < text.end && *text.at == '?' ? text.at + 1 : strace_number(text, &number);

	return at && (at == text.end || *at == '<' || (*at == ' ' && at + 1 < text.end && strchr("E(<", at[1])));
}

/* The last ')' that is followed by "= " and a result. NULL: the line has no result. */
static const char *find_result(struct text_span text, struct text_span *result)
{
	for (const char *at = text.end; (at = memrchr(text.at, '=', (size_t)(at - text.at)));) {
		const char *close = at;

		while (close > text.at && close[-1] == ' ')
			close--;
		*result = (struct text_span){at + 2, text.end};
		if (close > text.at && close[-1] == ')' && text.end - at > 2 && at[1] == ' ' && is_result(*result))
			return close - 1;
	}
	return NULL;
}

/* Reads the text behind the name: arguments, and how the call ended. */
static bool take_call(struct text_span text, struct strace_line *read)
{
	static const char unfinished[] = "<unfinished ...>";
	const char *close, *mark;
	struct text_span result;

	text = trimmed(text);
	mark = text.end - (sizeof(unfinished) - 1);
	if (mark >= text.at && memcmp(mark, unfinished, sizeof(unfinished) - 1) == 0) {
		read->unfinished = true;
		read->arguments = trimmed((struct text_span){text.at, mark});
		return true;
	}
	take_duration(&text, read);
	close = find_result(text, &result);
	if (!close)
		return false;
	read->arguments = (struct text_span){text.at, close};
	take_result(result, read);
	return true;
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

static const char *read_tid(struct text_span text, int32_t *tid)
{
	const char *at = text.at;
	int64_t number = 0;

	for (; at < text.end && is_digit(*at) && number < INT32_MAX; at++)
		number = number * 10 + (*at - '0');
	if (at == text.at || number == 0 || number > INT32_MAX)
		return NULL;
	*tid = (int32_t)number;
	return at;
}

/* The place behind "<comm>", which option -Y prints. */
static const char *behind_comm(const char *at, const char *end)
{
	const char *close = at < end && *at == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;

	return close ? close + 1 : at;
}

/* Reads and removes "[pid  1234] " or "1234  " at the beginning. */
static void take_tid(struct text_span *text, struct strace_line *read)
{
	read->bracketed = begins_with(*text, "[pid ");
	if (read->bracketed) {
		const char *at = read_tid(after_blanks((struct text_span){text->at + 5, text->end}), &read->tid);

		at = at ? behind_comm(at, text->end) : text->end;
		if (at < text->end && *at == ']')
			text->at = at + 1;
	} else {
		const char *at = read_tid(*text, &read->tid);

		at = at ? behind_comm(at, text->end) : text->end;
		if (at < text->end && *at == ' ')
			text->at = at;
		else
			read->tid = 0;
	}
	*text = after_blanks(*text);
}

/* The text behind the brackets that options add between the time and the call: "[00007f12] " by -i, "[   0] " by -n, "(+     0.000012) " by -r. */
static struct text_span behind_brackets(struct text_span text)
{
	const char *close;

	text = after_blanks(text);
	while (text.at < text.end && (*text.at == '[' || begins_with(text, "(+"))) {
		close = memchr(text.at, *text.at == '[' ? ']' : ')', text_span_length(text));
		if (!close)
			break;
		text = after_blanks((struct text_span){close + 1, text.end});
	}
	return text;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '?' || (c >= 'A' && c <= 'Z');
}

/* Finds "strace: Process 1234 attached". Returns where it begins; NULL: it is not there. */
static const char *read_attached(struct text_span text, struct strace_line *read)
{
	static const char attached[] = "strace: Process ";
	const char *at = find(text, attached);

	return at && find(text, " attached") && read_tid((struct text_span){at + sizeof(attached) - 1, text.end}, &read->attached) ? at : NULL;
}

/* Reads the rest of the line, behind the time. */
static enum strace_kind read_event(struct text_span text, struct strace_line *read)
{
	bool resumed = begins_with(text, "<... ");

	if (begins_with(text, "--- "))
		return STRACE_SIGNAL;
	if (begins_with(text, "+++ "))
		return STRACE_ENDED;
	text.at += resumed ? strlen("<... ") : 0;
	for (read->name = (struct text_span){text.at, text.at}; read->name.end < text.end && is_name(*read->name.end);)
		read->name.end++;
	text.at = read->name.end;
	if (read->name.at == text.at || !begins_with(text, resumed ? " resumed>" : "("))
		return STRACE_OTHER;
	text.at += resumed ? strlen(" resumed>") : 1;
	if (take_call(text, read))
		return resumed ? STRACE_RESUMED : STRACE_CALL;
	read->arguments.at = text.at;
	read->arguments.end = read_attached(text, read); /* on standard error, the message cuts the line of a call that has not returned */
	read->unfinished = read->arguments.end;
	if (!read->unfinished)
		return STRACE_OTHER;
	return resumed ? STRACE_RESUMED : STRACE_CALL;
}

/* strace's own messages, which have no time. */
static enum strace_kind read_words(struct text_span text, struct strace_line *read)
{
	if (read_attached(text, read))
		return STRACE_ATTACHED;
	if (begins_with(text, "strace: ") || begins_with(text, "[ Process PID=") || begins_with(text, "<unfinished ...>"))
		return STRACE_MESSAGE;
	return begins_with(text, "> ") ? STRACE_STACK : STRACE_OTHER;
}

/* Recognizes a call whose time is a time of day or a difference, or that has no time. */
static enum strace_kind read_untimed(struct text_span text, struct strace_line *read)
{
	while (text.at < text.end && (is_digit(*text.at) || *text.at == ':' || *text.at == '.' || *text.at == ' '))
		text.at++;
	return read_event(behind_brackets(text), read) < STRACE_TAIL ? STRACE_NO_TIME : STRACE_OTHER;
}

/* The least time that can be one since 1970, in seconds: 10 million seconds are 116 days. */
enum { SECONDS_LEAST = 10 * 1000 * 1000 };

void strace_line_read(const char *line, size_t length, struct strace_line *read)
{
	struct text_span text = after_blanks((struct text_span){line, line + length}), rest = text;
	const char *at;

	*read = (struct strace_line){.duration = STRACE_UNTIMED};
	take_tid(&rest, read);
	at = read_seconds(rest, &read->ts);
	if (at && at < rest.end && *at == ' ' && read->ts >= SECONDS_LEAST * NSEC_PER_SEC) {
		read->kind = read_event(behind_brackets((struct text_span){at, rest.end}), read);
		return;
	}
	read->kind = read_words(text, read);
	if (read->kind == STRACE_OTHER)
		read->kind = read_untimed(rest, read);
	if (read->kind == STRACE_OTHER && take_call(text, read))
		read->kind = STRACE_TAIL;
}
