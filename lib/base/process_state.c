#include "base/process_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char process_state(pid_t process)
{
	char path[32], text[512];
	const char *name_end;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return '\0';
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : '\0';
}
