#include "source/devices.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"

#define DEVICES "/sys/dev/block"
#define DISKSTATS "/proc/diskstats"
enum { COST_LIMIT = 200 };

struct disk { /* as /proc/diskstats has it */
	unsigned major, minor;
	char name[64];
};

struct device_seen {
	char dev[32];
	char *line; /* as written last */
	UT_hash_handle hh;
};

/* The first line of a file below the devices' directory; false: there is none. */
static bool read_line(int dir, const char *dev, const char *file, char *text, size_t room)
{
	char path[320];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dev, file);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, text, room - 1);
	close(fd);
	if (length < 0)
		return false;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

/* "none [mq-deadline] kyber" to "mq-deadline" */
static char *scheduler_in_use(char *text)
{
	char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return text;
	*end = '\0';
	return begin + 1;
}

/* Tells whether pages are swapped out to this device, as /proc/swaps has it: "/dev/loop0 partition 1024 0 -2". */
static bool is_swap(const char *dev)
{
	FILE *swaps = fopen("/proc/swaps", "re");
	char path[256], kind[16], spelled[32];
	struct stat status;
	bool found = false;

	while (swaps && !found && fscanf(swaps, "%255s %15s%*[^\n]", path, kind) == 2) {
		if (strcmp(kind, "partition") != 0 || stat(path, &status) < 0)
			continue;
		snprintf(spelled, sizeof(spelled), "%u:%u", major(status.st_rdev), minor(status.st_rdev));
		found = strcmp(spelled, dev) == 0;
	}
	if (swaps)
		fclose(swaps);
	return found;
}

static void describe(struct line *line, int dir, const char *dev)
{
	char target[512], disk[64], text[256];
	ssize_t length = readlinkat(dir, dev, target, sizeof(target) - 1);
	const char *slash;
	bool partition = read_line(dir, dev, "../dev", disk, sizeof(disk)) &&
			 read_line(dir, dev, "partition", text, sizeof(text));

	target[length < 0 ? 0 : length] = '\0';
	slash = strrchr(target, '/');
	line_begin(line, "device");
	line_text(line, "dev", dev);
	line_text(line, "name", slash ? slash + 1 : dev);
	if (partition)
		line_text(line, "disk", disk);
	if (read_line(dir, dev, partition ? "../queue/scheduler" : "queue/scheduler", text, sizeof(text)))
		line_text(line, "scheduler", scheduler_in_use(text));
	if (read_line(dir, dev, partition ? "../queue/rotational" : "queue/rotational", text, sizeof(text)))
		line_text(line, "rotational", text);
	if (is_swap(dev))
		line_text(line, "swap", "yes");
}

static int write_changed(struct devices *devices, struct stream *stream, const struct line *line, const char *dev)
{
	struct device_seen *seen;

	HASH_FIND_STR(devices->seen, dev, seen);
	if (seen && strcmp(seen->line, line->text) == 0)
		return 0;
	if (!seen) {
		seen = NEW(struct device_seen);
		snprintf(seen->dev, sizeof(seen->dev), "%.*s", (int)sizeof(seen->dev) - 1, dev);
		HASH_ADD_STR(devices->seen, dev, seen);
	}
	free(seen->line);
	seen->line = memory_text(line->text, line->length);
	return stream_write_line(stream, line);
}

/* A line of diskstats: "259 3 nvme0c0n1 1702 ..." */
static bool read_disk(FILE *file, char **text, size_t *room, struct disk *disk)
{
	return getline(text, room, file) >= 0 && sscanf(*text, "%u %u %63s", &disk->major, &disk->minor, disk->name) == 3;
}

/* The number of the disk of this name; false: there is none. */
static bool find_disk(const char *name, struct disk *found)
{
	FILE *file = fopen(DISKSTATS, "re");
	char *text = NULL;
	size_t room = 0;
	bool is_there = false;

	while (file && !is_there && read_disk(file, &text, &room, found))
		is_there = strcmp(found->name, name) == 0;
	free(text);
	if (file)
		fclose(file);
	return is_there;
}

/*
 * An NVMe disk with several paths, nvme0n1, sends its requests to hidden disks, such as nvme0c2n1, as they are. These have their
 * numbers in diskstats alone; before Linux 6.1 not even there.
 */
static bool is_path(const struct disk *path, struct disk *disk)
{
	unsigned subsystem, controller, space;
	char name[sizeof(path->name)];
	int end = 0;

	if (path->major == 0 || sscanf(path->name, "nvme%uc%un%u%n", &subsystem, &controller, &space, &end) != 3 || path->name[end])
		return false;
	snprintf(name, sizeof(name), "nvme%un%u", subsystem, space);
	return find_disk(name, disk);
}

static int look_at_paths(struct devices *devices, struct stream *stream)
{
	FILE *file = fopen(DISKSTATS, "re");
	struct disk path, disk;
	struct line line = {0};
	char *text = NULL, dev[NUMBER_ROOM], whole[NUMBER_ROOM];
	size_t room = 0;
	int status = 0;

	while (file && status == 0 && read_disk(file, &text, &room, &path)) {
		if (!is_path(&path, &disk))
			continue;
		snprintf(dev, sizeof(dev), "%u:%u", path.major, path.minor);
		snprintf(whole, sizeof(whole), "%u:%u", disk.major, disk.minor);
		line_begin(&line, "device");
		line_text(&line, "dev", dev);
		line_text(&line, "name", path.name);
		line_text(&line, "disk", whole);
		status = write_changed(devices, stream, &line, dev);
	}
	free(text);
	line_free(&line);
	if (file)
		fclose(file);
	return status;
}

static int look_at_all(struct devices *devices, struct stream *stream)
{
	DIR *dir = opendir(DEVICES);
	struct line line = {0};
	struct dirent *entry;
	int status = 0;

	if (!dir)
		return 0; /* a machine without block devices has none to name */
	while (status == 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		describe(&line, dirfd(dir), entry->d_name);
		status = write_changed(devices, stream, &line, entry->d_name);
	}
	closedir(dir);
	line_free(&line);
	return status;
}

int devices_look(struct devices *devices, struct stream *stream, int64_t now)
{
	int64_t cost = now_by(CLOCK_THREAD_CPUTIME_ID), pause;
	int status;

	if (now < devices->next)
		return 0;
	status = look_at_all(devices, stream);
	if (status == 0)
		status = look_at_paths(devices, stream);
	pause = (now_by(CLOCK_THREAD_CPUTIME_ID) - cost) * COST_LIMIT;
	devices->next = now + (pause > NSEC_PER_SEC ? pause : NSEC_PER_SEC);
	return status;
}

void devices_free(struct devices *devices)
{
	struct device_seen *seen, *next;

	HASH_ITER(hh, devices->seen, seen, next) {
		HASH_DEL(devices->seen, seen);
		free(seen->line);
		free(seen);
	}
}
