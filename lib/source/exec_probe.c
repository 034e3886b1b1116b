#include "source/exec_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/fail.h"
#include "base/memory.h"

#define MOMENT "sched_process_exec"

/*
 * The bytes of a command line that are copied: most lines fit into SHORT; Java's have the class path before the class that runs. The ring holds
 * the short ones of 1,000 programs between two rounds of the collector.
 */
enum { SHORT = 464, LONG = 4048, RING = 1 << 19, COMM = 16 };

/* A record that the program writes. */
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

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, STACK };

struct assembly {
	struct bpf_insn code[96];
	int count;
};

static int put(struct assembly *assembly, uint8_t code, int to, int from, int offset, int32_t number)
{
	assembly->code[assembly->count] = (struct bpf_insn){
		.code = code, .dst_reg = (uint8_t)(to & 15), .src_reg = (uint8_t)(from & 15), .off = (int16_t)offset, .imm = number};
	return assembly->count++;
}

static void copy(struct assembly *assembly, int to, int from)
{
	put(assembly, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static void set(struct assembly *assembly, int to, int32_t number)
{
	put(assembly, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}

static void add(struct assembly *assembly, int to, int32_t number)
{
	put(assembly, BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, number);
}

static void load(struct assembly *assembly, int to, int from, int offset)
{
	put(assembly, BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0);
}

static void store(struct assembly *assembly, uint8_t size, int to, int offset, int from)
{
	put(assembly, BPF_STX | BPF_MEM | size, to, from, offset, 0);
}

static void call(struct assembly *assembly, int32_t function)
{
	put(assembly, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

static void leave(struct assembly *assembly)
{
	set(assembly, R0, 0);
	put(assembly, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Where a jump goes to that was put before: here. */
static void land(struct assembly *assembly, int jump)
{
	assembly->code[jump].off = (int16_t)(assembly->count - jump - 1);
}

/* Copies `size` bytes from kernel memory, at this offset from what the register points at, onto the stack. */
static void read_kernel(struct assembly *assembly, int from, int32_t offset, int32_t size, int32_t place)
{
	copy(assembly, R1, STACK);
	add(assembly, R1, place);
	set(assembly, R2, size);
	copy(assembly, R3, from);
	add(assembly, R3, offset);
	call(assembly, BPF_FUNC_probe_read_kernel);
}

static void load_ring(struct assembly *assembly, int to, int ring_fd)
{
	put(assembly, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, ring_fd);
	put(assembly, 0, 0, 0, 0, 0);
}

/* A record with room for so much; R8 is where the command line lies, R7 how much of it to copy, R6 its length. */
static void write_record(struct assembly *assembly, int ring_fd, int32_t room)
{
	int full;

	load_ring(assembly, R1, ring_fd);
	set(assembly, R2, (int32_t)sizeof(struct record) + room);
	set(assembly, R3, 0);
	call(assembly, BPF_FUNC_ringbuf_reserve);
	full = put(assembly, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0, 0);
	copy(assembly, R9, R0);
	call(assembly, BPF_FUNC_ktime_get_ns);
	store(assembly, BPF_DW, R9, offsetof(struct record, ts), R0);
	call(assembly, BPF_FUNC_get_current_pid_tgid);
	store(assembly, BPF_DW, R9, offsetof(struct record, thread), R0);
	call(assembly, BPF_FUNC_get_current_cgroup_id);
	store(assembly, BPF_DW, R9, offsetof(struct record, group), R0);
	store(assembly, BPF_W, R9, offsetof(struct record, length), R6);
	copy(assembly, R1, R9);
	add(assembly, R1, offsetof(struct record, comm));
	set(assembly, R2, COMM);
	call(assembly, BPF_FUNC_get_current_comm);
	copy(assembly, R1, R9);
	add(assembly, R1, offsetof(struct record, line));
	copy(assembly, R2, R7);
	copy(assembly, R3, R8);
	call(assembly, BPF_FUNC_probe_read_user);
	store(assembly, BPF_W, R9, offsetof(struct record, failure), R0);
	copy(assembly, R1, R9);
	set(assembly, R2, BPF_RB_NO_WAKEUP);
	call(assembly, BPF_FUNC_ringbuf_submit);
	land(assembly, full);
	leave(assembly);
}

/* The offset of the memory in task_struct, and of the command line in that memory. */
struct offsets {
	int32_t memory, begin;
};

static void assemble(struct assembly *assembly, const struct offsets *offsets, int ring_fd)
{
	int large, most;

	call(assembly, BPF_FUNC_get_current_task);
	read_kernel(assembly, R0, offsets->memory, sizeof(uint64_t), -8);
	load(assembly, R6, STACK, -8);
	read_kernel(assembly, R6, offsets->begin, 2 * sizeof(uint64_t), -24); /* its end lies behind it */
	load(assembly, R8, STACK, -24);
	load(assembly, R7, STACK, -16);
	put(assembly, BPF_ALU64 | BPF_SUB | BPF_X, R7, R8, 0, 0);
	copy(assembly, R6, R7);
	large = put(assembly, BPF_JMP | BPF_JGT | BPF_K, R7, 0, 0, SHORT);
	write_record(assembly, ring_fd, SHORT);
	land(assembly, large);
	most = put(assembly, BPF_JMP | BPF_JLE | BPF_K, R7, 0, 0, LONG);
	set(assembly, R7, LONG);
	land(assembly, most);
	write_record(assembly, ring_fd, LONG);
}

/* The bit at which a member lies in a struct, or in one without a name inside it; -1: there is no such member. */
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

/* In bytes; -1 after fail(). */
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
