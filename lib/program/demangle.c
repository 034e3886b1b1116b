#include "program/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/memory.h"
#include "base/utf8.h"

/* A demangled name while it is being written. */
struct writing {
	char text[DEMANGLED_MAX + 1];
	size_t length;
	jmp_buf full;
};

static void add(const char *piece, size_t length, void *context)
{
	struct writing *writing = context;
	size_t room = sizeof(writing->text) - writing->length, used = length < room ? length : room;

	memcpy(writing->text + writing->length, piece, used);
	writing->length += used;
	if (used == room)
		longjmp(writing->full, 1);
}

typedef int demangler(const char *name, int options, demangle_callbackref take, void *context);

/*
 * A symbol of a hundred characters can stand for an endless name, because each part may be twice as long as the one before. So demangling
 * stops by longjmp() where the name is too long; the library holds no memory then, except for Rust's names beyond ASCII.
 */
static char *write_by(demangler *by, struct writing *writing, const char *name, int options)
{
	static const char cut[] = "...";

	writing->length = 0;
	if (setjmp(writing->full) == 0)
		return by(name, options, add, writing) ? memory_text(writing->text, writing->length) : NULL;
	return memory_format("%.*s%s", (int)utf8_cut(writing->text, DEMANGLED_MAX + 1 - sizeof(cut)), writing->text, cut);
}

/* A name that begins like a mangled one but does not parse belongs to a C function. */
static char *demangled(const char *name, int options)
{
	bool is_old = strncmp(name, "_Z", 2) == 0; /* C++, or Rust before it had a scheme of its own */
	struct writing writing;
	char *plain = NULL;

	if (is_old || strncmp(name, "_R", 2) == 0)
		plain = write_by(rust_demangle_callback, &writing, name, options);
	return plain || !is_old ? plain : write_by(cplus_demangle_v3_callback, &writing, name, options);
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

char *demangle_type(const char *name)
{
	static const char before[] = "typeinfo for ";
	char *mangled = memory_format("_ZTI%s", name);
	struct writing writing;
	char *whole = write_by(cplus_demangle_v3_callback, &writing, mangled, 0), *type = NULL;

	if (whole && !strncmp(whole, before, strlen(before)))
		type = memory_text(whole + strlen(before), strlen(whole + strlen(before)));
	free(whole);
	free(mangled);
	return type;
}
