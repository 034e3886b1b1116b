/* Files of others are found and opened, and nobody waits for a file system whose server does not answer. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "program/code.h"
#include "program/opener.h"

static double now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_refused(const char *path, int error)
{
	struct opener_file file;

	return opener_find(path, &file) < 0 && errno == error && file.place < 0;
}

static void check_files(void)
{
	struct opener_file file;
	char text[6] = "";
	int socket, fd;

	assert(opener_find("plain", &file) == 0 && file.status.st_size == 5 && file.system);
	assert(read(file.place, text, 5) < 0 && fcntl(file.place, F_GETFD) & FD_CLOEXEC);
	socket = opener_open(&file, "plain");
	assert(socket >= 0 && fcntl(socket, F_GETFD) & FD_CLOEXEC);
	fd = opener_receive(socket);
	assert(fd >= 0 && read(fd, text, 5) == 5 && strcmp(text, "plain") == 0 && write(fd, "x", 1) < 0 && fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	for (int i = 0; i < 3; i++) /* nobody takes it */
		assert((socket = opener_open(&file, "plain")) >= 0 && close(socket) == 0);
	close(file.place);
	assert(is_refused("pipe", EINVAL) && is_refused("/dev/zero", EINVAL) && is_refused(".", EINVAL) && is_refused("none", ENOENT));
	assert(is_refused("", ENOENT) && is_refused("plain/x", ENOTDIR));
}

/* A file system in user space whose server never says a word. False: it cannot be had. */
static bool mount_silent(const char *folder)
{
	int server = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[100];

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", server);
	return server >= 0 && unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("silent", folder, "fuse", 0, options) == 0;
}

static void check_silence(void)
{
	double begun = now(), asked;
	char place[100], link[200];

	assert(is_refused("silent/program", ETIMEDOUT));
	asked = now();
	assert(asked - begun >= OPENER_MS / 1000.0);
	assert(is_refused("silent/other", ETIMEDOUT) && is_refused("silent/program", ETIMEDOUT));
	assert(now() - asked < OPENER_MS / 1000.0);
	assert(getcwd(place, sizeof(place)));
	snprintf(link, sizeof(link), "/usr/lib/debug/./../../..%s/silent/shared", place);
	assert(code_open_debug("/program", DEBUG_SHARED, link, strlen(link)) < 0);
	check_files();
	assert(umount2("silent", MNT_FORCE | MNT_DETACH) == 0);
}

int main(void)
{
	char folder[] = "/tmp/opener.XXXXXX";
	int fd, status = 77;

	assert(mkdtemp(folder) && chdir(folder) == 0 && mkdir("silent", 0700) == 0 && mkfifo("pipe", 0600) == 0);
	fd = open("plain", O_WRONLY | O_CREAT, 0600);
	assert(fd >= 0 && write(fd, "plain", 5) == 5 && close(fd) == 0);
	if (mount_silent("silent")) { /* before the opener's process is there, which has the same mounts then */
		check_files();
		check_silence();
		status = 0;
	}
	assert(unlink("plain") == 0 && unlink("pipe") == 0 && rmdir("silent") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
	return status;
}
