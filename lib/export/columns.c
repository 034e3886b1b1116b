#include "export/columns.h"

#include <stddef.h>

/* The keys of a deed; see graph/deed.h. */
#define DEED "deed", "who", "pool", "pipe", "whom", "irq", "softirq", "syscall", "object", \
	"lock", "for", "queue", "request", "dev", "scheduler", "file", "group", "pace", "doubt", "function"

#define COLUMNS(...) (const char *const[]) { __VA_ARGS__, NULL }

static const char *const *const columns[KINDS] = {
	[KIND_STREAM] = COLUMNS("version", "host", "kernel", "machine", "cpus", "clock", "wall", "boot", "moments"),
	[KIND_CHART] = COLUMNS("name", "definition", "asked"),
	[KIND_TASK] = COLUMNS("ts", "tid", "comm", "tgid", "began", "kernel", "program", "script", "title", "cgroup", "libc", "read", "ended"),
	[KIND_DEVICE] = COLUMNS("dev", "name", "disk", "scheduler", "rotational", "swap"),
	[KIND_STACK] = COLUMNS("id", "user", "kernel"),
	[KIND_FILE] = COLUMNS("ts", "tid", "fd", "kind", "inode"),
	[KIND_QUOTA] = COLUMNS("ts", "since", "group", "quota", "period", "timers", "count", "time", "tids"),
	[KIND_SYMBOL] = COLUMNS("address", "name", "offset"),
	[KIND_PRINTK] = COLUMNS("address", "format"),
	[KIND_STATE] = COLUMNS("ts", "path", "value", "since"),
	[KIND_VIEW] = COLUMNS("kind", "path", "title"),
	[KIND_SOCKET] = COLUMNS("ts", "from", "inode", "cookie", "local", "peer", "side", "bytes_in", "bytes_out", "tid", "fd"),
	[KIND_TIMER] = COLUMNS("address", "function"),
	[KIND_TRACED] = COLUMNS("tids", "gone", "within", "ts", "command", "process", "asked", "asks", "parent", "listens", "seen", "takes", "stopped", "call", "waiter", "peer"),
	[KIND_STAGE] = COLUMNS("command", "tid"),
	[KIND_EVENT] = COLUMNS("ts", "cpu", "tid", "comm", "name"),
	[KIND_LOST] = COLUMNS("ts", "cpu", "count", "from", "bytes", "flag"),
	[KIND_TICK] = COLUMNS("ts", "kept", "every"),
	[KIND_GAP] = COLUMNS("ts", "until", "cpu"),
	[KIND_SAMPLE] = COLUMNS("ts", "start", "chart", "key", "value", "n", "tid", "comm", "count", "max",
				"unit"),
	[KIND_LIMITS] = COLUMNS("ts", "chart", "key", "center", "lcl", "ucl", "n", "method", "unit", "sigma", "axis", "subgroup",
				"dispersion", "threshold", "share", "shape", "scale", "largest", "change", "since",
				"forgotten", "kernel", "build"),
	[KIND_SIGNAL] = COLUMNS("id", "ts", "start", "chart", "key", "value", "unit", "n", "center", "lcl", "ucl", "rules",
				"tid", "comm", "open", "mean", "signs", "sign_ts", "sign_value", "trigger", "text"),
	[KIND_WINDOW] = COLUMNS("id", "from", "to", "signals", "request", "complete", "passed"),
	[KIND_TRIGGER] = COLUMNS("ts", "name", "state", "reason", "matched", "unmatched", "activity", "methods", "to_log"),
	[KIND_REQUEST] = COLUMNS("ts", "start", "id", "trigger", "match", "logged", "tid", "chart", "key", "value"),
	[KIND_CALL] = COLUMNS("ts", "start", "tid", "function", "request", "trigger", "match", "cpu", "ret", "left", "threw", "stack"),
	[KIND_HANDOFF] = COLUMNS("from", "from_key", "to", "to_key", "again", "process"),
	[KIND_ASYNC] = COLUMNS("ts", "op", "pid", "tid", "id", "parent", "name", "on", "mode", "result", "count", "prompt", "before"),
	[KIND_EXCEPTION] = COLUMNS("ts", "tid", "pid", "object", "name", "what", "function", "cause", "again", "stack", "calls"),
	[KIND_GRAPH] = COLUMNS("id", "window", "signal", "request", "root", "target", "from", "to", "kind", "thrown", "answered", "answered_tid"),
	[KIND_NODE] = COLUMNS("graph", "id", "name", "label", "start", "end", "parent", "call", "wait_start", "wait_end", "join",
			      "threw", "tid", "what", "stack", DEED, "who_tid", "whom_tid", "cpu", "khz", "khz_most", "khz_limit", "others", "crowd",
			      "disk", "sector", "quota", "period", "thread", "kernel", "asker", "asker_function",
			      "samples", "in_function", "counters", "counted", "began", "until"),
	[KIND_EDGE] = COLUMNS("graph", "from", "to", "kind", "ts"),
	[KIND_PATH] = COLUMNS("graph", "node", "from", "to", "tid", "what", DEED, "cpu", "who_tid", "whom_tid"),
	[KIND_BLAME] = COLUMNS("graph", "rank", "name", "label", "score", "share", "on_path", "instances", "algorithm", "node",
			       "threw", "impact", "waited", "tid", DEED, "cpu",
			       "who_tid", "whom_tid", "samples", "in_function", "counters", "counted"),
	[KIND_DIFF] = COLUMNS("rank", "name", "difference", "good", "bad", "p", "sure", "good_moments", "bad_moments", "good_hosts", "bad_hosts", "algorithm", DEED,
			      "cpu"),
	[KIND_SUMMARY] = COLUMNS("chart", "key", "count", "mean", "p50", "p95", "p99", "max", "max_ts", "unit"),
	[KIND_OPEN] = COLUMNS("ts", "start", "chart", "key", "count", "doubt", "cpu"),
	[KIND_SHED] = COLUMNS("ts", "what", "name", "events", "cost", "share", "limit"),
	[KIND_RUN] = COLUMNS("id", "node", "job", "ts", "elapsed", "program", "exit", "partial", "complete", "children", "light", "class"),
	[KIND_FEATURES] = COLUMNS("run"),
	[KIND_CONFIG] = COLUMNS("run", "name", "value", "error"),
	[KIND_CLUSTER] = COLUMNS("groups", "metric", "unit", "k", "silhouette", "sizes", "medians", "sure", "odd", "left", "text"),
	[KIND_LABEL] = COLUMNS("run", "class"),
	[KIND_RULE] = COLUMNS("rank", "feature", "cut", "gain", "right", "runs", "leaves", "p", "sure", "bad", "explains", "text"),
	[KIND_SAME] = COLUMNS("rank", "feature", "cut", "bad", "explains"),
	[KIND_OUTSIDE] = COLUMNS("call", "runs_good", "runs_bad", "nodes_good", "nodes_bad", "mean_good", "mean_bad", "explains"),
	[KIND_SPAN] = COLUMNS("id", "parent", "trace", "ts", "start", "host", "pid", "tid", "service", "kind", "peer", "bytes_in",
			      "bytes_out", "sure", "candidates", "width", "follows", "error", "name"),
	[KIND_HOST] = COLUMNS("name", "kernel", "machine", "cpus", "boot", "waits"),
	[KIND_CLOCK] = COLUMNS("host", "reference", "by", "a", "b", "from", "to", "pairs", "width"),
	[KIND_USAGE] = COLUMNS("command", "events", "traced", "kept", "bytes", "kept_bytes", "cpu", "setup", "wall", "began"),
};

const char *const *columns_of(enum kind kind)
{
	return columns[kind];
}
