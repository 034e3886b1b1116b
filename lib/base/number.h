/*
 * number: reads and spells numbers, durations, sizes and times. No locale, no silent overflow, no trailing junk.
 * All times inside tailblame are int64_t nanoseconds; all times in text are seconds with nine decimals.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC INT64_C(1000000000)

/* Each returns 0 and sets *value, or returns -1 after fail() ("'12x' is not a number"). Text need not end in NUL. */
int number_count(const char *text, size_t length, uint64_t *value);   /* 18 */
int number_integer(const char *text, size_t length, int64_t *value);  /* -18, 0x1f, and unsigned up to 2^64-1 (wraps) */
int number_double(const char *text, size_t length, double *value);    /* 1.5e3; not inf, not nan */
int number_share(const char *text, size_t length, double *share);      /* 5%, 0.05; above 0, at most 1 */
int number_size(const char *text, size_t length, uint64_t *bytes);    /* 64M, 1G, 4096 */
int number_duration(const char *text, size_t length, int64_t *ns);    /* 200ms, 1.5s, 2 (seconds), 1h; not negative */
int number_time(const char *text, size_t length, int64_t *ns);	      /* 12.345678901 seconds, may be negative */

/* Room for any of the spellings below, NUL included. */
enum { NUMBER_ROOM = 48 };

/* Each writes into `text` (NUMBER_ROOM bytes) and returns its length. */
size_t number_spell_time(char *text, int64_t ns);	  /* 12.345678901 */
size_t number_spell_integer(char *text, int64_t value);
size_t number_spell_unsigned(char *text, uint64_t value);
size_t number_spell_hex(char *text, uint64_t value);	  /* 0x1f */
size_t number_spell_double(char *text, double value);	  /* the shortest decimal that reads back as the same double */

/* For people: "2.293 s", "41.2 ms", "127 us", "58 ns" with three or four digits; "1,204,331"; "31.2 MiB". */
size_t number_human_duration(char *text, int64_t ns);
size_t number_human_count(char *text, uint64_t value);
size_t number_human_size(char *text, uint64_t bytes);

#endif
