#include "source/cmdlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tracefs.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

enum { READINGS_PER_SECOND = 10 };

static void read_again(struct cmdlines *cmdlines)
{
	struct timespec clock;
	int64_t now;
	char *path;

	if (cmdlines->final)
		return;
	clock_gettime(CLOCK_MONOTONIC, &clock);
	now = clock.tv_sec * NSEC_PER_SEC + clock.tv_nsec;
	if (now < cmdlines->next)
		return;
	cmdlines->next = now + NSEC_PER_SEC / READINGS_PER_SECOND;
	path = tracefs_get_tracing_file("saved_cmdlines");
	free(cmdlines->text);
	cmdlines->text = path ? file_read(path, NULL) : NULL;
	tracefs_put_tracing_file(path);
}

/* Lines are "TID NAME"; "<...>" stands for a name that was forgotten. */
static bool search(const char *text, int32_t tid, char *comm, size_t room)
{
	char wanted[24];
	const char *line;
	int length = snprintf(wanted, sizeof(wanted), "\n%d ", tid);

	if (!text)
		return false;
	line = strncmp(text, wanted + 1, (size_t)length - 1) == 0 ? text - 1 : strstr(text, wanted);
	if (!line || strncmp(line + length, "<...>\n", 6) == 0)
		return false;
	snprintf(comm, room, "%.*s", (int)strcspn(line + length, "\n"), line + length);
	return true;
}

bool cmdlines_find(struct cmdlines *cmdlines, int32_t tid, char *comm, size_t room)
{
	read_again(cmdlines); /* first: a tid may have been given out again since */
	return search(cmdlines->text, tid, comm, room);
}

void cmdlines_free(struct cmdlines *cmdlines)
{
	free(cmdlines->text);
}
