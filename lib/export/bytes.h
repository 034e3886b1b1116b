/*
 * bytes: a growing piece of memory that numbers are stored in, in the byte order asked for. All zero is an empty one.
 */
#ifndef EXPORT_BYTES_H
#define EXPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	char *data;
	size_t length, room;
	bool swapped; /* numbers in the byte order that is not this machine's */
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_fill(struct bytes *bytes, size_t length); /* with zeros, up to this length of all */
void bytes_add16(struct bytes *bytes, uint16_t number);
void bytes_add32(struct bytes *bytes, uint32_t number);
void bytes_add64(struct bytes *bytes, uint64_t number);
void bytes_put64(struct bytes *bytes, size_t at, uint64_t number); /* over what is there */
void bytes_free(struct bytes *bytes);

#endif
