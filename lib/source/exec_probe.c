#include "source/exec_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/assembly.h"
#include "base/fail.h"
#include "base/memory.h"

#define MOMENT "sched_process_exec"

/*
 * How many bytes of a command line are copied: most lines fit into SHORT; Java's have the class path before the class that runs. Between two
 * rounds of the collector the ring can hold the short lines of 1,000 programs.
 */
enum { SHORT = 464, LONG = 4048, RING = 1 << 19, COMM = 16 };

/* A record that the BPF program writes. */
struct record {
	uint64_t ts;
	uint64_t thread; /* process in the upper half, thread in the lower */
	uint64_t group;
	int32_t failure; /* of the copy; 0: none */
	uint32_t length; /* of the whole command line */
	char comm[COMM];
	char line[];
};

struct exec_probe {
	int ring_fd, program_fd, fd;
	struct ring_buffer *ring;
	exec_sink *sink; /* during exec_probe_take(), with its context */
	void *context;
};

/* --- the program ------------------------------------------------------------------------------------------------------ */

/* Copies `size` bytes from kernel memory, at this offset from what the register points at, onto the stack. */
static void read_kernel(struct assembly *assembly, int from, int32_t offset, int32_t size, int32_t place)
{
	assembly_copy(assembly, R1, STACK);
	assembly_add(assembly, R1, place);
	assembly_set(assembly, R2, size);
	assembly_copy(assembly, R3, from);
	assembly_add(assembly, R3, offset);
	assembly_call(assembly, BPF_FUNC_probe_read_kernel);
}

/* Writes a record with `room` bytes for the command line. R8 is the line's address, R7 the number of bytes to copy, R6 the line's length. */
static void write_record(struct assembly *assembly, int ring_fd, int32_t room)
{
	int full;

	assembly_load_map(assembly, R1, ring_fd);
	assembly_set(assembly, R2, (int32_t)sizeof(struct record) + room);
	assembly_set(assembly, R3, 0);
	assembly_call(assembly, BPF_FUNC_ringbuf_reserve);
	full = assembly_put(assembly, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0, 0);
	assembly_copy(assembly, R9, R0);
	assembly_call(assembly, BPF_FUNC_ktime_get_ns);
	assembly_store(assembly, BPF_DW, R9, offsetof(struct record, ts), R0);
	assembly_call(assembly, BPF_FUNC_get_current_pid_tgid);
	assembly_store(assembly, BPF_DW, R9, offsetof(struct record, thread), R0);
	assembly_call(assembly, BPF_FUNC_get_current_cgroup_id);
	assembly_store(assembly, BPF_DW, R9, offsetof(struct record, group), R0);
	assembly_store(assembly, BPF_W, R9, offsetof(struct record, length), R6);
	assembly_copy(assembly, R1, R9);
	assembly_add(assembly, R1, offsetof(struct record, comm));
	assembly_set(assembly, R2, COMM);
	assembly_call(assembly, BPF_FUNC_get_current_comm);
	assembly_copy(assembly, R1, R9);
	assembly_add(assembly, R1, offsetof(struct record, line));
	assembly_copy(assembly, R2, R7);
	assembly_copy(assembly, R3, R8);
	assembly_call(assembly, BPF_FUNC_probe_read_user);
	assembly_store(assembly, BPF_W, R9, offsetof(struct record, failure), R0);
	assembly_copy(assembly, R1, R9);
	assembly_set(assembly, R2, BPF_RB_NO_WAKEUP);
	assembly_call(assembly, BPF_FUNC_ringbuf_submit);
	assembly_land(assembly, full);
	assembly_leave(assembly, 0);
}

/* The offset of the memory in task_struct, and of the command line in that memory. */
struct offsets {
	int32_t memory, begin;
};

static void assemble(struct assembly *assembly, const struct offsets *offsets, int ring_fd)
{
	int large, most;

	assembly_call(assembly, BPF_FUNC_get_current_task);
	read_kernel(assembly, R0, offsets->memory, sizeof(uint64_t), -8);
	assembly_load(assembly, R6, STACK, -8);
	read_kernel(assembly, R6, offsets->begin, 2 * sizeof(uint64_t), -24); /* begin and end are neighbours */
	assembly_load(assembly, R8, STACK, -24);
	assembly_load(assembly, R7, STACK, -16);
	assembly_put(assembly, BPF_ALU64 | BPF_SUB | BPF_X, R7, R8, 0, 0);
	assembly_copy(assembly, R6, R7);
	large = assembly_put(assembly, BPF_JMP | BPF_JGT | BPF_K, R7, 0, 0, SHORT);
	write_record(assembly, ring_fd, SHORT);
	assembly_land(assembly, large);
	most = assembly_put(assembly, BPF_JMP | BPF_JLE | BPF_K, R7, 0, 0, LONG);
	assembly_set(assembly, R7, LONG);
	assembly_land(assembly, most);
	write_record(assembly, ring_fd, LONG);
}

/* The bit at which a member lies in a struct, or in a nameless struct inside it; -1: there is no such member. */
static int64_t find_member(const struct btf *types, int32_t number, const char *name)
{
	const struct btf_type *type = btf__type_by_id(types, (uint32_t)number);

	if (!type || !btf_is_composite(type))
		return -1;
	for (uint16_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];
		const char *called = btf__name_by_offset(types, member->name_off);
		int64_t inner;

		if (strcmp(called, name) == 0)
			return btf_member_bit_offset(type, i);
		inner = *called ? -1 : find_member(types, (int32_t)member->type, name);
		if (inner >= 0)
			return btf_member_bit_offset(type, i) + inner;
	}
	return -1;
}

/* The member's offset in bytes; -1 after fail(). */
static int32_t offset_of(const struct btf *types, const char *structure, const char *member)
{
	int32_t number = btf__find_by_name_kind(types, structure, BTF_KIND_STRUCT);
	int64_t bit = number < 0 ? -1 : find_member(types, number, member);

	return bit < 0 ? fail("the kernel's types have no member '%s' in struct '%s'", member, structure) : (int32_t)(bit / 8);
}

static int find_offsets(struct offsets *offsets)
{
	struct btf *types = btf__load_vmlinux_btf();
	int32_t end;

	if (!types)
		return fail_errno("cannot read the kernel's types");
	offsets->memory = offset_of(types, "task_struct", "mm");
	offsets->begin = offset_of(types, "mm_struct", "arg_start");
	end = offset_of(types, "mm_struct", "arg_end");
	btf__free(types);
	if (offsets->memory < 0 || offsets->begin < 0 || end < 0)
		return -1;
	if (end != offsets->begin + (int32_t)sizeof(uint64_t))
		return fail("in this kernel's struct 'mm_struct', 'arg_end' does not follow 'arg_start'");
	return 0;
}

/* --- in the kernel ---------------------------------------------------------------------------------------------------- */

static int pass_on(void *context, void *data, size_t length)
{
	struct exec_probe *probe = context;
	const struct record *record = data;
	size_t room = length - sizeof(*record);
	bool whole = record->length <= room;

	probe->sink(probe->context, &(struct exec_seen){
		.ts = (int64_t)record->ts,
		.pid = (int32_t)(record->thread >> 32),
		.group = record->group,
		.comm = record->comm,
		.line = record->line,
		.length = record->failure ? 0 : whole ? record->length : room,
		.whole = whole,
	});
	return 0;
}

static int open_all(struct exec_probe *probe, const struct offsets *offsets)
{
	struct assembly assembly = {.count = 0};

	probe->ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, RING, NULL);
	probe->ring = probe->ring_fd < 0 ? NULL : ring_buffer__new(probe->ring_fd, pass_on, probe, NULL);
	if (!probe->ring)
		return -1;
	assemble(&assembly, offsets, probe->ring_fd);
	probe->program_fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", assembly.code, (size_t)assembly.count, NULL);
	probe->fd = probe->program_fd < 0 ? -1 : bpf_raw_tracepoint_open(MOMENT, probe->program_fd);
	return probe->fd < 0 ? -1 : 0;
}

struct exec_probe *exec_probe_open(void)
{
	struct exec_probe *probe;
	struct offsets offsets;

	libbpf_set_print(NULL);
	if (find_offsets(&offsets) < 0)
		return NULL;
	probe = NEW(struct exec_probe);
	*probe = (struct exec_probe){.ring_fd = -1, .program_fd = -1, .fd = -1};
	if (open_all(probe, &offsets) == 0)
		return probe;
	fail_errno("cannot see the command lines of programs that begin");
	exec_probe_close(probe);
	return NULL;
}

void exec_probe_close(struct exec_probe *probe)
{
	if (!probe)
		return;
	ring_buffer__free(probe->ring);
	for (int fds[] = {probe->fd, probe->program_fd, probe->ring_fd}, i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(probe);
}

void exec_probe_take(struct exec_probe *probe, exec_sink *sink, void *context)
{
	probe->sink = sink;
	probe->context = context;
	ring_buffer__consume(probe->ring);
}
