#include "base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void exhausted(void)
{
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(1);
}

void *memory_new(size_t count, size_t size)
{
	void *new = calloc(count ? count : 1, size ? size : 1);

	if (!new)
		exhausted();
	return new;
}

void *memory_grow(void *old, size_t count, size_t size)
{
	void *new = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!new)
		exhausted();
	return new;
}

char *memory_text(const char *text, size_t length)
{
	char *copy = memory_new(length + 1, 1);

	if (length)
		memcpy(copy, text, length);
	return copy;
}

char *memory_format(const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		exhausted();
	return text;
}
