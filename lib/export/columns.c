#include "export/columns.h"

#include <stddef.h>

/* Of a deed; see graph/deed.h. */
#define DEED "deed", "who", "pool", "pipe", "whom", "irq", "softirq", "syscall", "object", \
	"lock", "for", "queue", "request", "dev", "scheduler", "pace", "function"

#define COLUMNS(...) (const char *const[]) { __VA_ARGS__, NULL }

static const char *const *const columns[KINDS] = {
	[KIND_STREAM] = COLUMNS("version", "host", "kernel", "machine", "cpus", "clock", "wall", "boot"),
	[KIND_CHART] = COLUMNS("name", "definition"),
	[KIND_TASK] = COLUMNS("ts", "tid", "comm", "tgid", "began", "kernel", "program", "cgroup", "read", "ended"),
	[KIND_DEVICE] = COLUMNS("dev", "name", "disk", "scheduler", "rotational"),
	[KIND_STACK] = COLUMNS("id", "user", "kernel"),
	[KIND_FILE] = COLUMNS("ts", "tid", "fd", "kind"),
	[KIND_QUOTA] = COLUMNS("ts", "since", "group", "quota", "period", "timers", "count", "time", "tids"),
	[KIND_TRACED] = COLUMNS("tids", "gone"),
	[KIND_STAGE] = COLUMNS("command", "tid"),
	[KIND_EVENT] = COLUMNS("ts", "cpu", "tid", "comm", "name"),
	[KIND_LOST] = COLUMNS("ts", "cpu", "count", "from", "bytes"),
	[KIND_TICK] = COLUMNS("ts", "kept"),
	[KIND_SAMPLE] = COLUMNS("ts", "start", "chart", "key", "value", "n", "tid", "comm", "count", "max",
				"unit"),
	[KIND_LIMITS] = COLUMNS("ts", "chart", "key", "center", "lcl", "ucl", "n", "method", "unit", "sigma", "axis", "subgroup",
				"dispersion", "threshold", "share", "shape", "scale", "largest", "change", "since",
				"forgotten"),
	[KIND_SIGNAL] = COLUMNS("id", "ts", "start", "chart", "key", "value", "unit", "n", "center", "lcl", "ucl", "rules",
				"tid", "comm", "open", "mean"),
	[KIND_WINDOW] = COLUMNS("id", "from", "to", "signals", "complete"),
	[KIND_GRAPH] = COLUMNS("id", "window", "signal", "root", "target", "from", "to", "kind"),
	[KIND_NODE] = COLUMNS("graph", "id", "name", "label", "start", "end", "parent", "call", "wait_start", "wait_end", "join",
			      "threw", "tid", "what", "stack", DEED, "who_tid", "whom_tid", "cpu", "khz", "khz_most", "khz_limit",
			      "disk", "sector", "group", "quota", "period", "thread", "kernel", "asker", "asker_function",
			      "began", "until"),
	[KIND_EDGE] = COLUMNS("graph", "from", "to", "kind", "ts"),
	[KIND_PATH] = COLUMNS("graph", "node", "from", "to", "tid", "what", DEED, "cpu", "who_tid", "whom_tid"),
	[KIND_BLAME] = COLUMNS("graph", "rank", "name", "label", "score", "share", "on_path", "instances", "algorithm", "node",
			       "impact", "waited", "tid", DEED, "cpu",
			       "who_tid", "whom_tid"),
	[KIND_DIFF] = COLUMNS("rank", "name", "difference", "good", "bad", "p", "sure", "good_moments", "bad_moments", "algorithm", DEED,
			      "cpu"),
	[KIND_OPEN] = COLUMNS("ts", "start", "chart", "key", "count", "doubt", "cpu"),
	[KIND_SHED] = COLUMNS("ts", "what", "name", "events", "cost", "share", "limit"),
	[KIND_USAGE] = COLUMNS("command", "events", "traced", "kept", "bytes", "kept_bytes", "cpu", "setup", "wall", "began"),
};

const char *const *columns_of(enum kind kind)
{
	return columns[kind];
}
