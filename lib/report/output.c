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

int report_append(struct report *report, FILE *body)
{
	char block[8192];
	size_t length;

	if (file_settle(body) < 0)
		return -1;
	rewind(body);
	while ((length = fread(block, 1, sizeof(block), body)) > 0)
		if (fwrite(block, 1, length, report->out) < length)
			return report_flush(report);
	return ferror(body) ? fail_errno("cannot read a temporary file") : 0;
}

void report_complain(struct report *report, char *text)
{
	if (report->complaint)
		free(text);
	else
		report->complaint = text;
}
