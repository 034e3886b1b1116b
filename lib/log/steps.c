#include "log/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"
#include "program/code.h"
#include "program/lookup.h"
#include "program/spaces.h"

struct named { /* an address */
	uint64_t address;
	char *place, *function; /* "server+0x1139", "handle"; NULL: not known */
	UT_hash_handle hh;
};

struct steps {
	struct stream *stream;
	int32_t process;
	struct spaces *spaces;
	struct named *named;
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

static const char *const whats[] = {[STRIDE_ENTER] = "enter",	[STRIDE_BLOCK] = "block",   [STRIDE_CALL] = "call",
				    [STRIDE_RETURN] = "return", [STRIDE_OVER] = "over", [STRIDE_SIGNAL] = "signal", [STRIDE_END] = "end"};

static const char *const ends[] = {[END_TO] = "to",	[END_RETURNED] = "returned", [END_LIMIT] = "limit", [END_GONE] = "gone",
				   [END_EXEC] = "exec", [END_REFUSED] = "refused",   [END_LEFT] = "stopped"};

static void add_what(struct steps *steps, struct line *line, const struct stride *stride)
{
	switch (stride->what) {
	case STRIDE_ENTER:
		add_function(steps, line, stride->at);
		add_place(steps, line, "at", stride->at);
		add_place(steps, line, "back", stride->to);
		add_registers(line, stride);
		break;
	case STRIDE_BLOCK:
		add_function(steps, line, stride->at);
		add_place(steps, line, "at", stride->at);
		add_place(steps, line, "last", stride->to);
		add_registers(line, stride);
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
		status = stream_write_line(steps->stream, &line);
	}
	line_free(&line);
	return status;
}
