#include "import/ftrace_prefix.h"

/*
 * What dmesg and the journal put between brackets: a time, "10363.661789", "+0.000012", "Fri Nov 21 10:00:01 2026" in any language, or who
 * wrote to the log, "T12", "C1". Other letters are of a date only where there is the colon of a time.
 */
static bool is_stamp(struct span span)
{
	bool digits = false, words = false;

	for (const char *at = span.at; at < span.end; at++) {
		bool letter = isalpha((unsigned char)*at) || (unsigned char)*at >= 0x80;

		if (!letter && !is_digit(*at) && !strchr(" .,:+-<>", *at))
			return false;
		digits |= is_digit(*at);
		words |= letter && *at != 'T' && *at != 'C';
	}
	return digits && (!words || find(span, ":"));
}

/* Behind "[...]", if a blank or another one follows it. */
static struct span behind_stamp(struct span line)
{
	const char *close = begins_with(line, "[") ? memchr(line.at, ']', span_length(line)) : NULL;

	if (!close || close + 1 == line.end || !strchr(" [", close[1]) || !is_stamp((struct span){line.at + 1, close}))
		return line;
	return trimmed((struct span){close + 1, line.end});
}

/* "2026-11-21T10:00:01,123456+00:00 " */
static struct span behind_date(struct span line)
{
	static const char shape[] = "0000-00-00T00:00:00";
	const char *at = line.at;

	for (const char *part = shape; *part; part++, at++)
		if (at == line.end || (is_digit(*part) ? !is_digit(*at) : *at != *part))
			return line;
	while (at < line.end && *at != ' ')
		at++;
	return trimmed((struct span){at, line.end});
}

/* "<4>" */
static struct span behind_level(struct span line)
{
	const char *at = line.at + 1;

	if (!begins_with(line, "<"))
		return line;
	while (at < line.end && is_digit(*at))
		at++;
	return begins_with((struct span){at, line.end}, ">[") ? (struct span){at + 1, line.end} : line;
}

/* "kern  :warn  : ", as dmesg spells facility and level. */
static struct span behind_facility(struct span line)
{
	struct span rest;

	if (!begins_with(line, "kern "))
		return line;
	rest = trimmed((struct span){line.at + strlen("kern"), line.end});
	if (!begins_with(rest, ":"))
		return line;
	for (rest.at++; rest.at < rest.end && isalpha((unsigned char)*rest.at);)
		rest.at++;
	rest = trimmed(rest);
	return begins_with(rest, ": ") ? trimmed((struct span){rest.at + 1, rest.end}) : line;
}

/* A text that says "kernel: " itself has the event's time before it, and ": " behind that. */
static struct span behind_syslog(struct span line)
{
	static const char mark[] = " kernel: ";
	const char *at = find(line, mark);
	struct span before = {line.at, at};

	return at && !find(before, ": ") && !find(before, "[") ? (struct span){at + sizeof(mark) - 1, line.end} : line;
}

struct span prefix_log(struct span line)
{
	line = behind_date(behind_facility(line));
	line = behind_syslog(behind_stamp(line));
	return behind_stamp(behind_stamp(behind_level(line)));
}

struct span prefix_buffer(struct span *thread, size_t width)
{
	struct span name = {thread->at, thread->at};

	if (span_length(*thread) <= width)
		return name;
	name = trimmed((struct span){thread->at, thread->end - width});
	if (name.at == name.end || name.end[-1] != ':')
		return (struct span){thread->at, thread->at};
	name.end--;
	thread->at = thread->end - width;
	return name;
}

struct span prefix_word(struct span *line)
{
	struct span name = {line->at, line->at};

	while (name.end < line->end && *name.end != ' ')
		name.end++;
	if (name.end == line->end || name.end == name.at || name.end[-1] != ':')
		return (struct span){line->at, line->at};
	*line = trimmed((struct span){name.end, line->end});
	name.end--;
	return name;
}
