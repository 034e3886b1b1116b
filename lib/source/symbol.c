#include "source/symbol.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/near.h"

static bool is_file(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static char *search_path(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *dir = path ? path : "/usr/bin:/bin"; *dir;) {
		size_t length = strcspn(dir, ":");
		char *candidate = memory_format("%.*s/%s", (int)length, length ? dir : ".", name);

		if (length == 0) { /* an empty entry is the current directory */
			free(candidate);
			candidate = memory_format("./%s", name);
		}
		if (is_file(candidate) && access(candidate, X_OK) == 0)
			return candidate;
		free(candidate);
		dir += length;
		dir += *dir == ':';
	}
	return NULL;
}

char *symbol_binary(const char *name)
{
	char *found = NULL, *path;

	if (!is_file(name) && !strchr(name, '/'))
		found = search_path(name);
	path = realpath(found ? found : name, NULL);
	if (!path)
		fail_errno("cannot find the program '%s'", name);
	free(found);
	if (path && !is_file(path)) {
		fail("cannot probe '%s': not a file", path);
		free(path);
		return NULL;
	}
	return path;
}

/*
 * How well a symbol answers to the name. An exported function may have older versions beside the default one, and local
 * functions of several source files may share a name.
 */
enum rank { RANK_NONE, RANK_LOCAL, RANK_OLD_VERSION, RANK_GLOBAL };

/* What was found of a function while all symbols pass by. */
struct search {
	const char *function;
	enum rank rank; /* of the best so far */
	bool indirect;	/* the best is one of those whose code is chosen at run time */
	bool several;	/* others rank as high */
	uint64_t value;
	size_t functions;
	struct near near;
};

/* Symbols of a .symtab may carry their version: memcpy@@GLIBC_2.14 is the default one, memcpy@GLIBC_2.2.5 is old. */
static enum rank rank_of(const struct search *search, const GElf_Sym *symbol, const char *name, bool old)
{
	size_t length = strlen(search->function);

	if (strncmp(name, search->function, length) != 0 || (name[length] != '\0' && name[length] != '@'))
		return RANK_NONE;
	if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
		return RANK_LOCAL;
	old |= name[length] == '@' && name[length + 1] != '@';
	return old ? RANK_OLD_VERSION : RANK_GLOBAL;
}

static void take_symbol(struct search *search, const GElf_Sym *symbol, const char *name, bool old)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	enum rank rank;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF || !name || !*name)
		return;
	search->functions++;
	rank = rank_of(search, symbol, name, old);
	if (rank == RANK_NONE) {
		near_offer(&search->near, name);
	} else if (rank > search->rank) {
		search->rank = rank;
		search->several = false;
		search->indirect = type == STT_GNU_IFUNC;
		search->value = symbol->st_value;
	} else if (rank == search->rank && symbol->st_value != search->value) {
		search->several = true;
	}
}

/* The table of versions that goes with .dynsym; NULL: there is none. */
static Elf_Data *versions_of(Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (type == SHT_DYNSYM && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_versym)
			return elf_getdata(section, NULL);
	}
	return NULL;
}

enum { VERSION_HIDDEN = 0x8000 };

static void walk_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct search *search)
{
	Elf_Data *data = elf_getdata(section, NULL), *versions = versions_of(elf, header->sh_type);

	for (size_t i = 0; data && i < header->sh_size / header->sh_entsize; i++) {
		GElf_Versym version = 0;
		GElf_Sym symbol;

		if (versions)
			gelf_getversym(versions, (int)i, &version);
		if (gelf_getsym(data, (int)i, &symbol))
			take_symbol(search, &symbol, elf_strptr(elf, header->sh_link, symbol.st_name),
				    version & VERSION_HIDDEN);
	}
}

static void walk_symbols(Elf *elf, struct search *search)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_entsize > 0 &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			walk_table(elf, section, &header, search);
	}
}

/* A symbol's value is an address as the file was linked; the kernel wants the place in the file. */
static int file_offset(Elf *elf, const char *path, uint64_t address, uint64_t *offset)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return fail("cannot read the segments of '%s': %s", path, elf_errmsg(-1));
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
			*offset = address - segment.p_vaddr + segment.p_offset;
			return 0;
		}
	}
	return fail("address 0x%llx is in no segment of '%s'", (unsigned long long)address, path);
}

static int search_elf(Elf *elf, const char *path, const char *function, uint64_t *offset)
{
	struct search search = {.function = function, .near = near_begin(function)};

	if (elf_kind(elf) != ELF_K_ELF)
		return fail("'%s' is no program or shared library (ELF)", path);
	walk_symbols(elf, &search);
	if (search.functions == 0)
		return fail("'%s' names no functions: it was stripped", path);
	if (search.indirect)
		return fail("'%s' in '%s' is an indirect function: which one runs is chosen at run time%s", function,
			    path, near_text(&search.near));
	if (search.rank == RANK_NONE)
		return fail("no function '%s' in '%s'%s", function, path, near_text(&search.near));
	if (search.several)
		return fail("there are several functions '%s' in '%s'", function, path);
	return file_offset(elf, path, search.value, offset);
}

int symbol_offset(const char *path, const char *function, uint64_t *offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), status;
	Elf *elf;

	if (fd < 0)
		return fail_errno("cannot open '%s'", path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		status = fail("cannot read '%s': %s", path, elf_errmsg(-1));
	else
		status = search_elf(elf, path, function, offset);
	elf_end(elf);
	close(fd);
	return status;
}
