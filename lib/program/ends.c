#include "program/ends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <gelf.h>

#include "base/fail.h"
#include "base/memory.h"
#include "program/landing_pads.h"
#include "program/stack_switch.h"

enum { SEGMENTS_MAX = 64, HEADERS_MAX = 1 << 12, NEEDED_MAX = 256 };

struct symbol {
	uint64_t address, size;
	const char *name;
};

struct ends_file {
	char *path;
	char *bytes; /* all of it */
	size_t size;
	Elf *elf;
	struct stretch code[SEGMENTS_MAX];
	uint64_t offsets[SEGMENTS_MAX]; /* offset of each in the file */
	size_t codes;
	ARRAY(struct symbol) symbols; /* functions, sorted by address */
	ARRAY(struct symbol) colds;   /* of these, parts that the compiler put elsewhere (".cold") */
	struct landing_pads pads;
	unsigned traits;
	bool program; /* it can be executed */
	ARRAY(const char *) needed; /* libraries */
	bool needs_more; /* it needs others, too */
	const char *folders; /* where to look for them; NULL: it does not say */
	bool known;   /* it is x86-64 code, which can be decoded */
	uint64_t entry; /* address of its entry point, which nothing calls */
};

/* --- a file ------------------------------------------------------------------------------------------------------------- */

/* Bounded, because a file may claim to have four billion headers. */
static size_t header_count(const struct ends_file *file)
{
	size_t count = 0;

	elf_getphdrnum(file->elf, &count);
	return count < HEADERS_MAX ? count : HEADERS_MAX;
}

static void read_segments(struct ends_file *file)
{
	const uint8_t *bytes = (const uint8_t *)file->bytes;
	size_t count = header_count(file), size = file->size;

	for (size_t i = 0; i < count && file->codes < SEGMENTS_MAX; i++) {
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

/* Tells whether a table of strings has one of the names, or a name that ends in one. */
static bool has_name(const Elf_Data *data, const char *const names[])
{
	for (; *names; names++)
		if (memmem(data->d_buf, data->d_size, *names, strlen(*names) + 1))
			return true;
	return false;
}

static const char *const throwing[] = {"__gxx_personality_v0", "__cxa_throw", "rust_eh_personality", "_Unwind_RaiseException", NULL};
static const char *const changing[] = {"swapcontext", "setcontext", "makecontext", "jump_fcontext", "ontop_fcontext", "sigaltstack",
				       "ASYNC_start_job", NULL};
/* Functions that a library calls if it runs its callers' functions on stacks of its own. */
static const char *const switching[] = {"swapcontext", "jump_fcontext", "ontop_fcontext", NULL};
static const char *const jumping[] = {"longjmp", "__longjmp_chk", NULL};
/* Functions that a library calls if it throws; a library that only passes exceptions on, or has run out of memory, calls none of them. */
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
			file->traits |= header.sh_flags & SHF_ALLOC && (has_name(data, thrown) || has_name(data, switching)) ? ENDS_THROWS : 0;
			file->traits |= header.sh_flags & SHF_ALLOC && has_name(data, loading) ? ENDS_LOADS : 0;
		}
		if (name && strcmp(name, ".eh_frame") == 0 && (data = elf_rawdata(section, NULL)) && data->d_buf)
			landing_pads_read(&file->pads, ident, &(struct stretch){data->d_buf, header.sh_addr, data->d_size, false});
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
	landing_pads_free(&file->pads);
	elf_end(file->elf);
	if (file->bytes)
		munmap(file->bytes, file->size);
	free(file->needed.items);
	free(file->path);
	free(file);
}

/* Reads what the file tells the dynamic linker: the libraries that it needs, where to look for them, and whether it is a program. */
static void read_dynamic(struct ends_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t segments = header_count(file);
	GElf_Phdr segment;

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
			else if (entry.d_tag == DT_NEEDED)
				file->needs_more = true;
			if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
				file->folders = text;
			file->program |= entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE;
		}
	}
}

static uint64_t size_of(const struct ends_file *file, uint64_t address);

enum { AROUND = 512 }; /* bytes to read around a place that is in no function */

/*
 * The function that holds an address. If there is none: the bytes around the address, up to the neighbouring functions; in a library, which
 * may hold codecs, an empty range.
 */
static struct exits_range function_at(const struct ends_file *file, uint64_t address)
{
	size_t symbols = COUNT_UNTIL(file->symbols.items, file->symbols.count, address, address);
	size_t frames = COUNT_UNTIL(file->pads.items, file->pads.count, start, address);
	const struct landing_function *frame = frames ? &file->pads.items[frames - 1] : NULL;
	uint64_t start = symbols ? file->symbols.items[symbols - 1].address : 0, size = symbols ? size_of(file, start) : 0;
	uint64_t end = address + AROUND, from = address > AROUND ? address - AROUND : 0;

	if (address - start < size)
		return (struct exits_range){start, size};
	if (frame && address - frame->start < frame->size)
		return (struct exits_range){frame->start, frame->size};
	if (file->traits & ENDS_LIBRARY)
		return (struct exits_range){address, 0};
	from = start + size > from ? start + size : from;
	from = frame && frame->start + frame->size > from ? frame->start + frame->size : from;
	if (symbols < file->symbols.count && file->symbols.items[symbols].address < end)
		end = file->symbols.items[symbols].address;
	return (struct exits_range){from, end - from};
}

/*
 * Tells whether a function of the file, mostly one in assembly, goes on with another stack. Then other functions return on a stack that
 * they were not called on.
 */
static bool changes_stacks(const struct ends_file *file)
{
	for (size_t i = 0; i < file->codes; i++)
		for (uint64_t at = file->code[i].address; stack_next_change(&file->code[i], &at); at++) {
			struct exits_range function = function_at(file, at);

			if (stack_changes(file->code, file->codes, &function))
				return true;
		}
	return false;
}

/* Maps the file shared: into a private mapping the kernel would put the breakpoints of others who already probe the program. */
static void map_file(struct ends_file *file, int fd)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status) < 0 || status.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	file->bytes = bytes;
	file->size = (size_t)status.st_size;
	file->elf = elf_memory(file->bytes, file->size);
}

struct ends_file *ends_open(int fd, const char *path)
{
	struct ends_file *file = NEW(struct ends_file);
	unsigned changed;
	GElf_Ehdr header;

	file->path = memory_text(path, strlen(path));
	elf_version(EV_CURRENT);
	map_file(file, fd);
	if (!file->elf || !gelf_getehdr(file->elf, &header)) {
		ends_close(file);
		fail("'%s' is no program or shared library (ELF)", path);
		return NULL;
	}
	file->known = header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64;
	read_segments(file);
	read_sections(file);
	read_dynamic(file);
	file->entry = header.e_entry;
	file->traits |= file->pads.exceptions ? ENDS_UNSAFE : 0;
	file->traits |= header.e_type == ET_DYN && !file->program ? ENDS_LIBRARY : file->needed.count == 0 ? ENDS_ALONE : 0;
	changed = file->traits & ENDS_LIBRARY ? ENDS_THROWS : ENDS_UNSAFE;
	if (file->known && !(file->traits & changed) && changes_stacks(file))
		file->traits |= changed;
	return file;
}

/* False: there is no room for it. */
static bool put(char *text, size_t *used, size_t room, const char *name)
{
	size_t length = strlen(name) + 1;

	if (length > room - *used)
		return false;
	memcpy(text + *used, name, length);
	*used += length;
	return true;
}

unsigned ends_traits(const struct ends_file *file, char *text, size_t room, size_t *length)
{
	bool all = !file->needs_more;

	*length = 0;
	if (text)
		all &= put(text, length, room, file->folders ? file->folders : "");
	for (size_t i = 0; text && i < file->needed.count; i++)
		all &= put(text, length, room, file->needed.items[i]);
	return file->traits | (all ? 0 : ENDS_UNSAFE | ENDS_THROWS);
}

/* --- a function --------------------------------------------------------------------------------------------------------- */

enum { PARTS = 16 };

/* A function without a size ends where the next one begins. */
static uint64_t size_of(const struct ends_file *file, uint64_t address)
{
	size_t next = COUNT_UNTIL(file->symbols.items, file->symbols.count, address, address);
	const struct landing_function *function = landing_pads_function(&file->pads, address);
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

/* -1: where exceptions land is not known. */
static int all_pads(const struct ends_file *file, const struct exits_range *parts, size_t count, uint64_t found[LANDING_PADS_MAX])
{
	int total = 0;

	for (size_t i = 0; i < count && total >= 0; i++) {
		const struct landing_function *function = landing_pads_function(&file->pads, parts[i].start);
		uint64_t pads[LANDING_PADS_MAX];
		int here = function ? landing_pads_of(function, file->code, file->codes, pads) : 0;

		if (here < 0 || total + here > LANDING_PADS_MAX)
			return -1;
		memcpy(found + total, pads, (size_t)here * sizeof(*pads));
		total += here;
	}
	return total;
}

static int find_exits(const struct ends_file *file, uint64_t address, struct exits *exits)
{
	struct exits_range parts[PARTS];
	uint64_t pads[LANDING_PADS_MAX];
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

/*
 * Tells whether a return probe would do harm: to a function that never returns, that looks at its return address, or that nothing called;
 * or to others, because a call of main blocks changes of probes (ends.h).
 */
static bool wants_exits(const struct ends_file *file, const char *name, uint64_t address, const struct exits *exits)
{
	return exits->returns_oddly || exits->count == 0 || address == file->entry || strcmp(name, "main") == 0;
}

int ends_find(const struct ends_file *file, const char *name, uint64_t offset, bool unsafe, struct ends *ends)
{
	bool may_leave = unsafe || file->traits & ENDS_UNSAFE, is_library = file->traits & ENDS_LIBRARY;
	struct exits exits = {0};
	uint64_t address = 0;
	bool in_code = to_address(file, offset, &address), read;
	int status = 0;

	*ends = (struct ends){.start = offset};
	if (file->known && in_code)
		to_offset(file, exits_entry(file->code, file->codes, &(struct exits_range){address, size_of(file, address)}), &ends->start);
	read = file->known && in_code && find_exits(file, address, &exits) == 0;
	if (in_code && address == file->entry && !read)
		ends->at_exits = true;
	else if (read && (may_leave || (is_library && exits.calls) || wants_exits(file, name, address, &exits)))
		status = take_exits(file, &exits, ends);
	else if (!read && (may_leave || is_library))
		status = -1;
	free(exits.items);
	if (status == 0)
		return 0;
	free(ends->exits);
	return fail("cannot probe '%s' in '%s': an exception may leave it, or another stack, and its code does not tell all places where it "
		    "returns", name, file->path);
}

int ends_instruction(const struct ends_file *file, const char *name, uint64_t offset, uint64_t behind, uint64_t *at)
{
	uint64_t address = 0, size, found;

	if (!file->known || !to_address(file, offset, &address))
		return fail("cannot probe '%s+0x%llx': in '%s' it is not known where instructions begin", name, (unsigned long long)behind, file->path);
	size = size_of(file, address);
	if (behind >= size)
		return fail("cannot probe '%s+0x%llx': the function has 0x%llx bytes", name, (unsigned long long)behind, (unsigned long long)size);
	found = exits_instruction(file->code, file->codes, &(struct exits_range){address, size}, address + behind);
	if (found != address + behind)
		return fail("cannot probe '%s+0x%llx': no instruction begins there; the one before begins at +0x%llx", name,
			    (unsigned long long)behind, (unsigned long long)(found > address ? found - address : 0));
	return to_offset(file, found, at) ? 0 : fail("cannot probe '%s+0x%llx': it is not in the file", name, (unsigned long long)behind);
}

/* --- switches ----------------------------------------------------------------------------------------------------------- */

static size_t add_switches(const struct ends_file *file, const char *const names[], struct ends_switch found[ENDS_SWITCHES], size_t count)
{
	for (size_t i = 0; file->known && i < file->symbols.count; i++) {
		const struct symbol *symbol = &file->symbols.items[i];
		struct stack_switch here[STACK_SWITCHES];
		size_t places = 0;
		bool wanted = false;

		for (size_t n = 0; names[n] && !wanted; n++) {
			size_t length = strlen(names[n]);

			wanted = strncmp(symbol->name, names[n], length) == 0 && (!symbol->name[length] || symbol->name[length] == '@');
		}
		if (wanted)
			places = stack_switches(file->code, file->codes, symbol->address, size_of(file, symbol->address), here);
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
