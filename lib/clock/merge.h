/*
 * merge: merges streams of several hosts into one, by one clock (clock/hosts.h).
 *
 * Each stream is read to its end (clock/feed.h) into a temporary file.
 * Then the clocks are found, and all records are written in the order of the reference's time. Where the host changes, a `host` record
 * comes first.
 *
 *	struct host_merge *merge = merge_new();
 *	merge_read(merge, "web1.tb")		each
 *	merge_find(merge, "web1")
 *	merge_note_count(merge), merge_note(merge, i)
 *	merge_write(merge, stream, NULL)
 *	merge_free(merge)
 */
#ifndef CLOCK_MERGE_H
#define CLOCK_MERGE_H

#include "stream/stream.h"

struct host_merge;

struct host_merge *merge_new(void);
void merge_free(struct host_merge *merge);

/* Reads a stream: "FILE" or "NAME=FILE". 0; -1 after fail(). The operand must outlive the merge. */
int merge_read(struct host_merge *merge, const char *operand);

/* Finds the clocks, by that of host `reference`; NULL: the first host whose clock was not set back. -1 after fail(): there is no such host. */
int merge_find(struct host_merge *merge, const char *reference);

/* Sentences for people: which clocks were stepped, and which hosts could not be placed. */
size_t merge_note_count(const struct host_merge *merge);
const char *merge_note(const struct host_merge *merge, size_t i);

/* Writes the merged stream; or only the records of host `only`, unless that is NULL, as a stream of this host. 0; -1 after fail(). */
int merge_write(struct host_merge *merge, struct stream *stream, const char *only);

#endif
