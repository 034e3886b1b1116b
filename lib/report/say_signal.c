/* Signals in words: a sentence for each chart that we ship, and one for all others. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/words.h"
#include "program/demangle.h"
#include "program/symbol.h"

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

/* What a signal is about: the subject of its sentence. */
typedef char *subject_words(const struct model *model, const struct signal *signal, const char *who);

static char *say_request(const struct model *model, const struct signal *signal, const char *who)
{
	char device[64];
	const char *dev = shown(signal, "dev"), *sector = shown(signal, "sector");

	model_device_name(model, *dev ? dev : signal->key, device, sizeof(device));
	return memory_format("%s of %s%s%s%s%s", request_verb(shown(signal, "rwbs")), *device ? device : "a device",
			     *sector ? " sector " : "", sector, *who ? " by " : "", who);
}

static char *say_runnable(const struct model *model, const struct signal *signal, const char *who)
{
	(void)model, (void)signal;
	return memory_format("%s", *who ? who : "a thread");
}

static char *say_call(const struct model *model, const struct signal *signal, const char *who)
{
	(void)model;
	return memory_format("%s%s%s", *signal->key ? signal->key : "system call", *who ? " by " : "", who);
}

static char *say_function(const struct model *model, const struct signal *signal, const char *who)
{
	const char *binary = signal->chart + strlen("func:");
	const char *function = symbol_colon(binary);
	const char *base = binary, *p;
	char *name, *said;

	(void)model;
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

static char *say_any(const struct model *model, const struct signal *signal, const char *who)
{
	(void)model;
	return memory_format("%s%s%s%s%s", *signal->chart ? signal->chart : "value", *signal->key ? " " : "",
			     signal->key, *who ? " by " : "", who);
}

/* Rates: what was counted, and by whom at least half of it. */
static char *say_failures(const struct model *model, const struct signal *signal, const char *value)
{
	(void)model;
	return memory_format("%s of %s failed", value, *signal->key ? signal->key : "system calls");
}

static char *say_failed_requests(const struct model *model, const struct signal *signal, const char *value)
{
	char device[64];

	model_device_name(model, signal->key, device, sizeof(device));
	return memory_format("%s of the requests of %s failed", value, *device ? device : "a device");
}

/* "4,123 a second" with what is counted put behind the number. */
static char *say_counted(const struct signal *signal, const char *what, const char *of)
{
	char *value = words_value(UNIT_RATE, signal->value), *words;
	size_t number = strlen(value) - strlen(" a second");

	words = memory_format("%.*s %s a second%s%s", (int)number, value, what, *of ? " of " : "", of);
	free(value);
	return words;
}

static char *say_wakeups(const struct model *model, const struct signal *signal, const char *value)
{
	(void)model, (void)value;
	return say_counted(signal, "wake-ups", "");
}

static char *say_requests(const struct model *model, const struct signal *signal, const char *value)
{
	char device[64];

	(void)value;
	model_device_name(model, signal->key, device, sizeof(device));
	return say_counted(signal, "requests", device);
}

static char *say_interrupts(const struct model *model, const struct signal *signal, const char *value)
{
	(void)model, (void)value;
	return say_counted(signal, "interrupts", signal->key);
}

static char *say_any_rate(const struct model *model, const struct signal *signal, const char *value)
{
	(void)model;
	return memory_format("%s%s%s was %s", *signal->chart ? signal->chart : "a rate", *signal->key ? " of " : "",
			     signal->key, value);
}

static const struct rate_sentence {
	const char *chart;
	char *(*say)(const struct model *model, const struct signal *signal, const char *value);
} rate_sentences[] = {
	{"syscall-errors", say_failures}, {"block-errors", say_failed_requests}, {"wakeups", say_wakeups},
	{"block-rate", say_requests},	  {"interrupts", say_interrupts},	  {"", say_any_rate},
};

static char *say_rate(const struct model *model, const struct signal *signal, const char *who)
{
	const struct rate_sentence *s = rate_sentences;
	char *value = words_value(signal->unit, signal->value), *subject, *words;

	while (*s->chart && strcmp(s->chart, signal->chart) != 0)
		s++;
	subject = s->say(model, signal, value);
	words = memory_format("%s%s%s", subject, *who ? ", most of them by " : "", who);
	free(subject);
	free(value);
	return words;
}

/* The level of a chart, and which way it went. */
static char *level_of(const struct model *model, const char *chart, const char *key)
{
	char device[64];

	if (*key && !strncmp(chart, "block", 5))
		key = model_device_name(model, key, device, sizeof(device));
	return memory_format("%s%s%s", *chart ? chart : "values", *key ? " of " : "", key);
}

static const char *change_of(enum unit unit, bool up)
{
	static const char *const words[][2] = {
		[UNIT_NONE] = {"lower", "higher"},
		[UNIT_SECONDS] = {"faster", "slower"},
		[UNIT_SHARE] = {"rarer", "more frequent"},
		[UNIT_RATE] = {"rarer", "more frequent"},
	};

	return words[unit][up];
}

static char *say_shift(const struct model *model, const struct signal *signal)
{
	char *subject = level_of(model, signal->chart, signal->key), *value = words_value(signal->unit, signal->value);
	char *words = memory_format("%s became %s: the median is %s now", subject,
				    change_of(signal->unit, !(signal->value < signal->center)), value);

	free(value);
	free(subject);
	return words;
}

static char *say_mean(const struct model *model, const struct signal *signal)
{
	char *subject = level_of(model, signal->chart, signal->key), *value = words_value(signal->unit, signal->value);
	char *words = memory_format("%s: the mean was %s", subject, value);

	free(value);
	free(subject);
	return words;
}

char *words_shift(const struct model *model, const struct track *track, const struct shift *shift)
{
	char *name = model_track_name(model, track), *from, *to, *words, clock[WORDS_CLOCK_ROOM];
	const char *center = track->unit == UNIT_SHARE || track->unit == UNIT_RATE ? "normally" : "median";

	from = isnan(shift->from) ? memory_format("unknown") : words_value(track->unit, shift->from);
	to = words_value(track->unit, shift->to);
	if (shift->clock.has_wall && model_has_days(model))
		words_date(time_sum(shift->clock.wall, shift->at), clock);
	else
		words_clock(&shift->clock, shift->at, clock);
	words = memory_format("%s%s%s became %s at %s and stayed so: %s %s -> %s; limits relearnt",
			      *track->chart->name ? track->chart->name : "values", *name ? " of " : "", name,
			      change_of(track->unit, shift->up), clock, center, from, to);
	free(to);
	free(from);
	free(name);
	return words;
}

static const struct wording {
	const char *chart; /* with a colon at its end: of any chart whose name begins so */
	subject_words *subject;
	const char *ended, *open; /* what it did, before and after the time */
	const char *object;
} sentences[] = {
	{"block", say_request, "took", "not done after", ""},
	{"block-service", say_request, "was in service for", "still in service after", ""},
	{"runq", say_runnable, "waited", "still waiting after", " for a CPU"},
	{"syscall", say_call, "took", "still waiting after", ""},
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

char *words_signal(const struct model *model, const struct signal *signal)
{
	const struct wording *s = wording_of(signal->chart);
	bool interval = signal->unit == UNIT_SECONDS;
	char *who, *subject, *value, *words;
	const char *verb = !interval ? "was" : signal->open ? s->open : s->ended;

	if (signal->shift)
		return say_shift(model, signal);
	if (signal->mean)
		return say_mean(model, signal);
	who = words_thread(signal->comm, signal->tid);
	if (signal->unit == UNIT_SHARE || signal->unit == UNIT_RATE) {
		words = say_rate(model, signal, who);
		free(who);
		return words;
	}
	subject = s->subject(model, signal, who);
	value = words_value(signal->unit, signal->value);
	words = memory_format("%s %s %s%s", subject, verb, value, interval ? s->object : "");
	free(who);
	free(subject);
	free(value);
	return words;
}

/* The plural of what has one; names of calls and functions stay as they are. */
char *words_signals(const struct model *model, const struct signal *signal, uint64_t count)
{
	const struct wording *s = wording_of(signal->chart);
	char *subject, *words, number[NUMBER_ROOM];
	bool request = s->subject == say_request, wait = s->subject == say_runnable;
	const char *by = *signal->comm && strcmp(signal->comm, "?") != 0 ? signal->comm : "threads without a name";

	number_human_count(number, count);
	if (signal->unit != UNIT_SECONDS || signal->shift || signal->mean) {
		subject = level_of(model, signal->chart, signal->key);
		words = memory_format("%s signals on %s", number, subject);
	} else if (wait) {
		subject = memory_format("%s", by);
		words = memory_format("%s waits of %s for a CPU", number, subject);
	} else if (request) {
		subject = level_of(model, "block", signal->key);
		words = memory_format("%s requests%s by %s", number, subject + strlen("block"), by);
	} else {
		subject = s->subject(model, signal, "");
		words = memory_format("%s %s of %s", number, subject, by);
	}
	free(subject);
	return words;
}
