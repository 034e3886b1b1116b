/*
 * bytes: a growing buffer that stores numbers in the chosen byte order. All zero: empty.
 */
#ifndef EXPORT_BYTES_H
#define EXPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	char *data;
	size_t length, room;
	bool swapped; /* numbers have the byte order that is not this machine's */
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_fill(struct bytes *bytes, size_t length); /* appends zeros until the buffer has this length */
void bytes_add16(struct bytes *bytes, uint16_t number);
void bytes_add32(struct bytes *bytes, uint32_t number);
void bytes_add64(struct bytes *bytes, uint64_t number);
void bytes_put64(struct bytes *bytes, size_t at, uint64_t number); /* overwrites 8 bytes */
void bytes_free(struct bytes *bytes);

#endif
