#include "program/argument_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "base/fail.h"
#include "base/suggestions.h"
#include "program/argument_type.h"
#include "program/die.h"
#include "program/members.h"
#include "program/scopes.h"
#include "program/variable.h"

enum { WORD = 8, PARTS = 2, NO_REGISTER = 255, PARAMETERS_MAX = 256 };

#define ADDRESSES (INT64_C(1) << 56) /* more than any machine has */

/* The calling convention of a machine. */
static const struct machine {
	int number;	   /* EM_... */
	uint8_t stack;	   /* stack pointer's number */
	uint8_t general;   /* registers up to this number are general ones */
	int return_size;   /* bytes that a call pushes */
	int frame;	   /* the register that -O0 bases frames on, and its distance from the caller's stack pointer; -1: none */
	int frame_at;
	int integers, vectors;
	uint8_t integer[8];
} machines[] = {
	{EM_X86_64, 7, 15, WORD, 6, -2 * WORD, 6, 8, {5, 4, 1, 2, 8, 9}},
	{EM_AARCH64, 31, 31, 0, -1, 0, 8, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
};

/* Where a value is: in registers, or in memory, `offset` bytes behind the address that a path leads to. */
struct place {
	bool in_memory;
	uint8_t part[PARTS]; /* registers */
	struct argument_path path;
	int64_t offset;
	bool typed;
	Dwarf_Die type;
	struct members_type written; /* if not typed: its type by a layout line; length 0: there is none */
};

struct finder {
	const struct argument_question *question;
	const struct argument *argument;
	const struct machine *machine;
	Dwarf_Addr pc;
	Dwarf_Die function, unit;
	bool has_function;
	int seen;
};

static int refuse(const struct finder *finder, const char *why)
{
	return fail("cannot tell '%.*s' of '%s': %s", finder->argument->length, finder->argument->text, finder->question->function, why);
}

/* --- places ------------------------------------------------------------------------------------------------------------ */

static int lead_on(const struct finder *finder, struct argument_path *path, int64_t offset)
{
	if (path->derefs == ARGUMENT_DEREFS)
		return refuse(finder, "it is too far away");
	path->offset[path->derefs++] = offset;
	return 0;
}

static uint8_t register_at(const struct place *place)
{
	return place->offset >= 0 && place->offset < PARTS * WORD ? place->part[place->offset / WORD] : NO_REGISTER;
}

/* The path to the value at the place. If it is in a register, the path leads to the whole register. */
static int path_to(const struct finder *finder, const struct place *place, struct argument_path *path)
{
	*path = place->path;
	if (place->in_memory)
		return lead_on(finder, path, place->offset);
	*path = (struct argument_path){.start = register_at(place)};
	if (path->start == NO_REGISTER)
		return refuse(finder, "it is in a vector register or in none, and the kernel tells only general ones");
	return 0;
}

/* Goes on to what the place's value points to. */
static int follow(const struct finder *finder, struct place *place)
{
	struct argument_path path;

	if (!place->in_memory && place->offset % WORD)
		return refuse(finder, "a pointer in the midst of a register is none");
	if (path_to(finder, place, &path) < 0)
		return -1;
	place->in_memory = true;
	place->path = path;
	place->offset = 0;
	return 0;
}

static struct place in_register(uint8_t number)
{
	return (struct place){.part = {number, NO_REGISTER}};
}

/* The place `offset` bytes behind the caller's stack pointer, at the function's entry. */
static struct place on_stack(const struct machine *machine, int64_t offset)
{
	return (struct place){.in_memory = true, .path = {.start = machine->stack}, .offset = offset + machine->return_size};
}

/* The same at a later instruction. */
static int in_frame(const struct finder *finder, int64_t offset, struct place *place)
{
	const struct argument_question *question = finder->question;

	if (!question->frame_known)
		return refuse(finder, "where the function's frame is at this instruction is not known");
	*place = (struct place){.in_memory = true, .path = {.start = question->frame_register}, .offset = offset + question->frame_offset};
	return 0;
}

/* --- what the calling convention says ---------------------------------------------------------------------------------- */

/* How many registers, and how many bytes of the stack, the earlier parameters have taken. */
struct convention {
	int integers, vectors;
	int64_t stack;
};

/* Takes registers for a parameter of this class and returns true; if there are not enough, takes its bytes on the stack and returns false. */
static bool take_place(const struct machine *machine, struct convention *taken, const struct type_class *class)
{
	struct convention now = *taken;

	for (int i = 0; i < class->count; i++) {
		now.integers += class->part[i] != CLASS_VECTOR;
		now.vectors += class->part[i] == CLASS_VECTOR;
	}
	if (!class->on_stack && now.integers <= machine->integers && now.vectors <= machine->vectors) {
		*taken = now;
		return true;
	}
	taken->stack += class->on_stack ? (class->size + WORD - 1) / WORD * WORD : (int64_t)class->count * WORD;
	return false; /* the whole parameter is on the stack; later ones may still get registers */
}

static int place_by_class(const struct finder *finder, struct convention *taken, const struct type_class *class, struct place *place)
{
	const struct machine *machine = finder->machine;
	struct convention before = *taken;

	if (machine->number != EM_X86_64 && (class->count > 1 || class->on_stack || before.stack))
		return refuse(finder, "of this machine it is not known how structs, or many parameters, are passed");
	if (!take_place(machine, taken, class)) {
		*place = on_stack(machine, before.stack);
	} else {
		*place = in_register(NO_REGISTER);
		for (int i = 0; i < class->count; i++)
			if (class->part[i] != CLASS_VECTOR)
				place->part[i] = machine->integer[before.integers++];
	}
	return class->by_reference ? follow(finder, place) : 0;
}

/* Skips a parameter on the way to a later one. */
static int skip_by_class(const struct finder *finder, struct convention *taken, const struct type_class *class)
{
	if (class->unknown)
		return refuse(finder, "where it is at entry depends on a parameter before it, and DWARF does not tell enough of that one");
	if (!take_place(finder->machine, taken, class) && finder->machine->number != EM_X86_64)
		return refuse(finder, "of this machine it is not known how structs, or many parameters, are passed");
	return 0;
}

/* A result that does not fit into registers takes the first register, for the address where it goes. */
static int take_result(const struct finder *finder, struct convention *taken)
{
	Dwarf_Die type;
	struct type_class class;

	if (finder->machine->number != EM_X86_64 || !type_of((Dwarf_Die *)&finder->function, &type))
		return 0;
	class = type_classify(&type, PASSED_UNTOLD);
	if (class.unknown && !class.on_stack)
		return refuse(finder, "where it is at entry depends on the result, of whose type DWARF does not tell enough");
	taken->integers += class.on_stack || class.by_reference;
	return 0;
}

static bool same(const Dwarf_Die *a, const Dwarf_Die *b)
{
	return a->addr == b->addr;
}

/* The slot of a parameter that is passed by reference holds its address. */
static enum type_passing passing_of(const struct finder *finder, Dwarf_Die *parameter)
{
	Dwarf_Attribute location;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(parameter, DW_AT_location, &location) || dwarf_getlocation_addr(&location, finder->pc, &ops, &count, 1) != 1 || count == 0)
		return PASSED_UNTOLD;
	return ops[count - 1].atom == DW_OP_deref ? PASSED_BY_REFERENCE : PASSED_BY_VALUE;
}

/* Finds by the calling convention a parameter whose slot is not written yet. */
static int place_by_convention(const struct finder *finder, const Dwarf_Die *parameter, struct place *place)
{
	struct convention taken = {0};
	Dwarf_Die die, type;
	int seen = 0;

	if (take_result(finder, &taken) < 0)
		return -1;
	if (dwarf_child((Dwarf_Die *)&finder->function, &die) != 0)
		return refuse(finder, "DWARF does not tell where it is");
	do {
		enum type_passing passing;
		struct type_class class;

		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		if (!type_of(&die, &type))
			return refuse(finder, "DWARF does not tell its type");
		passing = passing_of(finder, &die);
		if (passing == PASSED_UNTOLD)
			return refuse(finder, "where it is at entry depends on a parameter that was optimised away");
		class = type_classify(&type, passing);
		if (same(&die, parameter)) {
			if (class.unknown)
				return refuse(finder, "DWARF does not tell enough of its type to know how it is passed");
			return place_by_class(finder, &taken, &class, place);
		}
		if (skip_by_class(finder, &taken, &class) < 0)
			return -1;
	} while (++seen < PARAMETERS_MAX && dwarf_siblingof(&die, &die) == 0);
	return refuse(finder, "DWARF does not tell where it is");
}

/* --- what DWARF says ----------------------------------------------------------------------------------------------------- */

/* Sets *base to the distance of the frame base from the caller's stack pointer. */
static bool frame_base(const struct finder *finder, int64_t *base)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr_integrate((Dwarf_Die *)&finder->function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, finder->pc, &ops, &count, 1) != 1 || count != 1)
		return false;
	if (ops[0].atom == DW_OP_call_frame_cfa)
		*base = 0;
	else if (finder->machine->frame >= 0 && ops[0].atom == DW_OP_reg0 + finder->machine->frame)
		*base = finder->machine->frame_at;
	else
		return false;
	return true;
}

/* Tells whether the parameters have been written to their slots, by the line table. */
static bool is_set_up(const struct finder *finder)
{
	Dwarf_Addr *behind = NULL;
	int count = dwarf_entry_breakpoints((Dwarf_Die *)&finder->function, &behind);
	bool set_up = count > 0 && finder->pc >= behind[0];

	free(behind);
	return set_up;
}

static int place_in_frame(const struct finder *finder, const Dwarf_Die *parameter, int64_t offset, bool indirect, struct place *place)
{
	bool known, at_entry = finder->question->at_entry;
	int64_t base = 0;

	known = frame_base(finder, &base);
	if (at_entry && (!known || base + offset < 0))
		return place_by_convention(finder, parameter, place); /* this follows the pointer by itself */
	if (!known || (base + offset < 0 && !is_set_up(finder)))
		return refuse(finder, "its place is not known to be written yet at this instruction");
	if (at_entry)
		*place = on_stack(finder->machine, base + offset);
	else if (in_frame(finder, base + offset, place) < 0)
		return -1;
	return indirect ? follow(finder, place) : 0;
}

static bool read_register(const Dwarf_Op *op, uint64_t *number)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*number = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*number = op->number;
	else
		return false;
	return true;
}

static bool read_sum(const Dwarf_Op *op, uint64_t *number, int64_t *offset)
{
	*offset = (int64_t)(op->atom == DW_OP_bregx ? op->number2 : op->number);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		*number = op->atom - DW_OP_breg0;
	else if (op->atom == DW_OP_bregx)
		*number = op->number;
	else
		return false;
	return true;
}

static uint8_t general(const struct finder *finder, uint64_t number)
{
	return number <= finder->machine->general ? (uint8_t)number : NO_REGISTER;
}

/* Reads a struct in several registers: "reg5 piece 8 reg4 piece 8". */
static int place_in_pieces(const struct finder *finder, const Dwarf_Op *ops, size_t count, struct place *place)
{
	uint64_t number, size;
	int part = 0;

	*place = in_register(NO_REGISTER);
	for (size_t i = 0; i < count; i++) {
		bool named = read_register(&ops[i], &number);

		i += named;
		if (i == count || ops[i].atom != DW_OP_piece || part == PARTS)
			return refuse(finder, "it is in several places");
		size = ops[i].number;
		if (named)
			place->part[part] = general(finder, number);
		part++;
		if (size != WORD && i + 1 < count)
			return refuse(finder, "it is in several places");
	}
	return 0;
}

static int place_in_memory(const struct finder *finder, uint64_t number, int64_t offset, bool indirect, struct place *place)
{
	*place = (struct place){.in_memory = true, .path = {.start = general(finder, number)}, .offset = offset};
	if (place->path.start == NO_REGISTER)
		return refuse(finder, "it is where no general register leads");
	return indirect ? follow(finder, place) : 0;
}

/* The place of a global variable, or of a parameter that DWARF puts at an address. */
static int at_address(const struct finder *finder, uint64_t address, struct place *place)
{
	*place = (struct place){.in_memory = true, .path = {.start = ARGUMENT_AT_FILE}, .offset = (int64_t)(address - finder->question->behind)};
	return place->offset > -ADDRESSES && place->offset < ADDRESSES ? 0 : refuse(finder, "there is no memory at its address");
}

static int place_by_ops(const struct finder *finder, const Dwarf_Die *parameter, const Dwarf_Op *ops, size_t count, struct place *place)
{
	bool indirect = count == 2 && ops[1].atom == DW_OP_deref;
	uint64_t number;
	int64_t offset;

	if (count == 0)
		return refuse(finder, "it was optimised away");
	if ((count == 1 || indirect) && ops[0].atom == DW_OP_fbreg && type_is_near((int64_t)ops[0].number))
		return place_in_frame(finder, parameter, (int64_t)ops[0].number, indirect, place);
	if (count == 1 && read_register(&ops[0], &number)) {
		*place = in_register(general(finder, number));
		return 0;
	}
	if ((count == 1 || indirect) && read_sum(&ops[0], &number, &offset) && type_is_near(offset))
		return place_in_memory(finder, number, offset, indirect, place);
	if (count == 1 && ops[0].atom == DW_OP_addr)
		return at_address(finder, ops[0].number, place);
	if (count > 1 && (ops[1].atom == DW_OP_piece || ops[0].atom == DW_OP_piece))
		return place_in_pieces(finder, ops, count, place);
	if (ops[count - 1].atom == DW_OP_stack_value || ops[0].atom == DW_OP_implicit_value)
		return refuse(finder, "the compiler computes it, so it is in no place at entry");
	return refuse(finder, "the compiler replaced it by something else");
}

static int place_of_parameter(const struct finder *finder, Dwarf_Die *parameter, struct place *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_attr_integrate(parameter, DW_AT_const_value, &attribute))
		return refuse(finder, "the compiler made it a constant");
	if (!dwarf_attr(parameter, DW_AT_location, &attribute))
		return refuse(finder, "it was optimised away");
	if (dwarf_getlocation_addr(&attribute, finder->pc, &ops, &count, 1) != 1)
		return refuse(finder, finder->question->at_entry ? "it was optimised away, or is in no place at the function's entry"
									    : "it was optimised away, or is in no place at this instruction");
	return place_by_ops(finder, parameter, ops, count, place);
}

static int fail_parameter(const struct finder *finder)
{
	struct suggestions suggestions = suggestions_begin(finder->argument->name);
	Dwarf_Die die;
	int seen = 0;

	if (dwarf_child((Dwarf_Die *)&finder->function, &die) == 0)
		do {
			const char *name = dwarf_tag(&die) == DW_TAG_formal_parameter ? die_name(&die) : NULL;

			if (name)
				suggestions_offer(&suggestions, name);
		} while (++seen < PARAMETERS_MAX && dwarf_siblingof(&die, &die) == 0);
	return fail("function '%s' has no parameter '%s'%s", finder->question->function, finder->argument->name, suggestions_text(&suggestions));
}

static int find_parameter(const struct finder *finder, struct place *place)
{
	Dwarf_Die die;
	int seen = 0;

	if (!finder->has_function)
		return refuse(finder, "the program has no debugging information of this function; %1 is its first argument");
	if (dwarf_child((Dwarf_Die *)&finder->function, &die) == 0)
		do {
			const char *name = dwarf_tag(&die) == DW_TAG_formal_parameter ? die_name(&die) : NULL;

			if (!name || strcmp(name, finder->argument->name) != 0)
				continue;
			if (place_of_parameter(finder, &die, place) < 0)
				return -1;
			place->typed = type_of(&die, &place->type);
			return 0;
		} while (++seen < PARAMETERS_MAX && dwarf_siblingof(&die, &die) == 0);
	return fail_parameter(finder);
}

/* Finds the type of an argument or of the result in the layout lines. */
static void find_written(const struct finder *finder, struct place *place)
{
	char base[ARGUMENT_WORD];

	if (finder->argument->base == ARGUMENT_RESULT)
		snprintf(base, sizeof(base), "ret");
	else
		snprintf(base, sizeof(base), "%%%u", finder->argument->number);
	if (finder->question->members)
		members_base(finder->question->members, finder->question->function, base, &place->written);
}

static int find_result(const struct finder *finder, struct place *place)
{
	struct type_class class;

	if (!finder->question->at_entry)
		return refuse(finder, "an instruction returns nothing");
	*place = in_register(ARGUMENT_AT_RESULT);
	if (!finder->has_function) {
		find_written(finder, place);
		return 0;
	}
	place->typed = type_of((Dwarf_Die *)&finder->function, &place->type);
	if (!place->typed)
		return refuse(finder, "the function returns nothing");
	class = type_classify(&place->type, PASSED_UNTOLD);
	if (class.on_stack || class.by_reference) /* the register then holds its address */
		return finder->machine->number == EM_X86_64 ? follow(finder, place) : refuse(finder, "it is returned in memory, nobody tells where");
	if (class.unknown || class.count != 1 || class.part[0] != CLASS_INTEGER)
		return refuse(finder, "it is not returned in one general register");
	return 0;
}

/* The type of the parameter that occupies this integer register alone. False: there is none, or it is not known. */
static bool type_of_numbered(const struct finder *finder, int index, Dwarf_Die *type)
{
	struct convention taken = {0};
	Dwarf_Die die;
	int seen = 0;

	if (take_result(finder, &taken) < 0 || dwarf_child((Dwarf_Die *)&finder->function, &die) != 0)
		return false;
	do {
		struct type_class class;
		int before = taken.integers;

		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		if (!type_of(&die, type))
			return false;
		class = type_classify(type, PASSED_UNTOLD);
		if (class.unknown)
			return false;
		if (take_place(finder->machine, &taken, &class) && before == index && class.count == 1 && class.part[0] == CLASS_INTEGER)
			return !class.by_reference;
	} while (++seen < PARAMETERS_MAX && dwarf_siblingof(&die, &die) == 0);
	return false;
}

static int find_numbered(const struct finder *finder, struct place *place)
{
	int index = (int)finder->argument->number - 1, integers = finder->machine->integers;

	if (!finder->question->at_entry)
		return refuse(finder, "only at a function's entry arguments are where the calling convention has them");
	*place = index < integers ? in_register(finder->machine->integer[index]) : on_stack(finder->machine, (int64_t)WORD * (index - integers));
	if (finder->argument->step_count == 0)
		return 0; /* its value is what the convention puts there */
	if (finder->has_function)
		place->typed = type_of_numbered(finder, index, &place->type);
	else
		find_written(finder, place);
	return 0;
}

/* --- global variables ---------------------------------------------------------------------------------------------------- */

static int find_global(struct finder *finder, struct place *place)
{
	Dwfl_Module *module = finder->question->module;
	Dwarf_Die *unit = finder->has_function ? &finder->unit : NULL, die;
	Dwarf_Attribute attribute;
	uint64_t address;
	Dwarf_Op *ops;
	size_t count;

	if (!variable_find(module, unit, finder->argument->name, &finder->seen, &die)) {
		if (!module || !variable_symbol(module, finder->argument->name, &address))
			return refuse(finder, "there is no such variable");
		return at_address(finder, address, place);
	}
	if (!dwarf_attr(&die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
	    ops[0].atom != DW_OP_addr)
		return refuse(finder, "the variable has no address of its own");
	if (at_address(finder, ops[0].number, place) < 0)
		return -1;
	place->typed = type_of(&die, &place->type);
	return 0;
}

/* --- members and elements ------------------------------------------------------------------------------------------------ */

/* Replaces a reference by what it refers to. */
static int settle(const struct finder *finder, struct place *place)
{
	Dwarf_Die peeled;

	while (place->typed && type_peel(&place->type, &peeled) && type_is_reference(&peeled)) {
		place->typed = type_of(&peeled, &place->type);
		if (follow(finder, place) < 0)
			return -1;
	}
	return 0;
}

/* Follows a step by a layout line: the place's value points to something of the written type; or, before a dot, it is of that type. */
static int take_written(const struct finder *finder, const struct argument_step *step, struct place *place)
{
	struct members_type of = place->written;
	int64_t offset;

	if (step->kind != ARGUMENT_ARROW && !place->in_memory)
		return refuse(finder, "a layout line has only members that stand behind '->'");
	if (!members_find(finder->question->members, &of, step->member, &offset, &place->written))
		return fail("cannot tell '%.*s' of '%s': no layout line says where '%s' of '%.*s' is", finder->argument->length,
			    finder->argument->text, finder->question->function, step->member, (int)of.length, of.name);
	if (step->kind == ARGUMENT_ARROW && follow(finder, place) < 0)
		return -1;
	place->offset = step->kind == ARGUMENT_ARROW ? offset : place->offset + offset;
	return 0;
}

static int take_member(struct finder *finder, const struct argument_step *step, struct place *place, struct type_bits *bits)
{
	Dwarf_Die peeled, definition;
	struct type_member member;
	bool pointer;

	if (!place->typed && place->written.length)
		return take_written(finder, step, place);
	if (!place->typed || !type_peel(&place->type, &peeled))
		return refuse(finder, "it has no type whose members could be named");
	pointer = dwarf_tag(&peeled) == DW_TAG_pointer_type;
	if (pointer != (step->kind == ARGUMENT_ARROW))
		return refuse(finder, pointer ? "a pointer's members come behind '->'" : "'->' wants a pointer before it");
	if (pointer && (!type_of(&peeled, &place->type) || !type_peel(&place->type, &peeled) || follow(finder, place) < 0))
		return refuse(finder, "what it points to has no type");
	if (type_is_declared(&peeled) && type_define(finder->question->module, &peeled, &finder->seen, &definition))
		peeled = definition;
	if (!type_find_member(&peeled, step->member, &member)) {
		const char *name = die_name(&peeled);

		return fail("cannot tell '%.*s' of '%s': %s '%s' has no member '%s'%s", finder->argument->length, finder->argument->text,
			    finder->question->function, type_is_declared(&peeled) ? "as far as is known," : "type", name ? name : "",
			    step->member, member.suggestions);
	}
	place->offset += member.offset;
	place->type = member.type;
	*bits = member.bits;
	return 0;
}

static int take_element(const struct finder *finder, const struct argument_step *step, struct place *place)
{
	Dwarf_Die peeled, element;
	int64_t size;

	if (!place->typed || !type_peel(&place->type, &peeled) ||
	    (dwarf_tag(&peeled) != DW_TAG_pointer_type && dwarf_tag(&peeled) != DW_TAG_array_type) || !type_of(&peeled, &element) ||
	    (size = type_size(&element)) <= 0)
		return refuse(finder, "only arrays and pointers to a known type have elements");
	if (dwarf_tag(&peeled) == DW_TAG_array_type && type_is_matrix(&peeled))
		return refuse(finder, "of arrays in several dimensions no elements can be told");
	if (dwarf_tag(&peeled) == DW_TAG_pointer_type && follow(finder, place) < 0)
		return -1;
	place->offset += (int64_t)step->index * size;
	place->type = element;
	return 0;
}

static int take_steps(struct finder *finder, struct place *place, struct type_bits *bits)
{
	for (int i = 0; i < finder->argument->step_count; i++) {
		const struct argument_step *step = &finder->argument->steps[i];

		if (bits->count)
			return refuse(finder, "a bit-field has no members");
		if (settle(finder, place) < 0 ||
		    (step->kind == ARGUMENT_INDEX ? take_element(finder, step, place) : take_member(finder, step, place, bits)) < 0)
			return -1;
	}
	return settle(finder, place);
}

/* --- the form of the value ----------------------------------------------------------------------------------------------- */

static int tell_number(const struct finder *finder, struct place *place, unsigned size, enum argument_form form, const struct type_bits *bits,
		       struct argument_found *found)
{
	*found = (struct argument_found){.form = (uint8_t)form, .size = (uint8_t)size};
	if (bits->count) {
		place->offset += bits->container;
		found->size = bits->size;
		found->bit = bits->first;
		found->bits = bits->count;
	}
	if (!place->in_memory && place->offset % WORD) {
		if (place->offset % WORD + found->size > WORD)
			return refuse(finder, "it is in several registers");
		if (!found->bits)
			found->bits = (uint8_t)(8 * found->size);
		found->bit = (uint8_t)(found->bit + 8 * (place->offset % WORD));
		found->size = WORD;
		place->offset -= place->offset % WORD;
	}
	return path_to(finder, place, &found->value);
}

/* The place's value is the address of text. */
static int tell_string(const struct finder *finder, struct place *place, struct argument_found *found)
{
	*found = (struct argument_found){.form = ARGUMENT_FORM_TEXT, .size = ARGUMENT_TEXT_MOST};
	return follow(finder, place) < 0 ? -1 : path_to(finder, place, &found->value);
}

static int tell_text(const struct finder *finder, const struct place *place, int64_t size, struct argument_found *found)
{
	*found = (struct argument_found){.form = ARGUMENT_FORM_TEXT,
					 .size = (uint8_t)(size > 0 && size < ARGUMENT_TEXT_MOST ? size : ARGUMENT_TEXT_MOST)};
	if (!place->in_memory)
		return refuse(finder, "text in place is in memory only");
	return path_to(finder, place, &found->value);
}

/* Text of a class that has a pointer to it, and mostly its length. 0; 1: the class is not such a one; -1 after fail(). */
static int tell_class(const struct finder *finder, const struct place *place, Dwarf_Die *class, struct argument_found *found)
{
	struct type_text text;
	struct place data = *place, length = *place;

	if (!type_is_text(class, &text))
		return 1;
	data.offset += text.data;
	length.offset += text.length;
	if (tell_string(finder, &data, found) < 0)
		return -1;
	if (text.counted)
		found->form = ARGUMENT_FORM_COUNTED;
	return text.counted ? path_to(finder, &length, &found->length) : 0;
}

static int tell_by_dwarf(struct finder *finder, struct place *place, const struct type_bits *bits, struct argument_found *found)
{
	Dwarf_Die peeled, pointed, definition;
	struct type_number number;
	int status;

	if (!place->typed) /* a register or stack slot that only the convention names */
		return finder->argument->base == ARGUMENT_NUMBERED
			       ? tell_number(finder, place, WORD, ARGUMENT_FORM_HEX, bits, found)
			       : finder->argument->base == ARGUMENT_RESULT ? tell_number(finder, place, WORD, ARGUMENT_FORM_SIGNED, bits, found)
									   : refuse(finder, "it has no known type: add one, such as :u32");
	if (!type_peel(&place->type, &peeled))
		return refuse(finder, "it has no type that can be told");
	if (dwarf_tag(&peeled) == DW_TAG_pointer_type && type_of(&peeled, &pointed) && type_is_char(&pointed))
		return tell_string(finder, place, found);
	if (dwarf_tag(&peeled) == DW_TAG_array_type && type_of(&peeled, &pointed) && type_is_char(&pointed) && !type_is_matrix(&peeled))
		return tell_text(finder, place, type_size(&peeled), found);
	if (type_is_number(&peeled, &number))
		return tell_number(finder, place, number.size, number.form, bits, found);
	if (type_is_declared(&peeled) && type_define(finder->question->module, &peeled, &finder->seen, &definition))
		peeled = definition;
	status = tell_class(finder, place, &peeled, found);
	return status <= 0 ? status : refuse(finder, type_refusal(&peeled));
}

/* The type that the user wrote for a number must agree with its layout line, if there is one. */
static int check_written(const struct finder *finder, const struct place *place)
{
	const struct argument *argument = finder->argument;
	bool has_sign, number = argument->kind >= ARGUMENT_UNSIGNED && argument->kind <= ARGUMENT_HEX;
	unsigned size;

	if (!place->written.length || !members_number(&place->written, &size, &has_sign))
		return 0;
	if (number && argument->size == size && has_sign == (argument->kind == ARGUMENT_SIGNED))
		return 0;
	return fail("cannot tell '%.*s' of '%s': its layout line has '%.*s'", argument->length, argument->text, finder->question->function,
		    (int)place->written.length, place->written.name);
}

static int tell(struct finder *finder, struct place *place, const struct type_bits *bits, struct argument_found *found)
{
	static const enum argument_form forms[] = {
		[ARGUMENT_UNSIGNED] = ARGUMENT_FORM_UNSIGNED, [ARGUMENT_SIGNED] = ARGUMENT_FORM_SIGNED, [ARGUMENT_HEX] = ARGUMENT_FORM_HEX};
	const struct argument *argument = finder->argument;
	static const struct type_bits none;
	Dwarf_Die peeled;

	if (argument->kind == ARGUMENT_BY_DWARF)
		return tell_by_dwarf(finder, place, bits, found);
	if (bits->count && argument->kind > ARGUMENT_HEX)
		return refuse(finder, "a bit-field is no text");
	if (argument->kind == ARGUMENT_STRING || argument->kind == ARGUMENT_PATH) {
		int status = tell_string(finder, place, found);

		found->path = argument->kind == ARGUMENT_PATH;
		return status;
	}
	if (argument->kind == ARGUMENT_TEXT)
		return tell_text(finder, place, place->typed && type_peel(&place->type, &peeled) ? type_size(&peeled) : 0, found);
	return tell_number(finder, place, argument->size, forms[argument->kind], bits->count ? bits : &none, found);
}

static int begin(struct finder *finder)
{
	const struct argument_question *question = finder->question;
	GElf_Ehdr header;
	Dwarf_Addr bias = 0;

	if (!gelf_getehdr(question->elf, &header))
		return refuse(finder, "the program cannot be read");
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == header.e_machine)
			finder->machine = &machines[i];
	if (!finder->machine)
		return refuse(finder, "arguments are known on x86-64 and aarch64 only");
	finder->has_function = question->module && scopes_function(question->module, question->address, &finder->function, &finder->unit, &bias);
	finder->pc = question->address - bias;
	return 0;
}

int argument_find(const struct argument_question *question, const struct argument *argument, struct argument_found *found)
{
	struct finder finder = {.question = question, .argument = argument};
	struct type_bits bits = {0};
	struct place place = {0};
	int status = begin(&finder);

	if (status < 0)
		return -1;
	switch (argument->base) {
	case ARGUMENT_PARAMETER:
		status = find_parameter(&finder, &place);
		break;
	case ARGUMENT_NUMBERED:
		status = find_numbered(&finder, &place);
		break;
	case ARGUMENT_RESULT:
		status = find_result(&finder, &place);
		break;
	case ARGUMENT_GLOBAL:
		status = find_global(&finder, &place);
		break;
	}
	if (status < 0 || take_steps(&finder, &place, &bits) < 0 || check_written(&finder, &place) < 0 || tell(&finder, &place, &bits, found) < 0)
		return -1;
	found->by_members = !finder.has_function && argument->step_count > 0;
	return 0;
}
