#include "export/perfetto_packet.h"

#include <math.h>

/* trace.proto, trace_packet.proto */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_MACHINE = 98,
	SEQUENCE_STATE_CLEARED = 1,
	OUR_SEQUENCE = 1,
};

/* track_event/track_descriptor.proto, counter_descriptor.proto, thread_descriptor.proto */
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_IS_COUNTER = 8,
	TRACK_CHILD_ORDER = 11,
	TRACK_RANK = 12,
	ORDER_BY_RANK = 3,
	COUNTER_UNIT = 3,
	COUNTER_UNIT_NAME = 6,
	COUNTER_SCALE = 7,
	UNIT_TIME_NS = 1,
	THREAD_PID = 1,
	THREAD_TID = 2,
};

/* track_event/track_event.proto, debug_annotation.proto */
enum {
	EVENT_NOTES = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48,
	NOTE_NUMBER = 5,
	NOTE_TEXT = 6,
	NOTE_NAME = 10,
};

/* The upper half of a track's number is "tail", so that the numbers differ from other programs' if traces are merged. */
#define TRACK_BASE (UINT64_C(0x7461696c) << 32)

bool packet_has_place(struct packets *packets, int64_t ts)
{
	if (ts < 0)
		export_leave_out(packets->export, "a time before zero");
	return ts >= 0;
}

void packet_begin(struct packets *packets, int64_t ts)
{
	struct bytes *file = &packets->file;

	file->length = 0;
	packets->mark = proto_begin(file, TRACE_PACKET);
	if (ts != TS_NONE)
		proto_unsigned(file, PACKET_TIMESTAMP, (uint64_t)ts);
	proto_unsigned(file, PACKET_SEQUENCE_ID, OUR_SEQUENCE);
	if (packets->machine)
		proto_unsigned(file, PACKET_MACHINE, packets->machine);
	if (!packets->begun)
		proto_unsigned(file, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
	packets->begun = true;
}

int packet_end(struct packets *packets)
{
	proto_end(&packets->file, packets->mark);
	fwrite(packets->file.data, 1, packets->file.length, packets->export->out);
	return export_written(packets->export);
}

/* Begins a track and its packet; the caller ends both. */
static size_t begin_track(struct packets *packets, uint64_t parent, const char *name, enum rank rank)
{
	struct bytes *file = &packets->file;
	uint64_t number = ++packets->tracks;
	size_t mark;

	packet_begin(packets, TS_NONE);
	mark = proto_begin(file, PACKET_TRACK_DESCRIPTOR);
	proto_unsigned(file, TRACK_UUID, TRACK_BASE + number);
	proto_text(file, TRACK_NAME, name);
	if (parent)
		proto_unsigned(file, TRACK_PARENT, parent);
	proto_unsigned(file, TRACK_RANK, rank == RANK_IN_TURN ? number : (uint64_t)rank);
	return mark;
}

static uint64_t end_track(struct packets *packets, size_t mark)
{
	proto_end(&packets->file, mark);
	packet_end(packets); /* if it fails, so will the next packet */
	return TRACK_BASE + packets->tracks;
}

uint64_t packet_track(struct packets *packets, uint64_t parent, const char *name, enum rank rank)
{
	size_t mark = begin_track(packets, parent, name, rank);

	proto_unsigned(&packets->file, TRACK_CHILD_ORDER, ORDER_BY_RANK);
	return end_track(packets, mark);
}

uint64_t packet_thread_track(struct packets *packets, int32_t pid, int32_t tid)
{
	struct bytes *file = &packets->file;
	size_t mark = begin_track(packets, 0, "functions", RANK_IN_TURN);
	size_t thread = proto_begin(file, TRACK_THREAD);

	proto_signed(file, THREAD_PID, pid);
	proto_signed(file, THREAD_TID, tid);
	proto_end(file, thread);
	return end_track(packets, mark);
}

uint64_t packet_root(struct packets *packets)
{
	if (!packets->root)
		packets->root = packet_track(packets, 0, ROOT_NAME, RANK_IN_TURN);
	return packets->root;
}

uint64_t packet_counter(struct packets *packets, uint64_t parent, const char *name, enum unit unit)
{
	struct bytes *file = &packets->file;
	size_t mark = begin_track(packets, parent, name, RANK_IN_TURN);
	size_t counter = proto_begin(file, TRACK_IS_COUNTER);

	if (unit == UNIT_SECONDS)
		proto_unsigned(file, COUNTER_UNIT, UNIT_TIME_NS);
	else if (unit != UNIT_NONE)
		proto_text(file, COUNTER_UNIT_NAME, unit == UNIT_SHARE ? "%" : "a second");
	proto_text(file, COUNTER_SCALE, "chart"); /* counters with the same parent have one scale */
	proto_end(file, counter);
	return end_track(packets, mark);
}

size_t packet_event(struct packets *packets, uint64_t track, int64_t ts, enum event_type_number type,
		    const char *name)
{
	struct bytes *file = &packets->file;
	size_t mark;

	packet_begin(packets, ts);
	mark = proto_begin(file, PACKET_TRACK_EVENT);
	proto_unsigned(file, EVENT_TYPE, type);
	proto_unsigned(file, EVENT_TRACK, track);
	if (name) {
		proto_text(file, EVENT_CATEGORIES, "tailblame");
		proto_text(file, EVENT_NAME, name);
	}
	return mark;
}

void packet_flow(struct packets *packets, uint64_t flow, bool last)
{
	proto_fixed64(&packets->file, last ? EVENT_LAST_FLOWS : EVENT_FLOWS, flow);
}

void packet_note(struct packets *packets, const char *name, const char *text)
{
	size_t mark;

	if (!*text)
		return;
	mark = proto_begin(&packets->file, EVENT_NOTES);
	proto_text(&packets->file, NOTE_NAME, name);
	proto_text(&packets->file, NOTE_TEXT, text);
	proto_end(&packets->file, mark);
}

void packet_note_number(struct packets *packets, const char *name, double number)
{
	size_t mark;

	if (isnan(number))
		return;
	mark = proto_begin(&packets->file, EVENT_NOTES);
	proto_text(&packets->file, NOTE_NAME, name);
	proto_double(&packets->file, NOTE_NUMBER, number);
	proto_end(&packets->file, mark);
}

int packet_event_end(struct packets *packets, size_t mark)
{
	proto_end(&packets->file, mark);
	return packet_end(packets);
}

int packet_slice_end(struct packets *packets, uint64_t track, int64_t ts)
{
	return packet_event_end(packets, packet_event(packets, track, ts, EVENT_END, NULL));
}
