#include "event/call_meanings.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

#define LIST "charts/formats/waits.calls"

static const char *const words[CALL_MEANINGS] = {"many", "children", "receives", "sends", "asks", "closes", "fails", "exists"};

struct call_line {
	enum call_meaning meaning;
	const char *call; /* a pattern; for CALL_MEANS_MANY, CALL_MEANS_FAILS and CALL_MEANS_EXISTS, a name */
	const char *rest; /* the kind of file, or the errors; NULL: none */
};

struct call_meanings {
	char *text;
	ARRAY(struct call_line) lines;
};

/* Adds a line such as "many recvfrom udp socket", which it cuts in place. -1 after fail(). */
static int add_line(struct call_meanings *meanings, char *text, int number)
{
	const char *word = strsep(&text, " "), *call = text ? strsep(&text, " ") : NULL;

	for (int i = 0; call && i < CALL_MEANINGS; i++)
		if (strcmp(word, words[i]) == 0) {
			*ARRAY_ADD(&meanings->lines) = (struct call_line){(enum call_meaning)i, call, text};
			return 0;
		}
	return fail(LIST ":%d: a line is many, children, receives, sends, asks, closes, fails or exists, and a call", number);
}

static struct call_meanings *read_list(void)
{
	char *path = file_shipped(LIST), *text = path ? file_read(path, NULL) : NULL, *rest = text, *line;
	struct call_meanings *meanings;
	int number = 0, status = 0;

	free(path);
	if (!text)
		return NULL;
	meanings = NEW(struct call_meanings);
	meanings->text = text;
	while (status == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		if (*line && *line != '#')
			status = add_line(meanings, line, number);
	}
	if (status == 0)
		return meanings;
	free(meanings->lines.items);
	free(meanings->text);
	free(meanings);
	return NULL;
}

const struct call_meanings *call_meanings_shipped(void)
{
	static struct call_meanings *shipped;

	if (!shipped)
		shipped = read_list();
	return shipped;
}

bool call_means(const struct call_meanings *meanings, enum call_meaning meaning, const char *call)
{
	for (size_t i = 0; i < meanings->lines.count; i++)
		if (meanings->lines.items[i].meaning == meaning && fnmatch(meanings->lines.items[i].call, call, 0) == 0)
			return true;
	return false;
}

bool call_waits_for_many(const struct call_meanings *meanings, const char *call, const char *object)
{
	for (size_t i = 0; i < meanings->lines.count; i++) {
		const struct call_line *line = &meanings->lines.items[i];

		if (line->meaning == CALL_MEANS_MANY && strcmp(call, line->call) == 0 && (object ? line->rest && strcmp(object, line->rest) == 0 : !line->rest))
			return true;
	}
	return false;
}

/* Tells whether a list such as "17 39" has this error. */
static bool lists(const char *errors, int64_t error)
{
	for (char *end; *errors; errors = end) {
		if (strtoll(errors, &end, 10) == error)
			return true;
		if (end == errors)
			break;
	}
	return false;
}

bool call_fails(const struct call_meanings *meanings, const char *call, int64_t result, bool *exists)
{
	for (size_t i = 0; result < 0 && i < meanings->lines.count; i++) {
		const struct call_line *line = &meanings->lines.items[i];

		if ((line->meaning != CALL_MEANS_FAILS && line->meaning != CALL_MEANS_EXISTS) || strcmp(call, line->call) != 0 || !line->rest ||
		    !lists(line->rest, -result))
			continue;
		if (exists)
			*exists = line->meaning == CALL_MEANS_EXISTS;
		return true;
	}
	return false;
}
