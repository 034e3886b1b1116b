/*
 * trigger: the trigger language of AUDIT (Luo et al., USENIX ATC'18, section 3.1), as tailblame-triggers(5) describes it. A trigger says when it
 * fires, what is logged from then on, and until when.
 *
 *	struct trigger_list list = {0};
 *	trigger_load(&list, "latency-spike")		for each file or shipped name
 *	trigger_check(&list, charts, count)		if the run's charts are known
 *	...
 *	trigger_list_free(&list)
 *
 * Errors name the file, the line and the column of the first word that is wrong; both count from 1, columns in bytes.
 */
#ifndef TRIGGER_TRIGGER_H
#define TRIGGER_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "event/condition.h"
#include "trigger/to_log.h"

enum { TRIGGERS_MAX = 64 }; /* in a run */

enum trigger_on { ON_REQUEST_START, ON_REQUEST_END, ON_EXCEPTION, ON_SIGNAL, ON_ALWAYS };

/* The built-in values of requests, exceptions and signals. FIELD_SHOWN: a field that the request's chart shows. */
enum trigger_field {
	FIELD_NONE,
	FIELD_LATENCY,
	FIELD_RET_VALUE,
	FIELD_START,
	FIELD_TID,
	FIELD_COMM,
	FIELD_PROGRAM,
	FIELD_CHART,
	FIELD_KEY,
	FIELD_NAME,
	FIELD_WHAT,
	FIELD_FUNCTION,
	FIELD_VALUE,
	FIELD_CENTER,
	FIELD_UCL,
	FIELD_SHOWN
};

enum trigger_aggregate {
	AGGREGATE_NONE,
	AGGREGATE_COUNT,
	AGGREGATE_THROUGHPUT,
	AGGREGATE_SUM,
	AGGREGATE_AVG,
	AGGREGATE_MIN,
	AGGREGATE_MAX,
	AGGREGATE_STD,
	AGGREGATE_PERCENTILE
};

/* A value in a condition, which refers to it by its index in trigger.values. */
struct trigger_value {
	enum trigger_field field; /* FIELD_NONE: Count or Throughput, which have no field */
	char *shown;		  /* the name of FIELD_SHOWN, as written; else NULL */
	enum trigger_aggregate aggregate;
	double percent;	    /* of Percentile */
	int64_t from, to;   /* of an aggregate: ns before the event, from > to >= 0, as written */
	bool is_text, is_number; /* neither: it has the type of what it is compared with */
};

/* An alternative of UNTIL: it ends the logging when all its limits are reached; 0: no limit. */
struct trigger_until {
	uint64_t match, unmatch; /* counts of logged requests */
	int64_t time;		 /* ns since the firing */
};

struct trigger_chart {
	char *name;
	unsigned line, column;
};

struct trigger {
	char *name;
	char *text; /* as written, from DEFINE to its last word */
	enum trigger_on on;
	int64_t every; /* ns; of Always */
	ARRAY(struct trigger_chart) charts; /* of FOR; none: all charts of the run */
	struct condition *condition; /* of IF; NULL: always true */
	ARRAY(struct trigger_value) values;
	ARRAY(const struct condition *) scope; /* parts of the condition that an event must pass to count in aggregates */
	struct to_log log;
	double match_share, unmatch_share; /* probabilities of being logged */
	ARRAY(struct trigger_until) until;
	const char *source; /* the trigger's file, for messages */
};

struct trigger_list {
	ARRAY(struct trigger *) items;
	ARRAY(char *) sources;
};

/* Reads a file, or the shipped charts/triggers/NAME.trigger. 0; -1 after fail(). */
int trigger_load(struct trigger_list *list, const char *name);

/*
 * Reads the files of a list again, in their order, into a new list, and returns it. `check` may refuse the triggers of a file (0; -1 after
 * fail()). If a file is wrong, complains of it and keeps its old triggers. Those, and triggers whose name and text have not changed, move
 * from the old list to the new one.
 */
typedef int trigger_checker(void *context, const struct trigger_list *list);
struct trigger_list trigger_reload(struct trigger_list *list, trigger_checker *check, void *context,
				   void (*complain)(const char *format, ...));

/* Reads triggers from a text; `source` names it in messages. 0; -1 after fail(), with the list as it was. */
int trigger_parse(struct trigger_list *list, const char *text, size_t length, const char *source);

/* Checks that each chart of FOR is one of these. 0; -1 after fail(). */
int trigger_check(const struct trigger_list *list, const char *const *charts, int count);

/* Tells whether FOR names the chart, or names no chart. */
bool trigger_has_chart(const struct trigger *trigger, const char *chart);

void trigger_free(struct trigger *trigger);
void trigger_list_free(struct trigger_list *list);

/* "RequestEnd" and the like. */
const char *trigger_on_name(enum trigger_on on);

#endif
