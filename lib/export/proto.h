/*
 * proto: writes protobuf as protobuf.dev's "Encoding" describes it: a field stands behind its number and wire type, a nested
 * message also behind its length. Texts are made valid UTF-8, as protobuf demands.
 *
 *	size_t mark = proto_begin(bytes, 11);		field 11 is a message
 *	proto_unsigned(bytes, 9, 3);			whose field 9 is 3
 *	proto_end(bytes, mark);
 */
#ifndef EXPORT_PROTO_H
#define EXPORT_PROTO_H

#include "export/bytes.h"

void proto_unsigned(struct bytes *bytes, uint32_t field, uint64_t value); /* uint32, uint64, bool, enum */
void proto_signed(struct bytes *bytes, uint32_t field, int64_t value);	  /* int32, int64 */
void proto_fixed64(struct bytes *bytes, uint32_t field, uint64_t value);
void proto_double(struct bytes *bytes, uint32_t field, double value);
void proto_text(struct bytes *bytes, uint32_t field, const char *text);
void proto_message(struct bytes *bytes, uint32_t field, const struct bytes *message); /* a message that is complete */
void proto_varint(struct bytes *bytes, uint64_t value); /* without a field number: an element of a packed field */

size_t proto_begin(struct bytes *bytes, uint32_t field);
void proto_end(struct bytes *bytes, size_t mark);

#endif
