/*
 * fuzz: what the targets have in common. A target is a file of tests/fuzz with one function, LLVMFuzzerTestOneInput(), which
 * hands bytes to one of tailblame's readers. `make fuzz` links it with libFuzzer, `make check` with replay.c, which
 * hands it the files of testdata/fuzz/TARGET and of its seeds.
 *
 * A target fails by a crash, by what the sanitizers see, by time or memory out of proportion, and by fuzz_must().
 *
 * An input that begins with '#' and a character, which is a comment in most formats, chooses options by that
 * character; all others get the usual ones.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that holds for every input. */
#define fuzz_must(condition)                                                        \
	((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s does not hold: %s\n", __FILE__, __LINE__, __func__, #condition), abort()))

/* Which of `count` ways the input asks for; 0 is the usual one. */
unsigned fuzz_variant(const uint8_t *data, size_t size, unsigned count);

/* Files in memory, by number: given content, or empty and open for writing. Their paths stay the same. */
enum { FUZZ_INPUT, FUZZ_FIRST, FUZZ_SECOND, FUZZ_THIRD, FUZZ_FILES };
const char *fuzz_file(int number, const void *data, size_t size);
int fuzz_output(int number);
char *fuzz_content(int number, size_t *length); /* with NUL behind it; the caller frees it */
const char *fuzz_path(int number);

/* Lets this many ns more pass between two looks of the libraries at the time; 0: as many as there are. */
void fuzz_time(int64_t ns);

/* An empty folder of this process's own, removed at its end; what a target leaves in it is the target's to remove. */
const char *fuzz_folder(void);

/*
 * The commands, each as its main() calls the library, from a path to one of the files above. Each returns the command's
 * exit status.
 */
enum { FILTERS = 23, BUILDS = 3, RANKS = 12, REPORTS = 6, IMPORTS = 12 };
int stage_cat(const char *path, int output, bool text);
int stage_filter(const char *path, int output, unsigned variant);
int stage_build(const char *path, int output, unsigned variant);
int stage_rank(const char *path, int output, unsigned variant);
int stage_report(const char *path, int output, unsigned variant);
int stage_import(const char *path, int output, unsigned variant);

/* What the user may be shown: JSON that is JSON, text without control characters, a page without foreign elements. */
void check_report(int output, unsigned variant);

#endif
