/*
 * disk: the disks of a window: the order of their requests, their flushes, and the times of their services. Private to lib/wake.
 */
#ifndef WAKE_DISK_H
#define WAKE_DISK_H

#include "wake/request.h"

struct flush { /* a request that waits for a flush of its disk's cache */
	int32_t request;
	uint8_t state;
	bool alone; /* it has no data, or its data are written */
};

struct disk {
	uint64_t dev;
	int64_t longest;       /* longest service so far */
	int64_t shortest[4];   /* shortest service of reads, writes, flushes, others; 0: none yet */
	uint64_t widest;       /* the most slots that a request spans, without wide requests; see request.c */
	bool has_wide;
	ARRAY(int32_t) issued; /* requests in the order in which they were issued */
	ARRAY(struct flush) flushes;
	UT_hash_handle hh;
};

enum { OPERATIONS = sizeof(((struct disk *)NULL)->shortest) / sizeof(int64_t) };

/* The disk with this number; made if it is not there. */
struct disk *disk_at(struct wake *wake, uint64_t dev);

/* The first of all disks, linked by hh.next; NULL: there is none. */
const struct disk *disk_first(const struct wake *wake);

/* The index of a request's kind in disk.shortest. */
int disk_operation(const struct request *request);

/* The request is completed now: its service counts in disk.longest and disk.shortest. */
void disk_served(struct wake *wake, struct request *request);

/* Forgets all disks. */
void disk_forget(struct wake *wake);

#endif
