#include <string.h>

#include "stream/record.h"

static const char *const names[KINDS] = {
	[KIND_OTHER] = "",	   [KIND_STREAM] = "stream", [KIND_FORMAT] = "format", [KIND_TASK] = "task",
	[KIND_DEVICE] = "device",  [KIND_CHART] = "chart",   [KIND_TICK] = "tick",     [KIND_EVENT] = "event",
	[KIND_LOST] = "lost",	   [KIND_SAMPLE] = "sample", [KIND_LIMITS] = "limits", [KIND_SIGNAL] = "signal",
	[KIND_WINDOW] = "window",  [KIND_GRAPH] = "graph",   [KIND_NODE] = "node",     [KIND_EDGE] = "edge",
	[KIND_PATH] = "path",	   [KIND_BLAME] = "blame",   [KIND_USAGE] = "usage",   [KIND_END] = "end",
	[KIND_RECORDER] = "recorder", [KIND_STACK] = "stack",   [KIND_FILE] = "file",
	[KIND_QUOTA] = "quota",	   [KIND_DIFF] = "diff",     [KIND_TRACED] = "traced",
	[KIND_OPEN] = "open",	   [KIND_SHED] = "shed",
	[KIND_STAGE] = "stage",
	[KIND_RUN] = "run",	   [KIND_FEATURES] = "features", [KIND_CONFIG] = "config", [KIND_CLUSTER] = "cluster",
	[KIND_LABEL] = "label",	   [KIND_RULE] = "rule",     [KIND_SAME] = "same",     [KIND_OUTSIDE] = "outside",
	[KIND_TIMER] = "timer",    [KIND_SUMMARY] = "summary",
	[KIND_SYMBOL] = "symbol",  [KIND_PRINTK] = "printk",
};

const char *kind_name(enum kind kind)
{
	return names[kind];
}

enum kind kind_of(const char *name, size_t length)
{
	for (int kind = KIND_STREAM; kind < KINDS; kind++)
		if (kind != KIND_FORMAT && strlen(names[kind]) == length && !memcmp(names[kind], name, length))
			return (enum kind)kind;
	return KIND_OTHER;
}
