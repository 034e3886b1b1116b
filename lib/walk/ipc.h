/*
 * ipc: finds the sender of the bytes that a call receives, by their place in a pipe or socket, even if the receiver did not sleep for them.
 *
 * Events do not say which two descriptors are the ends of one channel. But a thread that sends, and thereby wakes a thread that sleeps to receive,
 * shows it. At that moment all earlier bytes have been received, so the counts of both ends are equal. From then on each end's bytes are counted.
 * If the counts differ when the receiver sleeps again, another process sends or receives there too: then no sender is known until the counts have
 * agreed once.
 *
 *	ipc = ipc_new()
 *	ipc_meet()	a sender wakes a receiver
 *	ipc_sends(), ipc_sent(), ipc_took()	calls
 *	ipc_closed(), ipc_lost()
 *	ipc_free(ipc)
 */
#ifndef WALK_IPC_H
#define WALK_IPC_H

#include <stdbool.h>
#include <stdint.h>

struct ipc;

struct ipc_end { /* a process and its descriptor */
	int32_t process, fd;
};

struct ipc *ipc_new(void);
void ipc_free(struct ipc *ipc);

/* The receiver slept because a pipe or socket was empty; the sender, in a call that it made in this segment, has woken it. */
void ipc_meet(struct ipc *ipc, struct ipc_end sender, struct ipc_end receiver, uint32_t segment);

/* ipc_sends(): a call in this segment begins to send. ipc_sent(): a call that began in this segment has sent this number of bytes. */
void ipc_sends(struct ipc *ipc, struct ipc_end sender, uint32_t segment);
void ipc_sent(struct ipc *ipc, struct ipc_end sender, uint64_t bytes, uint32_t segment);

/* A call has received this number of bytes. Returns the segment that sent the last of them; NUMBER_NONE: not known. */
uint32_t ipc_took(struct ipc *ipc, struct ipc_end receiver, uint64_t bytes);

void ipc_closed(struct ipc *ipc, struct ipc_end end);
void ipc_lost(struct ipc *ipc); /* events were lost: forgets everything, because all counts may be wrong */

#endif
