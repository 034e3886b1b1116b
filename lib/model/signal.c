#include "model/signal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "graph/words.h"
#include "model/display.h"
#include "model/label.h"
#include "program/demangle.h"
#include "program/symbol.h"

/* Tells whether struct signal has a member for the field. The other fields are those that the chart chose to show. */
static bool is_own_field(const struct field *field)
{
	static const char *const names[] = {"id",  "ts",  "start", "chart", "key",  "value", "center",
					    "ucl", "lcl", "rules", "tid",   "comm", "open", "unit", "n", "mean",
					    "signs", "sign_ts", "sign_value"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == field->key_length && !memcmp(names[i], field->key, field->key_length))
			return true;
	return false;
}

static void read_shown(struct signal *signal, const struct fields *fields)
{
	struct shown *shown;
	char *key;
	int i;

	for (i = 0; i < fields->count; i++) {
		if (is_own_field(&fields->item[i]))
			continue;
		if (signal->trigger && fields->item[i].key_length == strlen("trigger") && !memcmp(fields->item[i].key, "trigger", strlen("trigger")))
			continue;
		key = memory_text(fields->item[i].key, fields->item[i].key_length);
		shown = ARRAY_ADD(&signal->shown);
		shown->value = display_field(fields, key);
		shown->key = key;
	}
}

static int read_numbers(struct signal *signal, const struct fields *fields)
{
	int64_t tid = 0;
	int has_start;

	if (time_read(fields, "ts", &signal->ts) != 1 || fields_double(fields, "value", &signal->value) != 1)
		return fail("a signal record needs ts= and value= as numbers");
	signal->start = signal->ts;
	signal->center = signal->lcl = signal->ucl = NAN;
	has_start = time_read(fields, "start", &signal->start);
	if (has_start < 0 || fields_double(fields, "center", &signal->center) < 0 ||
	    fields_double(fields, "lcl", &signal->lcl) < 0 || fields_double(fields, "ucl", &signal->ucl) < 0 || fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (signal->start > signal->ts)
		return fail("a signal ends before it starts");
	if (fields_unsigned(fields, "signs", &signal->signs) < 0 || time_read(fields, "sign_ts", &signal->sign_ts) < 0 ||
	    fields_double(fields, "sign_value", &signal->sign_value) < 0)
		return -1;
	signal->unit = unit_read(fields, has_start);
	signal->shift = fields_is(fields, "rules", "shift");
	signal->mean = fields_is(fields, "mean", "yes");
	signal->open = fields_is(fields, "open", "yes");
	if (fields_is(fields, "rules", "trigger")) {
		signal->trigger = display_field(fields, "trigger");
		signal->value = (double)timestamp_between(signal->start, signal->ts) / 1e9;
	}
	signal->tid = tid > 0 && tid <= INT32_MAX ? tid : 0;
	return 0;
}

struct signal *signal_read(const struct site *site, const struct fields *fields)
{
	struct signal *signal = NEW(struct signal);

	if (read_numbers(signal, fields) < 0) {
		free(signal);
		return NULL;
	}
	signal->id = display_field(fields, "id");
	signal->chart = display_field(fields, "chart");
	signal->key = display_field(fields, "key");
	signal->rules = display_field(fields, "rules");
	signal->comm = display_field(fields, "comm");
	if (!*signal->comm && signal->tid > 0) {
		free(signal->comm);
		signal->comm = display_clean(events_comm(site->events, signal->tid));
	}
	read_shown(signal, fields);
	return signal;
}

void signal_free(struct signal *signal)
{
	size_t i;

	for (i = 0; i < signal->shown.count; i++) {
		free(signal->shown.items[i].key);
		free(signal->shown.items[i].value);
	}
	free(signal->shown.items);
	free(signal->id);
	free(signal->chart);
	free(signal->key);
	free(signal->rules);
	free(signal->comm);
	free(signal->trigger);
	identity_free(&signal->identity);
	identity_free(&signal->client_identity);
	free(signal->client);
	free(signal);
}

void signal_comes_from(struct signal *signal, const char *client, int32_t tid)
{
	free(signal->client);
	signal->client = display_clean(client);
	signal->client_tid = tid;
}

double signal_time_lost(const struct signal *signal)
{
	if (signal->unit != UNIT_SECONDS || signal->shift)
		return -INFINITY;
	return signal->value - (isnan(signal->center) ? 0 : signal->center);
}

bool signal_is_low(const struct signal *signal)
{
	return signal->value < signal->center && !isnan(signal->lcl);
}

double signal_limit(const struct signal *signal)
{
	return signal_is_low(signal) ? signal->lcl : signal->ucl;
}

/* The distance of the value from the centre, above or below, in units of the limit's distance: 1 is at the limit. */
static double excess(const struct signal *signal)
{
	double middle = isnan(signal->center) ? 0 : signal->center, limit = signal_limit(signal);

	if (isnan(limit) || limit == middle)
		return signal->value;
	return (signal->value - middle) / (limit - middle);
}

int signal_compare(const struct signal *a, const struct signal *b)
{
	double x = signal_time_lost(a), y = signal_time_lost(b);

	if (x == y) {
		x = excess(a);
		y = excess(b);
	}
	if (x != y)
		return x > y ? -1 : 1;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

/* --- in words: a sentence for each chart that we ship, and one for all others ------------------------------------------- */

static const char *shown(const struct signal *signal, const char *key)
{
	size_t i;

	for (i = 0; i < signal->shown.count; i++)
		if (!strcmp(signal->shown.items[i].key, key))
			return signal->shown.items[i].value;
	return "";
}

static const char *request_verb(const char *rwbs)
{
	static const struct {
		char letter;
		const char *verb;
	} verbs[] = {{'D', "discard"}, {'W', "write"}, {'R', "read"}, {'F', "flush"}};
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strchr(rwbs, verbs[i].letter))
			return verbs[i].verb;
	return "request";
}

/* Makes the subject of a signal's sentence. */
typedef char *subject_words(const struct site *site, const struct signal *signal, const char *who);

static char *say_request(const struct site *site, const struct signal *signal, const char *who)
{
	char device[64];
	const char *dev = shown(signal, "dev"), *sector = shown(signal, "sector");

	label_device(site, *dev ? dev : signal->key, device, sizeof(device));
	return memory_format("%s of %s%s%s%s%s", request_verb(shown(signal, "rwbs")), *device ? device : "a device",
			     *sector ? " sector " : "", sector, *who ? " by " : "", who);
}

static char *say_runnable(const struct site *site, const struct signal *signal, const char *who)
{
	(void)site, (void)signal;
	return memory_format("%s", *who ? who : "a thread");
}

static char *say_loop(const struct site *site, const struct signal *signal, const char *who)
{
	(void)site, (void)signal;
	return memory_format("event loop%s%s", *who ? " of " : "", who);
}

static char *say_call(const struct site *site, const struct signal *signal, const char *who)
{
	(void)site;
	return memory_format("%s%s%s", *signal->key ? signal->key : "system call", *who ? " by " : "", who);
}

static char *say_flush(const struct site *site, const struct signal *signal, const char *who)
{
	char device[64];

	(void)who; /* the kernel issues a flush for others */
	label_device(site, signal->key, device, sizeof(device));
	return memory_format("flush of %s", *device ? device : "a device");
}

static char *say_turn(const struct site *site, const struct signal *signal, const char *who)
{
	char *client = signal->client ? words_thread(signal->client, signal->client_tid) : memory_format("%s", "");
	char *words = memory_format("request%s%s to %s", *client ? " from " : "", client, *who ? who : "a process");

	(void)site;
	free(client);
	return words;
}

/* There is no chart: a user asked for the last seconds. */
static char *say_asked(const struct site *site, const struct signal *signal, const char *who)
{
	(void)site, (void)signal, (void)who;
	return memory_format("asked for");
}

/* A command is named after the program that it began as; it may have executed others since. */
static char *say_command(const struct site *site, const struct signal *signal, const char *who)
{
	const char *path = shown(signal, "filename"), *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	(void)site;
	if (!*name)
		return memory_format("%s", *who ? who : "the command");
	return words_thread(name, *who ? signal->tid : 0);
}

static char *say_function(const struct site *site, const struct signal *signal, const char *who)
{
	const char *binary = signal->chart + strlen("func:");
	const char *function = symbol_colon(binary);
	const char *base = binary, *p;
	char *name, *said;

	(void)site;
	if (!function)
		return memory_format("%s%s%s", signal->chart, *who ? " by " : "", who);
	for (p = binary; p < function; p++)
		if (*p == '/')
			base = p + 1;
	name = demangle_whole(function + 1);
	said = memory_format("%s of %.*s%s%s", name, (int)(function - base), base, *who ? " by " : "", who);
	free(name);
	return said;
}

static char *say_any(const struct site *site, const struct signal *signal, const char *who)
{
	(void)site;
	return memory_format("%s%s%s%s%s", *signal->chart ? signal->chart : "value", *signal->key ? " " : "",
			     signal->key, *who ? " by " : "", who);
}

/* Rates: the events that were counted; the thread that caused at least half of them follows. */
static char *say_failures(const struct site *site, const struct signal *signal, const char *value)
{
	(void)site;
	return memory_format("%s of %s failed", value, *signal->key ? signal->key : "system calls");
}

static char *say_failed_requests(const struct site *site, const struct signal *signal, const char *value)
{
	char device[64];

	label_device(site, signal->key, device, sizeof(device));
	return memory_format("%s of the requests of %s failed", value, *device ? device : "a device");
}

/* "4,123 requests a second of loop0": the noun follows the number. */
static char *say_counted(const struct signal *signal, const char *what, const char *of)
{
	char *value = value_words(UNIT_RATE, signal->value), *words;
	size_t number = strlen(value) - strlen(" a second");

	words = memory_format("%.*s %s a second%s%s", (int)number, value, what, *of ? " of " : "", of);
	free(value);
	return words;
}

static char *say_wakeups(const struct site *site, const struct signal *signal, const char *value)
{
	(void)site, (void)value;
	return say_counted(signal, "wake-ups", "");
}

static char *say_requests(const struct site *site, const struct signal *signal, const char *value)
{
	char device[64];

	(void)value;
	label_device(site, signal->key, device, sizeof(device));
	return say_counted(signal, "requests", device);
}

static char *say_interrupts(const struct site *site, const struct signal *signal, const char *value)
{
	(void)site, (void)value;
	return say_counted(signal, "interrupts", signal->key);
}

static char *say_any_rate(const struct site *site, const struct signal *signal, const char *value)
{
	(void)site;
	return memory_format("%s%s%s was %s", *signal->chart ? signal->chart : "a rate", *signal->key ? " of " : "",
			     signal->key, value);
}

static const struct rate_sentence {
	const char *chart;
	char *(*say)(const struct site *site, const struct signal *signal, const char *value);
} rate_sentences[] = {
	{"syscall-errors", say_failures}, {"block-errors", say_failed_requests}, {"wakeups", say_wakeups},
	{"block-rate", say_requests},	  {"interrupts", say_interrupts},	  {"", say_any_rate},
};

static char *say_rate(const struct site *site, const struct signal *signal, const char *who)
{
	const struct rate_sentence *s = rate_sentences;
	char *value = value_words(signal->unit, signal->value), *subject, *words;

	while (*s->chart && strcmp(s->chart, signal->chart) != 0)
		s++;
	subject = s->say(site, signal, value);
	words = memory_format("%s%s%s", subject, *who ? ", most of them by " : "", who);
	free(subject);
	free(value);
	return words;
}

static char *say_shift(const struct site *site, const struct signal *signal)
{
	char *subject = label_chart(site, signal->chart, signal->key), *value = value_words(signal->unit, signal->value);
	char *words = memory_format("%s became %s: the median is %s now", subject,
				    unit_change(signal->unit, !(signal->value < signal->center)), value);

	free(value);
	free(subject);
	return words;
}

static char *say_mean(const struct site *site, const struct signal *signal)
{
	char *subject = label_chart(site, signal->chart, signal->key), *value = value_words(signal->unit, signal->value);
	char *words = memory_format("%s: the mean was %s", subject, value);

	free(value);
	free(subject);
	return words;
}

static const struct wording {
	const char *chart; /* a name that ends in a colon stands for all charts that begin with it */
	subject_words *subject;
	const char *ended, *open; /* the verb for a wait that ended, and for one that did not */
	const char *object;
} sentences[] = {
	{"block", say_request, "took", "not done after", ""},
	{"block-service", say_request, "was in service for", "still in service after", ""},
	{"discard", say_request, "took", "not done after", ""},
	{"runq", say_runnable, "waited", "still waiting after", " for a CPU"},
	{"syscall", say_call, "took", "still waiting after", ""},
	{"flush", say_flush, "took", "not done after", ""},
	{"loop", say_loop, "was held up for", "still held up after", ""},
	{"turn", say_turn, "took", "not answered after", ""},
	{"command", say_command, "took", "not done after", ""},
	{"asked", say_asked, "the last", "the last", ""},
	{"func:", say_function, "took", "not done after", ""},
	{"", say_any, "took", "not done after", ""},
};

static const struct wording *wording_of(const char *chart)
{
	const struct wording *s;
	size_t length;

	for (s = sentences; *s->chart; s++) {
		length = strlen(s->chart);
		if (s->chart[length - 1] == ':' ? !strncmp(chart, s->chart, length) : !strcmp(chart, s->chart))
			break;
	}
	return s;
}

/* The sentence of a trigger that fired. `words` are about the request at which it fired; this frees them. */
static char *say_firing(const struct signal *signal, char *words)
{
	const char *text = shown(signal, "text");
	char *said = *text ? memory_format("trigger %s fired: %s", signal->trigger, text) : signal->start < signal->ts ? memory_format("%s: trigger %s fired", words, signal->trigger)
						: memory_format("trigger %s fired", signal->trigger);

	free(words);
	return said;
}

/* The sentence of a state file's alarm. */
static char *say_alarm(const struct signal *signal, const char *who)
{
	const char *text = shown(signal, "text");

	return memory_format("%s%s%s: %s", signal->chart, *who ? " by " : "", who, *text ? text : "alarm");
}

char *signal_words(const struct site *site, const struct signal *signal)
{
	const struct wording *s = wording_of(signal->chart);
	bool interval = signal->unit == UNIT_SECONDS, least;
	char *who, *subject, *value, *words;
	const char *verb = !interval ? "was" : signal->open ? s->open : s->ended;

	if (signal->shift)
		return say_shift(site, signal);
	if (signal->mean)
		return say_mean(site, signal);
	who = words_thread(signal->comm, signal->tid);
	if (!strcmp(signal->rules, "state") || signal->unit == UNIT_SHARE || signal->unit == UNIT_RATE) {
		words = !strcmp(signal->rules, "state") ? say_alarm(signal, who) : say_rate(site, signal, who);
		free(who);
		return words;
	}
	subject = s->subject(site, signal, who);
	value = value_words(signal->unit, signal->value);
	least = interval && !signal->open && site_is_within(site, signal->tid, signal->start);
	words = memory_format("%s %s %s%s%s", subject, verb, least ? "at least " : "", value, interval ? s->object : "");
	free(who);
	free(subject);
	free(value);
	return signal->trigger ? say_firing(signal, words) : words;
}

/* Only nouns become plural, not the names of calls and functions. */
char *signal_words_of_many(const struct site *site, const struct signal *signal, uint64_t count)
{
	const struct wording *s = wording_of(signal->chart);
	char *subject, *words, number[NUMBER_ROOM];
	bool request = s->subject == say_request, wait = s->subject == say_runnable;
	const char *by = *signal->comm && strcmp(signal->comm, "?") != 0 ? signal->comm : "threads without a name";

	number_human_count(number, count);
	if (signal->unit != UNIT_SECONDS || signal->shift || signal->mean) {
		subject = label_chart(site, signal->chart, signal->key);
		words = memory_format("%s signals on %s", number, subject);
	} else if (wait) {
		subject = memory_format("%s", by);
		words = memory_format("%s waits of %s for a CPU", number, subject);
	} else if (s->subject == say_turn) {
		subject = memory_format("%s", by);
		words = memory_format("%s requests to %s", number, subject);
	} else if (request) {
		subject = label_chart(site, "block", signal->key);
		words = memory_format("%s requests%s by %s", number, subject + strlen("block"), by);
	} else if (s->subject == say_flush) {
		subject = s->subject(site, signal, "");
		words = memory_format("%s flushes%s", number, subject + strlen("flush"));
	} else {
		subject = s->subject(site, signal, "");
		words = memory_format("%s %s%s by %s", number, s->subject == say_any ? "times " : "calls of ", subject, by);
	}
	free(subject);
	return words;
}
