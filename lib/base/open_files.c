#include "base/open_files.h"

#include <stdbool.h>
#include <ctype.h>
#include <dirent.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* For kernels before 5.9. The limit may be a thousand million, so this lists the files that are open. */
static void close_each(int first)
{
	DIR *files = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (files && (entry = readdir(files))) {
		int fd = atoi(entry->d_name);

		if (fd >= first && isdigit((unsigned char)*entry->d_name) && fd != dirfd(files))
			close(fd);
	}
	if (files)
		closedir(files);
}

void open_files_close(int first)
{
	if (close_range((unsigned)first, ~0U, 0) < 0)
		close_each(first);
}
