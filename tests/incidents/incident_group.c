/* See incident.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { PATH_SIZE = 256 };

static char group[192];

static void group_path(char path[PATH_SIZE], const char *file)
{
	snprintf(path, PATH_SIZE, "%s/%s", group, file);
}

static bool put(const char *file, const char *format, va_list values)
{
	char path[PATH_SIZE];
	bool done;
	int fd;

	group_path(path, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	done = vdprintf(fd, format, values) >= 0;
	close(fd);
	return done;
}

bool incident_group(const char *parent, const char *file, const char *format, ...)
{
	va_list values;
	bool done;

	snprintf(group, sizeof(group), "%s/incident-%s.%d", parent, program_invocation_short_name, getpid());
	if (mkdir(group, 0700) < 0)
		return false;
	va_start(values, format);
	done = put(file, format, values);
	va_end(values);
	if (!done)
		rmdir(group);
	return done;
}

bool incident_group_put(const char *file, const char *format, ...)
{
	va_list values;
	bool done;

	va_start(values, format);
	done = put(file, format, values);
	va_end(values);
	return done;
}

long incident_group_number(const char *file, const char *key)
{
	char path[PATH_SIZE], text[512] = "";
	const char *line;
	int fd;

	group_path(path, file);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || !(line = strstr(text, key)))
		incident_fail(path);
	close(fd);
	return atol(line + strlen(key));
}

void incident_group_remove(void)
{
	for (int tries = 0; rmdir(group) < 0 && tries < 100; tries++)
		incident_sleep(10000);
}

int incident_run_in_group(int (*run)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (!incident_group_put("cgroup.procs", "0"))
			incident_fail(group);
		exit(run());
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		status = 1;
	incident_group_remove();
	return status != 0;
}
