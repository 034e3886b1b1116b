#include "program/returns.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "base/fail.h"

typedef bool section_test(Elf *elf, Elf_Scn *section, const GElf_Shdr *header);

static bool has_section(const char *path, section_test *test)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	bool found = false;
	GElf_Shdr header;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && !found && (section = elf_nextscn(elf, section)))
		found = gelf_getshdr(section, &header) && test(elf, section, &header);
	elf_end(elf);
	close(fd);
	return found;
}

/* The table by which Go's runtime walks stacks; in libraries it has a prefix. */
static bool is_of_go(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	const char *name;
	size_t names;

	(void)section;
	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	name = elf_strptr(elf, names, header->sh_name);
	return name && strstr(name, ".gopclntab");
}

int returns_allowed(const char *path, const char *function)
{
	if (!strchr(function, '.') || !has_section(path, is_of_go)) /* "main.work": what it has of C is not called so */
		return 0;
	return fail("cannot probe '%s' in '%s': Go's runtime would end the program, for it does not know a return probe; "
		    "--stack tells where its threads wait", function, path);
}

/* Names that only code which throws, catches or cleans up behind exceptions refers to. */
static bool names_exceptions(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	static const char *const names[] = {"__gxx_personality_v0", "__cxa_throw", "rust_eh_personality"};
	Elf_Data *data = header->sh_type == SHT_STRTAB ? elf_getdata(section, NULL) : NULL;

	(void)elf;
	for (size_t i = 0; data && data->d_buf && i < sizeof(names) / sizeof(names[0]); i++)
		if (memmem(data->d_buf, data->d_size, names[i], strlen(names[i]) + 1))
			return true;
	return false;
}

bool returns_meet_exceptions(const char *path)
{
	return has_section(path, names_exceptions);
}
