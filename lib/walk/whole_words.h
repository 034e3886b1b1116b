/*
 * whole_words: the texts of a whole graph, by number: words, sets and sequences of words, and identities of waits. Equal ones have equal numbers.
 * Word 0 is "", set 0 and sequence 0 have no words, identity 0 is that of a wait about which nothing is known.
 */
#ifndef WALK_WHOLE_WORDS_H
#define WALK_WHOLE_WORDS_H

#include "walk/whole.h"

uint32_t whole_word(struct whole *whole, const char *text);
const char *whole_text(const struct whole *whole, uint32_t word);

/* The word KEYNAME, for sets. Records put ';' between the words of a set, so ';' and control characters become '_'. */
uint32_t whole_word_of(struct whole *whole, const char *key, const char *name);
#define TASK_WORD "task=" /* key: a turn of a task of the program's own */

/* The set of these words; sorts them in place, and drops duplicates. */
uint32_t whole_set(struct whole *whole, uint32_t *words, size_t count);
size_t whole_unique(uint32_t *words, size_t count); /* only sorts and drops duplicates; returns how many are left */
const uint32_t *whole_members(const struct whole *whole, uint32_t set, size_t *count);
uint32_t *whole_by_text(const struct whole *whole, uint32_t set, size_t *count); /* in the order of their texts; the caller frees them */

/* The words of a segment, in order; keeps the first SEQUENCE_MOST. */
enum { SEQUENCE_MOST = 1024 };
uint32_t whole_sequence(struct whole *whole, const uint32_t *words, size_t count);
size_t whole_sequence_at(const struct whole *whole, uint32_t sequence, uint32_t words[SEQUENCE_MOST]);

uint32_t whole_identity(struct whole *whole, struct wait_identity identity);
struct wait_identity whole_identity_at(const struct whole *whole, uint32_t identity);

/*
 * The kind of the wait's descriptor, "pipe", for people. It is no part of the identity, because the data may tell it for some waits only.
 * The last kind that was set counts; 0: none.
 */
void whole_kind(struct whole *whole, uint32_t identity, uint32_t kind);
uint32_t whole_kind_of(const struct whole *whole, uint32_t identity);

#endif
