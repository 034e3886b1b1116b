#include "report/output.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

int report_flush(struct report *report)
{
	char *name = report->draft ? memory_format("'%s'", report->path) : memory_format("standard output");
	int status = file_flush(report->out, name, &report->closed);

	free(name);
	return status;
}

int report_append_part(struct report *report, FILE *body, long from, long to)
{
	char block[8192];

	if (fseek(body, from, SEEK_SET) < 0)
		return fail_errno("cannot read a temporary file");
	while (from < to) {
		size_t room = to - from < (long)sizeof(block) ? (size_t)(to - from) : sizeof(block), length = fread(block, 1, room, body);

		if (length == 0)
			return fail_errno("cannot read a temporary file");
		if (fwrite(block, 1, length, report->out) < length)
			return report_flush(report);
		from += (long)length;
	}
	return 0;
}

int report_append(struct report *report, FILE *body)
{
	return file_settle(body) < 0 ? -1 : report_append_part(report, body, 0, ftell(body));
}

void report_complain(struct report *report, char *text)
{
	if (report->complaint)
		free(text);
	else
		report->complaint = text;
}
