#include "import/known.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "import/layout.h"

#define LIST "charts/formats/kernel.formats"

/* A line of the list. */
struct known_line {
	const char *system, *name; /* the name may be a pattern */
	const char *format;	   /* NULL: only the system is known */
	struct layout *layout;	   /* made when it is first needed */
	bool tried;
};

/* The lines that an event's name fits, found when it is first seen. */
struct known_event {
	char *name;
	ARRAY(struct known_line *) lines;
	UT_hash_handle hh;
};

struct known {
	char *text;
	ARRAY(struct known_line) lines;
	struct known_event *events;
};

/* Cuts "system:name format" in place. -1 after fail(). */
static int add_line(struct known *known, char *line, int number)
{
	char *colon = strchr(line, ':'), *space = strchr(line, ' ');

	if (!colon || (space && space < colon))
		return fail(LIST ":%d: this is not SYSTEM:EVENT", number);
	*colon = '\0';
	if (space)
		*space = '\0';
	*ARRAY_ADD(&known->lines) = (struct known_line){line, colon + 1, space ? space + 1 : NULL, NULL, false};
	return 0;
}

struct known *known_load(void)
{
	char *path = file_shipped(LIST), *line, *rest;
	struct known *known = NEW(struct known);
	int number = 0, status = 0;

	known->text = path ? file_read(path, NULL) : NULL;
	free(path);
	if (!known->text)
		status = -1;
	for (rest = known->text; status == 0 && (line = strsep(&rest, "\n"));) {
		number++;
		if (*line && *line != '#')
			status = add_line(known, line, number);
	}
	if (status == 0)
		return known;
	known_free(known);
	return NULL;
}

void known_free(struct known *known)
{
	struct known_event *event, *next;

	HASH_ITER(hh, known->events, event, next) {
		HASH_DEL(known->events, event);
		free(event->lines.items);
		free(event->name);
		free(event);
	}
	for (size_t i = 0; i < known->lines.count; i++)
		layout_free(known->lines.items[i].layout);
	free(known->lines.items);
	free(known->text);
	free(known);
}

static struct known_event *find(struct known *known, const char *name)
{
	struct known_event *event;

	HASH_FIND_STR(known->events, name, event);
	if (event)
		return event;
	event = NEW(struct known_event);
	event->name = memory_text(name, strlen(name));
	for (int patterns = 0; patterns < 2; patterns++) /* names first */
		for (size_t i = 0; i < known->lines.count; i++) {
			struct known_line *line = &known->lines.items[i];
			bool is_pattern = strchr(line->name, '*') != NULL;

			if (is_pattern == patterns && fnmatch(line->name, name, 0) == 0)
				*ARRAY_ADD(&event->lines) = line;
		}
	HASH_ADD_KEYPTR(hh, known->events, event->name, strlen(event->name), event);
	return event;
}

static const struct layout *layout_of(struct known_line *line)
{
	if (!line->tried && line->format)
		line->layout = layout_new(line->format);
	line->tried = true;
	return line->layout;
}

static bool fits(struct known_line *line, const char *text, size_t length)
{
	struct line unused = {0};
	bool read = layout_of(line) && layout_read(layout_of(line), LAYOUT_WHOLE, text, length, &unused) >= 0;

	line_free(&unused);
	return read;
}

const char *known_system(struct known *known, const char *name, const char *text, size_t length)
{
	const struct known_event *event = find(known, name);
	const char *guess = "unknown";

	for (size_t i = event->lines.count; i-- > 0;)
		if (!event->lines.items[i]->format || !strchr(event->lines.items[i]->name, '*'))
			guess = event->lines.items[i]->system;
	for (size_t i = 0; i < event->lines.count; i++) {
		struct known_line *line = event->lines.items[i];

		if (!strchr(line->name, '*')) /* an event of this very name: its system is certain */
			return line->system;
		if (fits(line, text, length))
			return line->system;
	}
	return guess;
}

size_t known_read(struct known *known, const char *system, const char *name, const char *text, size_t length, struct line *line)
{
	const struct known_event *event = find(known, name);

	for (int fit = LAYOUT_WHOLE; fit < LAYOUT_FITS; fit++)
		for (size_t i = 0; i < event->lines.count; i++) {
			struct known_line *candidate = event->lines.items[i];
			long read;

			if (strcmp(candidate->system, system) != 0 || !layout_of(candidate))
				continue;
			read = layout_read(layout_of(candidate), (enum layout_fit)fit, text, length, line);
			if (read >= 0)
				return (size_t)read;
		}
	return 0;
}

bool known_has_layout(struct known *known, const char *system, const char *name)
{
	const struct known_event *event = find(known, name);

	for (size_t i = 0; i < event->lines.count; i++) {
		const struct known_line *line = event->lines.items[i];

		if (line->format && !strchr(line->name, '*') && strcmp(line->system, system) == 0)
			return true;
	}
	return false;
}
