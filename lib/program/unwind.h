/*
 * unwind: from registers, a piece of a stack and addresses in the kernel to functions. Each address is looked up once; from then on
 * a frame costs two look-ups in tables.
 *
 * A frame is a number that stands for its text: "compress_block (libz.so.1.2.13)", in the kernel "futex_wait", and where no
 * function is known "libz.so.1.2.13+0x3a40" (the offset in the file), or "?" for memory without a file. Of a name that is longer than
 * DEMANGLED_MAX the end is cut off, and "..." stands there.
 */
#ifndef PROGRAM_UNWIND_H
#define PROGRAM_UNWIND_H

#include <stdint.h>

#include "program/sampler.h"
#include "program/spaces.h"

struct unwinder;

enum { UNWIND_USER = 32, UNWIND_KERNEL = SAMPLE_KERNEL };

struct unwinder *unwinder_new(struct spaces *spaces);

/* Reads the kernel's functions, which takes some 100 ms, rather than when the first is asked for. */
void unwinder_prepare(struct unwinder *unwinder);
void unwinder_free(struct unwinder *unwinder);

/*
 * Frames of the program, innermost first, at most UNWIND_USER; returns how many. Where the stack goes on but cannot be walked
 * further, because it is too deep or a function's tables are missing, the last frame is "...".
 */
int unwind_user(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames);
int unwind_kernel(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames);

/* Records were lost. Samples of calls (SAMPLED_CALL), by which the walk passes the kernel's return probes, may be out of date. */
void unwinder_lost(struct unwinder *unwinder);

/* Forgets the places in code that is not marked as mapped. */
void unwinder_sweep(struct unwinder *unwinder);

const char *unwind_text(const struct unwinder *unwinder, int32_t frame);

#endif
