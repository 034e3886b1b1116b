/*
 * hosts: one clock for the streams of several hosts (clock/feasible.h), by the bytes that they sent each other (span/flows.h).
 *
 * If connections between two hosts carried bytes both ways, lines turn one clock into the other: a link. Hosts are chained to the reference by a
 * tree of the narrowest links. A host in no chain is placed by the wall clocks, with an unknown error.
 *
 *	struct hosts *hosts = hosts_new();
 *	host = hosts_add(hosts, "web1")
 *	hosts_flows(hosts, host, flows)		and hosts_times(), hosts_wall()
 *	hosts_find(hosts, reference)
 *	hosts_map(hosts, host, ts)		turns a time of the host into the reference's
 *	hosts_write(hosts, host, stream)	`clock` records
 *	hosts_free(hosts)
 */
#ifndef CLOCK_HOSTS_H
#define CLOCK_HOSTS_H

#include "span/flows.h"

enum { HOST_NONE = -1 };

struct hosts;

struct hosts *hosts_new(void);
void hosts_free(struct hosts *hosts);

/* Adds a host. Returns its number, from 0; -1 after fail(): there is a host of this name already. */
int hosts_add(struct hosts *hosts, const char *name);
int hosts_named(const struct hosts *hosts, const char *name); /* HOST_NONE: there is none */

/*
 * Tells how the host's clock was set back. All times of the host, here and below, are then shifted times (span/clock_steps.h), and between two eras
 * its clock has a step of unknown size. `clock_steps` must outlive the hosts.
 */
void hosts_clock_steps(struct hosts *hosts, int host, const struct clock_steps *clock_steps);

/* Set the times of the host's first and last records; and the wall-clock time at 0 of its own clock. */
void hosts_times(struct hosts *hosts, int host, int64_t first, int64_t last);
void hosts_wall(struct hosts *hosts, int host, int64_t wall);

/* Sets the ends of connections that the host's stream tells; they must outlive hosts_find(). */
void hosts_flows(struct hosts *hosts, int host, const struct flows *flows);

/* Finds each host's lines. Call it once. */
void hosts_find(struct hosts *hosts, int reference);

int64_t hosts_map(const struct hosts *hosts, int host, int64_t ts);

/* How often the host's clock was stepped or changed its pace, not counting the steps between eras. */
size_t hosts_steps(const struct hosts *hosts, int host);

bool hosts_is_reference(const struct hosts *hosts, int host);

/* Tell whether the host is placed by the wall clock, or by nothing; and whether its error is unknown, at some time or always. */
bool hosts_is_guess(const struct hosts *hosts, int host);
bool hosts_is_unknown(const struct hosts *hosts, int host);

/* Writes the host's `clock` records, one for each piece of its time; the reference has none. 0; -1 after fail(). */
int hosts_write(const struct hosts *hosts, int host, struct stream *stream);

#endif
