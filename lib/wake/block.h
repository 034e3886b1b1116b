/*
 * block: block requests, one for each bio; sectors of 512 bytes. A bio is queued, its request issued to the device, completed;
 * a flush of the disk's cache is a request without sectors. Private to lib/wake.
 */
#ifndef WAKE_BLOCK_H
#define WAKE_BLOCK_H

#include "wake/core.h"

enum { CAUSE_REQUEST = CAUSE(PART_BLOCK, 0) }; /* index: request that had completed */

struct ender { /* CAUSE_NONE, CAUSE_THREAD, CAUSE_RAISED, CAUSE_REQUEST */
	uint8_t cause;
	int32_t index;
};

struct request {
	uint64_t disk, sector;
	uint32_t sectors;
	int32_t submitter; /* index of a thread; INDEX_NONE: not in the data */
	int32_t owner;	   /* of the thread for whom it was submitted */
	int64_t queued, issued, completed; /* TIME_NONE: not in the data, or not yet */
	int32_t service_node, queue_node, behind_node; /* in the graph at hand */
	int32_t next;			   /* open request at the same sector, then one completed with it; INDEX_NONE */
	bool flush_after;		   /* it is over when the disk's cache is flushed behind it */
	char rwbs[4];
	struct ender ender;	  /* of its service: for whom the loop device waited */
	uint64_t serves;	  /* a loop device, of which a work submitted it; 0: none */
	int32_t upper;		  /* the loop device's request for which it was submitted; INDEX_NONE: not known */
	int32_t lower;		  /* of those that were submitted for it the last, then the last to complete; INDEX_NONE */
	uint32_t handed_on;	  /* how many of its sectors these have */
	int32_t data;		  /* index of its data part; INDEX_NONE: it has no other */
};

/* A write that is followed by a flush of the disk's cache, until that begins: the flush waits for it. */
struct data_part {
	struct ender ender;
	int64_t completed;
	int32_t node; /* in the graph at hand */
};

struct flush { /* a request that waits for a flush of its disk's cache */
	int32_t request;
	uint8_t state;
	bool alone; /* it is nothing else, or that is done */
};

struct disk {
	uint64_t dev;
	int64_t longest;       /* longest service so far */
	int64_t shortest[4];   /* and shortest, of reads, writes, flushes, others; 0: none */
	ARRAY(int32_t) issued; /* requests in the order in which they were issued */
	ARRAY(struct flush) flushes;
	UT_hash_handle hh;
};

struct disk *block_disk(struct wake *wake, uint64_t dev);
struct request *request_at(const struct wake *wake, int32_t index);
struct data_part *block_data(const struct wake *wake, int32_t index);

/* The end of its service: of one that is not complete now, or when events were lost that may have told of it. */
int64_t block_end(const struct wake *wake, const struct request *request);

/* Until when a request that was issued stood behind others in the device. */
int64_t block_behind(struct wake *wake, int32_t request);

#endif
