/*
 * stacked: devices that only hand their bios on to other devices (device mapper, md), as block_bio_remap tells. A request of such a
 * device is followed into the disk behind it. Private to lib/wake.
 */
#ifndef WAKE_STACKED_H
#define WAKE_STACKED_H

#include "wake/request.h"

/* A request was queued. If a bio of another device became this request, links it to that device's request and takes its owner. */
void stacked_submit(struct wake *wake, int32_t request);

#endif
