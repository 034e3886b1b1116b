#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "event/event.h"

enum { MINOR_BITS = 20 }; /* as in the kernel's own dev_t, which trace events carry */

size_t device_spell(char *text, uint64_t dev)
{
	size_t length = number_spell_unsigned(text, dev >> MINOR_BITS);

	text[length++] = ':';
	return length + number_spell_unsigned(text + length, dev & ((1u << MINOR_BITS) - 1));
}

int device_parse(const char *text, size_t length, uint64_t *dev)
{
	const char *colon = memchr(text, ':', length);
	uint64_t major, minor;

	if (!colon)
		colon = memchr(text, ',', length);
	if (!colon)
		return number_count(text, length, dev);
	if (number_count(text, (size_t)(colon - text), &major) < 0 ||
	    number_count(colon + 1, length - (size_t)(colon + 1 - text), &minor) < 0 || minor >> MINOR_BITS || major >> 12)
		return fail("'%.*s' is not a device, such as 7:0", (int)(length < 64 ? length : 64), text);
	*dev = major << MINOR_BITS | minor;
	return 0;
}
