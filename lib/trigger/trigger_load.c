/* Loads triggers from files and from the shipped ones. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "stream/line.h"
#include "trigger/trigger.h"

static int load_file(struct trigger_list *list, const char *path, const char *shown)
{
	size_t length;
	char *text = file_read(path, &length);
	int status = text ? trigger_parse(list, text, length, shown) : -1;

	free(text);
	return status;
}

/* The names of the shipped triggers, for a message; the caller frees the text. */
static char *shipped_names(void)
{
	char *one = file_shipped("charts/triggers/latency-spike.trigger"), *slash = one ? strrchr(one, '/') : NULL;
	char *pattern = slash ? memory_format("%.*s/*.trigger", (int)(slash - one), one) : NULL;
	struct line names = {0};
	glob_t found = {0};

	line_append(&names, "", 0);
	if (pattern && glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *base = strrchr(found.gl_pathv[i], '/') + 1;

			line_append(&names, base, strlen(base) - strlen(".trigger"));
			line_append(&names, ", ", 2);
		}
	globfree(&found);
	free(pattern);
	free(one);
	return names.text;
}

static int load_shipped(struct trigger_list *list, const char *name)
{
	char *place = memory_format("charts/triggers/%s.trigger", name), *path = file_shipped(place), *names;
	int status;

	free(place);
	if (path) {
		status = load_file(list, path, path);
	} else if (access(name, F_OK) == 0) {
		status = load_file(list, name, name);
	} else {
		names = shipped_names();
		status = fail("unknown trigger '%s'; there are %sor the path of a trigger file", name, names);
		free(names);
	}
	free(path);
	return status;
}

int trigger_load(struct trigger_list *list, const char *name)
{
	size_t length = strlen(name);

	if (strchr(name, '/') || (length > 8 && !strcmp(name + length - 8, ".trigger")))
		return load_file(list, name, name);
	return load_shipped(list, name);
}

static void take_trigger(struct trigger_list *from, size_t at, struct trigger_list *to)
{
	*ARRAY_ADD(&to->items) = from->items.items[at];
	ARRAY_REMOVE(&from->items, at, 1);
}

/* The index of the trigger in the list with this trigger's name and text; -1: there is none. */
static int find_same(const struct trigger_list *list, const struct trigger *trigger)
{
	for (size_t i = 0; i < list->items.count; i++)
		if (!strcmp(list->items.items[i]->name, trigger->name) && !strcmp(list->items.items[i]->text, trigger->text))
			return (int)i;
	return -1;
}

/* Moves the triggers of a source that could not be read from the old list to the new one. */
static void keep_source(struct trigger_list *list, const char *source, struct trigger_list *now)
{
	for (size_t i = 0; i < list->items.count;) {
		if (strcmp(list->items.items[i]->source, source) != 0)
			i++;
		else
			take_trigger(list, i, now);
	}
}

/* Replaces new triggers, from index `first` on, by old ones with the same name and text. */
static void keep_same(struct trigger_list *list, struct trigger_list *now, size_t first)
{
	for (size_t i = first; i < now->items.count; i++) {
		int at = find_same(list, now->items.items[i]);
		struct trigger *fresh = now->items.items[i];

		if (at < 0)
			continue;
		take_trigger(list, (size_t)at, now);
		now->items.count--;
		now->items.items[i] = now->items.items[now->items.count];
		now->items.items[i]->source = fresh->source;
		trigger_free(fresh);
	}
}

/* A copy of a source's name that belongs to the list. */
static const char *own_source(struct trigger_list *list, const char *source)
{
	return *ARRAY_ADD(&list->sources) = memory_text(source, strlen(source));
}

struct trigger_list trigger_reload(struct trigger_list *list, trigger_checker *check, void *context,
				   void (*complain)(const char *format, ...))
{
	struct trigger_list now = {0};

	for (size_t i = 0; i < list->sources.count; i++) {
		const char *source = list->sources.items[i];
		size_t before = now.items.count;

		if (load_file(&now, source, source) == 0 && check(context, &now) == 0) {
			keep_same(list, &now, before);
			continue;
		}
		complain("%s; its triggers stay as they are", fail_text());
		while (now.items.count > before)
			trigger_free(now.items.items[--now.items.count]);
		keep_source(list, source, &now);
		own_source(&now, source);
		for (size_t k = before; k < now.items.count; k++)
			now.items.items[k]->source = now.sources.items[now.sources.count - 1];
	}
	return now;
}

bool trigger_has_chart(const struct trigger *trigger, const char *chart)
{
	for (size_t i = 0; i < trigger->charts.count; i++)
		if (strcmp(trigger->charts.items[i].name, chart) == 0)
			return true;
	return trigger->charts.count == 0;
}

int trigger_check(const struct trigger_list *list, const char *const *charts, int count)
{
	for (size_t i = 0; i < list->items.count; i++) {
		const struct trigger *trigger = list->items.items[i];

		for (size_t k = 0; k < trigger->charts.count; k++) {
			int at = 0;

			while (at < count && strcmp(charts[at], trigger->charts.items[k].name) != 0)
				at++;
			if (at == count)
				return fail("%s:%u:%u: chart '%s' is not among those of -c", trigger->source, trigger->charts.items[k].line,
					    trigger->charts.items[k].column, trigger->charts.items[k].name);
		}
	}
	return 0;
}
