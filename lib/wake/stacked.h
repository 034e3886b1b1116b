/*
 * stacked: devices that do nothing themselves, but hand their bios on to others (device mapper, md), as block_bio_remap tells. A request
 * of such a device is followed into the disk behind it. Private to lib/wake.
 */
#ifndef WAKE_STACKED_H
#define WAKE_STACKED_H

#include "wake/request.h"

/* A request was queued: if it is what a bio of another device became, it is for that one. */
void stacked_submit(struct wake *wake, int32_t request);

#endif
