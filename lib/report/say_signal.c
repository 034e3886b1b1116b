/* Signals in words: a sentence for each chart that we ship, and one for all others. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"

static const char *shown(const struct signal *signal, const char *key)
{
	size_t i;

	for (i = 0; i < signal->shown.count; i++)
		if (!strcmp(signal->shown.items[i].key, key))
			return signal->shown.items[i].value;
	return "";
}

char *words_thread(const char *comm, int32_t tid)
{
	if (tid == 0)
		return memory_format("%s", comm);
	if (!*comm || !strcmp(comm, "?"))
		return memory_format("thread %" PRId32, tid);
	return memory_format("%s/%" PRId32, comm, tid);
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
	const char *function = strrchr(binary, ':');
	const char *base = binary, *p;

	(void)model;
	if (!function)
		return memory_format("%s%s%s", signal->chart, *who ? " by " : "", who);
	for (p = binary; p < function; p++)
		if (*p == '/')
			base = p + 1;
	return memory_format("%s of %.*s%s%s", function + 1, (int)(function - base), base, *who ? " by " : "", who);
}

static char *say_any(const struct model *model, const struct signal *signal, const char *who)
{
	(void)model;
	return memory_format("%s%s%s%s%s", *signal->chart ? signal->chart : "value", *signal->key ? " " : "",
			     signal->key, *who ? " by " : "", who);
}

static const struct sentence {
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

static const struct sentence *sentence_of(const char *chart)
{
	const struct sentence *s;
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
	const struct sentence *s = sentence_of(signal->chart);
	char *who = words_thread(signal->comm, signal->tid);
	char *subject = s->subject(model, signal, who);
	char *value = signal->interval ? words_seconds(signal->value) : memory_format("%g", signal->value);
	const char *verb = !signal->interval ? "was" : signal->open ? s->open : s->ended;
	char *words = memory_format("%s %s %s%s", subject, verb,
				    value, signal->interval ? s->object : "");

	free(who);
	free(subject);
	free(value);
	return words;
}

/* Where the graph begins later than its signal, the events before that were lost or left out. */
static char *say_explained(const struct model *model, const struct story *story)
{
	char *words = words_signal(model, story->signal), *time, *both;

	if (story->kind != GRAPH_WAKE || story->from <= story->signal->start || story->to != story->signal->ts)
		return words;
	time = words_seconds(story_length(story));
	both = memory_format("%s, the last %s of it in the data", words, time);
	free(time);
	free(words);
	return both;
}

char *words_story(const struct model *model, const struct story *story)
{
	char *time, *words;

	if (story->signal)
		return say_explained(model, story);
	if (story_length(story) == 0)
		return memory_format("graph %s%s%s", story->graph, *story->root ? " of " : "", story->root);
	time = words_seconds(story_length(story));
	if (*story->root && story->kind == GRAPH_WAKE)
		words = memory_format("%s of %s (graph %s)", time, story->root, story->graph);
	else if (*story->root)
		words = memory_format("%s took %s (graph %s)", story->root, time, story->graph);
	else
		words = memory_format("graph %s took %s", story->graph, time);
	free(time);
	return words;
}

char *words_moment(const struct model *model, const struct moment *moment)
{
	if (moment->stories.count > 0)
		return words_story(model, moment->stories.items[0]);
	if (moment->worst.count > 0)
		return words_signal(model, moment->worst.items[0]);
	return memory_format("abnormal, but its signals are not in the input");
}

char *words_rest(const struct model *model, const struct moment *moment)
{
	size_t told = moment->stories.count ? moment->stories.count : 1;
	char from[WORDS_CLOCK_ROOM], to[WORDS_CLOCK_ROOM], *count, *words;

	if (moment->signals <= told)
		return NULL;
	words_clock(model, moment->wall, moment->from, from);
	words_clock(model, moment->wall, moment->to, to);
	count = words_count(moment->signals - told, "more signal");
	words = memory_format("%s between %s and %s", count, from, to);
	free(count);
	return words;
}

char *words_gap(const struct moment *moment)
{
	if (moment->complete)
		return NULL;
	return memory_format("INCOMPLETE: %s",
			     moment->window
				 ? "events of this moment were lost or left out; pieces may be missing"
				 : "the input ended before this moment did");
}
