#include "import/unpack.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/fail.h"

static long by_zstd(const char *packed, size_t size, char *bytes, size_t room)
{
	size_t length = ZSTD_decompress(bytes, room, packed, size);

	return ZSTD_isError(length) ? -1 : (long)length;
}

static long by_zlib(const char *packed, size_t size, char *bytes, size_t room)
{
	uLongf length = room;

	return uncompress((Bytef *)bytes, &length, (const Bytef *)packed, size) == Z_OK ? (long)length : -1;
}

static const struct {
	const char *name;
	long (*unpack)(const char *, size_t, char *, size_t); /* returns the number of unpacked bytes; -1: the data are damaged */
} methods[] = {
	{"zstd", by_zstd},
	{"zlib", by_zlib},
};

long unpack(const char *method, const char *packed, size_t size, char *bytes, size_t room)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		long length;

		if (strcmp(method, methods[i].name) != 0)
			continue;
		length = methods[i].unpack(packed, size, bytes, room);
		return length < 0 ? fail("the compressed data are damaged") : length;
	}
	return fail("it is compressed by '%.16s'; this program reads zstd and zlib", method);
}
