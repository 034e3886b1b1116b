#include "log/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <uthash.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "program/code.h"
#include "program/image.h"
#include "program/lookup.h"
#include "program/spaces.h"

struct named { /* an address, named */
	uint64_t address;
	char *place, *function; /* "server+0x1139", "handle"; NULL: not known */
	UT_hash_handle hh;
};

struct judged { /* a block, with what its branch depends on */
	struct {
		uint64_t at, last;
	} key;
	struct image_block block;
	UT_hash_handle hh;
};

struct steps {
	struct stream *stream;
	int32_t process;
	struct spaces *spaces;
	struct named *named;
	struct judged *judged;
	const struct stride *known; /* while writing: the last stride with registers; since then only the stack pointer may have changed */
	ARRAY(struct stride) strides;
};

struct steps *steps_new(struct stream *stream, int32_t process, struct lookup *lookup)
{
	struct steps *steps = NEW(struct steps);

	steps->stream = stream;
	steps->process = process;
	steps->spaces = spaces_new(lookup);
	spaces_read_all(steps->spaces);
	return steps;
}

void steps_free(struct steps *steps)
{
	struct named *named, *next;

	HASH_FREE(steps->judged);

	HASH_ITER(hh, steps->named, named, next) {
		HASH_DEL(steps->named, named);
		free(named->place);
		free(named->function);
		free(named);
	}
	spaces_free(steps->spaces);
	free(steps->strides.items);
	free(steps);
}

void steps_take(struct steps *steps, const struct stride *stride)
{
	*ARRAY_ADD(&steps->strides) = *stride;
}

static const struct named *name(struct steps *steps, uint64_t address)
{
	const struct mapping *mapping;
	struct lookup_place place;
	struct named *named;

	HASH_FIND(hh, steps->named, &address, sizeof(address), named);
	if (named)
		return named;
	named = NEW(struct named);
	named->address = address;
	HASH_ADD(hh, steps->named, address, sizeof(named->address), named);
	mapping = spaces_find(steps->spaces, steps->process, address);
	if (!mapping || !mapping->code)
		return named;
	named->place = memory_format("%s+0x%llx", code_name(mapping->code), (unsigned long long)(address - mapping->start + mapping->offset));
	code_look(mapping->code, address - mapping->start + mapping->offset, &place);
	for (int i = 0; i < place.count; i++)
		if (i == 0)
			named->function = place.functions[i];
		else
			free(place.functions[i]);
	return named;
}

static void add_hex(struct line *line, const char *key, uint64_t value)
{
	char text[NUMBER_ROOM];

	number_spell_hex(text, value);
	line_text(line, key, text);
}

static void add_place(struct steps *steps, struct line *line, const char *key, uint64_t address)
{
	const struct named *named = name(steps, address);

	if (named->place)
		line_text(line, key, named->place);
	else
		add_hex(line, key, address);
}

static void add_function(struct steps *steps, struct line *line, uint64_t address)
{
	const struct named *named = name(steps, address);

	if (named->function)
		line_text(line, "function", named->function);
}

static void add_registers(struct line *line, const struct stride *stride)
{
	for (int i = 0; i < STEPPER_REGISTERS; i++)
		add_hex(line, stepper_registers[i], stride->registers[i]);
}

/* --- what a branch depends on --------------------------------------------------------------------------------------------- */

static uint64_t file_offset(const struct mapping *mapping, uint64_t address)
{
	return address - mapping->start + mapping->offset;
}

static const struct image_block *judge(struct steps *steps, const struct mapping *mapping, const struct stride *stride)
{
	struct judged *judged, wanted = {.key = {stride->at, stride->to}};

	HASH_FIND(hh, steps->judged, &wanted.key, sizeof(wanted.key), judged);
	if (judged)
		return &judged->block;
	judged = NEW(struct judged);
	judged->key = wanted.key;
	HASH_ADD(hh, steps->judged, key, sizeof(judged->key), judged);
	code_block(mapping->code, file_offset(mapping, stride->at), stride->to - stride->at, &judged->block);
	return &judged->block;
}

enum { STACK_POINTER = 7 };

static bool add_register(const struct steps *steps, const struct stride *stride, const struct compared_operand *comparison, int8_t number, uint64_t times,
			 uint64_t *sum)
{
	const struct stride *from = comparison->when == COMPARISON_AT_END ? stride : steps->known;

	if (number == COMPARISON_NO_REGISTER)
		return true;
	if (!from || comparison->when == COMPARISON_LOST || (from != stride && number == STACK_POINTER))
		return false;
	*sum += times * from->registers[number];
	return true;
}

/* Finds where the operand lies in memory; false: not known. */
static bool operand_address(const struct steps *steps, const struct stride *stride, const struct compared_operand *comparison, uint64_t *address)
{
	*address = (uint64_t)comparison->displacement + (comparison->relative ? stride->to : 0);
	return comparison->relative || (add_register(steps, stride, comparison, comparison->base, 1, address) &&
					add_register(steps, stride, comparison, comparison->index, comparison->scale, address));
}

static void add_operand(struct steps *steps, struct line *line, const struct mapping *mapping, const struct stride *stride,
			const struct compared_operand *comparison)
{
	uint64_t address, byte;
	char *variable;

	line_unsigned(line, "length", comparison->size);
	if (!operand_address(steps, stride, comparison, &address))
		return;
	add_hex(line, "operand", address);
	variable = code_variable(mapping->code, file_offset(mapping, stride->at), (int64_t)(address - stride->at), &byte);
	if (!variable)
		return;
	line_text(line, "variable", variable);
	if (byte)
		line_unsigned(line, "byte", byte);
	free(variable);
}

static void add_reason(struct steps *steps, struct line *line, const struct stride *stride)
{
	const struct mapping *mapping = spaces_find(steps->spaces, steps->process, stride->at);
	const struct image_block *block;

	if (!mapping || !mapping->code)
		return;
	block = judge(steps, mapping, stride);
	if (*block->first)
		line_text(line, "source", block->first);
	if (*block->branch)
		line_text(line, "branch", block->branch);
	if (block->comparison.what == COMPARISON_MEMORY)
		add_operand(steps, line, mapping, stride, &block->comparison);
	else if (block->comparison.what == COMPARISON_REGISTER)
		line_text(line, "depends", stepper_registers[block->comparison.base]);
}

/* --- records ---------------------------------------------------------------------------------------------------------------- */

static const char *const whats[] = {[STRIDE_ENTER] = "enter",	[STRIDE_BLOCK] = "block",   [STRIDE_CALL] = "call",
				    [STRIDE_RETURN] = "return", [STRIDE_OVER] = "over", [STRIDE_SIGNAL] = "signal", [STRIDE_END] = "end"};

static const char *const ends[] = {[END_TO] = "to",	[END_RETURNED] = "returned", [END_LIMIT] = "limit", [END_GONE] = "gone",
				   [END_EXEC] = "exec", [END_TRAP] = "trap",	 [END_IGNORED] = "ignored", [END_REFUSED] = "refused",
				   [END_LEFT] = "stopped"};

static void add_what(struct steps *steps, struct line *line, const struct stride *stride)
{
	switch (stride->what) {
	case STRIDE_ENTER:
		add_function(steps, line, stride->at);
		add_place(steps, line, "at", stride->at);
		add_place(steps, line, "back", stride->to);
		line_integer(line, "process", steps->process);
		add_registers(line, stride);
		break;
	case STRIDE_BLOCK:
		add_function(steps, line, stride->at);
		add_place(steps, line, "at", stride->at);
		add_place(steps, line, "last", stride->to);
		add_registers(line, stride);
		add_reason(steps, line, stride);
		break;
	case STRIDE_CALL:
		add_function(steps, line, stride->to);
		add_place(steps, line, "at", stride->at);
		add_place(steps, line, "to", stride->to);
		break;
	case STRIDE_OVER:
		add_function(steps, line, stride->to);
		add_place(steps, line, "at", stride->to);
		break;
	case STRIDE_RETURN:
		add_function(steps, line, stride->to);
		add_place(steps, line, "to", stride->to);
		add_hex(line, "result", stride->registers[0]);
		break;
	case STRIDE_SIGNAL:
		line_integer(line, "number", stride->number);
		add_place(steps, line, "at", stride->at);
		break;
	default:
		line_text(line, "why", ends[stride->number]);
	}
}

static int write_stream_record(struct steps *steps)
{
	struct line line = {0};
	struct utsname name;
	int status;

	uname(&name);
	line_begin(&line, kind_name(KIND_STREAM));
	line_integer(&line, "version", STREAM_VERSION);
	line_text(&line, "host", name.nodename);
	line_text(&line, "kernel", name.release);
	line_text(&line, "machine", name.machine);
	line_text(&line, "clock", "mono");
	status = stream_write_line(steps->stream, &line);
	line_free(&line);
	return status;
}

int steps_write(struct steps *steps)
{
	struct line line = {0};
	int status = write_stream_record(steps);

	for (size_t i = 0; i < steps->strides.count && status == 0; i++) {
		const struct stride *stride = &steps->strides.items[i];

		line_begin(&line, kind_name(KIND_STEP));
		line_time(&line, "ts", stride->ts);
		line_integer(&line, "tid", stride->thread);
		line_text(&line, "what", whats[stride->what]);
		line_unsigned(&line, "depth", stride->depth);
		add_what(steps, &line, stride);
		if (stride->what == STRIDE_ENTER || stride->what == STRIDE_BLOCK || stride->what == STRIDE_RETURN)
			steps->known = stride;
		status = stream_write_line(steps->stream, &line);
	}
	line_free(&line);
	return status;
}
