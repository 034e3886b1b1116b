/*
 * sampler: samples from which stacks are made (perf_event_open(2)): where a thread goes to sleep, where it wakes another, where it throws,
 * and where it calls a function; samples of threads that run, at a chosen rate; and the life of address spaces.
 *
 * ftrace has stacks of its own, but walks those of programs by their frame pointers. Debian's libraries have none, so it
 * would miss the very function that waits. A sample holds the registers and the top of the stack instead, from which
 * program/unwind.h walks up by the programs' own tables.
 *
 *	sampler_open(s, &wanted)	before ftrace's own events are enabled: then a sample comes before its event
 *	sampler_see_throws(s, event), sampler_see_calls(s, event)	perhaps; behind them, for the kernel calls the last that asks for a probe first
 *	sampler_start(s)
 *	while (sampler_next(s, bound, &record) > 0) ...
 *	sampler_close(s)
 *
 * Records come in the order of time, over all CPUs. Each CPU has one ring; what does not fit is counted.
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

/* Registers by their DWARF numbers; the last one is the return address, that is the instruction pointer. */
enum { SAMPLE_REGISTERS = 17, SAMPLE_BUILD_ID = 20 /* as CODE_BUILD_ID */, SAMPLE_STACK = 1024, SAMPLE_THROW_STACK = 8192, SAMPLE_KERNEL = 16 };

/* A record as its handler sees it; all pointers are valid until the next call. LOST: before it some of this CPU did not fit into its ring. */
struct sampled_record {
	enum sampled kind;
	int64_t ts;
	uint32_t cpu;
	int32_t process, thread;

	/* SLEEP, WAKE, RUN, THROW, CALL (of these two, and of FLAG, none): kernel frames, innermost first; registers where the thread is a program's (else user is false) */
	int32_t woken; /* WAKE: the thread that is woken */
	const uint64_t *kernel;
	size_t kernel_count;
	bool user;
	uint64_t registers[SAMPLE_REGISTERS];
	const unsigned char *stack; /* from the stack pointer on */
	size_t stack_size;

	/* COUNT: what was counted while the thread had the CPU, since it came or since the last such record; in the order of the counters */
	uint64_t counts[COUNTERS_MAX];

	/* FLAG: by its number, with the program's registers; off: it was hit so often that it is watched no longer, from here on */
	int flag;
	bool writes, off;

	/* MAP: an executable part of a file */
	uint64_t start, length, offset;
	uint64_t inode; /* 0: not told */
	dev_t device;	/* where the inode is known */
	unsigned char build_id[SAMPLE_BUILD_ID];
	size_t build_id_size; /* 0: not told */
	const char *path;

	/* FORK: `process` is the child's, this the parent's */
	int32_t parent;
};

struct sampler {
	struct sampler_ring *rings;
	int count;
	/* private */
	uint16_t woken_at; /* offset of the woken thread in the event */
	struct flags *flags; /* NULL: none are watched */
	struct counting counting;
	unsigned char *copy; /* of a record that lies around the end of a ring */
};

struct sampler_wanted {
	int clock;   /* as for clock_gettime(2) */
	bool waits;  /* where threads go to sleep, and wake others */
	uint32_t hz; /* samples a second and CPU of threads that run; 0: none */
	const struct counters *counters; /* must stay while it is opened */
	struct flags *flags; /* to watch; NULL: none; must outlive the sampler */
	void (*say)(const char *format, ...); /* gets a message if the kernel refuses the BPF program for counters; NULL is allowed */
	bool late;	     /* begins soon: asks for mappings of the kernel and of processes only when they first matter, so a process that ends soon is unknown */
};

/* -1 after fail(): not permitted, or this kernel or machine cannot; or it cannot count all of this at once. */
int sampler_open(struct sampler *sampler, const struct sampler_wanted *wanted);

/* Samples at the probes of the event of this number, which ftrace must not have. -1 after fail(). */
int sampler_see_throws(struct sampler *sampler, int clock, uint64_t event);

/* Likewise of calls, at the probes of any number of events, until one is forgotten, by its number from 0 on. */
int sampler_see_calls(struct sampler *sampler, int clock, uint64_t event);
void sampler_forget_calls(struct sampler *sampler, int number);

/* Asks for all of them anew, because others have asked for probes at these places since: once more the samples come first. -1 after fail(). */
int sampler_renew_calls(struct sampler *sampler, int clock);

int sampler_start(struct sampler *sampler);

/* No more records come, so that the rings can be read to their end. -1 after fail(). */
int sampler_stop(struct sampler *sampler);

/*
 * Records that did not fit into a ring. Exact after sampler_stop(); until then, and to the end before Linux 6.0, what was
 * lost since the last record that did fit is missing; so it is of counters that are read as a group (program/counting.h).
 */
uint64_t sampler_lost(const struct sampler *sampler);

/* The next record before `bound`. 1; 0: there is none yet. */
int sampler_next(struct sampler *sampler, int64_t bound, struct sampled_record *record);

/* A descriptor that becomes readable when the ring of CPU number i (of sampler->count) is half full. */
int sampler_descriptor(const struct sampler *sampler, int i);
void sampler_close(struct sampler *sampler);

#endif
