#include "program/comparison.h"

#include <stdlib.h>

#include <capstone/capstone.h>

#include "base/memory.h"
#include "program/exits.h"

enum { BLOCK_MOST = 4096 /* instructions */ };

struct block {
	csh capstone;
	ARRAY(cs_insn *) insns;
};

static const struct {
	x86_reg parts[5]; /* of 8, 4, 2, 1 bytes, and the second byte */
} registers[COMPARISON_REGISTERS] = {
	{{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}},
	{{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}},
	{{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}},
	{{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}},
	{{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL}},
	{{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL}},
	{{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL}},
	{{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL}},
	{{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B}},
	{{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}},
	{{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B}},
	{{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B}},
	{{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B}},
	{{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B}},
	{{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B}},
	{{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}},
};

static int8_t number_of(x86_reg reg)
{
	for (int8_t i = 0; i < COMPARISON_REGISTERS && reg != X86_REG_INVALID; i++)
		for (size_t part = 0; part < sizeof(registers[i].parts) / sizeof(registers[i].parts[0]); part++)
			if (registers[i].parts[part] == reg)
				return i;
	return COMPARISON_NO_REGISTER;
}

static bool changes(const struct block *block, const cs_insn *insn, int8_t number)
{
	cs_regs read, written;
	uint8_t reads, writes;

	if (cs_regs_access(block->capstone, insn, read, &reads, written, &writes) != CS_ERR_OK)
		return true;
	for (uint8_t i = 0; i < writes; i++)
		if (number_of(written[i]) == number)
			return true;
	return false;
}

/* Tells whether any instruction in [from, to) changes the register. */
static bool is_changed(const struct block *block, size_t from, size_t to, int8_t number)
{
	for (size_t i = from; i < to; i++)
		if (changes(block, block->insns.items[i], number))
			return true;
	return false;
}

/* When the registers have the values that the instruction at `place` read. */
static enum comparison_when when_known(const struct block *block, size_t place, const struct compared_operand *comparison)
{
	const int8_t used[] = {comparison->base, comparison->index};
	bool before = false, since = false;

	for (size_t i = 0; i < sizeof(used); i++) {
		if (used[i] == COMPARISON_NO_REGISTER)
			continue;
		before |= is_changed(block, 0, place, used[i]);
		since |= is_changed(block, place, block->insns.count, used[i]);
	}
	return !since ? COMPARISON_AT_END : !before ? COMPARISON_AT_START : COMPARISON_LOST;
}

static const struct compared_operand unknown = {.what = COMPARISON_UNKNOWN, .base = COMPARISON_NO_REGISTER, .index = COMPARISON_NO_REGISTER};

static struct compared_operand in_memory(const struct block *block, size_t place, const cs_x86_op *operand)
{
	const cs_insn *insn = block->insns.items[place], *branch = block->insns.items[block->insns.count - 1];
	struct compared_operand found = unknown;

	found.what = COMPARISON_MEMORY;
	found.size = operand->size;
	found.displacement = operand->mem.disp;
	if (operand->mem.base == X86_REG_RIP) {
		found.relative = true;
		found.displacement += (int64_t)(insn->address + insn->size - branch->address);
		return found;
	}
	found.base = number_of(operand->mem.base);
	found.index = number_of(operand->mem.index);
	found.scale = (uint8_t)operand->mem.scale;
	found.when = (uint8_t)when_known(block, place, &found);
	if (operand->mem.segment == X86_REG_FS || operand->mem.segment == X86_REG_GS || /* no logged register holds the bases of these segments */
	    (found.base == COMPARISON_NO_REGISTER && operand->mem.base != X86_REG_INVALID))
		found.when = COMPARISON_LOST;
	return found;
}

static const cs_x86_op *memory_operand(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && insn->id != X86_INS_LEA && insn->id != X86_INS_NOP)
			return &x86->operands[i];
	return NULL;
}

static bool copies(unsigned id)
{
	return id == X86_INS_MOV || id == X86_INS_MOVZX || id == X86_INS_MOVSX || id == X86_INS_MOVSXD || id == X86_INS_MOVABS;
}

/* Instructions whose result depends on their first operand only, if the second operand is a number. */
static bool alters(const cs_insn *insn)
{
	static const unsigned ids[] = {X86_INS_AND, X86_INS_OR, X86_INS_XOR, X86_INS_ADD, X86_INS_SUB, X86_INS_SHL, X86_INS_SHR, X86_INS_SAR};
	const cs_x86 *x86 = &insn->detail->x86;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (insn->id == ids[i])
			return x86->op_count == 2 && x86->operands[1].type == X86_OP_IMM;
	return insn->id == X86_INS_INC || insn->id == X86_INS_DEC || insn->id == X86_INS_NOT || insn->id == X86_INS_NEG;
}

/* Where the value that a register has before the instruction at `place` came from. */
static struct compared_operand trace(const struct block *block, size_t place, int8_t number)
{
	struct compared_operand found = unknown;

	while (place-- > 0) {
		const cs_insn *insn = block->insns.items[place];
		const cs_x86 *x86 = &insn->detail->x86;
		const cs_x86_op *memory = memory_operand(insn);

		if (!changes(block, insn, number) || alters(insn))
			continue;
		if (!copies(insn->id) || x86->op_count != 2)
			return unknown;
		if (memory)
			return in_memory(block, place, memory);
		number = x86->operands[1].type == X86_OP_REG ? number_of(x86->operands[1].reg) : COMPARISON_NO_REGISTER;
		if (number == COMPARISON_NO_REGISTER)
			return unknown;
	}
	found.what = COMPARISON_REGISTER;
	found.base = number;
	return found;
}

/* The index of the instruction that set the flags which the branch tests. SIZE_MAX: none in the block did. */
static size_t find_flags(const struct block *block)
{
	cs_regs read, written;
	uint8_t reads, writes;

	for (size_t i = block->insns.count - 1; i-- > 0;) {
		if (cs_regs_access(block->capstone, block->insns.items[i], read, &reads, written, &writes) != CS_ERR_OK)
			return SIZE_MAX;
		for (uint8_t j = 0; j < writes; j++)
			if (written[j] == X86_REG_EFLAGS)
				return i;
	}
	return SIZE_MAX;
}

/* The first operand that lies in memory, or else the first that is known. */
static struct compared_operand of_operands(const struct block *block, size_t place)
{
	const cs_insn *insn = block->insns.items[place];
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *memory = memory_operand(insn);
	struct compared_operand first = unknown;

	if (memory)
		return in_memory(block, place, memory);
	for (uint8_t i = 0; i < x86->op_count; i++) {
		int8_t number = x86->operands[i].type == X86_OP_REG ? number_of(x86->operands[i].reg) : COMPARISON_NO_REGISTER;
		struct compared_operand found = number == COMPARISON_NO_REGISTER ? unknown : trace(block, place, number);

		if (found.what == COMPARISON_MEMORY)
			return found;
		if (first.what == COMPARISON_UNKNOWN)
			first = found;
	}
	return first;
}

static bool has_condition(const struct block *block, const cs_insn *insn)
{
	return cs_insn_group(block->capstone, insn, X86_GRP_JUMP) && insn->id != X86_INS_JMP && insn->id != X86_INS_LJMP;
}

static struct compared_operand judge(const struct block *block)
{
	size_t flags = find_flags(block);

	if (flags == SIZE_MAX || !has_condition(block, block->insns.items[block->insns.count - 1]))
		return unknown;
	return of_operands(block, flags);
}

/* Takes the instructions up to the branch; false: no instruction begins at the branch's address. */
static bool take_block(struct block *block, cs_insn *insns, size_t count, uint64_t branch)
{
	for (size_t i = 0; i < count && insns[i].address <= branch; i++)
		*ARRAY_ADD(&block->insns) = &insns[i];
	return block->insns.count && block->insns.items[block->insns.count - 1]->address == branch;
}

struct compared_operand comparison_find(const uint8_t *bytes, size_t size, uint64_t address, uint64_t branch)
{
	struct block block = {.capstone = exits_decoder()};
	struct compared_operand found = unknown;
	cs_insn *insns;
	size_t count = block.capstone ? cs_disasm(block.capstone, bytes, size, address, BLOCK_MOST, &insns) : 0;

	if (!count)
		return unknown;
	if (take_block(&block, insns, count, branch))
		found = judge(&block);
	cs_free(insns, count);
	ARRAY_FREE(&block.insns);
	return found;
}

bool comparison_is_sane(const struct compared_operand *comparison)
{
	return comparison->what <= COMPARISON_MEMORY && comparison->when <= COMPARISON_LOST && comparison->base >= COMPARISON_NO_REGISTER &&
	       comparison->base < COMPARISON_REGISTERS && comparison->index >= COMPARISON_NO_REGISTER &&
	       comparison->index < COMPARISON_REGISTERS && comparison->size <= 64 && comparison->scale <= 8;
}
