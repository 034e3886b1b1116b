#include "trigger/to_log.h"

#include <stdlib.h>
#include <string.h>

#include "stream/fields.h"
#include "stream/line.h"

static const char *const names[] = {"args", "retValue", "exceptionName", "latency", "stack", "cpu"};

enum { METRICS = sizeof(names) / sizeof(names[0]) };

const char *metric_name(size_t number)
{
	return number < METRICS ? names[number] : NULL;
}

void to_log_spell(const struct to_log *log, struct line *line)
{
	struct line metrics = {0};

	line_text(line, "activity", log->activity ? "yes" : "no");
	if (log->methods == 0 || log->methods == TO_LOG_ALL)
		line_text(line, "methods", log->methods ? "all" : "none");
	else
		line_unsigned(line, "methods", log->methods);
	line_append(&metrics, "", 0);
	for (size_t i = 0; i < METRICS; i++)
		if (log->metrics & 1u << i) {
			if (metrics.length)
				line_append(&metrics, ",", 1);
			line_append(&metrics, names[i], strlen(names[i]));
		}
	line_text(line, "to_log", metrics.text);
	line_free(&metrics);
}

static unsigned metric_called(const char *name)
{
	for (size_t i = 0; i < METRICS; i++)
		if (!strcmp(names[i], name))
			return 1u << i;
	return 0;
}

struct to_log to_log_read(const struct fields *fields)
{
	struct to_log log = TO_LOG_DEFAULT;
	char *metrics = fields_copy(fields, "to_log"), *rest = metrics, *name;

	if (fields_is(fields, "activity", "no"))
		log.activity = false;
	if (fields_is(fields, "methods", "none"))
		log.methods = 0;
	else if (fields_is(fields, "methods", "all"))
		log.methods = TO_LOG_ALL;
	else
		fields_unsigned(fields, "methods", &log.methods);
	if (metrics)
		log.metrics = 0;
	while ((name = strsep(&rest, ",")))
		log.metrics |= metric_called(name);
	free(metrics);
	return log;
}
