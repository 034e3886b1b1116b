#include "program/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include "base/memory.h"
#include "program/demangle.h"
#include "program/functions.h"
#include "program/scopes.h"

struct image {
	char *path, *name; /* the name is the path's end */
	int fd;	     /* until it is read; -1: there is none */
	bool missing, read, mapped;
	bool named; /* its functions were read */
	struct functions functions;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: it cannot be read */
	Elf *elf;
	GElf_Addr bias;
};

/* Whether the file is what was mapped, as far as that can be told. Build ids are compared when the file is read. */
static bool is_it(int fd, const struct image_identity *identity)
{
	struct stat file;
	bool same = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && (!identity->inode || file.st_ino == identity->inode);
	const void *id;
	ssize_t size;
	Elf *elf;

	if (!same || !identity->build_id_size)
		return same;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	same = size == (ssize_t)identity->build_id_size && memcmp(id, identity->build_id, (size_t)size) == 0;
	elf_end(elf);
	return same;
}

static int open_if_it(const char *path, const struct image_identity *identity)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && !is_it(fd, identity)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Only its debug file may be left of a file that is gone. It has names, if no way to walk. */
static int open_debug(const struct image_identity *identity)
{
	char path[128] = "/usr/lib/debug/.build-id/";
	size_t at = strlen(path);

	if (identity->build_id_size < 2)
		return -1;
	for (size_t i = 0; i < identity->build_id_size; i++)
		at += (size_t)sprintf(path + at, i == 0 ? "%02x/" : "%02x", identity->build_id[i]);
	strcpy(path + at, ".debug");
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int find_file(const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		     const struct image_identity *identity)
{
	char other[4200];
	int fd = open_if_it(path, identity);

	for (int i = 0; i <= others && fd < 0; i++) {
		snprintf(other, sizeof(other), "/proc/%d/root%s", processes[i], path);
		fd = open_if_it(other, identity);
	}
	if (fd < 0) {
		snprintf(other, sizeof(other), "/proc/%d/map_files/%llx-%llx", processes[0], (unsigned long long)start,
			 (unsigned long long)end);
		fd = open_if_it(other, identity);
	}
	return fd < 0 ? open_debug(identity) : fd;
}

struct image *image_open(const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
			 const struct image_identity *identity)
{
	static const char deleted[] = " (deleted)";
	struct image *image = NEW(struct image);
	size_t length = strlen(path), tail = sizeof(deleted) - 1;
	char *slash;

	if (length > tail && strcmp(path + length - tail, deleted) == 0)
		length -= tail;
	image->path = memory_text(path, length);
	slash = strrchr(image->path, '/');
	image->name = slash ? slash + 1 : image->path;
	image->fd = *path == '/' ? find_file(image->path, processes, others, start, end, identity) : -1;
	image->missing = image->fd < 0;
	return image;
}

void image_free(struct image *image)
{
	if (image->fd >= 0)
		close(image->fd);
	functions_free(&image->functions);
	if (image->dwfl)
		dwfl_end(image->dwfl);
	free(image->path);
	free(image);
}

bool image_is_missing(const struct image *image)
{
	return image->missing;
}

const char *image_name(const struct image *image)
{
	return image->name;
}

void image_mark(struct image *image, bool mapped)
{
	image->mapped = mapped;
}

bool image_is_mapped(const struct image *image)
{
	return image->mapped;
}

/* Reads it when it first matters. */
static bool is_readable(struct image *image)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};

	if (image->read)
		return image->module;
	image->read = true;
	if (image->fd < 0)
		return false;
	image->dwfl = dwfl_begin(&callbacks);
	image->module = dwfl_report_offline(image->dwfl, image->name, image->path, image->fd);
	if (image->module)
		image->fd = -1; /* libdwfl's now */
	dwfl_report_end(image->dwfl, NULL, NULL);
	image->elf = image->module ? dwfl_module_getelf(image->module, &image->bias) : NULL;
	if (!image->elf)
		image->module = NULL;
	return image->module;
}

bool image_address(struct image *image, uint64_t offset, uint64_t *address)
{
	size_t count;

	if (!is_readable(image) || elf_getphdrnum(image->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_memsz) {
			*address = offset - segment.p_offset + segment.p_vaddr + image->bias;
			return true;
		}
	}
	return false;
}

/* "foo" of foo.part.0: a part that the compiler made of the function, or a copy for some of its callers. */
static size_t written_length(const char *name)
{
	static const char *const made[] = {".part.", ".isra.", ".constprop.", ".cold", ".lto_priv.", ".localalias", " [clone ", "@"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		const char *at = strstr(name, made[i]);

		if (at && at > name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

/* NULL: it has none. */
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
 * Of the C library and its loader DWARF is not read: a debug file of theirs is often there, and takes 50 ms to uncompress, in which
 * samples of a busy machine are lost. What they inline nobody blames.
 */
static bool has_scopes(const struct image *image)
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
	if (!symbol || has_scopes(image))
		return scopes_functions(image->module, address, symbol, names, IMAGE_FUNCTIONS);
	names[0] = symbol;
	return 1;
}

/* A register plus an offset. */
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

/* The frame address: a register plus an offset, in nearly all code that compilers make; behind a signal's handler it is saved. */
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

/* Whether the function begins with push %rbp; mov %rsp,%rbp, and the address is behind that, at no return. */
static bool sets_frame_pointer(struct image *image, uint64_t address)
{
	static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, set_up[] = {0x55, 0x48, 0x89, 0xe5}, leave = 0xc9, ret = 0xc3;
	GElf_Addr at = address, bias;
	uint64_t start;
	Elf_Scn *section;
	Elf_Data *code;
	size_t from;

	if (!find_symbol(image, address, &start))
		return false;
	section = dwfl_module_address_section(image->module, &at, &bias);
	code = section ? elf_getdata(section, NULL) : NULL;
	if (!code || !code->d_buf || at >= code->d_size || at < address - start)
		return false;
	from = (size_t)(at - (address - start));
	if (at - from >= sizeof(landing) && memcmp((char *)code->d_buf + from, landing, sizeof(landing)) == 0)
		from += sizeof(landing);
	if (at < from + sizeof(set_up) || memcmp((char *)code->d_buf + from, set_up, sizeof(set_up)) != 0)
		return false;
	return memchr((const unsigned char[]){leave, ret}, ((unsigned char *)code->d_buf)[at], 2) == NULL;
}

/* By one kind of table: .eh_frame or .debug_frame. libdwfl reads it only once. */
static Dwarf_Frame *find_frame(struct image *image, Dwarf_CFI *(*table_of)(Dwfl_Module *, Dwarf_Addr *), uint64_t address)
{
	Dwarf_Frame *frame;
	Dwarf_Addr bias;
	Dwarf_CFI *table = table_of(image->module, &bias);

	return table && dwarf_cfi_addrframe(table, address - bias, &frame) == 0 ? frame : NULL;
}

void image_step(struct image *image, uint64_t address, struct step *step)
{
	enum { FRAME = 6, WORD = 8 }; /* of x86-64, by DWARF */
	Dwarf_Frame *frame;

	*step = (struct step){0};
	if (!is_readable(image))
		return;
	frame = find_frame(image, dwfl_module_eh_cfi, address);
	if (!frame)
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
