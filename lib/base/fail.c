#include "base/fail.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char sentence[1024] = "unknown error";

int fail(const char *format, ...)
{
	char text[sizeof(sentence)]; /* an argument may be fail_text() itself */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	strcpy(sentence, text);
	return -1;
}

int fail_errno(const char *format, ...)
{
	int reason = errno;
	char text[sizeof(sentence)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return fail("%s: %c%s", text, tolower(*strerror(reason)), strerror(reason) + 1);
}

int fail_prefix(const char *format, ...)
{
	char text[sizeof(sentence)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return fail("%s: %s", text, sentence);
}

const char *fail_text(void)
{
	return sentence;
}
