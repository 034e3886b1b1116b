/*
 * counting: samples of what the counters counted on each CPU, from switch to switch between threads, and ticks.
 *
 * Counters of the kernel's own, software events and tracepoints, are read by a BPF program (program/counter_program.h). If one of them is in
 * hardware, or BPF cannot be had, they are a group with an event of each switch, whose samples have the values of the group. Times are
 * read with hardware only: the kernel counts its own events all the time. Counters with a period make their samples themselves.
 *
 *	counting_open(&counting, counters, hz)
 *	counting_begin_cpu(&on_cpu)					of each CPU
 *	counting_open_cpu(&counting, &on_cpu, &wanted, cpu, ring_fd)
 *	counting_begin(&counting)					behind the last
 *	counting_switch(&counting, &on_cpu, PERF_EVENT_IOC_ENABLE)
 *	counting_read(&counting, &on_cpu, id, thread, &cursor, counts)	of a sample
 *	counting_gap(&on_cpu)						where samples were lost
 *	counting_close_cpu(&on_cpu), counting_close(&counting)
 */
#ifndef PROGRAM_COUNTING_H
#define PROGRAM_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/counters.h"
#include "program/perf_ring.h"

struct counter_program;

struct counting { /* of all CPUs */
	size_t count;
	uint32_t periods[COUNTERS_MAX]; /* 0: read at each switch */
	bool at_switches;		/* some are */
	bool timed;			/* a group is read with its times */
	bool tells_lost;		/* a group is read with the records that each event lost */
	bool by_program;		/* else a group is read */
	struct counter_program *program; /* NULL: there is none, or it has ended */
	int refused; /* errno of the kernel's refusal of the program that was wanted; 0: it refuses none */
};

struct counting_cpu {
	int fds[COUNTERS_MAX];
	uint64_t ids[COUNTERS_MAX]; /* of those with a period */
	int sampler;		    /* writes the samples of switches: first of the group, or the program writes by it; -1: there is none */
	uint64_t sampler_id;
	int ticks; /* in the group, or runs the program: for runs that last; -1: not wanted */
	uint64_t ticks_id;
	uint64_t counts[COUNTERS_MAX], enabled, running; /* when the group was read last */
	bool known;
	uint64_t lost; /* runs that the group did not count all the time */
};

struct counting_wanted {
	const struct counters *counters;
	int clock;
	uint32_t hz;	   /* ticks a second; 0: none */
	uint64_t switches; /* the number of the event sched_switch */
};

/* Decides how. */
void counting_open(struct counting *counting, const struct counters *counters, uint32_t hz);

/* The kernel refuses something that a program needs: a group counts instead, in events that are opened anew. False: there is no program. */
bool counting_give_up_program(struct counting *counting);

/* A program ends. Samples can still be read. */
void counting_close(struct counting *counting);

/* Nothing is open. */
void counting_begin_cpu(struct counting_cpu *cpu);

/* Opens those of a CPU, disabled; their samples go into the ring of this event. -1 after fail(); then, too, counting_close_cpu() closes them. */
int counting_open_cpu(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, uint32_t number, int ring_fd);
void counting_close_cpu(struct counting_cpu *cpu);

/* From here on a program sees switches. -1 after fail(). */
int counting_begin(const struct counting *counting);

/* PERF_EVENT_IOC_ENABLE or DISABLE. -1 with errno. */
int counting_switch(const struct counting *counting, const struct counting_cpu *cpu, unsigned long request);

/*
 * What a sample says that was counted, in the order of the counters; the cursor stands behind PERF_SAMPLE_CPU. False: nothing, or it
 * is not known of which thread, or it was not counted all the time.
 */
bool counting_read(const struct counting *counting, struct counting_cpu *cpu, uint64_t id, int32_t thread, struct perf_cursor *cursor, uint64_t counts[COUNTERS_MAX]);

/* The kernel's count of the records that the CPU's events lost, final once they are disabled; 0 before Linux 6.0. */
uint64_t counting_lost(const struct counting *counting, const struct counting_cpu *cpu);

/* Before the next sample some were lost. A group's next values are of more than one run then. */
void counting_gap(struct counting_cpu *cpu);

#endif
