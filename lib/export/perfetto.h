/*
 * perfetto: private to the format of that name: a trace of the Perfetto trace viewer. It is a sequence of packets; the
 * messages and their field numbers are those of the public protos/perfetto/trace/ of the project, which are never
 * renumbered. tests/trace-export.bats lists those that are used.
 *
 * perfetto.c puts it together; perfetto_packet.c writes packets; perfetto_kernel.c turns events into what the kernel's
 * ftrace gives Perfetto, so that it draws its own scheduling tracks, perfetto_switch.c finds the switches that these
 * lack, and perfetto_waking.c tells wake-ups by interrupts from others; perfetto_moment.c and perfetto_chart.c add ours.
 *
 * All times are the trace clock's, which stands in the file as the viewer's usual clock (boottime).
 */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include "export/format.h"
#include "export/proto.h"
#include "report/model.h"

struct perfetto {
	struct export *export;
	struct model *model; /* what our tracks show */
	struct bytes file;   /* the packet at hand, as it goes into the file */
	size_t packet_mark;
	bool begun;	     /* a packet was written */
	bool has_system;     /* the kernel's release was written */
	bool dated;	     /* the wall clock of this stream was written */
	uint64_t tracks;     /* made so far */
	uint64_t flows;
	unsigned stories; /* told so far */
	struct kernel *kernel;
	struct charts *charts;
	uint64_t root, lost; /* tracks; 0: not made yet */
	int64_t told_until;  /* the end of the moment on the root's own track */
};

/* A packet: begin, its one message by proto_begin(&perfetto->file, field), end. -1 after fail(). */
enum { TS_NONE = -1 };
bool packet_has_place(struct perfetto *perfetto, int64_t ts); /* false: before zero, and counted as left out */
void packet_begin(struct perfetto *perfetto, int64_t ts); /* TS_NONE: without */
int packet_end(struct perfetto *perfetto);

/*
 * A track for slices, or a counter; each returns its number for events and children. All of ours are below one, the
 * root; `parent` 0: beside it. Tracks of one name and parent are shown as one, and siblings by rank; counters of one
 * parent have one scale. A failure shows with the next packet.
 */
enum rank { RANK_IN_TURN = -1, RANK_FIRST = 0, RANK_CHARTS = INT32_MAX - 1, RANK_LAST = INT32_MAX };
#define ROOT_NAME "tailblame"
uint64_t packet_root(struct perfetto *perfetto);
uint64_t packet_track(struct perfetto *perfetto, uint64_t parent, const char *name, enum rank rank);
uint64_t packet_counter(struct perfetto *perfetto, uint64_t parent, const char *name, enum unit unit);

/*
 * An event on a track: packet_event() begins it, and the packet; its flows and notes follow; packet_event_end() ends
 * both. packet_slice_end() is a packet of its own.
 */
enum event_type_number { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };
size_t packet_event(struct perfetto *perfetto, uint64_t track, int64_t ts, enum event_type_number type, const char *name);
void packet_flow(struct perfetto *perfetto, uint64_t flow, bool last);
void packet_note(struct perfetto *perfetto, const char *name, const char *text);
void packet_note_number(struct perfetto *perfetto, const char *name, double number);
int packet_event_end(struct perfetto *perfetto, size_t mark);
int packet_slice_end(struct perfetto *perfetto, uint64_t track, int64_t ts);

/* The kernel's events, in bundles by CPU. */
struct kernel *kernel_new(struct perfetto *perfetto);
void kernel_free(struct kernel *kernel);
int kernel_event(struct kernel *kernel, const struct event *event);
int kernel_lost(struct kernel *kernel, uint32_t cpu); /* the next bundle of this CPU says so */
void kernel_gap(struct kernel *kernel, int64_t ts);   /* all that happened until then is known, what follows may not be */
int kernel_flush(struct kernel *kernel);

/* Switches between threads that the events lack. A gap: who ran before it may not have run in it. */
enum { PRIO_UNKNOWN = INT32_MIN };
struct missing_switch {
	int64_t ts;
	int32_t prev, next; /* one of them is the idle thread; why another `prev` left is not known */
	int32_t prev_prio, next_prio;
};
struct switches *switches_new(struct events *events);
void switches_free(struct switches *switches);
size_t switches_before(struct switches *switches, const struct event *event, struct missing_switch missing[2]); /* how many */
bool switches_told(const struct switches *switches, const struct event *event); /* there is one of its CPU before it */
void switches_gap(struct switches *switches, uint32_t cpu);
void switches_gap_everywhere(struct switches *switches, int64_t ts);
int64_t switch_state(const struct event *event, const struct event_field *field); /* its bits; in text it may be letters */

/*
 * Wake-ups by interrupts, of a bundle. wakings_take() does not take an event that is none, which then goes among the
 * others. Perfetto wants to know who has the CPU: only where switches_told().
 */
enum { WAKING_COLUMNS = 6 };
struct waking_fields {
	const struct event_type *type;
	const struct event_field *pid, *target_cpu, *prio, *comm, *flags;
};
struct wakings {
	struct bytes comms, columns[WAKING_COLUMNS];
	uint32_t count;
	int64_t last;
};
void wakings_fields(struct waking_fields *of, struct events *events);
bool wakings_take(struct wakings *wakings, const struct waking_fields *of, const struct event *event);
void wakings_write(struct wakings *wakings, struct bytes *out); /* and empties them */
void wakings_free(struct wakings *wakings);

/* Control charts: samples and limits as counters, signals as slices. */
struct charts *charts_new(struct perfetto *perfetto);
void charts_free(struct charts *charts);
int charts_sample(struct charts *charts, const struct fields *fields);
int charts_limits(struct charts *charts, const struct fields *fields);
int charts_signal(struct charts *charts, const struct fields *fields);

/* A moment with its paths and who is to blame. */
int moment_export(struct perfetto *perfetto, const struct moment *moment);

#endif
