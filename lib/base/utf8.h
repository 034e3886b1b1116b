/*
 * utf8: text by its characters. What comes from outside, such as a name that the kernel cut at 15 bytes, may end within one.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the valid character at text, and its code; 0: there is none. `length`, of what is there, is not 0. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);

/* Of the first `most` bytes of a text that is longer, so many that no character is cut. */
size_t utf8_cut(const char *text, size_t most);

#endif
