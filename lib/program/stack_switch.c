#include "program/stack_switch.h"

#include <stdio.h>

#include <capstone/capstone.h>

/* Tells whether the first operand is this register. */
static bool is_of(const cs_x86 *x86, x86_reg reg)
{
	return x86->op_count > 0 && x86->operands[0].type == X86_OP_REG && x86->operands[0].reg == reg;
}

/* --- switches ----------------------------------------------------------------------------------------------------------- */

/* The name of a register in the syntax of uprobes: "cx" for rcx, "r8" for r8. */
static const char *register_name(csh capstone, x86_reg reg)
{
	const char *name = reg == X86_REG_INVALID ? NULL : cs_reg_name(capstone, reg);

	return !name || name[0] != 'r' ? NULL : name[1] >= '0' && name[1] <= '9' ? name : name + 1;
}

static bool spell_switch(csh capstone, const cs_insn *insn, struct stack_switch *found)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *from = &x86->operands[1];
	const char *name;

	if (insn->id != X86_INS_MOV || x86->op_count != 2 || !is_of(x86, X86_REG_RSP))
		return false;
	if (from->type == X86_OP_REG && from->reg != X86_REG_RBP && (name = register_name(capstone, from->reg)))
		snprintf(found->to, sizeof(found->to), "%%%s", name);
	else if (from->type == X86_OP_MEM && from->mem.index == X86_REG_INVALID && from->mem.base != X86_REG_RBP &&
		 from->mem.base != X86_REG_RIP && (name = register_name(capstone, from->mem.base)))
		snprintf(found->to, sizeof(found->to), "%+lld(%%%s)", (long long)from->mem.disp, name);
	else
		return false;
	found->address = insn->address;
	return true;
}

enum { CALLEES = 16, CALLEE_ROOM = 512 }; /* functions called directly; how many bytes of each to read, as its size is not known */

struct callees {
	uint64_t items[CALLEES];
	size_t count;
};

static size_t find_switches(csh capstone, const struct stretch *code, size_t codes, uint64_t entry, uint64_t size, struct callees *callees,
			    struct stack_switch *found, size_t count)
{
	uint64_t left, address = entry, end;
	const uint8_t *bytes = exits_code(code, codes, entry, &left);
	cs_insn *insn = cs_malloc(capstone);
	size_t room = (size_t)left;

	end = entry + (size < left ? size : left);
	while (bytes && address < end && count < STACK_SWITCHES) {
		const cs_x86 *x86 = &insn->detail->x86;

		if (!cs_disasm_iter(capstone, &bytes, &room, &address, insn)) { /* such as incsspq, an instruction for shadow stacks */
			bytes++, room--, address++;
			continue;
		}
		if (spell_switch(capstone, insn, &found[count]))
			count++;
		if (callees && insn->id == X86_INS_CALL && x86->operands[0].type == X86_OP_IMM && callees->count < CALLEES)
			callees->items[callees->count++] = (uint64_t)x86->operands[0].imm;
		if (!callees && (cs_insn_group(capstone, insn, X86_GRP_RET) || insn->id == X86_INS_JMP))
			break;
	}
	cs_free(insn, 1);
	return count;
}

size_t stack_switches(const struct stretch *code, size_t codes, uint64_t entry, uint64_t size, struct stack_switch found[STACK_SWITCHES])
{
	struct callees callees = {0};
	csh capstone = exits_decoder();
	size_t count = 0;

	if (!capstone)
		return 0;
	count = find_switches(capstone, code, codes, entry, size, &callees, found, count);
	for (size_t i = 0; count == 0 && i < callees.count; i++)
		count = find_switches(capstone, code, codes, callees.items[i], CALLEE_ROOM, NULL, found, count);
	return count;
}

/* --- changes of the stack ----------------------------------------------------------------------------------------------- */

/* Registers that hold addresses of the function's own stack. */
struct own {
	bool regs[X86_REG_ENDING];
};

static bool is_own(const struct own *own, const cs_x86_op *from)
{
	x86_reg base = from->type == X86_OP_REG ? from->reg : from->type == X86_OP_MEM ? from->mem.base : X86_REG_INVALID;

	return base == X86_REG_RSP || base == X86_REG_RBP || own->regs[base];
}

/*
 * Notes which registers get addresses of the function's own stack, also by way of memory on it. Returns whether the stack pointer is set to
 * another address.
 */
static bool changes_stack(struct own *own, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool moves = insn->id == X86_INS_MOV || insn->id == X86_INS_LEA || insn->id == X86_INS_XCHG;

	if (!moves || x86->op_count != 2 || x86->operands[0].type != X86_OP_REG)
		return insn->id == X86_INS_POP && is_of(x86, X86_REG_RSP);
	if (x86->operands[0].reg == X86_REG_RSP)
		return !is_own(own, &x86->operands[1]);
	if (insn->id == X86_INS_XCHG && x86->operands[1].type == X86_OP_REG && x86->operands[1].reg == X86_REG_RSP)
		return true;
	own->regs[x86->operands[0].reg] |= is_own(own, &x86->operands[1]);
	return false;
}

/* Decodes from the first byte to the last, and skips what is no instruction. */
static bool read_changes(const uint8_t *bytes, size_t size, struct own *own)
{
	csh capstone = exits_decoder();
	cs_insn *insn = cs_malloc(capstone);
	uint64_t address = 0;
	bool found = false;

	while (size > 0)
		if (cs_disasm_iter(capstone, &bytes, &size, &address, insn))
			found |= changes_stack(own, insn);
		else
			bytes++, size--;
	cs_free(insn, 1);
	return found;
}

/* Reads the code twice: a loop may restore the stack pointer at a lower address than it saves it. */
bool stack_changes(const struct stretch *code, size_t codes, const struct exits_range *function)
{
	uint64_t left;
	const uint8_t *bytes = exits_code(code, codes, function->start, &left);
	size_t size = bytes && function->size < left ? function->size : left;
	struct own own = {0};

	return bytes && exits_decoder() && read_changes(bytes, size, &own) && read_changes(bytes, size, &own);
}

/*
 * Tells whether the bytes are a move to the stack pointer (48 94: an exchange): 8b and 8d have it as their first register, 89 and 87 as
 * their second; 48, 49 and 4c are REX prefixes.
 */
static bool may_set_stack(const uint8_t *bytes)
{
	uint8_t wide = bytes[0], code = bytes[1], registers = bytes[2];

	if (wide != 0x48 && wide != 0x49 && wide != 0x4c)
		return false;
	if (wide == 0x48 && code == 0x94)
		return true;
	if (wide != 0x4c && (code == 0x8b || (code == 0x8d && registers < 0xc0) || code == 0x87))
		return (registers & 0x38) == 0x20;
	return wide != 0x49 && (code == 0x89 || code == 0x87) && (registers & 0xc7) == 0xc4;
}

bool stack_next_change(const struct stretch *code, uint64_t *address)
{
	for (uint64_t at = *address - code->address; code->executable && at + 3 <= code->size; at++)
		if (may_set_stack(code->bytes + at)) {
			*address = code->address + at;
			return true;
		}
	return false;
}
