/* Reads a trigger's clauses, except the condition behind IF. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "trigger/condition_read.h"
#include "trigger/trigger.h"
#include "trigger/script.h"

enum { LIMITS_MAX = 64 };

/* A name that ON gives to what the trigger looks at, or LOG to what it logs. */
struct var {
	struct word word;
	bool given;
};

static const struct {
	const char *name;
	enum trigger_on on;
} ons[] = {{"RequestStart", ON_REQUEST_START}, {"RequestEnd", ON_REQUEST_END}, {"Exception", ON_EXCEPTION}, {"Signal", ON_SIGNAL}, {"Always", ON_ALWAYS}};

const char *trigger_on_name(enum trigger_on on)
{
	for (size_t i = 0; i < sizeof(ons) / sizeof(ons[0]); i++)
		if (ons[i].on == on)
			return ons[i].name;
	return "?";
}

void trigger_free(struct trigger *trigger)
{
	if (!trigger)
		return;
	for (size_t i = 0; i < trigger->charts.count; i++)
		free(trigger->charts.items[i].name);
	for (size_t i = 0; i < trigger->values.count; i++)
		free(trigger->values.items[i].shown);
	condition_free(trigger->condition);
	free(trigger->charts.items);
	free(trigger->values.items);
	free(trigger->scope.items);
	free(trigger->until.items);
	free(trigger->name);
	free(trigger->text);
	free(trigger);
}

/* Reads a var if there is one: returns 1, else 0; -1 after fail(). */
static int take_var(struct script *script, struct var *var)
{
	if (script->now.kind != WORD_NAME || word_is_reserved(&script->now))
		return 0;
	var->word = script->now;
	var->given = true;
	return script_next(script) < 0 ? -1 : 1;
}

static bool is_same(const struct word *word, const struct var *var)
{
	return var->given && word->length == var->word.length && !strncasecmp(word->text, var->word.text, word->length);
}

static int read_every(struct trigger *trigger, struct script *script)
{
	struct word number;
	int taken = script_take(script, "EVERY");

	trigger->every = 1000000000;
	if (taken <= 0)
		return taken;
	number = script->now;
	if (trigger_time_read(script, &trigger->every) < 0)
		return -1;
	return trigger->every > 0 ? 0 : script_fail(script, &number, "EVERY needs a time above 0");
}

static int read_event(struct trigger *trigger, struct script *script, struct var *var)
{
	size_t i = 0;
	int taken;

	while (i < sizeof(ons) / sizeof(ons[0]) && !script_at(script, ons[i].name))
		i++;
	if (i == sizeof(ons) / sizeof(ons[0]))
		return script_expected(script, "RequestStart, RequestEnd, Exception, Signal or Always");
	trigger->on = ons[i].on;
	if (script_next(script) < 0 || (trigger->on == ON_ALWAYS && read_every(trigger, script) < 0))
		return -1;
	taken = take_var(script, var);
	return taken == 0 ? script_expected(script, "a name for what happens, such as R,") : taken < 0 ? -1 : 0;
}

static int read_charts(struct trigger *trigger, struct script *script)
{
	struct word at;
	char *name;
	int more = 1;

	while (more > 0) {
		at = script->now;
		name = script_name(script, "a chart");
		if (!name)
			return -1;
		*ARRAY_ADD(&trigger->charts) = (struct trigger_chart){name, at.line, at.column};
		more = script_take_mark(script, ",");
	}
	return more;
}

/* Reads "Top(N)". 0; -1 after fail(). */
static int read_top(struct script *script, uint64_t *top)
{
	double number;

	if (script_next(script) < 0 || script_need_mark(script, "(") < 0)
		return -1;
	if (script->now.kind != WORD_NUMBER || !script->now.whole)
		return script_expected(script, "a whole number");
	number = trigger_number(&script->now);
	if (!(number >= 1 && number < 1e15))
		return script_fail(script, &script->now, "Top takes 1 method or more");
	*top = (uint64_t)number;
	return script_next(script) < 0 ? -1 : script_need_mark(script, ")");
}

struct targets {
	struct var request, methods;
	bool has_request, has_methods;
};

static int read_request(struct script *script, struct targets *targets)
{
	if (targets->has_request)
		return script_fail(script, &script->now, "RequestActivity is said twice");
	targets->has_request = true;
	return script_next(script) < 0 || take_var(script, &targets->request) < 0 ? -1 : 0;
}

static int read_methods(struct trigger *trigger, struct script *script, struct targets *targets)
{
	if (targets->has_methods)
		return script_fail(script, &script->now, "Methods are said twice");
	targets->has_methods = true;
	trigger->log.methods = TO_LOG_ALL;
	if (script_at(script, "Top") ? read_top(script, &trigger->log.methods) < 0 : script_take(script, "All") < 0)
		return -1;
	return script_need(script, "Method") < 0 || take_var(script, &targets->methods) < 0 ? -1 : 0;
}

static int read_targets(struct trigger *trigger, struct script *script, struct targets *targets)
{
	int status, more = 1;

	trigger->log.methods = 0;
	while (more > 0) {
		if (script_at(script, "RequestActivity"))
			status = read_request(script, targets);
		else if (script_at(script, "Top") || script_at(script, "All") || script_at(script, "Method"))
			status = read_methods(trigger, script, targets);
		else
			return script_expected(script, "RequestActivity, Top(N) Methods, All Methods");
		if (status < 0)
			return -1;
		more = script_take_mark(script, ",");
	}
	trigger->log.activity = targets->has_request;
	return more;
}

static int read_metrics(struct trigger *trigger, struct script *script)
{
	int more = 1;

	trigger->log.metrics = 0;
	while (more > 0) {
		size_t i = 0;

		if (script_at(script, "memoryDump"))
			return script_fail(script, &script->now, "memoryDump is not logged; run gcore by --exec");
		while (metric_name(i) && !script_at(script, metric_name(i)))
			i++;
		if (!metric_name(i))
			return script_expected(script, "args, retValue, exceptionName, latency, stack or cpu");
		trigger->log.metrics |= 1u << i;
		if (script_next(script) < 0)
			return -1;
		more = script_take_mark(script, ",");
	}
	return more;
}

static int read_share(struct script *script, double *share)
{
	if (script_next(script) < 0 || script_need_mark(script, "=") < 0)
		return -1;
	if (script->now.kind != WORD_NUMBER)
		return script_expected(script, "a number from 0 to 1");
	*share = trigger_number(&script->now);
	if (!(*share <= 1))
		return script_fail(script, &script->now, "a probability is 0 to 1");
	return script_next(script);
}

enum { SAID_TO_LOG = 1, SAID_MATCH = 2, SAID_UNMATCH = 4 };

/* Notes that an option was given. 0; -1 after fail(): it was given before. */
static int say(struct script *script, unsigned *said, unsigned option)
{
	if (*said & option)
		return script_fail(script, &script->now, "the option is said twice");
	*said |= option;
	return 0;
}

/* Reads [var "."] "ToLog" "=" metrics. */
static int read_to_log(struct trigger *trigger, struct script *script, const struct targets *targets, unsigned *said)
{
	struct word var = script->now;

	if (!script_at(script, "ToLog")) {
		if (var.kind != WORD_NAME || word_is_reserved(&var))
			return script_expected(script, "ToLog, MatchSamplingProb or UnmatchSamplingProb");
		if (!is_same(&var, &targets->request) && !is_same(&var, &targets->methods)) {
			return script_fail(script, &var, "'%.*s' is neither an option nor a name that LOG gives", (int)(var.length < 64 ? var.length : 64), var.text);
		}
		if (script_next(script) < 0 || script_need_mark(script, ".") < 0)
			return -1;
	}
	if (!script_at(script, "ToLog"))
		return script_expected(script, "ToLog");
	if (say(script, said, SAID_TO_LOG) < 0 || script_next(script) < 0 || script_need_mark(script, "=") < 0)
		return -1;
	return read_metrics(trigger, script);
}

static int read_options(struct trigger *trigger, struct script *script, const struct targets *targets)
{
	unsigned said = 0;
	int status, more = 1;

	while (more > 0) {
		if (script_at(script, "MatchSamplingProb"))
			status = say(script, &said, SAID_MATCH) < 0 ? -1 : read_share(script, &trigger->match_share);
		else if (script_at(script, "UnmatchSamplingProb"))
			status = say(script, &said, SAID_UNMATCH) < 0 ? -1 : read_share(script, &trigger->unmatch_share);
		else
			status = read_to_log(trigger, script, targets, &said);
		if (status < 0)
			return -1;
		more = script_take(script, "AND");
	}
	return more;
}

/* Reads the class of a count: Match or Unmatch. */
static int read_count(struct script *script, const struct word *number, struct trigger_until *until)
{
	bool matches = script_at(script, "Match");
	uint64_t *count = matches ? &until->match : &until->unmatch;
	double value = trigger_number(number);

	if (!matches && !script_at(script, "Unmatch"))
		return script_expected(script, "Match, Unmatch or a unit of time");
	if (!number->whole)
		return script_fail(script, number, "a count is a whole number");
	if (!(value >= 1 && value < 1e18))
		return script_fail(script, number, value < 1 ? "a limit is above 0" : "a count that is too large");
	if (*count)
		return script_fail(script, &script->now, "%s is said twice", matches ? "Match" : "Unmatch");
	*count = (uint64_t)value;
	return script_next(script);
}

static int read_limit(struct script *script, struct trigger_until *until)
{
	struct word number = script->now;
	double scale;
	int64_t time = 0;

	if (number.kind != WORD_NUMBER)
		return script_expected(script, "a limit, such as 10 Match or 5 Minutes,");
	if (script_next(script) < 0)
		return -1;
	if (!trigger_unit(script, &scale))
		return read_count(script, &number, until);
	if (trigger_time(script, &number, scale, &time) < 0)
		return -1;
	if (time == 0)
		return script_fail(script, &number, "a limit is above 0");
	until->time = time > until->time ? time : until->time;
	return script_next(script);
}

/* Reads limits in parentheses, or a single limit. */
static int read_limits(struct script *script, struct trigger_until *until)
{
	int nested = script_take_mark(script, "("), more = 1;

	if (nested <= 0)
		return nested < 0 ? -1 : read_limit(script, until);
	while (more > 0) {
		if (read_limit(script, until) < 0)
			return -1;
		more = script_take_mark(script, ",");
	}
	return more < 0 ? -1 : script_need_mark(script, ")");
}

static int read_until(struct trigger *trigger, struct script *script)
{
	int more = 1;

	trigger->until.count = 0;
	while (more > 0) {
		struct trigger_until until = {0};

		if (trigger->until.count == LIMITS_MAX)
			return script_fail(script, &script->now, "more than %d alternatives", LIMITS_MAX);
		if (read_limits(script, &until) < 0)
			return -1;
		*ARRAY_ADD(&trigger->until) = until;
		more = script_take(script, "OR");
	}
	return more;
}

/* The defaults of a trigger (the paper's figure 2). */
static void set_defaults(struct trigger *trigger)
{
	trigger->log = TO_LOG_DEFAULT;
	trigger->match_share = 1;
	trigger->unmatch_share = 0.3;
	*ARRAY_ADD(&trigger->until) = (struct trigger_until){.match = 10, .unmatch = 10};
	*ARRAY_ADD(&trigger->until) = (struct trigger_until){.time = INT64_C(300000000000)};
}

/* Reads LOG and WITH. Sets *next to the words that may follow, for a message. */
static int read_log(struct trigger *trigger, struct script *script, const char **next)
{
	struct targets targets = {0};

	if (read_targets(trigger, script, &targets) < 0)
		return -1;
	*next = "',', WITH, UNTIL or the next trigger";
	if (!script_at(script, "WITH"))
		return 0;
	*next = "AND, UNTIL or the next trigger";
	return script_next(script) < 0 ? -1 : read_options(trigger, script, &targets);
}

/* Reads the clauses behind the event, up to the trigger's end. */
static int read_clauses(struct trigger *trigger, struct script *script, const struct var *var)
{
	const char *next = "FOR, IF, LOG, UNTIL or the next trigger";
	int taken = script_take(script, "FOR");

	if (taken < 0 || (taken && read_charts(trigger, script) < 0))
		return -1;
	next = taken ? "',', IF, LOG, UNTIL or the next trigger" : next;
	taken = script_take(script, "IF");
	if (taken < 0 || (taken && trigger_condition_read(trigger, script, &var->word) < 0))
		return -1;
	next = taken ? "AND, OR, LOG, UNTIL or the next trigger" : next;
	taken = script_take(script, "LOG");
	if (taken < 0 || (taken && read_log(trigger, script, &next) < 0))
		return -1;
	taken = script_take(script, "UNTIL");
	if (taken < 0 || (taken && read_until(trigger, script) < 0))
		return -1;
	if (script->now.kind == WORD_END || script_at(script, "DEFINE"))
		return 0;
	return script_expected(script, taken ? "OR or the next trigger" : next);
}

static const struct trigger *find(const struct trigger_list *list, const char *name)
{
	for (size_t i = 0; i < list->items.count; i++)
		if (!strcmp(list->items.items[i]->name, name))
			return list->items.items[i];
	return NULL;
}

static int read_trigger(const struct trigger_list *list, struct trigger *trigger, struct script *script)
{
	struct word define = script->now, name;
	struct var var = {0};

	if (script_need(script, "DEFINE") < 0 || script_need(script, "TRIGGER") < 0)
		return -1;
	name = script->now;
	trigger->name = script_name(script, "the trigger's name");
	if (!trigger->name)
		return -1;
	if (find(list, trigger->name))
		return script_fail(script, &name, "a second trigger '%.64s'", trigger->name);
	if (list->items.count == TRIGGERS_MAX)
		return script_fail(script, &name, "more than %d triggers", TRIGGERS_MAX);
	if (script_need(script, "ON") < 0 || read_event(trigger, script, &var) < 0 || read_clauses(trigger, script, &var) < 0)
		return -1;
	trigger->text = memory_text(define.text, (size_t)(script->behind - define.text));
	return 0;
}

static int read_triggers(struct trigger_list *list, const char *text, size_t length, const char *source)
{
	struct script script;

	if (script_begin(&script, text, length, source) < 0)
		return -1;
	do {
		struct trigger *trigger = NEW(struct trigger);

		set_defaults(trigger);
		trigger->source = source;
		if (read_trigger(list, trigger, &script) < 0) {
			trigger_free(trigger);
			return -1;
		}
		*ARRAY_ADD(&list->items) = trigger;
	} while (script.now.kind != WORD_END);
	return 0;
}

int trigger_parse(struct trigger_list *list, const char *text, size_t length, const char *source)
{
	size_t before = list->items.count;
	char *kept = memory_text(source, strlen(source));

	if (read_triggers(list, text, length, kept) == 0) {
		*ARRAY_ADD(&list->sources) = kept;
		return 0;
	}
	while (list->items.count > before)
		trigger_free(list->items.items[--list->items.count]);
	free(kept);
	return -1;
}

void trigger_list_free(struct trigger_list *list)
{
	for (size_t i = 0; i < list->items.count; i++)
		trigger_free(list->items.items[i]);
	for (size_t i = 0; i < list->sources.count; i++)
		free(list->sources.items[i]);
	free(list->items.items);
	free(list->sources.items);
	*list = (struct trigger_list){0};
}
