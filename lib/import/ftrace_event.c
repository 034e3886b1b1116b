#include "import/ftrace_event.h"

#include <stdio.h>

static bool copy_name(char name[TEXT_NAME], struct span span)
{
	size_t length = (size_t)(span.end - span.at);

	if (length == 0 || length >= TEXT_NAME)
		return false;
	memcpy(name, span.at, length);
	name[length] = '\0';
	return true;
}

static void take_payload(struct span rest, struct text_event *event)
{
	rest = trimmed(rest);
	event->payload = rest.at;
	event->length = (size_t)(rest.end - rest.at);
}

/* What a call returned is printed as a `long`: an error of a 32-bit kernel is one of the topmost 4095 numbers of 32 bits. */
static int64_t result_of(int64_t value)
{
	return value >= INT64_C(0xfffff001) && value <= UINT32_MAX ? value - UINT32_MAX - 1 : value;
}

/* The kernel's own spelling of system calls: "sys_read(fd: 3, ...)" and "sys_read -> 0x1". */
static bool take_syscall(struct span rest, struct text_event *event)
{
	static char payload[32];
	struct span name = {rest.at, rest.at};
	int64_t value;
	bool entry;
	int length;

	if (!begins_with(rest, "sys_"))
		return false;
	while (name.end < rest.end && (isalnum((unsigned char)*name.end) || *name.end == '_'))
		name.end++;
	rest.at = name.end;
	entry = begins_with(rest, "(");
	if ((!entry && !begins_with(rest, " -> ")) || name.end - name.at > TEXT_NAME / 2)
		return false;
	snprintf(event->system, TEXT_NAME, "syscalls");
	snprintf(event->name, TEXT_NAME, "sys_%s_%.*s", entry ? "enter" : "exit", (int)(name.end - name.at - 4), name.at + 4);
	if (entry) {
		rest.at++;
		rest.end -= rest.end > rest.at && rest.end[-1] == ')';
		take_payload(rest, event);
		event->hexadecimal = true;
		return true;
	}
	rest.at += 4;
	if (number_integer(rest.at, (size_t)(rest.end - rest.at), &value) < 0)
		return false;
	length = snprintf(payload, sizeof(payload), "ret=%lld", (long long)result_of(value));
	take_payload((struct span){payload, payload + length}, event);
	return true;
}

/* The function tracer's "do_exit <-sys_exit". */
static bool take_function(struct span rest, struct text_event *event)
{
	const char *arrow = find(rest, " <-");

	if (!arrow || memchr(rest.at, ' ', (size_t)(arrow - rest.at)))
		return false;
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, "function");
	take_payload(rest, event);
	return true;
}

static bool is_numbers(struct span span)
{
	for (const char *at = span.at; at < span.end; at++)
		if (!is_digit(*at) && *at != ' ' && *at != '.')
			return false;
	return find(span, " ") && find(span, ".");
}

/* The tracers timerlat, "#1     context    irq timer_latency       932 ns", hwlat, and osnoise, which prints numbers only. */
static bool take_measured(struct span rest, struct text_event *event)
{
	const char *name = "osnoise";

	if (begins_with(rest, "#"))
		name = find(rest, " timer_latency ") ? "timerlat" : find(rest, " inner/outer(us): ") ? "hwlat" : NULL;
	else if (!is_numbers(rest))
		name = NULL;
	if (!name)
		return false;
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, "%s", name);
	take_payload(rest, event);
	return true;
}

/* What the latency tracers say of threads: "0:120:R ==> [003] 312:100:R kworker", "0:120:R   + [003] 312:100:R kworker". */
static bool take_scheduling(struct span rest, struct text_event *event)
{
	bool is_switch = find(rest, " ==> [");

	if (rest.at == rest.end || !is_digit(*rest.at) || !find(rest, ":") || (!is_switch && !find(rest, "   + [")))
		return false;
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, is_switch ? "context_switch" : "wakeup");
	take_payload(rest, event);
	return true;
}

/* What a program wrote into trace_marker; kernels that do not know their own symbols call the function 0. */
static bool take_marker(struct span rest, struct text_event *event)
{
	static const char *const marks[] = {"tracing_mark_write:", "0: "};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!begins_with(rest, marks[i]))
			continue;
		rest.at += strlen(marks[i]);
		snprintf(event->system, TEXT_NAME, "ftrace");
		snprintf(event->name, TEXT_NAME, "print");
		event->field = "buf";
		take_payload(rest, event);
		return true;
	}
	return false;
}

/* "EVENT: PAYLOAD", or "SYSTEM:EVENT: PAYLOAD". */
static bool take_named(struct span rest, struct text_event *event)
{
	struct span name = {rest.at, rest.at};

	while (name.end < rest.end && (isalnum((unsigned char)*name.end) || strchr("_.-", *name.end)))
		name.end++;
	rest.at = name.end;
	if (rest.at == rest.end || *rest.at != ':')
		return false;
	rest.at++;
	if (rest.at < rest.end && *rest.at != ' ') {
		if (!copy_name(event->system, name))
			return false;
		return take_named(rest, event) && !strchr(event->name, ':');
	}
	take_payload(rest, event);
	return copy_name(event->name, name);
}

/* "(+12)": since the event before, as trace-cmd report prints with --ts-diff. */
static struct span behind_difference(struct span rest)
{
	struct span digits = {rest.at + 2, rest.at + 2};

	if (!begins_with(rest, "(+"))
		return rest;
	while (digits.end < rest.end && is_digit(*digits.end))
		digits.end++;
	return digits.end > digits.at && digits.end < rest.end && *digits.end == ')' ? trimmed((struct span){digits.end + 1, rest.end}) : rest;
}

bool ftrace_event_take(struct span rest, struct text_event *event)
{
	rest = behind_difference(trimmed(rest));
	return take_syscall(rest, event) || take_marker(rest, event) || take_scheduling(rest, event) || take_named(rest, event) ||
	       take_measured(rest, event) || take_function(rest, event);
}
