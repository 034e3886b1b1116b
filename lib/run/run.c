#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { BOOT_SHOWN = 8 }; /* digits of the boot id in a run's id */

#define NO_NODE "?"

struct run *run_new(struct run_process *process, const char *program)
{
	struct run *run = NEW(struct run);

	run->process = process;
	process_ref(process);
	snprintf(run->program, sizeof(run->program), "%s", program);
	run->sums = tally_new();
	run->later = tally_new();
	return run;
}

void run_free(struct process_tree *tree, struct run *run)
{
	process_unref(tree, run->process);
	tally_free(run->sums);
	tally_free(run->later);
	free(run);
}

void run_event(struct run *run, int64_t ts)
{
	if (!run->seen)
		run->begin = ts;
	if (!run->seen || ts > run->end)
		run->end = ts;
	run->seen = true;
	if (!tally_is_empty(run->later))
		tally_add(run->sums, run->later);
}

struct tally *run_entry(struct run *run, const struct run_process *process)
{
	return process == run->process ? run->sums : run->closed ? NULL : run->later;
}

struct tally *run_return(struct run *run, const struct run_process *process, int64_t entered)
{
	if (process == run->process || entered <= run->end)
		return run->sums;
	return run->closed ? NULL : run->later;
}

static void spell_id(const struct run *run, const struct run_labels *labels, char *id)
{
	char start[NUMBER_ROOM];

	number_spell_time(start, run->begin);
	snprintf(id, RUN_ID_ROOM, "%.*s:%.*s:%s:%d", RUN_ID_NODE, *labels->node ? labels->node : NO_NODE, BOOT_SHOWN, labels->boot, start,
		 run->process->tgid);
}

bool run_id_is_of(const char *id, const char *node)
{
	size_t length;

	if (!*node)
		node = NO_NODE;
	length = strnlen(node, RUN_ID_NODE);
	return !strncmp(id, node, length) && id[length] == ':';
}

int run_write(const struct run *run, const struct run_labels *labels, bool complete, const struct calls *calls, struct stream *stream, char *id)
{
	struct line line = {0};
	int status;

	spell_id(run, labels, id);
	line_begin(&line, "run");
	line_text(&line, "id", id);
	if (*labels->node)
		line_text(&line, "node", labels->node);
	line_text(&line, "job", labels->job);
	line_time(&line, "ts", run->begin);
	line_time(&line, "elapsed", (int64_t)((uint64_t)run->end - (uint64_t)run->begin));
	line_text(&line, "program", run->program);
	if (run->has_exit)
		line_unsigned(&line, "exit", run->exit);
	if (run->partial)
		line_text(&line, "partial", "yes");
	if (!complete)
		line_text(&line, "complete", "no");
	if (labels->childless)
		line_text(&line, "children", "no");
	if (labels->light)
		line_text(&line, "light", "yes");
	status = stream_write_line(stream, &line);
	line_free(&line);
	if (labels->light)
		return status;
	return status < 0 ? -1 : tally_write(run->sums, calls, id, stream);
}
