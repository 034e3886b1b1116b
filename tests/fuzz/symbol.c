/* The functions of a program: its symbols, as somebody's ELF file has them. */
#include "program/symbol.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(FUZZ_INPUT, data, size);
	struct symbol_names names = {0};
	uint64_t offset;

	symbol_offset(path, "main", &offset);
	symbol_offset(path, "no_such_function", &offset);
	symbol_matching(path, "*", &names);
	for (size_t i = 0; i < names.count; i++)
		free(names.items[i]);
	free(names.items);
	return 0;
}
