/* The symbols of a program, by address: each that is found holds the address. */
#include <string.h>

#include "program/functions.h"
#include "support/fuzz.h"
#include "support/module.h"

enum { ADDRESSES = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Dwfl_Module *module;
	Dwfl *dwfl = fuzz_module(data, size, &module);
	struct functions functions;
	size_t pace = size / ADDRESSES + 1;

	if (!dwfl)
		return 0;
	functions_read(&functions, module);
	for (uint64_t address = 0; address < size; address += pace) {
		uint64_t start;
		const char *name = functions_find(&functions, address, &start);

		fuzz_must(!name || (*name && start <= address && strlen(name) < size));
	}
	functions_free(&functions);
	dwfl_end(dwfl);
	return 0;
}
