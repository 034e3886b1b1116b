/*
 * assembly: a BPF program, written instruction by instruction.
 *
 *	struct assembly program = {.count = 0};
 *	assembly_call(&program, BPF_FUNC_get_current_pid_tgid);
 *	jump = assembly_put(&program, BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 0, 0);
 *	...
 *	assembly_land(&program, jump);
 *	assembly_leave(&program, 0);
 *
 * libbpf then loads program.code, which has program.count instructions. The caller puts at most ASSEMBLY_MAX: nothing checks that. Offsets are bytes.
 */
#ifndef BASE_ASSEMBLY_H
#define BASE_ASSEMBLY_H

#include <linux/bpf.h>
#include <stdint.h>

enum { ASSEMBLY_MAX = 160 };

/* R0: the result of a call; R1 to R5: its arguments; R6 to R9: a call does not change them; STACK: the end of 512 bytes of memory. */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, STACK };

struct assembly {
	struct bpf_insn code[ASSEMBLY_MAX];
	int count;
};

/* Appends any instruction. Returns its number, which assembly_land() takes if it is a jump. */
int assembly_put(struct assembly *assembly, uint8_t code, int to, int from, int offset, int32_t number);

/* Makes an earlier jump lead to the next instruction. */
void assembly_land(struct assembly *assembly, int jump);

void assembly_copy(struct assembly *assembly, int to, int from);
void assembly_set(struct assembly *assembly, int to, int32_t number);
void assembly_add(struct assembly *assembly, int to, int32_t number);

/* Load 64 bits from memory; store as many bits as `size` says (BPF_DW, BPF_W). */
void assembly_load(struct assembly *assembly, int to, int from, int offset);
void assembly_store(struct assembly *assembly, uint8_t size, int to, int offset, int from);

/* Loads the map with this descriptor, as an argument of a call. */
void assembly_load_map(struct assembly *assembly, int to, int fd);

void assembly_call(struct assembly *assembly, int32_t function);
void assembly_leave(struct assembly *assembly, int32_t result);

#endif
