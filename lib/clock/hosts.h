/*
 * hosts: one clock for the streams of several hosts (clock/feasible.h), by the bytes that they sent each other (span/flows.h).
 *
 * Between each two hosts whose connections carried bytes both ways there are lines from one clock to the other. Hosts are chained to the
 * reference over the tree of the narrowest of these. A host in no chain is placed by the wall clocks, with an unknown error.
 *
 *	struct hosts *hosts = hosts_new();
 *	host = hosts_add(hosts, "web1")
 *	hosts_flows(hosts, host, flows)		and hosts_times(), hosts_wall()
 *	hosts_find(hosts, reference)
 *	hosts_map(hosts, host, ts)		the reference's time
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

/* Its number, from 0; -1 after fail(): there is one of this name. */
int hosts_add(struct hosts *hosts, const char *name);
int hosts_named(const struct hosts *hosts, const char *name); /* HOST_NONE */

/*
 * How its clock was set back; it must outlive the hosts. Then all times of the host, here and below, are shifted by it, and between two eras its
 * clock has a step of unknown size.
 */
void hosts_clock_steps(struct hosts *hosts, int host, const struct clock_steps *clock_steps);

/* The times of its records; the wall clock's time at 0 of its own. */
void hosts_times(struct hosts *hosts, int host, int64_t first, int64_t last);
void hosts_wall(struct hosts *hosts, int host, int64_t wall);

/* The connections' ends that its stream tells of; they must outlive hosts_find(). */
void hosts_flows(struct hosts *hosts, int host, const struct flows *flows);

/* Finds each host's lines. Call it once. */
void hosts_find(struct hosts *hosts, int reference);

int64_t hosts_map(const struct hosts *hosts, int host, int64_t ts);

/* How often its clock was stepped, or changed its pace, but for the steps that its eras tell. */
size_t hosts_steps(const struct hosts *hosts, int host);

bool hosts_is_reference(const struct hosts *hosts, int host);

/* The host is placed by the wall clock, or by nothing; its error is not known, at some time or always. */
bool hosts_is_guess(const struct hosts *hosts, int host);
bool hosts_is_unknown(const struct hosts *hosts, int host);

/* Writes the host's clock records, one for each piece of its time; of the reference there are none. 0; -1 after fail(). */
int hosts_write(const struct hosts *hosts, int host, struct stream *stream);

#endif
