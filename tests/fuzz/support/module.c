#include "module.h"

#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"

static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link,
			GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

Dwfl *fuzz_module(const uint8_t *data, size_t size, Dwfl_Module **module)
{
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_nothing, .section_address = dwfl_offline_section_address};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	int fd = open(fuzz_file(FUZZ_INPUT, data, size), O_RDONLY);

	*module = dwfl_report_elf(dwfl, "program", "program", fd, 0, false);
	dwfl_report_end(dwfl, NULL, NULL);
	if (*module)
		return dwfl;
	close(fd);
	dwfl_end(dwfl);
	return NULL;
}
