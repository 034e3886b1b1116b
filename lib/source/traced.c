#include "source/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"

enum { TOGETHER = 1000, TID_ROOM = 8 }; /* tids in a record; bytes of a tid's text, with a comma */

static int write_tids(struct stream *stream, const char *key, const char *tids)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TRACED));
	line_text(&line, key, tids);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

int traced_write_all(const struct process *process, struct stream *stream)
{
	char tids[TOGETHER * TID_ROOM + 1];
	size_t length = 0;
	bool written = false;
	int status = 0;

	*tids = '\0';
	for (int32_t tid = 1; status == 0 && process->members && tid < PROCESS_TIDS; tid++) {
		if (!process_has(process, tid))
			continue;
		length += (size_t)snprintf(tids + length, sizeof(tids) - length, "%s%d", length ? "," : "", tid);
		if (length < sizeof(tids) - TID_ROOM)
			continue;
		status = write_tids(stream, "tids", tids);
		written = true;
		length = 0;
	}
	if (status == 0 && process->members && (length || !written)) /* an empty list says that there are no members so far */
		status = write_tids(stream, "tids", tids);
	return status;
}

int traced_write(const struct process *process, struct stream *stream, int32_t tid)
{
	char text[TID_ROOM * 2];

	snprintf(text, sizeof(text), "%d", tid);
	return write_tids(stream, process_has(process, tid) ? "tids" : "gone", text);
}

int traced_write_within(struct stream *stream, int32_t tid, int64_t ts)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TRACED));
	line_time(&line, "ts", ts);
	line_integer(&line, "within", tid);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

int traced_write_command(struct stream *stream, int32_t pid)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TRACED));
	line_integer(&line, "command", pid);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

static int read_tids(struct process *process, const struct fields *fields, const char *key,
		     void (*take)(struct process *process, int32_t tid))
{
	char *tids = fields_copy(fields, key), *rest = tids && *tids ? tids : NULL;
	int status = 0;

	if (tids && take == process_add)
		process_select(process);
	for (char *tid; status == 0 && rest && (tid = strsep(&rest, ","));) {
		uint64_t number;

		if (number_count(tid, strlen(tid), &number) < 0)
			status = fail_prefix("%s=", key);
		else if (number == 0 || number >= PROCESS_TIDS)
			status = fail("%s=: there is no thread %s", key, tid);
		else
			take(process, (int32_t)number);
	}
	free(tids);
	return status;
}

int traced_read(struct process *process, const struct fields *fields)
{
	return read_tids(process, fields, "tids", process_add) < 0 ||
			       read_tids(process, fields, "gone", process_remove) < 0
		       ? -1
		       : 0;
}
