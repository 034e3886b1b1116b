/*
 * hash: frees uthash tables.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdlib.h>
#include <uthash.h>

/* Frees all elements of a table that uses `hh`; they must own nothing else. Leaves an empty table. */
#define HASH_FREE(head)                                                        \
	do {                                                                   \
		__typeof__(head) hash_element_, hash_next_;                    \
                                                                               \
		HASH_ITER(hh, head, hash_element_, hash_next_) {               \
			HASH_DEL(head, hash_element_);                         \
			free(hash_element_);                                   \
		}                                                              \
	} while (0)

#endif
