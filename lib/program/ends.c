#include "program/ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "base/fail.h"
#include "base/memory.h"
#include "program/pads.h"

enum { SEGMENTS_MAX = 64, NEEDED_MAX = 256 };

struct symbol {
	uint64_t address, size;
	const char *name;
};

struct ends_file {
	char *path;
	Elf *elf;
	struct stretch code[SEGMENTS_MAX];
	uint64_t offsets[SEGMENTS_MAX]; /* of each in the file */
	size_t codes;
	ARRAY(struct symbol) symbols; /* of functions, by address */
	ARRAY(struct symbol) colds;   /* of those, parts that the compiler put elsewhere */
	struct pads pads;
	unsigned traits;
	bool program; /* it can be run */
	ARRAY(const char *) needed; /* libraries */
	const char *folders; /* where to look for them; NULL: not told */
	bool known;   /* its instructions can be read */
};

/* --- a file ------------------------------------------------------------------------------------------------------------- */

static void read_segments(struct ends_file *file)
{
	size_t count = 0, size = 0;
	const uint8_t *bytes = (const uint8_t *)elf_rawfile(file->elf, &size);

	elf_getphdrnum(file->elf, &count);
	for (size_t i = 0; bytes && i < count && file->codes < SEGMENTS_MAX; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(file->elf, (int)i, &segment) || segment.p_type != PT_LOAD || segment.p_offset > size ||
		    segment.p_filesz > size - segment.p_offset)
			continue;
		file->offsets[file->codes] = segment.p_offset;
		file->code[file->codes++] =
		    (struct stretch){bytes + segment.p_offset, segment.p_vaddr, segment.p_filesz, segment.p_flags & PF_X};
	}
}

static bool to_offset(const struct ends_file *file, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < file->codes; i++)
		if (address >= file->code[i].address && address - file->code[i].address < file->code[i].size) {
			*offset = address - file->code[i].address + file->offsets[i];
			return true;
		}
	return false;
}

static bool to_address(const struct ends_file *file, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < file->codes; i++)
		if (file->code[i].executable && offset >= file->offsets[i] && offset - file->offsets[i] < file->code[i].size) {
			*address = offset - file->offsets[i] + file->code[i].address;
			return true;
		}
	return false;
}

static int compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static void read_symbols(struct ends_file *file, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);

	for (size_t i = 0; data && header->sh_entsize && i < header->sh_size / header->sh_entsize; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
			continue;
		name = elf_strptr(file->elf, header->sh_link, symbol.st_name);
		if (!name)
			continue;
		*ARRAY_ADD(&file->symbols) = (struct symbol){symbol.st_value, symbol.st_size, name};
		if (strstr(name, ".cold"))
			*ARRAY_ADD(&file->colds) = (struct symbol){symbol.st_value, symbol.st_size, name};
	}
}

/* A name in a table of strings, or the end of one. */
static bool has_name(const Elf_Data *data, const char *const names[])
{
	for (; *names; names++)
		if (memmem(data->d_buf, data->d_size, *names, strlen(*names) + 1))
			return true;
	return false;
}

static const char *const throwing[] = {"__gxx_personality_v0", "__cxa_throw", "rust_eh_personality", "_Unwind_RaiseException", NULL};
static const char *const changing[] = {"swapcontext", "setcontext", "makecontext", "jump_fcontext", "ontop_fcontext", NULL};
static const char *const jumping[] = {"longjmp", "__longjmp_chk", NULL};
/* What a library that throws calls; not one that only passes exceptions on, or has run out of memory. */
static const char *const thrown[] = {"__cxa_throw", "__cxa_rethrow", "rust_eh_personality", "_Unwind_RaiseException",
				     "_ZSt20__throw_out_of_rangePKc", "_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt20__throw_length_errorPKc",
				     "_ZSt19__throw_logic_errorPKc", "_ZSt21__throw_runtime_errorPKc", "_ZSt24__throw_invalid_argumentPKc",
				     "_ZSt25__throw_bad_function_callv", "_ZSt16__throw_bad_castv",
				     "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", NULL};
static const char *const loading[] = {"dlopen", "dlmopen", NULL};

static void read_sections(struct ends_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names, size;
	const unsigned char *ident = (const unsigned char *)elf_getident(file->elf, &size);

	while ((section = elf_nextscn(file->elf, section))) {
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS || elf_getshdrstrndx(file->elf, &names) < 0)
			continue;
		name = elf_strptr(file->elf, names, header.sh_name);
		if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
			read_symbols(file, section, &header);
		if (header.sh_type == SHT_STRTAB && (data = elf_getdata(section, NULL)) && data->d_buf) {
			file->traits |= has_name(data, throwing) || has_name(data, changing) ? ENDS_UNSAFE : 0;
			file->traits |= has_name(data, jumping) ? ENDS_JUMPS : 0;
			file->traits |= header.sh_flags & SHF_ALLOC && has_name(data, thrown) ? ENDS_THROWS : 0;
			file->traits |= header.sh_flags & SHF_ALLOC && has_name(data, loading) ? ENDS_LOADS : 0;
		}
		if (name && strcmp(name, ".eh_frame") == 0 && (data = elf_rawdata(section, NULL)) && data->d_buf)
			pads_read(&file->pads, ident, &(struct stretch){data->d_buf, header.sh_addr, data->d_size, false});
	}
	if (file->symbols.count)
		qsort(file->symbols.items, file->symbols.count, sizeof(struct symbol), compare);
}

void ends_close(struct ends_file *file)
{
	if (!file)
		return;
	free(file->symbols.items);
	free(file->colds.items);
	pads_free(&file->pads);
	elf_end(file->elf);
	free(file->needed.items);
	free(file->path);
	free(file);
}

/* What the dynamic linker is told: the libraries that it needs, where to look for them, and whether it is a program. */
static void read_dynamic(struct ends_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t segments = 0;
	GElf_Phdr segment;

	elf_getphdrnum(file->elf, &segments);
	for (size_t i = 0; i < segments; i++)
		file->program |= gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_INTERP;
	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data;
		GElf_Dyn entry;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC || !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
			const char *text = elf_strptr(file->elf, header.sh_link, entry.d_un.d_val);

			if (entry.d_tag == DT_NEEDED && text && file->needed.count < NEEDED_MAX)
				*ARRAY_ADD(&file->needed) = text;
			if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
				file->folders = text;
			file->program |= entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE;
		}
	}
}

struct ends_file *ends_open(int fd, const char *path)
{
	struct ends_file *file = NEW(struct ends_file);
	GElf_Ehdr header;

	file->path = memory_text(path, strlen(path));
	elf_version(EV_CURRENT);
	file->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf || !gelf_getehdr(file->elf, &header)) {
		ends_close(file);
		fail("'%s' is no program or shared library (ELF)", path);
		return NULL;
	}
	file->known = header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64;
	read_segments(file);
	read_sections(file);
	read_dynamic(file);
	file->traits |= file->pads.exceptions ? ENDS_UNSAFE : 0;
	file->traits |= header.e_type == ET_DYN && !file->program ? ENDS_LIBRARY : file->needed.count == 0 ? ENDS_ALONE : 0;
	elf_cntl(file->elf, ELF_C_FDDONE);
	return file;
}

static size_t put(char *text, size_t used, size_t room, const char *name)
{
	size_t length = strlen(name) + 1;

	if (!text || length > room - used)
		return used;
	memcpy(text + used, name, length);
	return used + length;
}

unsigned ends_traits(const struct ends_file *file, char *text, size_t room, size_t *length)
{
	*length = put(text, 0, room, file->folders ? file->folders : "");
	for (size_t i = 0; i < file->needed.count; i++)
		*length = put(text, *length, room, file->needed.items[i]);
	return file->traits;
}

/* --- a function --------------------------------------------------------------------------------------------------------- */

enum { PARTS = 16 };

/* Where a function has no size, it goes on until another one begins. */
static uint64_t size_of(const struct ends_file *file, uint64_t address)
{
	size_t next = COUNT_UNTIL(file->symbols.items, file->symbols.count, address, address);
	const struct pads_function *function = pads_function(&file->pads, address);
	uint64_t size = 0, room = 0;

	for (size_t i = next; i > 0 && file->symbols.items[i - 1].address == address; i--)
		size = file->symbols.items[i - 1].size > size ? file->symbols.items[i - 1].size : size;
	for (size_t i = 0; i < file->codes; i++)
		if (address >= file->code[i].address && address - file->code[i].address < file->code[i].size)
			room = file->code[i].size - (address - file->code[i].address);
	if (size == 0 && function)
		size = function->size;
	if (size == 0 && next < file->symbols.count)
		size = file->symbols.items[next].address - address;
	return size == 0 || size > room ? room : size;
}

/* "work.cold" and "work.cold.3" are parts of work. */
static bool is_part(const char *cold, const char *name)
{
	size_t length = strlen(name);

	return strncmp(cold, name, length) == 0 && strncmp(cold + length, ".cold", strlen(".cold")) == 0;
}

static size_t parts_of(const struct ends_file *file, uint64_t address, struct exits_range parts[PARTS])
{
	size_t end = COUNT_UNTIL(file->symbols.items, file->symbols.count, address, address), count = 1;

	parts[0] = (struct exits_range){address, size_of(file, address)};
	for (size_t i = end; i > 0 && file->symbols.items[i - 1].address == address; i--)
		for (size_t cold = 0; cold < file->colds.count && count < PARTS; cold++)
			if (is_part(file->colds.items[cold].name, file->symbols.items[i - 1].name) && file->colds.items[cold].size)
				parts[count++] = (struct exits_range){file->colds.items[cold].address, file->colds.items[cold].size};
	return count;
}

/* -1: an exception lands who knows where. */
static int all_pads(const struct ends_file *file, const struct exits_range *parts, size_t count, uint64_t found[PADS_MAX])
{
	int total = 0;

	for (size_t i = 0; i < count && total >= 0; i++) {
		const struct pads_function *function = pads_function(&file->pads, parts[i].start);
		uint64_t pads[PADS_MAX];
		int here = function ? pads_of(function, file->code, file->codes, pads) : 0;

		if (here < 0 || total + here > PADS_MAX)
			return -1;
		memcpy(found + total, pads, (size_t)here * sizeof(*pads));
		total += here;
	}
	return total;
}

static int find_exits(const struct ends_file *file, uint64_t address, struct exits *exits)
{
	struct exits_range parts[PARTS];
	uint64_t pads[PADS_MAX];
	size_t count = parts_of(file, address, parts);
	int pad_count = all_pads(file, parts, count, pads);
	struct exits_question question = {file->code, file->codes, address, parts, count, pads, (size_t)pad_count};

	return pad_count < 0 ? -1 : exits_find(&question, exits);
}

static int take_exits(const struct ends_file *file, const struct exits *exits, struct ends *ends)
{
	ends->exits = memory_new(exits->count + 1, sizeof(*ends->exits));
	ends->at_exits = true;
	for (size_t i = 0; i < exits->count; i++)
		if (!to_offset(file, exits->items[i], &ends->exits[ends->count++]))
			return -1;
	return 0;
}

int ends_find(const struct ends_file *file, const char *name, uint64_t offset, bool unsafe, struct ends *ends)
{
	struct exits exits = {0};
	uint64_t address;
	int status = 0;

	*ends = (struct ends){.start = offset};
	if (file->known && to_address(file, offset, &address))
		to_offset(file, exits_entry(file->code, file->codes, &(struct exits_range){address, size_of(file, address)}), &ends->start);
	unsafe |= file->traits & ENDS_UNSAFE;
	if (!unsafe && !(file->traits & ENDS_LIBRARY))
		return 0;
	if (!file->known || !to_address(file, offset, &address) || find_exits(file, address, &exits) < 0)
		status = -1;
	else if (unsafe || exits.calls)
		status = take_exits(file, &exits, ends);
	free(exits.items);
	if (status == 0)
		return 0;
	free(ends->exits);
	return fail("cannot probe '%s' in '%s': an exception may leave it, or another stack, and its code does not tell all places where it "
		    "returns", name, file->path);
}

/* --- switches ----------------------------------------------------------------------------------------------------------- */

static size_t add_switches(const struct ends_file *file, const char *const names[], struct ends_switch found[ENDS_SWITCHES], size_t count)
{
	for (size_t i = 0; file->known && i < file->symbols.count; i++) {
		const struct symbol *symbol = &file->symbols.items[i];
		struct exits_switch here[EXITS_SWITCHES];
		size_t places = 0;
		bool wanted = false;

		for (size_t n = 0; names[n] && !wanted; n++) {
			size_t length = strlen(names[n]);

			wanted = strncmp(symbol->name, names[n], length) == 0 && (!symbol->name[length] || symbol->name[length] == '@');
		}
		if (wanted)
			places = exits_switches(file->code, file->codes, symbol->address, size_of(file, symbol->address), here);
		for (size_t n = 0; n < places && count < ENDS_SWITCHES; n++) {
			struct ends_switch *added = &found[count];
			bool twice = false;

			snprintf(added->to, sizeof(added->to), "%s", here[n].to);
			if (!to_offset(file, here[n].address, &added->offset))
				continue;
			for (size_t before = 0; before < count; before++)
				twice |= found[before].offset == added->offset;
			count += !twice;
		}
	}
	return count;
}

size_t ends_switches(const struct ends_file *file, struct ends_switch found[ENDS_SWITCHES])
{
	static const char *const names[] = {"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_ForcedUnwind", "_Unwind_Resume_or_Rethrow",
					    "__libunwind_Registers_x86_64_jumpto", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", NULL};

	return add_switches(file, names, found, 0);
}
