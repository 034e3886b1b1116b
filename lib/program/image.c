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
	bool read, mapped;
	bool named; /* its functions were read */
	struct functions functions;
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: it cannot be read */
	Elf *elf;
	GElf_Addr bias;
	Dwarf_CFI *tables[2]; /* .eh_frame, .debug_frame */
	Dwarf_Addr table_bias[2];
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

static int find_file(const char *path, int32_t process, uint64_t start, uint64_t end, const struct image_identity *identity)
{
	char other[4200];
	int fd = open_if_it(path, identity);

	if (fd < 0) {
		snprintf(other, sizeof(other), "/proc/%d/root%s", process, path);
		fd = open_if_it(other, identity);
	}
	if (fd < 0) {
		snprintf(other, sizeof(other), "/proc/%d/map_files/%llx-%llx", process, (unsigned long long)start,
			 (unsigned long long)end);
		fd = open_if_it(other, identity);
	}
	return fd < 0 ? open_debug(identity) : fd;
}

struct image *image_open(const char *path, int32_t process, uint64_t start, uint64_t end,
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
	image->fd = *path == '/' ? find_file(path, process, start, end, identity) : -1;
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
	if (image->module) {
		image->tables[0] = dwfl_module_eh_cfi(image->module, &image->table_bias[0]);
		image->tables[1] = image->tables[0] ? NULL : dwfl_module_dwarf_cfi(image->module, &image->table_bias[1]);
	}
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

/* By its symbol. NULL: it has none. */
static char *symbol_name(struct image *image, uint64_t address)
{
	const char *name;
	char *plain, *written;

	if (!image->named)
		functions_read(&image->functions, image->module);
	image->named = true;
	name = functions_find(&image->functions, address);
	if (!name || !*name)
		return NULL;
	plain = demangle(name);
	written = memory_text(plain ? plain : name, written_length(plain ? plain : name));
	free(plain);
	return written;
}

int image_functions(struct image *image, uint64_t address, char *names[IMAGE_FUNCTIONS])
{
	return is_readable(image) ? scopes_functions(image->module, address, symbol_name(image, address), names, IMAGE_FUNCTIONS) : 0;
}

bool image_has_steps(struct image *image)
{
	return is_readable(image) && (image->tables[0] || image->tables[1]);
}

/* The frame address: a register plus an offset, in nearly all code that compilers make. */
static bool read_base(Dwarf_Frame *frame, struct step *step)
{
	size_t count;
	Dwarf_Op *op;

	if (dwarf_frame_cfa(frame, &op, &count) < 0 || count != 1)
		return false;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		step->base = (uint8_t)(op->atom - DW_OP_breg0);
		step->offset = (int32_t)op->number;
	} else if (op->atom == DW_OP_bregx) {
		step->base = op->number < STEP_REGISTERS ? (uint8_t)op->number : STEP_REGISTERS;
		step->offset = (int32_t)op->number2;
	} else {
		return false;
	}
	return step->base < STEP_REGISTERS;
}

static void read_register(Dwarf_Frame *frame, struct step *step, int number)
{
	Dwarf_Op room[3], *op;
	size_t count;

	step->registers[number].rule = STEP_LOST;
	if (dwarf_frame_register(frame, number, room, &op, &count) < 0)
		return;
	if (count == 0 && !op) {
		step->registers[number].rule = STEP_SAME;
	} else if ((count == 1 || (count == 2 && op[1].atom == DW_OP_plus_uconst)) && op[0].atom == DW_OP_call_frame_cfa) {
		step->registers[number].rule = STEP_SAVED;
		step->registers[number].at = count == 2 ? (int32_t)op[1].number : 0;
	}
}

bool image_step(struct image *image, uint64_t address, struct step *step)
{
	Dwarf_Frame *frame = NULL;

	*step = (struct step){0};
	if (!is_readable(image))
		return false;
	for (int i = 0; i < 2 && !frame; i++)
		if (image->tables[i] &&
		    dwarf_cfi_addrframe(image->tables[i], address - image->table_bias[i], &frame) != 0)
			frame = NULL;
	if (!frame)
		return false;
	step->known = read_base(frame, step);
	for (int i = 0; i < STEP_REGISTERS; i++)
		read_register(frame, step, i);
	free(frame);
	return step->known;
}
