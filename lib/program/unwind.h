/*
 * unwind: turns registers, a piece of a stack and kernel addresses into functions. Each address is looked up once; after that a frame costs
 * two table look-ups.
 *
 * A frame is a number that stands for its text: "compress_block (libz.so.1.2.13)"; in the kernel "futex_wait"; where no function is known
 * "libz.so.1.2.13+0x3a40" (the offset in the file); or "?" for memory without a file, and for what comes when there is no room for more texts. A
 * name longer than DEMANGLED_MAX is cut, and "..." is appended.
 */
#ifndef PROGRAM_UNWIND_H
#define PROGRAM_UNWIND_H

#include <stdint.h>

#include "program/sampler.h"
#include "program/spaces.h"

struct unwinder;

enum { UNWIND_USER = 32, UNWIND_KERNEL = SAMPLE_KERNEL };

struct unwinder *unwinder_new(struct spaces *spaces);

/* Reads the kernel's functions now, which takes some 100 ms, instead of when the first is needed. */
void unwinder_prepare(struct unwinder *unwinder);
void unwinder_free(struct unwinder *unwinder);

/*
 * Writes the frames of the program, innermost first, at most UNWIND_USER; returns their number. If the stack goes on but cannot be walked
 * further, because it is too deep or a function's unwind tables are missing, the last frame is "...". unwind_kernel() does the same for the
 * kernel.
 */
int unwind_user(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames);
int unwind_kernel(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames);

/* To be called when records were lost: samples of calls (SAMPLED_CALL), by which the walk passes the kernel's return probes, may be out of date. */
void unwinder_lost(struct unwinder *unwinder);

/* Forgets the places in code that is not marked as mapped. */
void unwinder_sweep(struct unwinder *unwinder);

const char *unwind_text(const struct unwinder *unwinder, int32_t frame);

#endif
