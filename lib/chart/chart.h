/*
 * chart: what to measure. A chart definition is a small text file of logfmt lines in charts/, described in
 * tailblame-chart(5):
 *
 *	# block requests, from the moment they are queued until they complete
 *	chart   name=block title="block requests, queued to complete"
 *	start   event=block:block_bio_queue key=dev:disk,sector length=nr_sector split=dev:disk show=rwbs filter="nr_sector > 0"
 *	end     event=block:block_rq_complete key=dev:disk,sector length=nr_sector
 *	context event=sched:sched_switch
 *	include name=wake
 *
 * There may be several start, end, drop, arm and context lines. `key` pairs an end with its start: equal values of these
 * fields, which are numbers; without it the thread is the key. With `length` the last key field is where a range begins: an end
 * is the end of every start that lies in its range, and a start is over when all its range has ended (merged and split block
 * requests). An end with `whole=yes` comes once for each start, with the rest of its range. `tid` is the field that names the
 * thread that waits (default: the thread in whose context the start happened). `split` gives each value of its fields limits of
 * its own. `show` carries fields of the start into the signal. `filter` is the kernel's own filter. `nest=yes` on the chart
 * line pairs an end with the newest open start of its key (calls nest). With `first=yes` a second start of an open key does not
 * count; without either, it takes the place of the first. A drop ends a start that was given up, such as a request that its
 * device did not take: the start has no value, unless it took too long already. If the chart has `arm` lines, an end also disarms its key: a start
 * counts again only after an arm event of that key (a wake-up of a thread that already runs starts no wait for a CPU). A start
 * with `instead` stands in for another one that a saved trace may lack, and counts until that one comes.
 *
 * With `depth`, a field of both, an end belongs to the start with the same depth: its place on the stack tells a call from all others of
 * its thread, in whatever order they end. An end with `to` as well ends all starts whose depth lies from its own to that one, such as an
 * exception that leaves several calls. Events that lack the field are paired without.
 *
 * A line with `where` counts only events in which that field is not zero, "prev_state:runnable". A start or end with `instead` may name
 * several events, "syscalls:sys_enter_*".
 *
 * `calls=yes` on the chart line says that a start is the entry of a system call, and an end its return. Sleeps and waits for work
 * (chart/traffic.h) are then no starts, unless they are asked for (--idle).
 *
 * A chart with `call` lines measures turns: from the first byte that a process receives on a connection to the last that it
 * answers. These lines name the entries and returns of the system calls that transfer, make and close (chart/turn.c).
 *
 *	chart   name=turn title="requests: first byte received to last byte answered"
 *	call    event=syscalls:sys_enter_recvfrom
 *	call    event=syscalls:sys_exit_recvfrom
 *
 * `shortest` on the chart line is a time: shorter ones are never abnormal, unless by a limit that was given (--limit). With
 * `each=yes` there each value is a signal.
 *
 * `common=yes` there says that the same disturbances hit all keys: a value beyond its key's limit is judged once more by a limit that all have
 * in common (chart/disturbances.h). `bursts=yes` says that a key's values come in bursts: the largest of each is judged once more
 * (chart/block_maxima.h).
 *
 * A chart may count instead: `count` lines in place of start and end, and on the chart line a method for rates (chart/method.h) and
 * the interval that is counted in (a second).
 *
 *	chart   name=syscall-errors title="failed system calls" method=laney-p least=10
 *	count   event=raw_syscalls:sys_exit failed=ret:error split=id:syscall
 *
 * With `failed`, the value of an interval is the share of its events in which that field is not zero; without, the number of its events. `tid`
 * and `split` are as in a start. Fewer than `least` counted are never abnormal.
 *
 * A field may be read as something else, FIELD:READING (chart/chart_field.h): `dev:disk` is the disk of a partition,
 * `id:syscall` the name of a system call, `ret:error` whether a call that returns this has failed.
 *
 * `include name=wake` stands for the lines of charts/wake.context, so that charts share the context that a wake graph needs.
 *
 * A start or end with `probe` is the entry of a function of the chart's `binary`, probe="begin(r=%1)", with these of its arguments.
 *
 * func:BINARY:FUNCTION(EXPR,...) is a chart without a file, made by chart_of_function(). Its start has the `show` fields of each call, and its end what
 * the call returns; the parentheses may be missing. FUNCTION+OFFSET is an instruction: a chart
 * point:BASENAME:FUNCTION+OFFSET that counts events point:BASENAME__FUNCTION_OFFSET_NUMBER. The events of a function are
 * func:BASENAME__FUNCTION and func:BASENAME__FUNCTION__return, and func:unwind where calls are left by an exception or by longjmp(), its
 * name is func:BASENAME:FUNCTION.
 */
#ifndef CHART_CHART_H
#define CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/fields.h"

enum { CHART_KEYS_MAX = 4, CHART_SHOWS_MAX = 12 };

struct method;

enum chart_role { CHART_START, CHART_END, CHART_DROP, CHART_ARM, CHART_COUNT, CHART_CALL, CHART_CONTEXT };

struct chart_event {
	enum chart_role role;
	char *event; /* "system:name" */
	char *filter; /* NULL: none */
	char *key[CHART_KEYS_MAX]; /* "dev:disk": with its form */
	int keys;
	char *length; /* NULL: no range */
	bool whole;   /* of an end: that of a whole start */
	char *depth, *to; /* where on its stack a call is, or from where to where an end throws the stack away; NULL: not told */
	char *failed; /* of a count: which of the events; NULL: all */
	char *tid;    /* NULL: the event's own thread */
	char *split[CHART_KEYS_MAX];
	int splits;
	char *show[CHART_SHOWS_MAX];
	int shows;
	char *instead; /* of a start or end: the events, with commas, that it stands in for where none was recorded; NULL: none */
	char *where;   /* a field that is not zero, or the event does not count; NULL: all count */
	char *probe;   /* of a start or end: "FUNCTION(EXPR,...)" of the chart's binary, whose entry the event is; NULL: another event */
	bool required; /* all but context events; a context event that a kernel lacks is left out */
};

struct chart {
	char *name;	  /* "block"; "func:prog:request" */
	char *title;	  /* "block requests, queued to complete" */
	char *definition; /* the lines it was made from, includes in place: travels in the stream as a `chart` record */
	bool nest, first; /* of several starts of one key the newest ends first; the oldest alone counts */
	bool each;	  /* each value is a signal */
	bool common, bursts; /* its keys have a limit in common, too; values of one time have */
	bool calls; /* its events are system calls: waits for work do not count */
	int64_t shortest;	     /* ns: a shorter time is no signal */
	const struct method *method; /* of a chart that counts; else NULL */
	int64_t interval;	     /* ns that it counts in */
	uint64_t least;		     /* that are worth a signal */
	char *binary;	/* of a func: chart, and one with probes; else NULL */
	char *function; /* of a func: chart; else NULL */
	char *arguments; /* fields of each call (program/argument.h); NULL: none */
	char *build; /* the build id of that binary, as the collector found it; NULL: not known */
	struct chart_event *events;
	int count;
	bool asked;	/* that record says that the user named it */
	bool collected; /* a stream's `chart` record defined it: its events were collected */
};

/*
 * Finds and reads a chart: "func:BINARY:FUNCTION"; a path where the name holds a '/' or ends in .chart; else
 * charts/NAME.chart as shipped. NULL after fail(), with file and line where the text is wrong, or the names there are.
 */
struct chart *chart_load(const char *name);

/* Reads a definition from text; `source` names it in messages. NULL after fail(). */
struct chart *chart_parse(const char *text, const char *source);

/* The one that a stream's `chart` record defines. NULL after fail(). */
struct chart *chart_recorded(const struct fields *record);

/* The context events of charts/NAME.context alone. NULL after fail(). */
struct chart *chart_of_context(const char *name);
struct chart *chart_of_function(const char *binary, const char *function, const char *arguments); /* the latter: NULL: none */
void chart_free(struct chart *chart);

/* Cuts "FUNCTION(EXPR,...)"; the caller frees both. *arguments is NULL without parentheses. */
void chart_split_probe(const char *text, char **function, char **arguments);

/* The name of the event of a probe, "point:BASENAME__FUNCTION", or of a chart's function, "func:..."; the caller frees it. */
char *chart_probe_event(const char *system, const char *binary, const char *function);

/*
 * The name that graphs give to the function of a chart: "prog:request", demangled. A coroutine that goes on has the name of the function that
 * made it. The caller frees it.
 */
char *chart_called(const struct chart *chart);

/* Of the chart's first event with this role, "system:name"; NULL: there is none. */
const char *chart_event_name(const struct chart *chart, enum chart_role role);

/* Tells whether its values have keys, each with limits of its own. */
bool chart_has_keys(const struct chart *chart);

/* Sets the build id of a function's program, in the definition, too. */
void chart_set_build(struct chart *chart, const char *build);

/* Keeps only what measuring needs: no context events, no definition (NULL). Includes may have made them large. */
void chart_forget_context(struct chart *chart);

#endif
