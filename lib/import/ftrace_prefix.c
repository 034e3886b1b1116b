#include "import/ftrace_prefix.h"

/* "[...]" of nothing but these characters. */
static struct span behind_bracket(struct span line, const char *allowed)
{
	const char *at = line.at + 1;

	if (!begins_with(line, "["))
		return line;
	while (at < line.end && strchr(allowed, *at))
		at++;
	return at < line.end && *at == ']' ? (struct span){at + 1, line.end} : line;
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
	struct span rest = behind_syslog(line);
	const char *level = rest.at + 1;

	if (begins_with(rest, "<")) {
		while (level < rest.end && is_digit(*level))
			level++;
		if (begins_with((struct span){level, rest.end}, ">["))
			rest.at = level + 1;
	}
	rest = behind_bracket(rest, " .0123456789");
	return trimmed(behind_bracket(rest, " TC0123456789"));
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
