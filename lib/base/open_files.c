#include "base/open_files.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void open_files_raise(void)
{
	struct rlimit limit;

	if (raised || getrlimit(RLIMIT_NOFILE, &before) < 0)
		return;
	limit = before;
	limit.rlim_cur = limit.rlim_max;
	raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void open_files_restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
