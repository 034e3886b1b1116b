#include "source/demangle.h"

#include <string.h>

#include <libiberty/demangle.h>

/* Other names than these could be anybody's: "_Zoo" is a C function's if it does not parse, "main" always. */
char *demangle(const char *name)
{
	if (strncmp(name, "_Z", 2) == 0)
		return cplus_demangle(name, DMGL_AUTO);
	return strncmp(name, "_R", 2) == 0 ? cplus_demangle(name, DMGL_RUST) : NULL;
}
