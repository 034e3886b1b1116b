/*
 * normal_stream: another stream, in which a program did as it should; its waits are the normal cases. Threads go by the names of their
 * processes and their own, waits without their objects, because descriptors and addresses differ there.
 */
#ifndef WALK_NORMAL_STREAM_H
#define WALK_NORMAL_STREAM_H

#include "walk/whole.h"

struct normal_stream;

struct normal_stream *normal_stream_new(const struct whole *mine, const struct whole *theirs); /* both must outlive it */
void normal_stream_free(struct normal_stream *normal);
const struct whole *normal_stream_whole(const struct normal_stream *normal);

/* Tells whether a thread, and an identity of a wait, of mine is the same as one of theirs. */
bool normal_stream_thread_is(const struct normal_stream *normal, uint32_t mine, uint32_t theirs);
bool normal_stream_identity_is(const struct normal_stream *normal, uint32_t mine, uint32_t theirs);

/* A number for a word of mine, or of theirs: the same for the same words. */
uint32_t normal_stream_word(const struct normal_stream *normal, bool theirs, uint32_t word);

/* A word's text as it is common to streams; the caller frees it. */
char *normal_stream_text(const char *text);

/* The thread of mine with the names of one of theirs that did something in the time, the last; NUMBER_NONE: there is none. */
uint32_t normal_stream_thread(const struct normal_stream *normal, uint32_t theirs, int64_t from, int64_t to);

#endif
