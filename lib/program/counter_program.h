/*
 * counter_program: reads the counters of a CPU whenever a thread leaves it, in the kernel (BPF), and writes a sample only if something was
 * counted. Most threads that leave a CPU counted nothing, and reading a counter is cheaper than writing a sample.
 *
 *	program = counter_program_open(counters, ticks)
 *	counter_program_reads(program, cpu, i, fd)	each counter of each CPU
 *	counter_program_writes(program, cpu, fd)	where the samples of this CPU go
 *	counter_program_ticks(program, fd)		perhaps
 *	counter_program_begin(program)			then the counters are enabled
 *	counter_program_close(program)
 *
 * It begins while the counters are still 0, so that its first sample of a CPU is right, too. A sample's PERF_SAMPLE_RAW has 64 bits for each
 * counter: what was counted while the thread had the CPU, since it came or since its last sample. The idle task has no samples.
 * Only for counters that the kernel always counts: software events and tracepoints.
 */
#ifndef PROGRAM_COUNTER_PROGRAM_H
#define PROGRAM_COUNTER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counter_program;

/* For so many counters, at most COUNTERS_MAX; with ticks or without. NULL with errno: not permitted, or not possible with this kernel. */
struct counter_program *counter_program_open(size_t counters, bool ticks);
void counter_program_close(struct counter_program *program); /* NULL is allowed */

/* Counter number i of a CPU, still disabled. -1 with errno, as the next two. */
int counter_program_reads(const struct counter_program *program, uint32_t cpu, size_t i, int fd);

/* An event PERF_COUNT_SW_BPF_OUTPUT of the CPU. While it is disabled, nothing is written. */
int counter_program_writes(const struct counter_program *program, uint32_t cpu, int fd);

/* Whenever this event overflows, the program does the same as at a switch. The event itself writes no samples. */
int counter_program_ticks(const struct counter_program *program, int fd);

/* From here on it sees each switch. Events at switches that others asked for before come first. -1 with errno. */
int counter_program_begin(struct counter_program *program);

#endif
