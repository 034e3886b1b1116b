/*
 * heap: binary heaps in arrays, with the first element in front: items[0].
 *
 * `precedes` is a function or macro that takes pointers to two elements, and tells whether the former comes first. The heaps are macros, so
 * that the compiler can inline it.
 *
 *	ARRAY(struct job) jobs;
 *	HEAP_PUSH(&jobs, job, is_before)
 *	job = HEAP_POP(&jobs, is_before)	the heap must not be empty
 *
 * If the element at `from` was changed in place, HEAP_SINK() moves it back behind those that precede it now; HEAP_RISE() moves it forward.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stddef.h>

#include "base/memory.h"

#define HEAP_SINK(items, total, from, precedes)                                                                                      \
	({                                                                                                                           \
		__auto_type heap_ = (items);                                                                                         \
		size_t heap_at_ = (from), heap_total_ = (total), heap_child_;                                                        \
		__typeof__(*heap_) heap_moved_ = heap_[heap_at_];                                                                    \
                                                                                                                                     \
		while ((heap_child_ = 2 * heap_at_ + 1) < heap_total_) {                                                             \
			heap_child_ += heap_child_ + 1 < heap_total_ && precedes(&heap_[heap_child_ + 1], &heap_[heap_child_]);      \
			if (!precedes(&heap_[heap_child_], &heap_moved_))                                                            \
				break;                                                                                               \
			heap_[heap_at_] = heap_[heap_child_];                                                                        \
			heap_at_ = heap_child_;                                                                                      \
		}                                                                                                                    \
		heap_[heap_at_] = heap_moved_;                                                                                       \
	})

#define HEAP_RISE(items, from, precedes)                                                                                             \
	({                                                                                                                           \
		__auto_type heap_ = (items);                                                                                         \
		size_t heap_at_ = (from);                                                                                            \
		__typeof__(*heap_) heap_moved_ = heap_[heap_at_];                                                                    \
                                                                                                                                     \
		for (; heap_at_ > 0 && precedes(&heap_moved_, &heap_[(heap_at_ - 1) / 2]); heap_at_ = (heap_at_ - 1) / 2)            \
			heap_[heap_at_] = heap_[(heap_at_ - 1) / 2];                                                                 \
		heap_[heap_at_] = heap_moved_;                                                                                       \
	})

/* Adds an element; the array may move in memory. */
#define HEAP_PUSH(array, element, precedes)                                    \
	({                                                                     \
		*ARRAY_ADD(array) = (element);                                 \
		HEAP_RISE((array)->items, (array)->count - 1, precedes);       \
	})

#define HEAP_POP(array, precedes)                                              \
	({                                                                     \
		__typeof__(*(array)->items) heap_first_ = (array)->items[0];   \
                                                                               \
		(array)->items[0] = (array)->items[--(array)->count];          \
		HEAP_SINK((array)->items, (array)->count, 0, precedes);        \
		heap_first_;                                                   \
	})

#endif
