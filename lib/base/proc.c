#include "base/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_read(int32_t id, const char *file, char *text, size_t room)
{
	char path[48];
	ssize_t length;
	int fd;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", id, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, text, room - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length;
}

void proc_comm(int32_t id, char *comm, size_t room)
{
	proc_read(id, "comm", comm, room);
	comm[strcspn(comm, "\n")] = '\0';
}

bool proc_exe(int32_t id, char *path, size_t room, bool *deleted)
{
	static const char mark[] = " (deleted)";
	size_t end = sizeof(mark) - 1;
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", id);
	length = readlink(link, path, room - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	*deleted = (size_t)length > end && strcmp(path + length - end, mark) == 0;
	if (*deleted)
		path[(size_t)length - end] = '\0';
	return true;
}

uint32_t proc_user(int32_t id)
{
	char text[1024];
	const char *line;
	unsigned user;

	proc_read(id, "status", text, sizeof(text));
	line = strstr(text, "\nUid:"); /* a newline in the name before it is escaped */
	return line && sscanf(line, "\nUid: %u", &user) == 1 ? user : 0;
}

char proc_state(int32_t id)
{
	char text[512];
	const char *name_end;

	proc_read(id, "stat", text, sizeof(text));
	name_end = strrchr(text, ')'); /* the name before it may hold anything */
	return name_end && name_end[1] ? name_end[2] : '\0';
}
