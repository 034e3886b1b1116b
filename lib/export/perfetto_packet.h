/*
 * perfetto_packet: writes the packets of a Perfetto trace: tracks, and events on them. The messages and their field numbers are those
 * of the project's public protos/perfetto/trace/, which are never renumbered. tests/trace-export.bats lists the ones in use.
 *
 * All times are those of the trace clock; the file presents it as the viewer's usual clock (boottime).
 */
#ifndef EXPORT_PERFETTO_PACKET_H
#define EXPORT_PERFETTO_PACKET_H

#include "export/format.h"
#include "export/proto.h"
#include "model/value.h"

struct packets {
	struct export *export;
	struct bytes file; /* the current packet, as it goes into the file; its owner frees it */
	size_t mark;
	bool begun;	 /* a packet was written */
	uint64_t tracks; /* number of tracks made so far */
	uint64_t root;	 /* the root track; 0: not made yet */
	uint32_t machine; /* the host of the next packets, in a stream of several; 0: the first */
};

/* A packet: packet_begin(), its one message by proto_begin(&packets->file, field), packet_end(). -1 after fail(). */
enum { TS_NONE = -1 };
bool packet_has_place(struct packets *packets, int64_t ts); /* false: the time is before zero; counts it as left out */
void packet_begin(struct packets *packets, int64_t ts); /* TS_NONE: without a time */
int packet_end(struct packets *packets);

/*
 * Make a track for slices, or a counter. They return its number, for events and child tracks. All tracks are below one
 * root track; `parent` 0: beside the root. The viewer shows tracks with the same name and parent as one, orders siblings
 * by rank, and gives counters of one parent one scale. The next packet reports a failure.
 */
enum rank { RANK_IN_TURN = -1, RANK_FIRST = 0, RANK_CHARTS = INT32_MAX - 1, RANK_LAST = INT32_MAX };
#define ROOT_NAME "tailblame"
uint64_t packet_root(struct packets *packets);
uint64_t packet_track(struct packets *packets, uint64_t parent, const char *name, enum rank rank);
uint64_t packet_thread_track(struct packets *packets, int32_t pid, int32_t tid); /* the thread's own, beside its states */
uint64_t packet_counter(struct packets *packets, uint64_t parent, const char *name, enum unit unit);

/*
 * An event on a track: packet_event() begins a packet with the event; flows and notes follow; packet_event_end() ends
 * both. packet_slice_end() writes a packet of its own.
 */
enum event_type_number { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };
size_t packet_event(struct packets *packets, uint64_t track, int64_t ts, enum event_type_number type, const char *name);
void packet_flow(struct packets *packets, uint64_t flow, bool last);
void packet_note(struct packets *packets, const char *name, const char *text);
void packet_note_number(struct packets *packets, const char *name, double number);
int packet_event_end(struct packets *packets, size_t mark);
int packet_slice_end(struct packets *packets, uint64_t track, int64_t ts);

#endif
