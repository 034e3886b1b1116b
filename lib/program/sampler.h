/*
 * sampler: samples for stacks (perf_event_open(2)): where a thread goes to sleep, where it wakes another, where it throws, and where it
 * calls a function; samples of running threads at a chosen rate; and the events in the life of address spaces.
 *
 * ftrace can record stacks itself, but walks those of programs by their frame pointers. Debian's libraries keep none, so it would miss the
 * very function that waits. A sample instead holds the registers and the top of the stack, from which program/unwind.h walks up by the
 * programs' own unwind tables.
 *
 *	sampler_open(s, &wanted)	before ftrace's own events are enabled: then a sample comes before its event
 *	sampler_see_throws(s, event), sampler_see_calls(s, event)	optional; after ftrace's events: the kernel calls a probe's newest user first
 *	sampler_start(s)
 *	while (sampler_next(s, bound, &record) > 0) ...
 *	sampler_close(s)
 *
 * Records come in order of time, over all CPUs. Each CPU has one ring buffer; records that do not fit are counted.
 */
#ifndef PROGRAM_SAMPLER_H
#define PROGRAM_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "program/counters.h"
#include "program/counting.h"
#include "program/flags.h"

enum sampled { SAMPLED_SLEEP, SAMPLED_WAKE, SAMPLED_RUN, SAMPLED_THROW, SAMPLED_CALL, SAMPLED_COUNT, SAMPLED_FLAG, SAMPLED_MAP, SAMPLED_FORK, SAMPLED_EXEC, SAMPLED_EXIT, SAMPLED_LOST };

/* Registers by their DWARF numbers; the last one is DWARF's return address column, here the instruction pointer. */
enum { SAMPLE_REGISTERS = 17, SAMPLE_BUILD_ID = 20 /* as CODE_BUILD_ID */, SAMPLE_STACK = 1024, SAMPLE_THROW_STACK = 8192, SAMPLE_KERNEL = 16 };

/*
 * A record as its reader gets it; all pointers are valid until the next call. LOST: before it, records of this CPU did not fit into its
 * ring buffer.
 */
struct sampled_record {
	enum sampled kind;
	int64_t ts;
	uint32_t cpu;
	int32_t process, thread;

	/*
	 * SLEEP, WAKE, RUN, THROW, CALL: kernel frames, innermost first (none for THROW, CALL and FLAG); registers if the thread is a
	 * program's (else user is false)
	 */
	int32_t woken; /* WAKE: thread that is woken */
	const uint64_t *kernel;
	size_t kernel_count;
	bool user;
	uint64_t registers[SAMPLE_REGISTERS];
	const unsigned char *stack; /* bytes from the stack pointer on */
	size_t stack_size;

	/* COUNT: counts, in the order of the counters, since the thread got the CPU or since the last such record */
	uint64_t counts[COUNTERS_MAX];

	/* FLAG: number of the flag, with the program's registers; off: it was hit so often that it is no longer watched from here on */
	int flag;
	bool writes, off;

	/* MAP: an executable part of a file */
	uint64_t start, length, offset;
	uint64_t inode; /* 0: not known */
	dev_t device;	/* valid if the inode is known */
	unsigned char build_id[SAMPLE_BUILD_ID];
	size_t build_id_size; /* 0: not known */
	const char *path;

	/* FORK: `process` is the child, `parent` the parent */
	int32_t parent;
};

struct sampler {
	struct sampler_ring *rings;
	int count;
	/* private */
	uint16_t woken_at; /* offset of the woken thread in the event */
	struct flags *flags; /* NULL: no flags are watched */
	struct counting counting;
	unsigned char *copy; /* copy of a record that wraps around the end of a ring buffer */
};

struct sampler_wanted {
	int clock;   /* as for clock_gettime(2) */
	bool waits;  /* samples where threads go to sleep, and where they wake others */
	uint32_t hz; /* samples of running threads per second and CPU; 0: none */
	const struct counters *counters; /* must exist until sampler_open() returns */
	struct flags *flags; /* flags to watch, which must outlive the sampler; NULL: none */
	void (*say)(const char *format, ...); /* gets a message if the kernel refuses the BPF program for counters; NULL is allowed */
	bool late;	     /* starts fast: reads mappings of the kernel and of processes only when they are first needed, so a process that ends
				soon is unknown */
};

/*
 * -1 after fail(): not permitted, or this kernel or machine cannot; or it cannot count all of this at once. Then, too, sampler_close() closes
 * what is open.
 */
int sampler_open(struct sampler *sampler, const struct sampler_wanted *wanted);

/* Samples at the probes of the event of this number, which ftrace must not have. -1 after fail(). */
int sampler_see_throws(struct sampler *sampler, int clock, uint64_t event);

/*
 * Likewise for calls, at the probes of any number of events. sampler_forget_calls() ends that for an event; `number` counts the calls of
 * sampler_see_calls() from 0 on.
 */
int sampler_see_calls(struct sampler *sampler, int clock, uint64_t event);
void sampler_forget_calls(struct sampler *sampler, int number);

/*
 * Opens all of them again, because others have opened events at the same probes since: the samples come before those events again. -1 after
 * fail().
 */
int sampler_renew_calls(struct sampler *sampler, int clock);

int sampler_start(struct sampler *sampler);

/* Stops the records, so that the ring buffers can be read to their end. -1 after fail(). */
int sampler_stop(struct sampler *sampler);

/*
 * The number of records that did not fit into a ring buffer. Exact after sampler_stop(); until then, and before Linux 6.0 always, it lacks
 * those lost since the last record that did fit; so it does for counters that are read as a group (program/counting.h).
 */
uint64_t sampler_lost(const struct sampler *sampler);

/* The next record before `bound`. 1; 0: there is none yet. */
int sampler_next(struct sampler *sampler, int64_t bound, struct sampled_record *record);

/* A descriptor that becomes readable when the ring buffer of CPU number i (of sampler->count) is half full. */
int sampler_descriptor(const struct sampler *sampler, int i);
void sampler_close(struct sampler *sampler);

#endif
