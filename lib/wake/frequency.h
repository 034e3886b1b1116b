/*
 * frequency: how fast a CPU ran. Private to lib/wake.
 *
 * An event tells when a CPU's frequency changes (power:cpu_frequency), so it is known from the first change in the window
 * on, until events are lost. It is compared with the highest that was seen of that CPU in the stream, or that it was
 * allowed (power:cpu_frequency_limits): CPUs of one machine need not be alike.
 */
#ifndef WAKE_FREQUENCY_H
#define WAKE_FREQUENCY_H

#include "wake/core.h"

/*
 * Tells whether the CPU's mean frequency in [start, end) is known, and half of the highest or less: all took twice as long. Where it is less
 * than four fifths, the detail gets it, with the limit if it was not let run faster.
 */
bool frequency_pace(const struct wake *wake, uint32_t cpu, int64_t start, int64_t end, struct deed_detail *detail);

#endif
