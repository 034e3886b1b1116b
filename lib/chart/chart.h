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
 * There may be several start, end, drop, arm and context lines. An end belongs to the start that has the same values of the `key`
 * fields (numbers, texts or arrays); without `key` the thread is the key. With `length` the last key field is where a range begins: an
 * end ends every start that lies in its range, and a start is over when all of its range has ended (merged and split block requests).
 * An end with `whole=yes` comes once for each start, with the rest of the start's range. `tid` is the field that names the
 * thread that waits (default: the thread in whose context the start happened). `split` gives each value of its fields limits of
 * its own. `show` carries fields of the start into the signal. `filter` is the kernel's own filter. `nest=yes` on the chart
 * line pairs an end with the newest open start of its key (calls nest). With `first=yes` a second start of an open key does not
 * count; with neither, the second start takes the place of the first. A drop ends a start that was given up, such as a request that
 * its device did not take: the start has no value, unless it took too long already. If the chart has `arm` lines, an end also disarms
 * its key: a start counts again only after an arm event of that key (a wake-up of a thread that already runs starts no wait for a CPU).
 * A start or end with `instead` stands in for an event of another line that a saved trace may lack, and counts until that event comes.
 *
 * With `depth`, a field of both events, an end belongs to the start of the same depth: the place of a call on the stack tells it from all
 * other calls of its thread, in whatever order they end. An end that also has `to` ends all starts whose depth lies from `depth` to `to`,
 * such as an exception that leaves several calls. If an event lacks the field, it is paired without depth.
 *
 * A line with `where` takes only events in which that field is not zero, "prev_state:runnable". The event of a start or end with
 * `instead` may be several, "syscalls:sys_enter_*".
 *
 * `calls=yes` on the chart line says that a start is the entry of a system call, and an end its return. Sleeps and waits for work
 * (chart/traffic.h) are then no starts, unless they are asked for (--idle).
 *
 * A chart with `call` lines measures turns: from the first byte that a process receives on a connection to the last that it
 * sends in answer. These lines name the entries and returns of the system calls that transfer, make and close (chart/turn.c).
 *
 *	chart   name=turn title="requests: first byte received to last byte answered"
 *	call    event=syscalls:sys_enter_recvfrom
 *	call    event=syscalls:sys_exit_recvfrom
 *
 * `shortest` on the chart line is a time: a shorter value is abnormal only by a limit that the user gave (--limit). With
 * `each=yes` on the chart line each value is a signal.
 *
 * `common=yes` says that the same disturbances hit all keys: a value beyond its key's limit is judged once more, by a limit that all keys
 * have in common (chart/disturbances.h). `bursts=yes` says that a key's values come in bursts: a value beyond its key's limit is judged
 * once more, by a limit of the largest values of bursts (chart/block_maxima.h).
 *
 * A chart may count events instead. It has `count` lines in place of start and end, and its chart line names a method for rates
 * (chart/method.h) and the interval of counting (default: a second).
 *
 *	chart   name=syscall-errors title="failed system calls" method=laney-p least=10
 *	count   event=raw_syscalls:sys_exit failed=ret:error split=id:syscall
 *
 * With `failed`, the value of an interval is the share of its events in which that field is not zero; without it, the number of its events.
 * `tid` and `split` are as in a start. A value above the centre is abnormal only if at least `least` events counted.
 *
 * A field may be read in another form, FIELD:FORM (chart/chart_field.h): `dev:disk` is the disk of a partition,
 * `id:syscall` the name of a system call, `ret:error` whether a call that returns this has failed.
 *
 * `include name=wake` stands for the lines of charts/wake.context, so that charts share the context that a wake graph needs.
 *
 * A start or end with `probe` is the entry of a function of the chart's `binary`; its fields are the arguments named there,
 * probe="begin(r=%1)".
 *
 * func:BINARY:FUNCTION(EXPR,...) is a chart without a file, made by chart_of_function(). The expressions become fields: arguments of the
 * start, which `show` carries into the signal, and the result of the end. The parentheses may be missing. The chart is called
 * func:BASENAME:FUNCTION. Its events are func:BASENAME__FUNCTION, func:BASENAME__FUNCTION__return, and func:unwind where an exception or
 * longjmp() leaves calls. FUNCTION+OFFSET is an instruction: its chart is called point:BASENAME:FUNCTION+OFFSET and counts events
 * point:BASENAME__FUNCTION_OFFSET_NUMBER.
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
	char *length; /* the field with the units of a range; NULL: no range */
	bool whole;   /* of an end: it comes once for each start, with the rest of its range */
	char *depth, *to; /* fields: a call's place on the stack; an end unwinds from `depth` to `to`; NULL: none */
	char *failed; /* of a count: the field that is not zero in events that count; NULL: all count */
	char *tid;    /* the field with the thread that waits; NULL: the event's own thread */
	char *split[CHART_KEYS_MAX];
	int splits;
	char *show[CHART_SHOWS_MAX];
	int shows;
	char *instead; /* of a start or end: the events, with commas, that it stands in for until one comes; NULL: none */
	char *where;   /* an event counts only if this field is not zero; NULL: all count */
	char *probe;   /* "FUNCTION(EXPR,...)" of the chart's binary: a start or end is its entry; NULL: it is another event */
	bool required; /* false for context events: one that the kernel lacks is left out */
};

struct chart {
	char *name;	  /* "block"; "func:prog:request" */
	char *title;	  /* "block requests, queued to complete" */
	char *definition; /* the lines it was made from, with includes expanded; the stream's `chart` record has them */
	bool nest, first; /* of several starts of one key: the newest ends first; only the first counts */
	bool each;	  /* each value is a signal */
	bool common, bursts; /* its keys also have a limit in common; each key also has a limit of its bursts */
	bool calls; /* its events are system calls: waits for work do not count */
	int64_t shortest;	     /* ns: a shorter time is no signal */
	const struct method *method; /* of a chart that counts; else NULL */
	int64_t interval;	     /* ns: the interval of counting */
	uint64_t least;		     /* counted events that a signal needs */
	char *binary;	/* of a func: chart or a chart with probes; else NULL */
	char *function; /* of a func: chart; else NULL */
	char *arguments; /* fields of each call (program/argument.h); NULL: none */
	char *build; /* the build id of that binary, as the collector found it; NULL: not known */
	struct chart_event *events;
	int count;
	bool asked;	/* the stream's `chart` record says that the user named it */
	bool collected; /* a stream's `chart` record names it: its events were collected */
};

/*
 * Finds and reads a chart: "func:BINARY:FUNCTION"; a path where the name holds a '/' or ends in .chart; else
 * charts/NAME.chart as shipped. NULL after fail(), which names file and line of a
 * faulty text, or lists the shipped names.
 */
struct chart *chart_load(const char *name);

/* Reads a definition from text; `source` names it in messages. NULL after fail(). */
struct chart *chart_parse(const char *text, const char *source);

/* Makes the chart that a stream's `chart` record defines. NULL after fail(). */
struct chart *chart_recorded(const struct fields *record);

/* Reads only the context events of charts/NAME.context. NULL after fail(). */
struct chart *chart_of_context(const char *name);
struct chart *chart_of_function(const char *binary, const char *function, const char *arguments); /* arguments: NULL: none */
void chart_free(struct chart *chart);

/* Cuts "FUNCTION(EXPR,...)"; the caller frees both. *arguments is NULL without parentheses. */
void chart_split_probe(const char *text, char **function, char **arguments);

/* The name of the event of a probe, "point:BASENAME__FUNCTION", or of a chart's function, "func:..."; the caller frees it. */
char *chart_probe_event(const char *system, const char *binary, const char *function);

/*
 * The name that graphs give to the function of a chart: "prog:request", demangled. The actor of a coroutine has the name of its ramp
 * (program/coroutine.h). The caller frees it.
 */
char *chart_called(const struct chart *chart);

/* The chart's first event with this role, "system:name"; NULL: there is none. */
const char *chart_event_name(const struct chart *chart, enum chart_role role);

/* Tells whether the chart splits its values by key, each key with limits of its own. */
bool chart_has_keys(const struct chart *chart);

/* Sets the build id of a function's program, also in the definition. */
void chart_set_build(struct chart *chart, const char *build);

/* Drops what measuring does not need: the context events and the definition (NULL from then on), which includes may have made large. */
void chart_forget_context(struct chart *chart);

#endif
