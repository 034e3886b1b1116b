#include "source/symbol.h"

#include <errno.h>
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

/* What was found of a function while all symbols pass by. */
struct search {
	const char *function;
	bool found, global, several, indirect;
	uint64_t value;
	size_t functions;
	struct near near;
};

/* Symbols of a .symtab may carry their version: memcpy@@GLIBC_2.14. */
static bool has_name(const char *name, const char *function)
{
	size_t length = strlen(function);

	return strncmp(name, function, length) == 0 && (name[length] == '\0' || name[length] == '@');
}

static void take_symbol(struct search *search, const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	bool global = GELF_ST_BIND(symbol->st_info) != STB_LOCAL;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF || !name || !*name)
		return;
	search->functions++;
	if (!has_name(name, search->function)) {
		near_offer(&search->near, name);
		return;
	}
	if (type == STT_GNU_IFUNC) {
		search->indirect = true;
		return;
	}
	if (search->found && search->global >= global) {
		/* old versions of an exported function may stand beside its default one, which has the name to itself */
		search->several |= !search->global && symbol->st_value != search->value;
		return;
	}
	search->found = true;
	search->several = false;
	search->global = global;
	search->value = symbol->st_value;
}

static void walk_symbols(Elf *elf, struct search *search)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
		    header.sh_entsize == 0)
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Sym symbol;

			if (gelf_getsym(data, (int)i, &symbol))
				take_symbol(search, &symbol, elf_strptr(elf, header.sh_link, symbol.st_name));
		}
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
	if (search.indirect && !search.found)
		return fail("'%s' in '%s' is an indirect function: which one runs is chosen at run time%s", function, path,
			    near_text(&search.near));
	if (!search.found)
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
