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

bool proc_stat(int32_t id, struct proc_stat *stat)
{
	char text[1024];
	const char *name_end;

	proc_read(id, "stat", text, sizeof(text));
	name_end = strrchr(text, ')'); /* the name before it may hold anything */
	if (name_end && sscanf(name_end + 1,
			       " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			       "%*s %*s %*s %*s %*s %*s %*s %*s %d",
			       &stat->state, &stat->parent, &stat->threads, &stat->cpu) == 4)
		return true;
	*stat = (struct proc_stat){0};
	return false;
}

char proc_state(int32_t id)
{
	struct proc_stat stat;

	proc_stat(id, &stat);
	return stat.state;
}

bool proc_call(int32_t id, struct proc_call *call)
{
	unsigned long long *of = call->arguments;
	char text[512];

	*call = (struct proc_call){0};
	proc_read(id, "syscall", text, sizeof(text));
	if (sscanf(text, "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &call->number, &of[0], &of[1], &of[2], &of[3], &of[4], &of[5],
		   &call->stack, &call->code) == 9 &&
	    call->number >= 0)
		return true;
	*call = (struct proc_call){0};
	return false;
}
