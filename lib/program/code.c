#include "program/code.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/memory.h"
#include "program/lookup.h"
#include "program/opener.h"

#define DEBUG_FILES "/usr/lib/debug"

enum { PATH_ROOM = 4200 };

struct code {
	char *path, *name; /* `name` points to the last part of `path` */
	struct lookup *lookup;
	struct lookup_file *file; /* NULL: it is missing */
	bool mapped;
};

/*
 * Different devices have the same inode numbers. On btrfs and overlayfs, stat(2) and /proc report different devices for one file, so any
 * device will do.
 */
static bool is_device(const struct opener_file *file, dev_t device)
{
	return file->status.st_dev == device || file->system == BTRFS_SUPER_MAGIC || file->system == OVERLAYFS_SUPER_MAGIC;
}

/* Tells whether the file is the one that was mapped, as far as can be known. */
static bool is_it(struct lookup *lookup, const struct opener_file *file, const char *path, const struct code_identity *identity)
{
	unsigned char id[CODE_BUILD_ID];

	if (identity->inode && (file->status.st_ino != identity->inode || !is_device(file, identity->device)))
		return false;
	return !identity->build_id_size || (lookup_build_id(lookup, file, path, id) == identity->build_id_size &&
					    memcmp(id, identity->build_id, identity->build_id_size) == 0);
}

static bool find_if_it(struct lookup *lookup, const char *path, const struct code_identity *identity, struct opener_file *file)
{
	if (opener_find(path, file) < 0)
		return false;
	if (is_it(lookup, file, path, identity))
		return true;
	close(file->place);
	return false;
}

static bool build_id_path(const unsigned char *id, size_t size, char path[PATH_ROOM])
{
	size_t at;

	if (size < 2 || size > CODE_BUILD_ID)
		return false;
	strcpy(path, DEBUG_FILES "/.build-id/");
	at = strlen(path);
	for (size_t i = 0; i < size; i++)
		at += (size_t)sprintf(path + at, i == 0 ? "%02x/" : "%02x", id[i]);
	strcpy(path + at, ".debug");
	return true;
}

/* Arguments as for code_open(). False: the file cannot be opened. */
static bool find_file(struct lookup *lookup, const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		    const struct code_identity *identity, struct opener_file *file)
{
	char other[PATH_ROOM];
	bool found;

	snprintf(other, sizeof(other), "/proc/%d/map_files/%llx-%llx", processes[0], (unsigned long long)start, (unsigned long long)end);
	found = find_if_it(lookup, other, identity, file) || find_if_it(lookup, path, identity, file);
	for (int i = 0; i <= others && !found; i++) {
		snprintf(other, sizeof(other), "/proc/%d/root%s", processes[i], path);
		found = find_if_it(lookup, other, identity, file);
	}
	/* Of a deleted file only the debug file may be left. It has names, but no unwind tables. */
	return found || (build_id_path(identity->build_id, identity->build_id_size, other) && opener_find(other, file) == 0);
}

struct code *code_open(struct lookup *lookup, const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		       const struct code_identity *identity)
{
	static const char deleted[] = " (deleted)";
	struct code *code = NEW(struct code);
	size_t length = strlen(path), tail = sizeof(deleted) - 1;
	struct opener_file file;
	char *slash;

	if (length > tail && strcmp(path + length - tail, deleted) == 0)
		length -= tail;
	code->lookup = lookup;
	code->path = memory_text(path, length);
	slash = strrchr(code->path, '/');
	code->name = slash ? slash + 1 : code->path;
	if (*path == '/' && find_file(lookup, code->path, processes, others, start, end, identity, &file))
		code->file = lookup_add(lookup, &file, code->path);
	return code;
}

void code_free(struct code *code)
{
	if (code->file)
		lookup_forget(code->lookup, code->file);
	free(code->path);
	free(code);
}

bool code_is_missing(const struct code *code)
{
	return !code->file;
}

const char *code_name(const struct code *code)
{
	return code->name;
}

void code_mark(struct code *code, bool mapped)
{
	code->mapped = mapped;
}

bool code_is_mapped(const struct code *code)
{
	return code->mapped;
}

void code_look(struct code *code, uint64_t offset, struct lookup_place *place)
{
	*place = (struct lookup_place){0};
	if (code->file)
		lookup_place(code->lookup, code->file, offset, place);
}

void code_block(struct code *code, uint64_t offset, uint64_t behind, struct image_block *block)
{
	*block = (struct image_block){0};
	if (code->file)
		lookup_block(code->lookup, code->file, offset, behind, block);
}

char *code_variable(struct code *code, uint64_t offset, int64_t distance, uint64_t *byte)
{
	return code->file ? lookup_variable_at(code->lookup, code->file, offset, distance, byte) : NULL;
}

static bool is_public(const struct opener_file *file)
{
	return file->status.st_mode & S_IROTH;
}

static bool is_written_by_others(const struct opener_file *file)
{
	return (file->status.st_uid != 0 && file->status.st_uid != geteuid()) || (file->status.st_mode & (S_IWGRP | S_IWOTH));
}

/* -1: there is none, or it may not be used. */
static int open_debug(const char *path, bool beside)
{
	struct opener_file file;
	int fd = -1;

	if (opener_find(path, &file) < 0)
		return -1;
	if (is_public(&file) && !(beside && is_written_by_others(&file)))
		fd = opener_open(&file, path);
	close(file.place);
	return fd;
}

static int open_beside(const char *path, const char *folder, const char *name)
{
	const char *slash = strrchr(path, '/');
	char other[PATH_ROOM];

	snprintf(other, sizeof(other), "%.*s%s%s%s", slash ? (int)(slash + 1 - path) : 0, path, folder, *name ? name : slash ? slash + 1 : path,
		 *name ? "" : ".debug");
	return open_debug(other, true);
}

/* Tries "/usr/lib/debug/usr/bin/NAME", then the same with leading folders of the path left out. */
static int open_in_folder(const char *path, const char *name)
{
	char other[PATH_ROOM + sizeof(DEBUG_FILES)];
	int fd = -1;

	for (const char *at = path; fd < 0 && at; at = strchr(at + 1, '/')) {
		const char *slash = strrchr(at, '/');

		snprintf(other, sizeof(other), DEBUG_FILES "%.*s%s%s", slash ? (int)(slash + 1 - at) : 0, at, *name ? name : slash ? slash + 1 : at,
			 *name ? "" : ".debug");
		fd = open_debug(other, false);
	}
	return fd;
}

/* Tells whether a file lies below this folder once all links are followed. The kernel knows that without asking a file system. */
static bool is_below(const struct opener_file *file, const char *folder)
{
	char link[32], real[PATH_ROOM];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->place);
	length = readlink(link, real, sizeof(real));
	return length >= (ssize_t)strlen(folder) && strncmp(real, folder, strlen(folder)) == 0;
}

/*
 * Opens "../../.dwz/x86_64-linux-gnu/NAME". The folder of the debug file with this link is not known here, so the link is taken from the
 * top folder of debug files. A program's file may hold any link, so none out of that folder is followed, as it may lead to a file system
 * that does not answer.
 */
static int open_shared(const char *link)
{
	static const char folder[] = DEBUG_FILES "/";
	char path[PATH_ROOM];
	struct opener_file file;
	int fd = -1;

	if (strncmp(link, folder, strlen(folder)) == 0)
		link += strlen(folder);
	while (strncmp(link, "../", 3) == 0)
		link += 3;
	snprintf(path, sizeof(path), "%s%s", folder, link);
	if (strstr(path, "/../") || opener_find(path, &file) < 0)
		return -1;
	if (is_below(&file, folder) && is_public(&file))
		fd = opener_open(&file, path);
	close(file.place);
	return fd;
}

int code_open_debug(const char *path, enum debug_place place, const void *text, size_t length)
{
	char name[NAME_MAX + 1], other[PATH_ROOM];

	if (place == DEBUG_BUILD_ID)
		return build_id_path(text, length, other) ? open_debug(other, false) : -1;
	if (length >= sizeof(name) || memchr(text, '\0', length) || (place != DEBUG_SHARED && memchr(text, '/', length)))
		return -1;
	memcpy(name, text, length);
	name[length] = '\0';
	if (place == DEBUG_SHARED)
		return open_shared(name);
	if (place == DEBUG_FOLDER)
		return open_in_folder(path, name);
	return open_beside(path, place == DEBUG_BESIDE ? "" : ".debug/", name);
}
