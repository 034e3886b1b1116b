#include "base/assembly.h"

int assembly_put(struct assembly *assembly, uint8_t code, int to, int from, int offset, int32_t number)
{
	assembly->code[assembly->count] = (struct bpf_insn){
		.code = code, .dst_reg = (uint8_t)(to & 15), .src_reg = (uint8_t)(from & 15), .off = (int16_t)offset, .imm = number};
	return assembly->count++;
}

void assembly_land(struct assembly *assembly, int jump)
{
	assembly->code[jump].off = (int16_t)(assembly->count - jump - 1);
}

void assembly_copy(struct assembly *assembly, int to, int from)
{
	assembly_put(assembly, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void assembly_set(struct assembly *assembly, int to, int32_t number)
{
	assembly_put(assembly, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}

void assembly_add(struct assembly *assembly, int to, int32_t number)
{
	assembly_put(assembly, BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, number);
}

void assembly_load(struct assembly *assembly, int to, int from, int offset)
{
	assembly_put(assembly, BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0);
}

void assembly_store(struct assembly *assembly, uint8_t size, int to, int offset, int from)
{
	assembly_put(assembly, BPF_STX | BPF_MEM | size, to, from, offset, 0);
}

void assembly_load_map(struct assembly *assembly, int to, int fd)
{
	assembly_put(assembly, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, fd);
	assembly_put(assembly, 0, 0, 0, 0, 0);
}

void assembly_call(struct assembly *assembly, int32_t function)
{
	assembly_put(assembly, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

void assembly_leave(struct assembly *assembly, int32_t result)
{
	assembly_set(assembly, R0, result);
	assembly_put(assembly, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}
