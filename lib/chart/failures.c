#include "chart/failures.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static const char line_begins[] = "fails ";

struct failing { /* a line of the list */
	const char *call, *errors;
};

struct failures {
	char *text;
	ARRAY(struct failing) calls;
};

/* "fails mkdir 17", cut in place. */
static void add(struct failures *failures, char *line)
{
	char *call, *errors;

	if (strncmp(line, line_begins, strlen(line_begins)) != 0)
		return;
	errors = line + strlen(line_begins);
	call = strsep(&errors, " ");
	*ARRAY_ADD(&failures->calls) = (struct failing){call, errors ? errors : ""};
}

static struct failures *read_list(void)
{
	char *path = file_shipped("charts/formats/waits.calls"), *text = path ? file_read(path, NULL) : NULL, *rest = text, *line;
	struct failures *failures = text ? NEW(struct failures) : NULL;

	free(path);
	if (failures)
		failures->text = text;
	while (failures && (line = strsep(&rest, "\n")))
		add(failures, line);
	return failures;
}

const struct failures *failures_shipped(void)
{
	static struct failures *shipped;

	if (!shipped)
		shipped = read_list();
	return shipped;
}

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

bool failures_has(const struct failures *failures, const char *call, int64_t result)
{
	for (size_t i = 0; result < 0 && i < failures->calls.count; i++)
		if (strcmp(call, failures->calls.items[i].call) == 0 && lists(failures->calls.items[i].errors, -result))
			return true;
	return false;
}
