/*
 * formats: the texts of the events' format files, as the stream brought them, for a file that holds them again.
 */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "export/bytes.h"

struct formats;

struct formats *formats_new(void);
void formats_free(struct formats *formats);

/*
 * Takes the body of a format record: system, NUL, text. Another text for a known number is a failure: events of
 * both could not be told apart. 0; -1 after fail().
 */
int formats_add(struct formats *formats, const char *body, size_t length);

/* As trace-cmd.dat.v6(5) has them: those of the system ftrace, then the other systems with theirs. */
void formats_write(const struct formats *formats, struct bytes *out);

#endif
