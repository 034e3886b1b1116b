/* Where triggers come from: files, and those that are shipped. */
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

/* The names of what is shipped, for a message. */
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
