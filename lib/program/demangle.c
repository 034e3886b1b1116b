#include "program/demangle.h"

#include <string.h>

#include <libiberty/demangle.h>

/* Where a name that begins so does not parse, it is a C function's. */
char *demangle(const char *name)
{
	if (strncmp(name, "_Z", 2) == 0)
		return cplus_demangle(name, DMGL_AUTO);
	return strncmp(name, "_R", 2) == 0 ? cplus_demangle(name, DMGL_RUST) : NULL;
}
