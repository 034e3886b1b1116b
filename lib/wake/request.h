/*
 * request: keeps the block requests of a window, and finds what an event is about among those that are open. Sectors have 512
 * bytes. Private to lib/wake and lib/walk.
 *
 * A bio is queued as one request. The device may take it in pieces, merge it with others, and complete pieces of several at once;
 * an event names a range of sectors and no request. So an event is shared out among requests: first to those that follow each other from its
 * first sector on, because it may consist of them; then each sector to the oldest request that lacks it, as a chart pairs them (chart/pair.c).
 * So no request stays open when the device has completed all. An event that takes a part of a request cuts it: from then on the part
 * is a request of its own, and so is the rest. Indexes stay valid until the window is forgotten; pointers do not outlive the next call.
 */
#ifndef WAKE_REQUEST_H
#define WAKE_REQUEST_H

#include "wake/core.h"

enum { CAUSE_REQUEST = CAUSE(PART_BLOCK, 0) }; /* index: of a request that had completed */

struct ender { /* what ended a service: CAUSE_NONE, CAUSE_THREAD, CAUSE_RAISED, CAUSE_REQUEST */
	uint8_t cause;
	int32_t index;
};

struct request {
	uint64_t disk, sector;
	uint32_t sectors;
	int32_t submitter; /* index of a thread; INDEX_NONE: not in the data */
	int32_t owner;	   /* index of the thread for which it was submitted; INDEX_NONE */
	int64_t queued, issued, completed; /* TIME_NONE: not in the data, or not yet */
	int32_t service_node, queue_node, behind_node; /* in the graph at hand */
	int32_t next;			   /* the next request that the same event was about; INDEX_NONE */
	int32_t next_open;		   /* the next in its slot (request.c); INDEX_NONE */
	bool swaps;			   /* it brings pages back from swap, or takes them there */
	bool flush_after;		   /* it is over when the disk's cache is flushed behind it */
	bool own_issue; /* its submitter issued it, and had not slept since it was queued */
	char rwbs[4];
	struct ender ender;	  /* what ended its service, if it is a loop device's and that waited for something */
	uint64_t serves;	  /* the loop device whose work submitted it; 0: none */
	int32_t upper;		  /* the request of a loop or stacked device for which it was submitted; INDEX_NONE: not known */
	int32_t lower;		  /* the last request submitted for it, then the last of these to complete; INDEX_NONE */
	uint32_t handed_on;	  /* how many of its sectors these have */
	int32_t data;		  /* index of its data part; INDEX_NONE: none is kept */
};

/* The data of a write that a flush of the disk's cache follows: the flush waits for them. */
struct data_part {
	struct ender ender;
	int64_t completed;
	int32_t node; /* in the graph at hand */
};

struct disk;

/* The state of block.c for a window. */
struct block_window {
	struct requests *requests;
	struct disk *disks, *last_disk; /* see disk.h */
	ARRAY(int32_t) drawn; /* requests that have nodes in the graph at hand */
};
void request_begin(struct wake *wake); /* before the first window */
void request_free(struct wake *wake);  /* when all is forgotten */

struct request *request_at(const struct wake *wake, int32_t index);
struct data_part *request_data(const struct wake *wake, int32_t index); /* by request.data */

/* A bio is queued; a request for a flush, which has no sectors, waits. Each copies the request, and returns the index of the copy. */
int32_t request_queue(struct wake *wake, const struct request *request);
int32_t request_add_flush(struct wake *wake, const struct request *request);

/*
 * The device takes a range (issue), returns it to the queue (requeue), completes it; or a device that issues nothing completes a bio, of
 * which the range is what is left (hand_back). Returns the first of the requests that this is about, linked by request.next in the order
 * of their sectors; INDEX_NONE: none. Requests that are complete stay linked.
 */
int32_t request_issue(struct wake *wake, const struct request *range);
void request_requeue(struct wake *wake, const struct request *range);
int32_t request_complete(struct wake *wake, const struct request *range);
int32_t request_hand_back(struct wake *wake, const struct request *range);

/* The data part of a write that a flush follows is written. */
void request_add_data(struct wake *wake, int32_t request);

/*
 * The request at this sector or behind it that was queued or issued at `from` and lasted until `to`; else a request at this very sector
 * that lasted until `to`; INDEX_NONE: there is none.
 */
int32_t request_find(const struct wake *wake, uint64_t disk, uint64_t sector, int64_t from, int64_t to);

/* The oldest request with these sectors that was queued and not issued; INDEX_NONE: there is none. */
int32_t request_find_queued(struct wake *wake, uint64_t disk, uint64_t sector, uint32_t sectors);

/* request_settle(): the window ends; requests that are still open count in the disks' longest services. request_forget(): forgets all. */
void request_settle(struct wake *wake);
void request_forget(struct wake *wake);

/* The end of a service. If no completion was seen: now, or when the events were lost that may have had it. */
int64_t request_end(const struct wake *wake, const struct request *request);

#endif
