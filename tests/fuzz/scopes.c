/* The debugging information of a program, asked about each of its addresses. */
#include <string.h>

#include "base/memory.h"
#include "program/scopes.h"
#include "support/fuzz.h"
#include "support/module.h"

enum { ADDRESSES = 128, ROOM = 24 };

static void ask(Dwfl_Module *module, uint64_t address, const char *symbol)
{
	char *names[ROOM];
	int count = scopes_functions(module, address, symbol ? memory_text(symbol, strlen(symbol)) : NULL, names, ROOM);

	fuzz_must(count >= (symbol != NULL) && count <= ROOM);
	fuzz_must(!symbol || strcmp(names[count - 1], symbol) == 0);
	for (int i = 0; i < count; i++) {
		fuzz_must(*names[i]);
		free(names[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Dwfl_Module *module;
	Dwfl *dwfl = fuzz_module(data, size, &module);
	size_t pace = size / ADDRESSES + 1;

	for (uint64_t address = 0; dwfl && address < size; address += pace)
		ask(module, address, address / pace % 2 ? "symbol" : NULL);
	if (dwfl)
		dwfl_end(dwfl);
	return 0;
}
