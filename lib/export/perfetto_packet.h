/*
 * perfetto_packet: writes the packets of a Perfetto trace: tracks, and events on them. The messages and their field numbers are those
 * of the public protos/perfetto/trace/ of the project, which are never renumbered. tests/trace-export.bats lists those that are used.
 *
 * All times are the trace clock's, which stands in the file as the viewer's usual clock (boottime).
 */
#ifndef EXPORT_PERFETTO_PACKET_H
#define EXPORT_PERFETTO_PACKET_H

#include "export/format.h"
#include "export/proto.h"
#include "model/value.h"

struct packets {
	struct export *export;
	struct bytes file; /* the packet at hand, as it goes into the file; its owner frees it */
	size_t mark;
	bool begun;	 /* a packet was written */
	uint64_t tracks; /* made so far */
	uint64_t root;	 /* the track; 0: not made yet */
	uint32_t machine; /* of the next packets: a host of a stream of several; 0: the first */
};

/* A packet: begin, its one message by proto_begin(&packets->file, field), end. -1 after fail(). */
enum { TS_NONE = -1 };
bool packet_has_place(struct packets *packets, int64_t ts); /* false: before zero, and counted as left out */
void packet_begin(struct packets *packets, int64_t ts); /* TS_NONE: without */
int packet_end(struct packets *packets);

/*
 * A track for slices, or a counter; each returns its number for events and children. All of ours are below one, the
 * root; `parent` 0: beside it. Tracks of one name and parent are shown as one, and siblings by rank; counters of one
 * parent have one scale. A failure shows with the next packet.
 */
enum rank { RANK_IN_TURN = -1, RANK_FIRST = 0, RANK_CHARTS = INT32_MAX - 1, RANK_LAST = INT32_MAX };
#define ROOT_NAME "tailblame"
uint64_t packet_root(struct packets *packets);
uint64_t packet_track(struct packets *packets, uint64_t parent, const char *name, enum rank rank);
uint64_t packet_thread_track(struct packets *packets, int32_t pid, int32_t tid); /* the thread's own, beside its states */
uint64_t packet_counter(struct packets *packets, uint64_t parent, const char *name, enum unit unit);

/*
 * An event on a track: packet_event() begins it, and the packet; its flows and notes follow; packet_event_end() ends
 * both. packet_slice_end() is a packet of its own.
 */
enum event_type_number { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };
size_t packet_event(struct packets *packets, uint64_t track, int64_t ts, enum event_type_number type, const char *name);
void packet_flow(struct packets *packets, uint64_t flow, bool last);
void packet_note(struct packets *packets, const char *name, const char *text);
void packet_note_number(struct packets *packets, const char *name, double number);
int packet_event_end(struct packets *packets, size_t mark);
int packet_slice_end(struct packets *packets, uint64_t track, int64_t ts);

#endif
