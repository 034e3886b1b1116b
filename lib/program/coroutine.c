#include "program/coroutine.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The frame's type is named after the ramp's symbol, and a name follows its length: _Z5queryPZ5queryiE15_Z5queryi.Frame.actor. */
char *coroutine_ramp(const char *actor)
{
	static const char actors[] = ".actor", frame[] = ".Frame";
	size_t length = strlen(actor), tail = sizeof(actors) - 1;

	if (length < tail || strcmp(actor + length - tail, actors) != 0)
		return NULL;
	for (const char *at = actor; (at = strstr(at, "_Z")); at++) {
		const char *end = actor + length - tail, *digits = at;

		while (digits > actor && isdigit((unsigned char)digits[-1]))
			digits--;
		if (digits < at && strtoul(digits, NULL, 10) == (unsigned long)(end - at) && end - at > (ptrdiff_t)sizeof(frame) - 1 &&
		    strncmp(end - (sizeof(frame) - 1), frame, sizeof(frame) - 1) == 0)
			return memory_text(at, (size_t)(end - at) - (sizeof(frame) - 1));
	}
	return NULL;
}
