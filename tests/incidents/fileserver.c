/*
 * The victim reads a file of a file system that a program serves (FUSE); it takes long over some reads.
 * Expected: fileserver: running
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "incident.h"

enum { ROOM = 1 << 17, FILE_NODE = 2, READ_SIZE = 512 };

static char directory[] = "/tmp/incident-fuse.XXXXXX", path[64];
static int device;
static bool *thorough;

static void answer(const struct fuse_in_header *asked, int error, const void *data, size_t size)
{
	char out[READ_SIZE + sizeof(struct fuse_out_header)];
	struct fuse_out_header header = {sizeof(header) + size, -error, asked->unique};

	memcpy(out, &header, sizeof(header));
	memcpy(out + sizeof(header), data, size);
	if (write(device, out, header.len) < 0)
		incident_fail("write to /dev/fuse");
}

static struct fuse_attr attributes(unsigned long node)
{
	return (struct fuse_attr){
		.ino = node, .nlink = 1, .size = 1 << 20, .mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0555};
}

static void serve(const struct fuse_in_header *asked)
{
	static const char data[READ_SIZE];
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096};
	struct fuse_entry_out entry = {.nodeid = FILE_NODE, .attr = attributes(FILE_NODE), .attr_valid = 999, .entry_valid = 999};
	struct fuse_attr_out attr = {.attr = attributes(asked->nodeid), .attr_valid = 999};
	struct fuse_open_out opened = {.open_flags = FOPEN_DIRECT_IO};

	switch (asked->opcode) {
	case FUSE_INIT:
		answer(asked, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(asked, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(asked, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(asked, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		incident_compute(*thorough ? TROUBLE_MS * 1000 : HEALTHY_US);
		answer(asked, 0, data, READ_SIZE);
		break;
	case FUSE_FORGET:
		break;
	default:
		answer(asked, 38 /* ENOSYS */, NULL, 0);
	}
}

static void fileserver(void)
{
	static char asked[ROOM] __attribute__((aligned(8)));

	while (read(device, asked, ROOM) > 0)
		serve((struct fuse_in_header *)asked);
}

void request(void)
{
	static int file = -1;
	char data[READ_SIZE];

	*thorough = incident_is_slow();
	if (file < 0)
		file = open(path, O_RDONLY);
	if (file < 0 || pread(file, data, READ_SIZE, 0) != READ_SIZE)
		incident_fail(path);
}

int main(void)
{
	char options[128];
	int status;

	thorough = incident_shared(sizeof(*thorough));
	device = open("/dev/fuse", O_RDWR);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (device < 0 || !mkdtemp(directory) || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("incident", directory, "fuse", MS_NODEV | MS_NOSUID, options) < 0)
		incident_fail("fuse");
	snprintf(path, sizeof(path), "%s/file", directory);
	incident_process("fileserver", fileserver);
	status = incident_run(request, NULL);
	umount2(directory, MNT_DETACH);
	rmdir(directory);
	return status;
}
