#include "program/language.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include <gelf.h>

#include "base/fail.h"

/* Marks of a language in a file: a section's name contains `section`, or a table of strings contains `string`. */
struct mark {
	const char *section, *string; /* one of them is set, the other is NULL */
};

static bool has_mark(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const struct mark *mark)
{
	const char *name;
	Elf_Data *data;
	size_t names;

	if (mark->section) {
		name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;
		return name && strstr(name, mark->section);
	}
	data = header->sh_type == SHT_STRTAB ? elf_getdata(section, NULL) : NULL;
	return data && data->d_buf && memmem(data->d_buf, data->d_size, mark->string, strlen(mark->string) + 1);
}

static bool is_marked(int fd, const struct mark *mark)
{
	Elf_Scn *section = NULL;
	bool found = false;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && !found && (section = elf_nextscn(elf, section)))
		found = gelf_getshdr(section, &header) && has_mark(elf, section, &header, mark);
	elf_end(elf);
	return found;
}

/* "main.work": C functions in a Go program have no dot in their names. */
static bool is_of_go(const char *function)
{
	return strchr(function, '.');
}

/* "camlMain__work_81"; the runtime, which is C, has names such as "caml_alloc". */
static bool is_of_ocaml(const char *function)
{
	return strncmp(function, "caml", 4) == 0 && isupper((unsigned char)function[4]);
}

/* The functions that V8 compiled in advance. */
static bool is_of_javascript(const char *function)
{
	return strncmp(function, "Builtins_", 9) == 0;
}

enum { LANGUAGES = 3 };

static const struct language {
	const char *name;
	bool (*has)(const char *function);
	struct mark mark;
} languages[LANGUAGES] = {
	{"Go", is_of_go, {.section = ".gopclntab"}},
	{"OCaml", is_of_ocaml, {.string = "caml_frametable"}},
	{"JavaScript", is_of_javascript, {.string = "Builtins_JSEntry"}},
};

/* What is known of the last file. It is searched once for each language, because a pattern may match 100,000 of its functions. */
static struct {
	dev_t device;
	ino_t inode;
	struct timespec changed;
	bool searched[LANGUAGES], marked[LANGUAGES];
} last;

static bool is_of(int fd, int language)
{
	struct stat file;

	if (fstat(fd, &file) < 0)
		return is_marked(fd, &languages[language].mark);
	if (file.st_dev != last.device || file.st_ino != last.inode || file.st_ctim.tv_sec != last.changed.tv_sec ||
	    file.st_ctim.tv_nsec != last.changed.tv_nsec) {
		memset(&last, 0, sizeof(last));
		last.device = file.st_dev;
		last.inode = file.st_ino;
		last.changed = file.st_ctim;
	}
	if (!last.searched[language]) {
		last.marked[language] = is_marked(fd, &languages[language].mark);
		last.searched[language] = true;
	}
	return last.marked[language];
}

int language_allows_probes(int fd, const char *path, const char *function)
{
	for (int i = 0; i < LANGUAGES; i++)
		if (languages[i].has(function) && is_of(fd, i))
			return fail("cannot probe '%s' in '%s': the runtime of %s would end the program, because it does not know a return "
				    "probe; --stack tells where its threads wait", function, path, languages[i].name);
	return 0;
}
