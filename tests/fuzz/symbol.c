/* The functions of a program: its symbols, and where they end, as somebody's ELF file has them. */
#include <fcntl.h>
#include <unistd.h>

#include "program/ends.h"
#include "program/language.h"
#include "program/symbol.h"
#include "support/fuzz.h"

enum { FUNCTIONS = 16 };

static void find_ends(const struct ends_file *file, int fd, const char *path, const char *name)
{
	uint64_t offset;
	struct ends ends;

	if (symbol_offset(fd, path, name, &offset) < 0)
		return;
	if (ends_find(file, name, offset, true, &ends) == 0)
		free(ends.exits);
	ends_instruction(file, name, offset, 5, &offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(FUZZ_INPUT, data, size);
	int fd = open(path, O_RDONLY);
	struct symbol_names names = {0};
	struct ends_file *file = ends_open(fd, path);
	struct ends_switch found[ENDS_SWITCHES];
	char text[256];
	size_t length;
	uint64_t offset;

	symbol_offset(fd, path, "main", &offset);
	symbol_offset(fd, path, "no_such_function", &offset);
	symbol_matching(fd, path, "*", &names);
	for (size_t i = 0; i < names.count; i++) {
		if (file && i < FUNCTIONS)
			find_ends(file, fd, path, names.items[i]);
		free(names.items[i]);
	}
	free(names.items);
	language_allows_probes(fd, path, "camlMain");
	language_allows_probes(fd, path, "main.main");
	if (file) {
		ends_traits(file, text, sizeof(text), &length);
		ends_switches(file, found);
	}
	ends_close(file);
	close(fd);
	return 0;
}
