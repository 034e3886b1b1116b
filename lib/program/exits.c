#include "program/exits.h"

#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "base/memory.h"

enum {
	STEPS_MAX = 1 << 21,   /* instructions of a function, each decoded at most twice, plus table entries tried */
	TABLE_MAX = 1 << 12,   /* entries of a jump table */
	ELSEWHERE = 1 << 14,   /* bytes of a part without a name that a jump leads to */
	PARTS_MAX = 64,
	PART_MAX = 1 << 22,    /* bytes of a part */
	RECENT = 24,	       /* instructions before a jump in which its table is looked for */
	NOTRACK = 0x3e,	       /* the prefix of a jump whose target may be any address */
};

/* How far a register is from the stack pointer at the entry. */
struct distance {
	bool known;
	int64_t bytes;
};

struct frame {
	struct distance sp, bp;
};

/* An instruction from which to walk, and the state of the stack there. */
struct stop {
	uint64_t address;
	struct frame frame;
};

/* A recent instruction. Those before a jump tell where its table lies, how wide an entry is, and how many there are. */
struct recent {
	unsigned id;
	cs_x86 x86;
};

enum seen { SEEN_NOT, SEEN_ONCE, SEEN_DOUBTFUL };

struct part {
	struct exits_range range;
	struct frame *frames; /* by byte: the stack as it was first found there */
	uint8_t *seen;	      /* by byte: enum seen, where an instruction begins */
	uint8_t *length;      /* by byte: length of the instruction that begins there */
	bool *boundary;	      /* by byte: an instruction begins there if decoding starts at the first byte; NULL: not needed yet */
};

/* "lea reg, [rip + x]": where a table may lie. */
struct base {
	x86_reg reg;
	uint64_t address;
};

struct search {
	const struct exits_question *question;
	struct exits *exits;
	struct part parts[PARTS_MAX];
	size_t part_count;
	ARRAY(struct stop) stops;
	ARRAY(struct base) bases;
	struct recent recent[RECENT];
	size_t recent_count;
	csh capstone;
	cs_insn *insn;
	size_t steps;
	bool failed;
};

/* --- bytes ------------------------------------------------------------------------------------------------------------ */

static const uint8_t *bytes_at(const struct stretch *code, size_t codes, uint64_t address, uint64_t *left)
{
	for (size_t i = 0; i < codes; i++)
		if (address >= code[i].address && address - code[i].address < code[i].size) {
			*left = code[i].size - (address - code[i].address);
			return code[i].bytes + (address - code[i].address);
		}
	return NULL;
}

const uint8_t *exits_code(const struct stretch *code, size_t codes, uint64_t address, uint64_t *left)
{
	for (size_t i = 0; i < codes; i++)
		if (code[i].executable && address >= code[i].address && address - code[i].address < code[i].size)
			return bytes_at(&code[i], 1, address, left);
	return NULL;
}

/* --- the parts of the function ------------------------------------------------------------------------------------------ */

static struct part *part_of(struct search *search, uint64_t address)
{
	for (size_t i = 0; i < search->part_count; i++)
		if (address >= search->parts[i].range.start && address - search->parts[i].range.start < search->parts[i].range.size)
			return &search->parts[i];
	return NULL;
}

static bool add_part(struct search *search, struct exits_range range)
{
	struct part *part = &search->parts[search->part_count];
	uint64_t left;

	if (search->part_count == PARTS_MAX || !exits_code(search->question->code, search->question->codes, range.start, &left))
		return false;
	if (range.size > left)
		range.size = left;
	if (range.size > PART_MAX)
		return false;
	part->range = range;
	part->frames = memory_new(range.size, sizeof(*part->frames));
	part->seen = memory_new(range.size, 1);
	part->length = memory_new(range.size, 1);
	search->part_count++;
	return true;
}

/* --- where the processor may come to ------------------------------------------------------------------------------------ */

static bool same(struct distance a, struct distance b)
{
	return a.known == b.known && (!a.known || a.bytes == b.bytes);
}

static const struct distance unknown = {0};

/* Queues an instruction to walk from. Queues it once more if it is reached with another stack than before; what differs is then unknown. */
static void come_to(struct search *search, uint64_t address, struct frame frame)
{
	struct part *part = part_of(search, address);
	uint64_t at = part ? address - part->range.start : 0;
	struct frame *known = part ? &part->frames[at] : NULL;

	if (!part || part->seen[at] == SEEN_DOUBTFUL)
		return;
	if (part->seen[at] == SEEN_ONCE) {
		if (same(known->sp, frame.sp) && same(known->bp, frame.bp))
			return;
		frame.sp = same(known->sp, frame.sp) ? frame.sp : unknown;
		frame.bp = same(known->bp, frame.bp) ? frame.bp : unknown;
		if (same(known->sp, frame.sp) && same(known->bp, frame.bp))
			return;
	}
	part->seen[at] = !frame.sp.known && !frame.bp.known ? SEEN_DOUBTFUL : SEEN_ONCE;
	*known = frame;
	*ARRAY_ADD(&search->stops) = (struct stop){address, frame};
}

/* The same address may be listed several times: exits_find() keeps one. */
static void list(struct search *search, uint64_t address)
{
	*ARRAY_ADD(search->exits) = address;
}

static bool is_bare(const struct frame *frame)
{
	return frame->sp.known && frame->sp.bytes == 0;
}

/*
 * Follows a jump to a known address. A conditional jump that may be a tail call is listed by its target: a probe at the jump itself does
 * not show whether it is taken; at the target, the stack pointer tells whether control came from here.
 */
static void jump_to(struct search *search, uint64_t from, uint64_t to, const struct frame *frame, bool conditional)
{
	bool bare = is_bare(frame);

	if (to == search->question->entry && bare) { /* a tail call of itself */
		if (!conditional)
			list(search, from);
		return;
	}
	if (part_of(search, to)) {
		come_to(search, to, *frame);
		return;
	}
	if (frame->sp.known && !bare) {
		if (add_part(search, (struct exits_range){to, ELSEWHERE}))
			come_to(search, to, *frame);
		else
			search->failed = true;
		return;
	}
	search->exits->calls = true;
	list(search, conditional ? to : from);
}

/* --- jump tables -------------------------------------------------------------------------------------------------------- */

static const struct recent *recent_back(const struct search *search, size_t back)
{
	return back < search->recent_count && back < RECENT ? &search->recent[(search->recent_count - 1 - back) % RECENT] : NULL;
}

/* The number of entries, by the comparison or the mask of the index before the jump; 0: not known. */
static size_t table_bound(const struct search *search)
{
	const struct recent *at;

	for (size_t back = 0; (at = recent_back(search, back)); back++) {
		const cs_x86 *x86 = &at->x86;

		if (x86->op_count != 2 || x86->operands[1].type != X86_OP_IMM || x86->operands[1].imm < 0 ||
		    x86->operands[1].imm >= TABLE_MAX)
			continue;
		if (at->id == X86_INS_CMP || at->id == X86_INS_AND)
			return (size_t)x86->operands[1].imm + 1;
	}
	return 0;
}

static void find_boundaries(struct search *search, struct part *part)
{
	uint64_t at = part->range.start, left;
	const uint8_t *bytes = exits_code(search->question->code, search->question->codes, at, &left);
	size_t room = (size_t)part->range.size;

	part->boundary = memory_new(part->range.size, sizeof(*part->boundary));
	do
		part->boundary[at - part->range.start] = true;
	while (cs_disasm_iter(search->capstone, &bytes, &room, &at, search->insn) && at - part->range.start < part->range.size);
}

static bool is_boundary(struct search *search, uint64_t address)
{
	struct part *part = part_of(search, address);

	if (part && !part->boundary)
		find_boundaries(search, part);
	return part && part->boundary[address - part->range.start];
}

/* Where an entry leads: an entry of four bytes is an offset from the table, one of eight bytes is an address. */
static bool read_entry(const struct search *search, uint64_t table, size_t width, size_t index, uint64_t *to)
{
	uint64_t left;
	const uint8_t *bytes = bytes_at(search->question->code, search->question->codes, table + index * width, &left);
	int32_t offset;

	if (!bytes || left < width)
		return false;
	if (width == sizeof(offset)) {
		memcpy(&offset, bytes, width);
		*to = table + (uint64_t)(int64_t)offset;
	} else {
		memcpy(to, bytes, width);
	}
	return true;
}

/*
 * Follows all entries. The comparison that table_bound() found may have been of something else, so further entries count as well, as long
 * as they lead to where an instruction of the function begins. False: it is no table, because one of the entries within the bound leads
 * elsewhere.
 */
static bool follow_table(struct search *search, uint64_t table, size_t width, const struct frame *frame)
{
	size_t bound = table_bound(search), count = 0;
	uint64_t to;

	for (size_t i = 0; i < bound; i++, search->steps++)
		if (!read_entry(search, table, width, i, &to) || !part_of(search, to))
			return false;
	for (; count < TABLE_MAX && read_entry(search, table, width, count, &to); count++, search->steps++) {
		if (count >= bound && !is_boundary(search, to))
			break;
		come_to(search, to, *frame);
	}
	return count > 0;
}

static bool follow_bases(struct search *search, x86_reg reg, const struct frame *frame)
{
	for (size_t i = search->bases.count; i-- > 0 && search->steps++ < STEPS_MAX;)
		if (search->bases.items[i].reg == reg && follow_table(search, search->bases.items[i].address, 4, frame))
			return true;
	return false;
}

/* "movsxd rax, [rdx + rax * 4]", "add rax, rdx", "jmp rax": the `add` that computes the target; NULL: there is none. */
static const cs_x86 *table_sum(const struct search *search, x86_reg target)
{
	const struct recent *at;

	for (size_t back = 0; (at = recent_back(search, back)); back++)
		if (at->x86.op_count > 0 && at->x86.operands[0].type == X86_OP_REG && at->x86.operands[0].reg == target)
			return at->id == X86_INS_ADD && at->x86.operands[1].type == X86_OP_REG ? &at->x86 : NULL;
	return NULL;
}

/* Follows an indirect jump. Without a table it is a tail call through a pointer; if the frame is still there, it is not known where it leads. */
static void jump_indirect(struct search *search, uint64_t from, const cs_x86 *x86, const struct frame *frame)
{
	const cs_x86_op *to = &x86->operands[0];
	const cs_x86 *sum = to->type == X86_OP_REG ? table_sum(search, to->reg) : NULL;
	bool anywhere = x86->prefix[1] == NOTRACK; /* following tables overwrites `x86` with other instructions */

	if (to->type == X86_OP_MEM && to->mem.scale == 8 && to->mem.base == X86_REG_INVALID && to->mem.index != X86_REG_INVALID &&
	    follow_table(search, (uint64_t)to->mem.disp, 8, frame))
		return;
	if (sum && (follow_bases(search, sum->operands[1].reg, frame) || follow_bases(search, sum->operands[0].reg, frame)))
		return;
	if (sum || (frame->sp.known && !is_bare(frame)) || anywhere) {
		search->failed = true; /* a table that cannot be read */
		return;
	}
	search->exits->calls = true;
	list(search, from);
}

/* --- the stack ---------------------------------------------------------------------------------------------------------- */

static struct distance moved(struct distance from, int64_t by)
{
	from.bytes += by;
	return from.known ? from : unknown;
}

/* The place that "[rsp + 8]" or "[rbp - 16]" means. */
static struct distance address_of(const struct frame *frame, const x86_op_mem *memory)
{
	if (memory->index != X86_REG_INVALID)
		return unknown;
	return memory->base == X86_REG_RSP   ? moved(frame->sp, memory->disp)
	       : memory->base == X86_REG_RBP ? moved(frame->bp, memory->disp)
					     : unknown;
}

/* The value of an operand. */
static struct distance value_of(const struct frame *frame, const cs_x86_op *operand)
{
	if (operand->type != X86_OP_REG)
		return unknown;
	return operand->reg == X86_REG_RSP ? frame->sp : operand->reg == X86_REG_RBP ? frame->bp : unknown;
}

/* The value that an instruction with two operands puts into its first one, which is the stack pointer or the frame pointer. */
static struct distance computed(const struct frame *frame, unsigned id, const cs_x86 *x86)
{
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];

	if (x86->op_count != 2)
		return unknown;
	switch (id) {
	case X86_INS_MOV:
		return value_of(frame, from);
	case X86_INS_LEA:
		return address_of(frame, &from->mem);
	case X86_INS_ADD:
		return from->type == X86_OP_IMM ? moved(value_of(frame, to), from->imm) : unknown;
	case X86_INS_SUB:
		return from->type == X86_OP_IMM ? moved(value_of(frame, to), -from->imm) : unknown;
	default:
		return unknown;
	}
}

static bool writes(const struct search *search, const cs_insn *insn, x86_reg wanted)
{
	cs_regs read, written;
	uint8_t reads, count;

	if (cs_regs_access(search->capstone, insn, read, &reads, written, &count) != CS_ERR_OK)
		return true;
	for (uint8_t i = 0; i < count; i++)
		if (written[i] == wanted)
			return true;
	return false;
}

static bool is_of(const cs_x86 *x86, x86_reg reg)
{
	return x86->op_count > 0 && x86->operands[0].type == X86_OP_REG && x86->operands[0].reg == reg;
}

static void change_frame(const struct search *search, const cs_insn *insn, struct frame *frame)
{
	const cs_x86 *x86 = &insn->detail->x86;

	switch (insn->id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHFQ:
		frame->sp = moved(frame->sp, -8);
		return;
	case X86_INS_POP:
	case X86_INS_POPFQ:
		frame->sp = is_of(x86, X86_REG_RSP) ? unknown : moved(frame->sp, 8);
		if (is_of(x86, X86_REG_RBP))
			frame->bp = unknown;
		return;
	case X86_INS_LEAVE:
		frame->sp = moved(frame->bp, 8);
		frame->bp = unknown;
		return;
	case X86_INS_CALL:
		return;
	default:
		if (is_of(x86, X86_REG_RSP) && insn->id != X86_INS_CMP && insn->id != X86_INS_TEST)
			frame->sp = computed(frame, insn->id, x86);
		else if (writes(search, insn, X86_REG_RSP))
			frame->sp = unknown;
		if (is_of(x86, X86_REG_RBP) && insn->id != X86_INS_CMP && insn->id != X86_INS_TEST)
			frame->bp = computed(frame, insn->id, x86);
		else if (writes(search, insn, X86_REG_RBP) || writes(search, insn, X86_REG_EBP))
			frame->bp = unknown;
	}
}

/* --- walking ------------------------------------------------------------------------------------------------------------ */

static void remember(struct search *search, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	search->recent[search->recent_count++ % RECENT] = (struct recent){insn->id, *x86};
	if (insn->id == X86_INS_LEA && x86->operands[1].mem.base == X86_REG_RIP)
		*ARRAY_ADD(&search->bases) =
		    (struct base){x86->operands[0].reg, insn->address + insn->size + (uint64_t)x86->operands[1].mem.disp};
}

static bool is_jump(const struct search *search, const cs_insn *insn)
{
	return cs_insn_group(search->capstone, insn, X86_GRP_JUMP);
}

/* The processor does not go on behind such an instruction. */
static bool ends_here(unsigned id)
{
	return id == X86_INS_UD2 || id == X86_INS_HLT || id == X86_INS_INT3;
}

/*
 * Tells whether an instruction reads, changes or pops the function's return address, as code that saves a context does. A call, which
 * pushes a return address of its own, and the end of a frame do not count.
 */
static bool touches_return(const struct search *search, const cs_insn *insn, const struct frame *frame)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (insn->id == X86_INS_POP || insn->id == X86_INS_POPFQ)
		return is_bare(frame);
	if (insn->id == X86_INS_NOP || cs_insn_group(search->capstone, insn, X86_GRP_CALL))
		return false;
	for (uint8_t i = 0; i < x86->op_count; i++) {
		struct distance to = x86->operands[i].type == X86_OP_MEM ? address_of(frame, &x86->operands[i].mem) : unknown;

		if (to.known && to.bytes >= 0 && to.bytes < 8)
			return true;
	}
	return false;
}

/* Returns whether the processor may go on behind it. */
static bool take(struct search *search, const cs_insn *insn, struct frame *frame)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool unconditional = insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;

	if (cs_insn_group(search->capstone, insn, X86_GRP_RET)) {
		list(search, insn->address);
		return false;
	}
	if (is_jump(search, insn)) {
		if (x86->operands[0].type == X86_OP_IMM)
			jump_to(search, insn->address, (uint64_t)x86->operands[0].imm, frame, !unconditional);
		else
			jump_indirect(search, insn->address, x86, frame);
		return !unconditional;
	}
	if (insn->id == X86_INS_CALL)
		search->exits->calls = true;
	search->exits->returns_oddly |= touches_return(search, insn, frame);
	remember(search, insn);
	change_frame(search, insn, frame);
	return !ends_here(insn->id);
}

/*
 * Decodes from a stop on, until control goes elsewhere or comes to a known instruction. Stops at the end of the part: what lies behind is
 * not of the function, and nothing returns to there.
 */
static void walk(struct search *search, struct stop stop)
{
	struct part *part = part_of(search, stop.address);
	struct frame frame = stop.frame;
	uint64_t address = stop.address, left;
	const uint8_t *bytes = exits_code(search->question->code, search->question->codes, address, &left);
	size_t room = (size_t)left;

	search->recent_count = 0;
	while (bytes && !search->failed) {
		uint64_t at = address - part->range.start;

		if (search->steps++ >= STEPS_MAX || !cs_disasm_iter(search->capstone, &bytes, &room, &address, search->insn)) {
			search->failed = true;
			return;
		}
		part->length[at] = (uint8_t)search->insn->size;
		if (!take(search, search->insn, &frame) || address - part->range.start >= part->range.size)
			return;
		at = address - part->range.start;
		if (part->seen[at] != SEEN_NOT) {
			come_to(search, address, frame);
			return;
		}
		part->seen[at] = !frame.sp.known && !frame.bp.known ? SEEN_DOUBTFUL : SEEN_ONCE;
		part->frames[at] = frame;
	}
}

/* If an instruction begins within another one, some of what was taken for code is none. */
static bool makes_sense(const struct search *search)
{
	for (size_t i = 0; i < search->part_count; i++) {
		const struct part *part = &search->parts[i];
		uint64_t end = 0;

		for (uint64_t at = 0; at < part->range.size; at++) {
			if (!part->length[at])
				continue;
			if (at < end)
				return false;
			end = at + part->length[at];
		}
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void search_all(struct search *search)
{
	const struct exits_question *question = search->question;
	const struct frame at_entry = {{true, 0}, unknown}, anywhere = {unknown, unknown};

	for (size_t i = 0; i < question->part_count; i++)
		if (!part_of(search, question->parts[i].start) && !add_part(search, question->parts[i]))
			search->failed = true;
	come_to(search, question->entry, at_entry);
	for (size_t i = 0; i < question->pad_count; i++) {
		if (!part_of(search, question->pads[i]))
			add_part(search, (struct exits_range){question->pads[i], ELSEWHERE});
		come_to(search, question->pads[i], anywhere);
	}
	while (search->stops.count && !search->failed)
		walk(search, search->stops.items[--search->stops.count]);
	if (!search->failed && !makes_sense(search))
		search->failed = true;
}

static void forget(struct search *search)
{
	for (size_t i = 0; i < search->part_count; i++) {
		free(search->parts[i].frames);
		free(search->parts[i].seen);
		free(search->parts[i].length);
		free(search->parts[i].boundary);
	}
	free(search->stops.items);
	free(search->bases.items);
}

size_t exits_decoder(void)
{
	static csh capstone;

	if (!capstone && cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) == CS_ERR_OK)
		cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	return capstone;
}

/* Sorts ascending, and keeps each address once. */
static void sort(struct exits *exits)
{
	size_t kept = 0;

	if (exits->count)
		qsort(exits->items, exits->count, sizeof(*exits->items), compare);
	for (size_t i = 0; i < exits->count; i++)
		if (kept == 0 || exits->items[i] != exits->items[kept - 1])
			exits->items[kept++] = exits->items[i];
	exits->count = kept;
}

int exits_find(const struct exits_question *question, struct exits *exits)
{
	struct search search = {.question = question, .exits = exits, .capstone = exits_decoder()};

	*exits = (struct exits){0};
	if (!search.capstone)
		return -1;
	search.insn = cs_malloc(search.capstone);
	search_all(&search);
	cs_free(search.insn, 1);
	forget(&search);
	if (search.failed) {
		free(exits->items);
		*exits = (struct exits){0};
		return -1;
	}
	sort(exits);
	return 0;
}

/* --- entries ------------------------------------------------------------------------------------------------------------ */

static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* Tells whether any bytes, whether decoded as instructions or not, form a jump to `target`. */
static bool may_jump_to(const uint8_t *bytes, uint64_t size, uint64_t target)
{
	for (uint64_t at = 0; at + 2 <= size; at++) {
		uint8_t byte = bytes[at];
		bool is_short = byte == 0xeb || (byte & 0xf0) == 0x70 || (byte >= 0xe0 && byte <= 0xe3);
		bool is_long = byte == 0xe9 || (byte & 0xf0) == 0x80; /* the second of the two opcode bytes of a conditional jump */
		int32_t offset;

		if (is_short && at + 2 + (uint64_t)(int64_t)(int8_t)bytes[at + 1] == target)
			return true;
		if (!is_long || at + 5 > size)
			continue;
		memcpy(&offset, bytes + at + 1, sizeof(offset));
		if (at + 5 + (uint64_t)(int64_t)offset == target)
			return true;
	}
	return false;
}

uint64_t exits_entry(const struct stretch *code, size_t codes, const struct exits_range *function)
{
	uint64_t left, size;
	const uint8_t *bytes = exits_code(code, codes, function->start, &left);

	if (!bytes || left <= sizeof(endbr64) || function->size <= sizeof(endbr64) || memcmp(bytes, endbr64, sizeof(endbr64)) != 0)
		return function->start;
	size = function->size < left ? function->size : left;
	return function->start + (may_jump_to(bytes, size, sizeof(endbr64)) ? 0 : sizeof(endbr64));
}

uint64_t exits_instruction(const struct stretch *code, size_t codes, const struct exits_range *function, uint64_t address)
{
	csh capstone = exits_decoder();
	uint64_t at = function->start, last = 0, left = 0;
	const uint8_t *bytes = exits_code(code, codes, at, &left);
	size_t room = (size_t)(function->size < left ? function->size : left);
	cs_insn *insn = capstone && bytes ? cs_malloc(capstone) : NULL;

	while (insn && at <= address && cs_disasm_iter(capstone, &bytes, &room, &at, insn))
		last = insn->address;
	if (insn)
		cs_free(insn, 1);
	return last;
}
