/* The functions of a program: its symbols, as somebody's ELF file has them. */
#include <fcntl.h>
#include <unistd.h>

#include "program/returns.h"
#include "program/symbol.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(FUZZ_INPUT, data, size);
	int fd = open(path, O_RDONLY);
	struct symbol_names names = {0};
	uint64_t offset;

	symbol_offset(fd, path, "main", &offset);
	symbol_offset(fd, path, "no_such_function", &offset);
	symbol_matching(fd, path, "*", &names);
	for (size_t i = 0; i < names.count; i++)
		free(names.items[i]);
	free(names.items);
	returns_allowed(fd, path, "camlMain");
	returns_allowed(fd, path, "main.main");
	returns_meet_exceptions(fd);
	close(fd);
	return 0;
}
