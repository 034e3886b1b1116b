/*
 * guess: the keys of an earlier record of the same kind, in their order. Records of a kind mostly have the same keys in the same
 * order. So the parser guesses the next key and compares it in one step (stream/fields.h), and a reader of many keys finds them by their
 * place in the guess (stream/keys.h). A wrong guess costs time only.
 *
 * All zero is ready. A key of more than GUESS_KEY - 1 bytes is never guessed.
 */
#ifndef STREAM_GUESS_H
#define STREAM_GUESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { GUESS_MAX = 48, GUESS_KEY = 16, GUESS_NOWHERE = 255 };

struct guessed_key { /* the key with its '=', as two words; the mask hides the bytes after '=' */
	uint64_t word[2], mask[2];
	uint32_t length; /* without '='; 0: not to be guessed */
};

struct guess {
	uint32_t number; /* identifies the current keys and changes with them; 0: no keys yet */
	int count, misses;
	struct guessed_key key[GUESS_MAX];
};

/* Tells whether this key and its '=' stand at `at`, where GUESS_KEY bytes can be read. */
static inline bool guess_is_key(const struct guessed_key *key, const char *at)
{
	uint64_t word[2];

	memcpy(word, at, sizeof(word));
	return (((word[0] ^ key->word[0]) & key->mask[0]) | ((word[1] ^ key->word[1]) & key->mask[1])) == 0 && key->length;
}

#endif
