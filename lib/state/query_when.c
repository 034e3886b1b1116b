#include "state/query_when.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "state/logic.h"

enum { DIGITS = 10 };

/* A part of a path, once it is known: what one of *1 to *9 stands for, or what precedes the relative patterns. */
struct binding {
	const char *at;
	size_t length;
	bool bound;
};

struct bindings {
	struct binding prefix, digit[DIGITS];
};

struct pattern {
	char *text;
	bool absolute;
};

struct interval {
	int64_t from, to;
	struct state_value value;
};

/* The intervals of an attribute, read when first needed. */
struct timeline {
	ARRAY(struct interval) intervals;
	bool read;
};

/* An answer already given, with the attributes of alike patterns in the order of their paths. */
struct answer {
	UT_hash_handle hh;
	struct answer_key {
		int64_t from, to;
		size_t chosen[WHEN_PATTERNS];
	} key;
};

struct when {
	struct history_file *file;
	struct rows *rows;
	struct state_logic *logic;
	struct pattern patterns[WHEN_PATTERNS];
	int count;
	struct timeline *timelines; /* by attribute */
	size_t chosen[WHEN_PATTERNS];
	struct state_value now[WHEN_PATTERNS];
	uint64_t choices;
	ARRAY(struct interval) holds;
	struct answer *answers;
	struct rows_column columns[2 + WHEN_PATTERNS];
};

/* Reading */

static bool ends_pattern(char c)
{
	return c == '\0' || strchr(" \t=!<>&|()'\"", c) != NULL;
}

static int read_pattern(void *context, const char **at)
{
	struct when *when = context;
	bool in_brackets = **at == '[';
	const char *from = *at + in_brackets;
	size_t length = 0;
	char *text;

	while (in_brackets ? from[length] && from[length] != ']' : !ends_pattern(from[length]))
		length++;
	if (length == 0)
		return fail("a path, a number, a text in quotes, or null is missing");
	if (in_brackets && from[length] != ']')
		return fail("']' is missing");
	text = memory_text(from, length);
	if (strstr(text, "**")) {
		free(text);
		return fail("** cannot be here");
	}
	for (int i = 0; i < when->count; i++)
		if (!strcmp(when->patterns[i].text, text) && (!strchr(text, '*') || strpbrk(text, "123456789"))) {
			free(text);
			*at = from + length + in_brackets;
			return i;
		}
	if (when->count == WHEN_PATTERNS) {
		free(text);
		return fail("more than %d patterns", WHEN_PATTERNS);
	}
	*at = from + length + in_brackets;
	when->patterns[when->count] = (struct pattern){text, *text == '/'};
	return when->count++;
}

/* Matching */

static bool binds(struct binding *binding, const char *at, size_t length)
{
	if (binding->bound)
		return binding->length == length && memcmp(binding->at, at, length) == 0;
	*binding = (struct binding){at, length, true};
	return true;
}

static bool is_digit_star(const char *pattern)
{
	return pattern[0] == '*' && pattern[1] >= '1' && pattern[1] <= '9';
}

/* Tells whether the rest of the pattern matches the rest of the text. Changes the bindings only if it does. */
static bool matches(const char *pattern, const char *text, struct bindings *bindings)
{
	struct bindings before;
	size_t most;

	while (*pattern != '*') {
		if (*pattern != *text)
			return false;
		if (*pattern == '\0')
			return true;
		pattern++;
		text++;
	}
	most = strcspn(text, "/");
	before = *bindings;
	for (size_t length = 0; length <= most; length++) {
		bool digit = is_digit_star(pattern);

		*bindings = before;
		if ((!digit || binds(&bindings->digit[pattern[1] - '0'], text, length)) && matches(pattern + 1 + digit, text + length, bindings))
			return true;
	}
	*bindings = before;
	return false;
}

/*
 * Finds the next place in the path at which the pattern matches up to the path's end, and binds its parts. The search begins at `from`; returns
 * where the next one begins. NULL: there is no further match.
 */
static const char *fits(const struct pattern *pattern, const char *path, const char *from, struct bindings *bindings)
{
	struct bindings before = *bindings;

	if (pattern->absolute)
		return from == path && matches(pattern->text + 1, path, bindings) ? path + strlen(path) : NULL;
	for (const char *at = from; at; at = strchr(at, '/')) {
		at += *at == '/' && at > path;
		*bindings = before;
		if (binds(&bindings->prefix, path, (size_t)(at - path)) && matches(pattern->text, at, bindings))
			return strchr(at, '/') ? strchr(at, '/') : at + strlen(at);
	}
	return NULL;
}

/* Time */

static int keep_interval(void *context, int64_t from, int64_t to, struct state_value value)
{
	struct timeline *timeline = context;

	*ARRAY_ADD(&timeline->intervals) = (struct interval){from, to, state_value_share(value)};
	return 0;
}

static int read_timeline(struct when *when, size_t attribute)
{
	struct timeline *timeline = &when->timelines[attribute];
	int64_t from, to;

	if (timeline->read)
		return 0;
	timeline->read = true;
	history_span(when->file, &from, &to);
	if (history_walk(when->file, attribute, from, to, keep_interval, timeline) < 0)
		return -1;
	if (timeline->intervals.count && timeline->intervals.items[timeline->intervals.count - 1].to > to)
		timeline->intervals.items[timeline->intervals.count - 1].to = to;
	return 0;
}

static struct state_value value_now(void *context, int operand)
{
	const struct when *when = context;

	return state_value_share(when->now[operand]);
}

/* Sets `now`, the value of each pattern's attribute, to that at `at`; returns until when these values last. `place` indexes the intervals. */
static int64_t move(struct when *when, int64_t at, int64_t end, size_t place[WHEN_PATTERNS])
{
	for (int i = 0; i < when->count; i++) {
		const struct timeline *timeline = &when->timelines[when->chosen[i]];
		const struct interval *interval;

		while (place[i] < timeline->intervals.count && timeline->intervals.items[place[i]].to <= at)
			place[i]++;
		interval = timeline->intervals.items + place[i];
		when->now[i] = (struct state_value){0};
		if (place[i] == timeline->intervals.count)
			continue;
		if (interval->from > at) {
			end = interval->from < end ? interval->from : end;
		} else {
			when->now[i] = interval->value;
			end = interval->to < end ? interval->to : end;
		}
	}
	return end;
}

/* Finds the intervals in which the condition holds for the chosen attributes. */
static void judge(struct when *when)
{
	size_t place[WHEN_PATTERNS] = {0};
	int64_t at, end;

	when->holds.count = 0;
	if (!history_span(when->file, &at, &end))
		return;
	while (at < end) {
		int64_t until = move(when, at, end, place);
		struct interval *last = when->holds.count ? &when->holds.items[when->holds.count - 1] : NULL;

		if (state_logic_holds(when->logic, history_texts(when->file), value_now, when)) {
			if (last && last->to == at)
				last->to = until;
			else
				*ARRAY_ADD(&when->holds) = (struct interval){.from = at, .to = until};
		}
		at = until;
	}
}

/* Choices */

/* Tells whether two patterns differ at most in the digits of *1 to *9. */
static bool are_alike(const char *a, const char *b)
{
	while (*a && *b) {
		if (*a != *b)
			return false;
		a += 1 + is_digit_star(a);
		b += 1 + is_digit_star(b);
	}
	return *a == *b;
}

static bool is_alike_another(const struct when *when, int pattern)
{
	for (int i = 0; i < when->count; i++)
		if (i != pattern && are_alike(when->patterns[i].text, when->patterns[pattern].text))
			return true;
	return false;
}

static bool has_digit(const char *pattern)
{
	for (; *pattern; pattern++)
		if (is_digit_star(pattern))
			return true;
	return false;
}

/* The key has the attributes of alike patterns in the order of their paths. It omits a pattern whose attribute only follows from a digit. */
static void set_key(const struct when *when, const struct interval *interval, struct answer_key *key)
{
	memset(key, 0, sizeof(*key));
	key->from = interval->from;
	key->to = interval->to;
	for (int i = 0; i < when->count; i++)
		if (is_alike_another(when, i) || !has_digit(when->patterns[i].text))
			key->chosen[i] = when->chosen[i] + 1;
	for (int i = 0; i < when->count; i++)
		for (int n = i + 1; n < when->count; n++)
			if (key->chosen[i] > key->chosen[n] && are_alike(when->patterns[i].text, when->patterns[n].text)) {
				size_t other = key->chosen[i];

				key->chosen[i] = key->chosen[n];
				key->chosen[n] = other;
			}
}

/* False: this answer was given already. */
static bool is_new(struct when *when, const struct interval *interval)
{
	struct answer *answer = NEW(struct answer), *before;

	set_key(when, interval, &answer->key);
	HASH_FIND(hh, when->answers, &answer->key, sizeof(answer->key), before);
	if (before)
		free(answer);
	else
		HASH_ADD(hh, when->answers, key, sizeof(answer->key), answer);
	return !before;
}

static void put(struct when *when)
{
	for (size_t i = 0; i < when->holds.count; i++) {
		const struct interval *interval = &when->holds.items[i];

		if (when->count > 1 && !is_new(when, interval))
			continue;
		rows_time(when->rows, interval->from);
		rows_time(when->rows, interval->to);
		for (int n = 0; n < when->count; n++) {
			const char *path = history_path(when->file, when->chosen[n]);

			rows_text(when->rows, path, strlen(path));
		}
	}
}

/* Evaluates the condition for a choice: each pattern now has an attribute. */
static int tell(struct when *when)
{
	if (++when->choices > WHEN_CHOICES)
		return fail("more than %d choices of attributes; name more of their paths", WHEN_CHOICES);
	for (int i = 0; i < when->count; i++)
		if (read_timeline(when, when->chosen[i]) < 0)
			return -1;
	judge(when);
	put(when);
	return 0;
}

static bool is_taken(const struct when *when, int pattern, size_t attribute)
{
	for (int i = 0; i < pattern; i++)
		if (when->chosen[i] == attribute && are_alike(when->patterns[i].text, when->patterns[pattern].text))
			return true;
	return false;
}

static int choose(struct when *when, int pattern, const struct bindings *bindings)
{
	if (pattern == when->count)
		return tell(when);
	for (size_t i = 0; i < history_count(when->file); i++) {
		const char *path = history_path(when->file, i), *next = path;

		if (is_taken(when, pattern, i))
			continue;
		when->chosen[pattern] = i;
		while (next) {
			struct bindings now = *bindings;
			int holds;

			next = fits(&when->patterns[pattern], path, next, &now);
			holds = next ? history_holds(when->file, i) : 0;
			if (holds < 0 || (holds && choose(when, pattern + 1, &now) < 0))
				return -1;
			when->chosen[pattern] = i;
			next = next && *next ? next : NULL;
		}
	}
	return 0;
}

static void when_end(struct when *when)
{
	struct state_texts *texts = history_texts(when->file);
	struct answer *answer, *next;

	HASH_ITER (hh, when->answers, answer, next) {
		HASH_DEL(when->answers, answer);
		free(answer);
	}
	for (size_t i = 0; i < history_count(when->file); i++) {
		struct timeline *timeline = &when->timelines[i];

		for (size_t n = 0; n < timeline->intervals.count; n++)
			state_value_drop(texts, &timeline->intervals.items[n].value);
		free(timeline->intervals.items);
	}
	for (int i = 0; i < when->count; i++)
		free(when->patterns[i].text);
	state_logic_free(when->logic);
	free(when->timelines);
	free(when->holds.items);
}

int query_when(struct history_file *file, const char *condition, struct rows *rows)
{
	struct when when = {.file = file, .rows = rows, .columns = {{"from"}, {"to"}}};
	const struct bindings none = {0};
	const char *at;
	int status = -1;

	when.timelines = memory_new(history_count(file) + 1, sizeof(*when.timelines));
	when.logic = state_logic_read(condition, read_pattern, &when, &at);
	if (when.logic) {
		for (int i = 0; i < when.count; i++)
			when.columns[2 + i].name = when.patterns[i].text;
		rows_begin(rows, when.columns, (size_t)(2 + when.count));
		status = choose(&when, 0, &none);
	} else {
		fail_prefix("column %zu of the condition", (size_t)(at - condition) + 1);
	}
	when_end(&when);
	return status;
}
