/* Files of others are opened, and nobody waits for a file system whose server does not answer. */
#include <assert.h>
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

#include "program/opener.h"

static double now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check_files(void)
{
	char text[6] = "";
	int fd = opener_open("plain");

	assert(fd >= 0 && read(fd, text, 5) == 5 && strcmp(text, "plain") == 0 && write(fd, "x", 1) < 0);
	assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert(opener_open("pipe") < 0 && opener_open("/dev/zero") < 0 && opener_open(".") < 0 && opener_open("none") < 0);
	assert(opener_open("") < 0);
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

	assert(opener_open("silent/program") < 0);
	asked = now();
	assert(asked - begun >= OPENER_MS / 1000.0);
	assert(opener_open("silent/other") < 0 && opener_open("silent/program") < 0);
	assert(now() - asked < OPENER_MS / 1000.0);
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
