#include <string.h>

#include "stream/record.h"

#define NAME(text) {text, sizeof(text) - 1}

static const struct {
	const char *text;
	size_t length;
} names[KINDS] = {
	[KIND_OTHER] = NAME(""), [KIND_STREAM] = NAME("stream"), [KIND_FORMAT] = NAME("format"), [KIND_TASK] = NAME("task"),
	[KIND_DEVICE] = NAME("device"), [KIND_CHART] = NAME("chart"), [KIND_TICK] = NAME("tick"), [KIND_EVENT] = NAME("event"),
	[KIND_LOST] = NAME("lost"), [KIND_SAMPLE] = NAME("sample"), [KIND_LIMITS] = NAME("limits"), [KIND_SIGNAL] = NAME("signal"),
	[KIND_WINDOW] = NAME("window"), [KIND_GRAPH] = NAME("graph"), [KIND_NODE] = NAME("node"), [KIND_EDGE] = NAME("edge"),
	[KIND_PATH] = NAME("path"), [KIND_BLAME] = NAME("blame"), [KIND_USAGE] = NAME("usage"), [KIND_END] = NAME("end"),
	[KIND_RECORDER] = NAME("recorder"), [KIND_STACK] = NAME("stack"), [KIND_FILE] = NAME("file"), [KIND_QUOTA] = NAME("quota"),
	[KIND_DIFF] = NAME("diff"), [KIND_TRACED] = NAME("traced"), [KIND_OPEN] = NAME("open"), [KIND_SHED] = NAME("shed"),
	[KIND_STAGE] = NAME("stage"), [KIND_RUN] = NAME("run"), [KIND_FEATURES] = NAME("features"), [KIND_CONFIG] = NAME("config"),
	[KIND_CLUSTER] = NAME("cluster"), [KIND_LABEL] = NAME("label"), [KIND_RULE] = NAME("rule"), [KIND_SAME] = NAME("same"),
	[KIND_OUTSIDE] = NAME("outside"), [KIND_TIMER] = NAME("timer"), [KIND_SUMMARY] = NAME("summary"),
	[KIND_SYMBOL] = NAME("symbol"), [KIND_PRINTK] = NAME("printk"),
	[KIND_TRIGGER] = NAME("trigger"), [KIND_REQUEST] = NAME("request"), [KIND_EXCEPTION] = NAME("exception"), [KIND_STATE] = NAME("state"),
	[KIND_CALL] = NAME("call"), [KIND_HANDOFF] = NAME("handoff"),
	[KIND_SOCKET] = NAME("socket"), [KIND_ASYNC] = NAME("async"),
	[KIND_SPAN] = NAME("span"), [KIND_HOST] = NAME("host"), [KIND_CLOCK] = NAME("clock"),
	[KIND_VIEW] = NAME("view"), [KIND_STEP] = NAME("step"), [KIND_GAP] = NAME("gap"),
};

const char *kind_name(enum kind kind)
{
	return names[kind].text;
}

bool kind_has_name(enum kind kind, const char *name, size_t length)
{
	return kind != KIND_FORMAT && names[kind].length == length && length && !memcmp(names[kind].text, name, length);
}

enum kind kind_of(const char *name, size_t length)
{
	for (int kind = KIND_STREAM; kind < KINDS; kind++)
		if (kind_has_name((enum kind)kind, name, length))
			return (enum kind)kind;
	return KIND_OTHER;
}
