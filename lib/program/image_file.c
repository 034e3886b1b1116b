#include "program/image_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <zlib.h>

enum { NOTES_MAX = 1 << 20, HEADERS_MAX = 1 << 12 };

/* libdwelf searches all notes for the build id, so they must be small. */
static bool has_small_notes(Elf *elf)
{
	GElf_Phdr segment;
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0 || count > HEADERS_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE && segment.p_filesz > NOTES_MAX)
			return false;
	return true;
}

ssize_t image_file_build_id(Elf *elf, const void **id)
{
	ssize_t size = elf && has_small_notes(elf) ? dwelf_elf_gnu_build_id(elf, id) : -1;

	return size > 0 ? size : -1;
}

static bool has_build_id(int fd, const void *id, size_t size)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const void *other;
	bool same = image_file_build_id(elf, &other) == (ssize_t)size && memcmp(other, id, size) == 0;

	elf_end(elf);
	return same;
}

static bool has_checksum(int fd, GElf_Word expected)
{
	unsigned char bytes[1 << 14];
	unsigned long checksum = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	for (; (got = pread(fd, bytes, sizeof(bytes), at)) > 0; at += got)
		checksum = crc32(checksum, bytes, (unsigned)got);
	return got == 0 && (checksum == expected || expected == 0); /* without a link there is no checksum */
}

static int keep_if(int fd, bool wanted)
{
	if (!wanted && fd >= 0)
		close(fd);
	return wanted ? fd : -1;
}

/* A program's own link must not contain a folder; the link in a debug file to what several share may. */
int image_file_debug(Dwfl_Module *module, const struct debug_source *source, const char *link, GElf_Word crc)
{
	const unsigned char *id = NULL;
	GElf_Addr at;
	int size = dwfl_module_build_id(module, &id, &at), fd = -1;
	const char *name = link && !strchr(link, '/') ? link : "";
	enum debug_place last = size > 0 ? DEBUG_BESIDE_IN_DEBUG : DEBUG_FOLDER; /* a file beside the program counts only if it has the build id */

	for (enum debug_place place = size > 0 ? DEBUG_BUILD_ID : DEBUG_FOLDER; fd < 0 && place <= last; place++) {
		if (place == DEBUG_BUILD_ID)
			fd = source->open(source->context, place, id, (size_t)size);
		else
			fd = source->open(source->context, place, name, strlen(name));
		if (fd >= 0)
			fd = keep_if(fd, size > 0 ? has_build_id(fd, id, (size_t)size) : has_checksum(fd, crc));
	}
	return fd;
}

int image_file_shared(Dwfl_Module *module, const struct debug_source *source, const char *link)
{
	Dwarf_Addr bias;
	Dwarf *debug = dwfl_module_getdwarf(module, &bias);
	const char *name;
	const void *id;
	ssize_t size = debug ? dwelf_dwarf_gnu_debugaltlink(debug, &name, &id) : -1;
	int fd = link && size > 0 ? source->open(source->context, DEBUG_SHARED, link, strlen(link)) : -1;

	return fd < 0 ? -1 : keep_if(fd, has_build_id(fd, id, (size_t)size));
}

/*
 * Adds up the sections. Returns whether they include a symbol table. If not, libdwfl reads symbols by the segments, and these may claim
 * that the whole file is symbols.
 */
static bool measure_sections(Elf *elf, struct image_extent *extent)
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
		*(name && strstr(name, "debug_") ? &extent->dwarf : &extent->tables) += header.sh_size < UINT32_MAX ? header.sh_size : UINT32_MAX;
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
	if (!measure_sections(elf, extent))
		extent->tables += (uint64_t)file.st_size;
	return extent->start < extent->end;
}
