#include "program/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "base/fail.h"
#include "base/memory.h"
#include "program/argument_find.h"
#include "program/demangle.h"
#include "program/functions.h"
#include "program/image_file.h"
#include "program/members.h"
#include "program/scopes.h"

enum { TABLES_MAX = 512 << 20, DWARF_MAX = 256 << 20 }; /* bytes of memory */

struct image {
	char *name;
	struct debug_source source;
	int fd;	   /* until the file is read; -1: there is none */
	bool read;
	bool named; /* its functions have been read */
	bool has_dwarf; /* it has DWARF that is not too large */
	struct functions functions;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: the file cannot be read */
	Elf *elf;
	GElf_Addr bias;
	char *members; /* lines about members (members_choose()); NULL: there are none */
};

struct image *image_new(int fd, const char *name, const struct debug_source *source)
{
	struct image *image = NEW(struct image);

	image->name = memory_text(name, strlen(name));
	image->source = *source;
	image->fd = fd;
	return image;
}

void image_free(struct image *image)
{
	if (image->fd >= 0)
		close(image->fd);
	functions_free(&image->functions);
	if (image->dwfl)
		dwfl_end(image->dwfl);
	free(image->members);
	free(image->name);
	free(image);
}

/* Hands libdwfl the file, and a copy of its name. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf)
{
	struct image *image = *data;
	int fd = image->fd;

	(void)module, (void)name, (void)base;
	*path = memory_text(image->name, strlen(image->name));
	*elf = image->elf;
	image->fd = -1;
	return fd;
}

static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link,
			  GElf_Word crc, char **found)
{
	const struct image *image = *data;

	(void)name, (void)base, (void)found; /* the debug file has no name: libdwfl would lose it if it could not read the file */
	return file ? image_file_debug(module, &image->source, link, crc) : image_file_shared(module, &image->source, link);
}

static void report(struct image *image, const struct image_extent *extent)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	void **data;

	image->dwfl = dwfl_begin(&callbacks);
	image->module = dwfl_report_module(image->dwfl, image->name, extent->start, extent->end);
	dwfl_module_info(image->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = image;
	dwfl_report_end(image->dwfl, NULL, NULL);
	if (!dwfl_module_getelf(image->module, &image->bias))
		image->module = NULL;
}

/*
 * Opens the file at the first question. Reads its tables and its DWARF when they are first needed, and does not map them: whoever may write
 * the file could shorten it, or change it after it was checked. Leaves out what would take more memory than a machine can spare.
 */
static bool is_readable(struct image *image)
{
	struct image_extent extent;

	if (image->read)
		return image->module;
	image->read = true;
	if (image->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	if (image_file_measure(image->elf, image->fd, &extent) && extent.tables <= TABLES_MAX) {
		image->has_dwarf = extent.dwarf <= DWARF_MAX;
		report(image, &extent);
	} else {
		elf_end(image->elf);
		close(image->fd);
		image->fd = -1;
	}
	return image->module;
}

/* The executable segment that the offset lies in. */
static bool find_segment(struct image *image, uint64_t offset, GElf_Phdr *segment)
{
	size_t count;

	if (!is_readable(image) || elf_getphdrnum(image->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, segment) || segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		if (offset >= segment->p_offset && offset - segment->p_offset < segment->p_memsz)
			return true;
	}
	return false;
}

bool image_address(struct image *image, uint64_t offset, uint64_t *address)
{
	GElf_Phdr segment;

	if (!find_segment(image, offset, &segment))
		return false;
	*address = offset - segment.p_offset + segment.p_vaddr + image->bias;
	return true;
}

/* Tells whether the mark ends here: a number follows, or, if none is required, nothing. "main.coldStart", a function of Go, has no mark. */
static bool is_mark(const char *behind, bool numbered)
{
	size_t digits;

	if (!numbered && *behind != '.')
		return !*behind;
	behind += !numbered;
	digits = strspn(behind, "0123456789");
	return digits > 0 && (!behind[digits] || behind[digits] == '.');
}

/* The length of "foo" in "foo.part.0": the compiler cut a part out of the function, or made a copy for some of its callers. */
static size_t written_length(const char *name)
{
	static const struct {
		const char *text;
		bool numbered; /* a number must follow; else it may */
	} marks[] = {{".part.", true},	   {".isra.", true}, {".constprop.", true}, {".lto_priv.", true},
		     {".llvm.", true}, {".__uniq.", true}, {".cold", false}, {".localalias", false}, {".abi0", false}};
	size_t length = strcspn(name + (*name == '@'), "@") + (*name == '@');
	const char *clone = strstr(name, " [clone ");

	if (clone && clone > name && (size_t)(clone - name) < length)
		length = (size_t)(clone - name);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		for (const char *at = name; (at = strstr(at, marks[i].text)); at++)
			if (at > name && (size_t)(at - name) < length && is_mark(at + strlen(marks[i].text), marks[i].numbered))
				length = (size_t)(at - name);
	return length;
}

/* NULL: no symbol has this address. */
static const char *find_symbol(struct image *image, uint64_t address, uint64_t *start)
{
	if (!image->named)
		functions_read(&image->functions, image->module);
	image->named = true;
	return functions_find(&image->functions, address, start);
}

static char *symbol_name(struct image *image, uint64_t address)
{
	uint64_t start;
	const char *name = find_symbol(image, address, &start);
	char *plain, *written;

	if (!name || !*name)
		return NULL;
	plain = demangle(name);
	written = memory_text(plain ? plain : name, written_length(plain ? plain : name));
	free(plain);
	return written;
}

/*
 * Leaves out the DWARF of the C library and its loader: their debug file is often installed, and takes 50 ms to decompress; meanwhile a
 * busy machine loses samples. Nobody blames functions that are inlined there.
 */
static bool wants_scopes(const struct image *image)
{
	static const char *const names[] = {"libc.so", "libc-", "ld-linux", "libpthread"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(image->name, names[i], strlen(names[i])) == 0)
			return false;
	return true;
}

int image_functions(struct image *image, uint64_t address, char *names[IMAGE_FUNCTIONS])
{
	char *symbol;

	if (!is_readable(image))
		return 0;
	symbol = symbol_name(image, address);
	if (image->has_dwarf && (!symbol || wants_scopes(image)))
		return scopes_functions(image->module, address, symbol, names, IMAGE_FUNCTIONS);
	names[0] = symbol;
	return symbol != NULL;
}

/* Reads an expression that is a register plus an offset. */
static bool read_sum(const Dwarf_Op *op, uint8_t *number, int32_t *offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*number = (uint8_t)(op->atom - DW_OP_breg0);
		*offset = (int32_t)op->number;
	} else if (op->atom == DW_OP_bregx) {
		*number = op->number < STEP_REGISTERS ? (uint8_t)op->number : STEP_REGISTERS;
		*offset = (int32_t)op->number2;
	} else {
		return false;
	}
	return *number < STEP_REGISTERS;
}

/*
 * The frame address is a register plus an offset in nearly all code that compilers make; in the frame behind a signal handler it is saved
 * there.
 */
static bool read_base(Dwarf_Frame *frame, struct step *step)
{
	size_t count;
	Dwarf_Op *op;

	if (dwarf_frame_cfa(frame, &op, &count) < 0 || !op)
		return false;
	step->indirect = count == 2 && op[1].atom == DW_OP_deref;
	return (count == 1 || step->indirect) && read_sum(op, &step->base, &step->offset);
}

static void read_register(Dwarf_Frame *frame, struct step *step, int number)
{
	Dwarf_Op room[3], *op;
	int32_t offset;
	uint8_t base;
	size_t count;

	step->registers[number].rule = STEP_LOST;
	if (dwarf_frame_register(frame, number, room, &op, &count) < 0)
		return;
	if (count == 0 && !op) {
		step->registers[number].rule = STEP_SAME;
	} else if ((count == 1 || (count == 2 && op[1].atom == DW_OP_plus_uconst)) && op[0].atom == DW_OP_call_frame_cfa) {
		step->registers[number].rule = STEP_SAVED;
		step->registers[number].at = count == 2 ? (int32_t)op[1].number : 0;
	} else if (count == 2 && op[0].atom == DW_OP_call_frame_cfa && read_sum(&op[1], &base, &offset) && base == step->base) {
		step->registers[number].rule = STEP_ASIDE;
		step->registers[number].at = offset;
	}
}

static void step_by_table(Dwarf_Frame *frame, struct step *step)
{
	step->known = read_base(frame, step);
	dwarf_frame_info(frame, NULL, NULL, &step->interrupted);
	for (int i = 0; i < STEP_REGISTERS; i++)
		read_register(frame, step, i);
	free(frame);
}

/* The bytes of code at the address. NULL: there are none. */
static const unsigned char *read_code(struct image *image, uint64_t address, size_t size)
{
	GElf_Addr at = address, bias;
	Elf_Scn *section = dwfl_module_address_section(image->module, &at, &bias);
	GElf_Shdr header;
	Elf_Data *code;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS || at >= header.sh_size ||
	    size > header.sh_size - at)
		return NULL;
	code = elf_getdata_rawchunk(image->elf, (int64_t)(header.sh_offset + at), size, ELF_T_BYTE);
	return code ? code->d_buf : NULL;
}

static bool is_code(struct image *image, uint64_t address, const unsigned char expected[4])
{
	const unsigned char *code = read_code(image, address, 4);

	return code && memcmp(code, expected, 4) == 0;
}

/* Tells whether the function begins with push %rbp; mov %rsp,%rbp, and the address is behind these and at no return. */
static bool sets_frame_pointer(struct image *image, uint64_t address)
{
	static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, set_up[] = {0x55, 0x48, 0x89, 0xe5}, leave = 0xc9, ret = 0xc3;
	const unsigned char *code;
	uint64_t from;

	if (!find_symbol(image, address, &from))
		return false;
	if (is_code(image, from, landing))
		from += sizeof(landing);
	if (address < from + sizeof(set_up) || !is_code(image, from, set_up))
		return false;
	code = read_code(image, address, 1);
	return code && *code != leave && *code != ret;
}

/* Looks in one kind of table: .eh_frame or .debug_frame. libdwfl reads it only once. */
static Dwarf_Frame *find_frame(struct image *image, Dwarf_CFI *(*table_of)(Dwfl_Module *, Dwarf_Addr *), uint64_t address)
{
	Dwarf_Frame *frame;
	Dwarf_Addr bias;
	Dwarf_CFI *table = table_of(image->module, &bias);

	return table && dwarf_cfi_addrframe(table, address - bias, &frame) == 0 ? frame : NULL;
}

void image_step(struct image *image, uint64_t address, struct step *step)
{
	enum { FRAME = 6, WORD = 8 }; /* x86-64: DWARF's number of rbp; bytes */
	Dwarf_Frame *frame;

	*step = (struct step){0};
	if (!is_readable(image))
		return;
	frame = find_frame(image, dwfl_module_eh_cfi, address);
	if (!frame && image->has_dwarf)
		frame = find_frame(image, dwfl_module_dwarf_cfi, address);
	if (frame) {
		step_by_table(frame, step);
	} else if (sets_frame_pointer(image, address)) {
		for (int i = 0; i < STEP_REGISTERS; i++)
			step->registers[i].rule = STEP_LOST;
		step->known = true;
		step->base = FRAME;
		step->offset = 2 * WORD;
		step->registers[FRAME].rule = step->registers[STEP_RETURN].rule = STEP_SAVED;
		step->registers[FRAME].at = -2 * WORD;
		step->registers[STEP_RETURN].at = -WORD;
	}
}

void image_choose_members(struct image *image, const char *lines)
{
	if (is_readable(image))
		image->members = members_choose(lines, image->elf);
}

static int ask_of(struct image *image, uint64_t offset, bool at_entry, const char *function, struct argument_question *question)
{
	GElf_Phdr segment;
	uint64_t address;
	struct step step;

	if (!find_segment(image, offset, &segment))
		return fail("cannot read the program of '%s'", function);
	address = offset - segment.p_offset + segment.p_vaddr + image->bias;
	image_step(image, address, &step);
	*question = (struct argument_question){
		.elf = image->elf,
		.module = image->has_dwarf ? image->module : NULL,
		.address = address,
		.at_entry = at_entry,
		.frame_known = step.known && !step.indirect,
		.frame_register = step.base,
		.frame_offset = step.offset,
		.behind = segment.p_vaddr - segment.p_offset,
		.function = function,
		.members = image->members,
	};
	return 0;
}

int image_argument(struct image *image, uint64_t offset, bool at_entry, const char *function, const struct argument *argument,
		   struct argument_found *found)
{
	struct argument_question question;

	return ask_of(image, offset, at_entry, function, &question) < 0 ? -1 : argument_find(&question, argument, found);
}

int image_arguments(struct image *image, uint64_t offset, const char *function, char text[ARGUMENT_LIST_ROOM])
{
	struct argument_question question;

	return ask_of(image, offset, true, function, &question) < 0 ? -1 : argument_list(&question, text);
}

static void spell_line(struct image *image, uint64_t address, char line[IMAGE_LINE])
{
	Dwfl_Line *found = image->has_dwarf ? dwfl_module_getsrc(image->module, address) : NULL;
	int number;
	const char *path = found ? dwfl_lineinfo(found, NULL, &number, NULL, NULL, NULL) : NULL, *slash = path ? strrchr(path, '/') : NULL;

	if (path)
		snprintf(line, IMAGE_LINE, "%s:%d", slash ? slash + 1 : path, number);
}

void image_block(struct image *image, uint64_t offset, uint64_t behind, struct image_block *block)
{
	enum { INSTRUCTION_MOST = 15, BLOCK_MOST = 1 << 14 /* bytes */ };
	const unsigned char *code = NULL;
	uint64_t address;
	size_t size = 0;

	*block = (struct image_block){0};
	if (behind > BLOCK_MOST || !image_address(image, offset, &address))
		return;
	for (size_t last = INSTRUCTION_MOST; last > 0 && !code; last--) /* the section may end with the branch */
		code = read_code(image, address, size = (size_t)behind + last);
	if (code)
		block->comparison = comparison_find(code, size, address, address + behind);
	spell_line(image, address, block->first);
	spell_line(image, address + behind, block->branch);
}

char *image_variable(struct image *image, uint64_t offset, int64_t distance, uint64_t *byte)
{
	const char *name;
	uint64_t address;
	GElf_Sym symbol;
	char *plain;

	if (!image_address(image, offset, &address))
		return NULL;
	name = dwfl_module_addrinfo(image->module, address + (uint64_t)distance, byte, &symbol, NULL, NULL, NULL);
	if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || *byte >= symbol.st_size)
		return NULL;
	plain = demangle(name);
	return plain ? plain : memory_text(name, strlen(name));
}
