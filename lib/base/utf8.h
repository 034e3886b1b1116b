/*
 * utf8: characters of a text. A text from outside, such as a thread's name that the kernel cut at 15 bytes, may end within one.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the valid character at `text`, and its code; 0: invalid. `length`, the bytes left, is not 0. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);

/* The largest length up to `most` that cuts no character of a longer text. */
size_t utf8_cut(const char *text, size_t most);

#endif
