#include "program/demangle.h"

#include <string.h>

#include <libiberty/demangle.h>

#include "base/memory.h"

/* Where a name that begins so does not parse, it is a C function's. */
static char *demangled(const char *name, int options)
{
	if (strncmp(name, "_Z", 2) == 0)
		return cplus_demangle(name, DMGL_AUTO | options);
	return strncmp(name, "_R", 2) == 0 ? cplus_demangle(name, DMGL_RUST) : NULL;
}

char *demangle(const char *name)
{
	return demangled(name, 0);
}

char *demangle_whole(const char *name)
{
	char *whole = demangled(name, DMGL_PARAMS);

	return whole ? whole : memory_text(name, strlen(name));
}
