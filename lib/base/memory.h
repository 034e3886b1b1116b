/*
 * memory: allocation that does not fail, and arrays that grow.
 *
 * Out of memory ends the program with a message and status 1: no caller could do better, and no test would reach its
 * check. Options that bound memory (a filter's context, a window) count bytes; they do not wait for malloc to fail.
 * This is the one place in lib/ that exits.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void *memory_new(size_t count, size_t size); /* zeroed; freed by free() */
void *memory_grow(void *old, size_t count, size_t size); /* realloc; does not zero the new part */
char *memory_text(const char *text, size_t length);	 /* a copy with NUL behind it */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* asprintf */

#define NEW(type) ((type *)memory_new(1, sizeof(type)))

/*
 * A growing array of any element type: struct { TYPE *items; size_t count, room; }. All zero is the empty array;
 * free(array.items) ends it.
 */
#define ARRAY(type)                \
	struct {                   \
		type *items;       \
		size_t count, room; \
	}

/* Frees the elements; leaves an empty array. */
#define ARRAY_FREE(array) (free((array)->items), (array)->items = NULL, (array)->count = (array)->room = 0)

/* Makes room for one more element and yields a pointer to it (not zeroed); invalidates older pointers. */
#define ARRAY_ADD(array)                                                                                           \
	((array)->count == (array)->room                                                                           \
		 ? ((array)->items = memory_grow((array)->items, ((array)->room = (array)->room ? 2 * (array)->room : 8), \
						 sizeof(*(array)->items)),                                         \
		    &(array)->items[(array)->count++])                                                             \
		 : &(array)->items[(array)->count++])

/* Counts the elements whose `field` is at most the bound. The elements are in ascending order of that field. */
#define COUNT_UNTIL(elements, total, field, bound)                                             \
	({                                                                                     \
		size_t count_low_ = 0, count_high_ = (total);                                  \
                                                                                               \
		while (count_low_ < count_high_) {                                             \
			size_t count_middle_ = count_low_ + (count_high_ - count_low_) / 2;    \
                                                                                               \
			if ((elements)[count_middle_].field <= (bound))                        \
				count_low_ = count_middle_ + 1;                                \
			else                                                                   \
				count_high_ = count_middle_;                                   \
		}                                                                              \
		count_low_;                                                                    \
	})

/* Makes room for one more element at place `at`, moves those from there on back, and yields a pointer to it, as ARRAY_ADD. Needs <string.h>. */
#define ARRAY_INSERT(array, at)                                                                                            \
	({                                                                                                                 \
		size_t array_at_ = (at);                                                                                   \
                                                                                                                           \
		(void)ARRAY_ADD(array);                                                                                    \
		memmove((array)->items + array_at_ + 1, (array)->items + array_at_,                                        \
			((array)->count - 1 - array_at_) * sizeof(*(array)->items));                                       \
		(array)->items + array_at_;                                                                                \
	})

/* Removes `number` elements from place `at` on; the caller has freed what they own. Those after them move up. Needs <string.h>. */
#define ARRAY_REMOVE(array, at, number)                                                        \
	({                                                                                     \
		size_t array_at_ = (at), array_number_ = (number);                             \
                                                                                               \
		(array)->count -= array_number_;                                               \
		memmove((array)->items + array_at_, (array)->items + array_at_ + array_number_, \
			((array)->count - array_at_) * sizeof(*(array)->items));               \
	})

#endif
