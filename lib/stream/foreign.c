#include "stream/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/*
 * A Perfetto trace is a protobuf message whose packets are all field 1: tag, length as a varint, packet. Three in a row do not occur
 * by chance, except in text, because the tag is a newline.
 */
static bool is_perfetto(const unsigned char *bytes, size_t length)
{
	enum { TAG = 1 << 3 | 2, PACKETS = 3 };
	size_t at = 0;
	bool text = true;

	for (int i = 0; i < PACKETS; i++) {
		size_t size = 0;
		int shift = 0;

		if (at >= length || bytes[at++] != TAG)
			return false;
		do {
			if (at >= length || shift > 28)
				return false;
			size |= (size_t)(bytes[at] & 0x7f) << shift;
			shift += 7;
		} while (bytes[at++] & 0x80);
		at += size;
	}
	for (size_t i = 0; i < length && i < at; i++)
		text &= bytes[i] >= ' ' || isspace(bytes[i]);
	return !text;
}

#define PERF_DATA "it is a perf.data file; type perf script --ns --header -i FILE | trace-import"

const char *foreign_hint(const char *start, size_t length)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *hint;
	} known[] = { /* no record begins like these */
		{"\x28\xb5\x2f\xfd", 4, "it is compressed; use zstdcat"},
		{"\x1f\x8b", 2, "it is compressed; use zcat"},
		{"\xfd" "7zXZ", 5, "it is compressed; use xzcat"},
		{"BZh91AY&SY", 10, "it is compressed; use bzcat"},
		{"PK\3\4", 4, "it is a zip archive; use unzip"},
		{"\x17\x08\x44tracing", 10, "it is a trace.dat file; use trace-import"},
		{"# tracer: ", 10, "it is ftrace text; use trace-import"},
		{"PERFILE2h\0", 10, PERF_DATA},
		{"PERFILE2\020\0", 10, PERF_DATA}, /* through a pipe */
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (length >= known[i].length && !memcmp(start, known[i].magic, known[i].length))
			return known[i].hint;
	if (is_perfetto((const unsigned char *)start, length))
		return "it is a Perfetto trace; give trace-import what 'traceconv systrace' makes of it";
	return NULL;
}
