/*
 * normal_stream: another stream, in which the program worked as it should; its waits are the normal cases. Between the streams, threads are compared
 * by their own name and their process's, and waits without their objects, because descriptors and addresses differ.
 */
#ifndef WALK_NORMAL_STREAM_H
#define WALK_NORMAL_STREAM_H

#include "walk/whole.h"

struct normal_stream;

struct normal_stream *normal_stream_new(const struct whole *mine, const struct whole *theirs); /* both must outlive it */
void normal_stream_free(struct normal_stream *normal);
const struct whole *normal_stream_whole(const struct normal_stream *normal);

/* Tells whether a thread, or a wait's identity, of mine is the same as one of theirs. */
bool normal_stream_thread_is(const struct normal_stream *normal, uint32_t mine, uint32_t theirs);
bool normal_stream_identity_is(const struct normal_stream *normal, uint32_t mine, uint32_t theirs);

/* A number for a word of mine or of theirs; words with the same normal_stream_text() have the same number. */
uint32_t normal_stream_word(const struct normal_stream *normal, bool theirs, uint32_t word);

/* A word's text without what differs between streams (the object of a wait); the caller frees it. */
char *normal_stream_text(const char *text);

/* The last thread of mine that has the names of this one of theirs and a segment in [from, to); NUMBER_NONE: none. */
uint32_t normal_stream_thread(const struct normal_stream *normal, uint32_t theirs, int64_t from, int64_t to);

#endif
