#include "program/counter_program.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/assembly.h"
#include "base/memory.h"
#include "program/counters.h"

#define MOMENT "sched_switch"

enum { ERRORS = 4095 }; /* in place of a value, a counter's reader returns one of -1 to this */

struct counter_program {
	size_t counters;
	int read_from[COUNTERS_MAX]; /* maps: the events of a counter, by CPU */
	int write_to;		     /* a map: events by CPU */
	int last;		     /* a map: of each CPU the values read last; the first are 0 */
	int at_switch, at_tick;	     /* programs; -1: there are no ticks */
	int link;
};

static int place(const struct counter_program *program, size_t i)
{
	return (int)(i - program->counters) * (int)sizeof(uint64_t);
}

/* The map's events of the CPU that runs this. */
static void give_events(struct assembly *code, int map_to, int map, int index_to)
{
	assembly_load_map(code, map_to, map);
	assembly_put(code, BPF_ALU | BPF_MOV | BPF_K, index_to, 0, 0, (int32_t)BPF_F_CURRENT_CPU);
}

/* Of the values read last, R7 points at the first; R8 becomes other than 0 if anything was counted. Returns the jump where it cannot be read. */
static int read_counter(const struct counter_program *program, struct assembly *code, size_t i)
{
	int offset = (int)(i * sizeof(uint64_t)), failed;

	give_events(code, R1, program->read_from[i], R2);
	assembly_call(code, BPF_FUNC_perf_event_read);
	failed = assembly_put(code, BPF_JMP | BPF_JGE | BPF_K, R0, 0, 0, -ERRORS);
	assembly_load(code, R1, R7, offset);
	assembly_store(code, BPF_DW, R7, offset, R0);
	assembly_put(code, BPF_ALU64 | BPF_SUB | BPF_X, R0, R1, 0, 0);
	assembly_store(code, BPF_DW, STACK, place(program, i), R0);
	assembly_put(code, BPF_ALU64 | BPF_OR | BPF_X, R8, R0, 0, 0);
	return failed;
}

static void write_sample(const struct counter_program *program, struct assembly *code)
{
	assembly_copy(code, R1, R6);
	give_events(code, R2, program->write_to, R3);
	assembly_copy(code, R4, STACK);
	assembly_add(code, R4, place(program, 0));
	assembly_set(code, R5, (int32_t)(program->counters * sizeof(uint64_t)));
	assembly_call(code, BPF_FUNC_perf_event_output);
}

/* R7: the values read last. */
static int find_last(const struct counter_program *program, struct assembly *code)
{
	int key = place(program, 0) - (int)sizeof(uint64_t);

	assembly_put(code, BPF_ST | BPF_MEM | BPF_W, STACK, 0, key, 0);
	assembly_load_map(code, R1, program->last);
	assembly_copy(code, R2, STACK);
	assembly_add(code, R2, key);
	assembly_call(code, BPF_FUNC_map_lookup_elem);
	assembly_copy(code, R7, R0);
	return assembly_put(code, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0, 0);
}

static void assemble(const struct counter_program *program, struct assembly *code)
{
	int unread[1 + COUNTERS_MAX], nothing, idle;

	assembly_copy(code, R6, R1);
	unread[program->counters] = find_last(program, code);
	assembly_set(code, R8, 0);
	for (size_t i = 0; i < program->counters; i++)
		unread[i] = read_counter(program, code, i);
	nothing = assembly_put(code, BPF_JMP | BPF_JEQ | BPF_K, R8, 0, 0, 0);
	assembly_call(code, BPF_FUNC_get_current_pid_tgid);
	idle = assembly_put(code, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0, 0);
	write_sample(program, code);
	for (size_t i = 0; i <= program->counters; i++)
		assembly_land(code, unread[i]);
	assembly_land(code, nothing);
	assembly_land(code, idle);
	assembly_leave(code, 0);
}

static int load(const struct counter_program *program, enum bpf_prog_type type)
{
	struct assembly code = {.count = 0};

	assemble(program, &code);
	return bpf_prog_load(type, NULL, "GPL", code.code, (size_t)code.count, NULL);
}

static int open_all(struct counter_program *program, bool ticks)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);

	for (size_t i = 0; i < program->counters; i++)
		if ((program->read_from[i] = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, NULL, sizeof(uint32_t), sizeof(uint32_t), cpus, NULL)) < 0)
			return -1;
	program->write_to = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, NULL, sizeof(uint32_t), sizeof(uint32_t), cpus, NULL);
	program->last = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, NULL, sizeof(uint32_t), (uint32_t)(program->counters * sizeof(uint64_t)), 1, NULL);
	if (program->write_to < 0 || program->last < 0)
		return -1;
	if (ticks && (program->at_tick = load(program, BPF_PROG_TYPE_PERF_EVENT)) < 0)
		return -1;
	program->at_switch = load(program, BPF_PROG_TYPE_RAW_TRACEPOINT);
	return program->at_switch < 0 ? -1 : 0;
}

struct counter_program *counter_program_open(size_t counters, bool ticks)
{
	struct counter_program *program = NEW(struct counter_program);
	int error;

	*program = (struct counter_program){.counters = counters, .write_to = -1, .last = -1, .at_switch = -1, .at_tick = -1, .link = -1};
	for (size_t i = 0; i < counters; i++)
		program->read_from[i] = -1;
	libbpf_set_print(NULL);
	if (open_all(program, ticks) == 0)
		return program;
	error = errno;
	counter_program_close(program);
	errno = error;
	return NULL;
}

void counter_program_close(struct counter_program *program)
{
	if (!program)
		return;
	for (int fds[] = {program->link, program->at_switch, program->at_tick, program->last, program->write_to}, i = 0; i < 5; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (size_t i = 0; i < program->counters; i++)
		if (program->read_from[i] >= 0)
			close(program->read_from[i]);
	free(program);
}

int counter_program_reads(const struct counter_program *program, uint32_t cpu, size_t i, int fd)
{
	return bpf_map_update_elem(program->read_from[i], &cpu, &fd, BPF_ANY) < 0 ? -1 : 0;
}

int counter_program_writes(const struct counter_program *program, uint32_t cpu, int fd)
{
	return bpf_map_update_elem(program->write_to, &cpu, &fd, BPF_ANY) < 0 ? -1 : 0;
}

int counter_program_begin(struct counter_program *program)
{
	program->link = bpf_raw_tracepoint_open(MOMENT, program->at_switch);
	return program->link < 0 ? -1 : 0;
}

int counter_program_ticks(const struct counter_program *program, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program->at_tick);
}
