#include "program/image_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <linux/magic.h>

enum { PATH_ROOM = 4200, NOTES_MAX = 1 << 20, XZ_MOST = 7000 /* so many times larger than compressed */ };

/* Others have the same inode numbers. Of these file systems stat(2) and /proc tell devices of different kinds. */
static bool is_device(int fd, dev_t told, dev_t device)
{
	struct statfs system;

	return told == device ||
	       (fstatfs(fd, &system) == 0 && (system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC));
}

/* The build id is looked for in all notes. */
static bool has_small_notes(Elf *elf)
{
	GElf_Phdr segment;
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE && segment.p_filesz > NOTES_MAX)
			return false;
	return true;
}

/* Whether the file is what was mapped, as far as that can be told. */
static bool is_it(int fd, const struct image_identity *identity)
{
	struct stat file;
	bool same = fstat(fd, &file) == 0 &&
		    (!identity->inode || (file.st_ino == identity->inode && is_device(fd, file.st_dev, identity->device)));
	const void *id;
	ssize_t size;
	Elf *elf;

	if (!same || !identity->build_id_size)
		return same;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf && has_small_notes(elf) ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	same = size == (ssize_t)identity->build_id_size && memcmp(id, identity->build_id, (size_t)size) == 0;
	elf_end(elf);
	return same;
}

/* What it is, is seen before it is opened. */
static int open_regular(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char same[32];
	struct stat file;

	if (place < 0)
		return -1;
	snprintf(same, sizeof(same), "/proc/self/fd/%d", place);
	if (fstat(place, &file) == 0 && S_ISREG(file.st_mode))
		fd = open(same, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(place);
	return fd;
}

static int open_if_it(const char *path, const struct image_identity *identity)
{
	int fd = open_regular(path);

	if (fd >= 0 && !is_it(fd, identity)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Only its debug file may be left of a file that is gone. It has names, if no way to walk. */
static int open_debug(const struct image_identity *identity)
{
	char path[128] = IMAGE_FILE_DEBUG "/.build-id/";
	size_t at = strlen(path);

	if (identity->build_id_size < 2)
		return -1;
	for (size_t i = 0; i < identity->build_id_size; i++)
		at += (size_t)sprintf(path + at, i == 0 ? "%02x/" : "%02x", identity->build_id[i]);
	strcpy(path + at, ".debug");
	return open_regular(path);
}

int image_file_open(const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		    const struct image_identity *identity)
{
	char other[PATH_ROOM];
	int fd;

	snprintf(other, sizeof(other), "/proc/%d/map_files/%llx-%llx", processes[0], (unsigned long long)start, (unsigned long long)end);
	fd = open_if_it(other, identity);
	if (fd < 0)
		fd = open_if_it(path, identity);
	for (int i = 0; i <= others && fd < 0; i++) {
		snprintf(other, sizeof(other), "/proc/%d/root%s", processes[i], path);
		fd = open_if_it(other, identity);
	}
	return fd < 0 ? open_debug(identity) : fd;
}

static bool is_written_by_others(int fd)
{
	struct stat file;

	return fstat(fd, &file) < 0 || (file.st_uid != 0 && file.st_uid != geteuid()) || (file.st_mode & (S_IWGRP | S_IWOTH));
}

static int find_beside(Dwfl_Module *module, const char *path, const char *link)
{
	static const char *const places[] = {"", ".debug/"};
	struct image_identity identity = {0};
	const char *slash = strrchr(path, '/');
	char other[PATH_ROOM];
	GElf_Addr at;
	int size = dwfl_module_build_id(module, &identity.build_id, &at);

	if (size <= 0 || !slash)
		return -1;
	identity.build_id_size = (size_t)size;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd;

		snprintf(other, sizeof(other), "%.*s%s%s%s", (int)(slash + 1 - path), path, places[i], link ? link : slash + 1,
			 link ? "" : ".debug");
		fd = open_if_it(other, &identity);
		if (fd >= 0 && !is_written_by_others(fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* A program's own link must not lead anywhere else; that of a debug file, to what several have in common, may. */
int image_file_find_debug(Dwfl_Module *module, const char *path, const char *file, const char *link, GElf_Word crc, char **found)
{
	bool is_own = strcmp(file, path) == 0;
	int fd;

	if (is_own && link && strchr(link, '/'))
		link = NULL;
	fd = dwfl_standard_find_debuginfo(module, NULL, NULL, 0, file, link, crc, found);
	return fd < 0 && is_own ? find_beside(module, path, link) : fd;
}

/* Whether the sections name symbols. Where they do not, libdwfl asks the segments, and those may say that the whole file is symbols. */
static bool measure_sections(Elf *elf, bool trusted, struct image_extent *extent)
{
	bool has_symbols = false;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Chdr compressed;
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    (header.sh_type == SHT_PROGBITS && header.sh_flags & SHF_EXECINSTR))
			continue;
		has_symbols |= header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM;
		name = elf_strptr(elf, names, header.sh_name);
		if (gelf_getchdr(section, &compressed))
			header.sh_size = compressed.ch_size;
		if (!trusted && name && strcmp(name, ".gnu_debugdata") == 0 && header.sh_size < UINT32_MAX)
			header.sh_size *= XZ_MOST;
		*(name && strstr(name, "debug_") ? &extent->dwarf : &extent->tables) += header.sh_size;
	}
	return has_symbols;
}

bool image_file_measure(Elf *elf, int fd, struct image_extent *extent)
{
	struct stat file;
	size_t count;

	*extent = (struct image_extent){0};
	if (elf_getphdrnum(elf, &count) < 0 || fstat(fd, &file) < 0 || !has_small_notes(elf))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (extent->end == 0)
			extent->start = segment.p_vaddr & -segment.p_align;
		extent->end = segment.p_vaddr + segment.p_memsz;
	}
	if (!measure_sections(elf, !is_written_by_others(fd), extent))
		extent->tables += (uint64_t)file.st_size;
	return extent->start < extent->end;
}
