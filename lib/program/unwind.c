#include "program/unwind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "program/kallsyms.h"

enum { REGISTER_FRAME = 6, REGISTER_STACK = 7, REGISTER_RETURN = STEP_RETURN, WORD = 8 }; /* of x86-64, by DWARF */

/* A place in code that some stack goes through. */
struct place {
	struct place_key {
		struct image *image; /* NULL: the kernel, or memory without a file */
		uint64_t at;	     /* offset in the file; address in the kernel; else 0 */
	} key;
	struct step step;
	UT_hash_handle hh;
	int count;
	int32_t *frames; /* of the functions there, innermost first; inlined ones come before the one that they are in */
};

struct text {
	char *text;
	int32_t frame;
	UT_hash_handle hh;
};

struct unwinder {
	const struct spaces *spaces;
	struct kallsyms kernel;
	struct place *places;
	struct text *texts;
	ARRAY(const char *) by_frame;
	int32_t unfinished; /* the frame "..." */
};

/* Takes over the text. */
static int32_t frame_of(struct unwinder *unwinder, char *text)
{
	struct text *known;

	HASH_FIND_STR(unwinder->texts, text, known);
	if (known) {
		free(text);
		return known->frame;
	}
	known = NEW(struct text);
	known->text = text;
	known->frame = (int32_t)unwinder->by_frame.count;
	*ARRAY_ADD(&unwinder->by_frame) = text;
	HASH_ADD_KEYPTR(hh, unwinder->texts, known->text, strlen(known->text), known);
	return known->frame;
}

struct unwinder *unwinder_new(const struct spaces *spaces)
{
	struct unwinder *unwinder = NEW(struct unwinder);

	unwinder->spaces = spaces;
	kallsyms_read(&unwinder->kernel);
	unwinder->unfinished = frame_of(unwinder, memory_format("..."));
	return unwinder;
}

static void forget(struct unwinder *unwinder, struct place *place)
{
	HASH_DEL(unwinder->places, place);
	free(place->frames);
	free(place);
}

void unwinder_free(struct unwinder *unwinder)
{
	struct place *place, *next_place;
	struct text *text, *next;

	if (!unwinder)
		return;
	HASH_ITER(hh, unwinder->places, place, next_place)
		forget(unwinder, place);
	HASH_ITER(hh, unwinder->texts, text, next) {
		HASH_DEL(unwinder->texts, text);
		free(text->text);
		free(text);
	}
	free(unwinder->by_frame.items);
	kallsyms_free(&unwinder->kernel);
	free(unwinder);
}

void unwinder_sweep(struct unwinder *unwinder)
{
	struct place *place, *next;

	HASH_ITER(hh, unwinder->places, place, next) {
		if (place->key.image && !image_is_mapped(place->key.image))
			forget(unwinder, place);
	}
}

const char *unwind_text(const struct unwinder *unwinder, int32_t frame)
{
	return unwinder->by_frame.items[frame];
}

static struct place *place_at(struct unwinder *unwinder, struct image *image, uint64_t at, bool *is_new)
{
	struct place_key key;
	struct place *place;

	memset(&key, 0, sizeof(key));
	key.image = image;
	key.at = at;
	HASH_FIND(hh, unwinder->places, &key, sizeof(key), place);
	*is_new = !place;
	if (place)
		return place;
	place = NEW(struct place);
	place->key = key;
	HASH_ADD(hh, unwinder->places, key, sizeof(key), place);
	return place;
}

/* Code that brings no tables is walked by the frame pointers that most of it has: what is compiled at run time does. */
static const struct step by_frame_pointer = {
	.known = true,
	.base = REGISTER_FRAME,
	.offset = 2 * WORD,
	.registers = {[3] = {STEP_LOST, 0},
		      [REGISTER_FRAME] = {STEP_SAVED, -2 * WORD},
		      [12] = {STEP_LOST, 0},
		      [13] = {STEP_LOST, 0},
		      [14] = {STEP_LOST, 0},
		      [15] = {STEP_LOST, 0},
		      [REGISTER_RETURN] = {STEP_SAVED, -WORD}},
};

/* Takes over the text. */
static void add_frame(struct unwinder *unwinder, struct place *place, char *text)
{
	place->frames = memory_grow(place->frames, (size_t)place->count + 1, sizeof(*place->frames));
	place->frames[place->count++] = frame_of(unwinder, text);
}

static void describe(struct unwinder *unwinder, struct place *place, uint64_t address, bool found)
{
	struct image *image = place->key.image;
	char *functions[IMAGE_FUNCTIONS];
	int count = found ? image_functions(image, address, functions) : 0;

	for (int i = 0; i < count; i++) {
		add_frame(unwinder, place, memory_format("%s (%s)", functions[i], image_name(image)));
		free(functions[i]);
	}
	if (count == 0)
		add_frame(unwinder, place, memory_format("%s+0x%" PRIx64, image_name(image), place->key.at));
}

static const struct place *place_in(struct unwinder *unwinder, const struct mapping *mapping, uint64_t pc)
{
	uint64_t offset = mapping->image ? pc - mapping->start + mapping->offset : 0, address = 0;
	bool is_new, found;
	struct place *place = place_at(unwinder, mapping->image, offset, &is_new);

	if (!is_new)
		return place;
	if (!mapping->image) {
		add_frame(unwinder, place, memory_format("?"));
		place->step = by_frame_pointer;
		return place;
	}
	found = image_address(mapping->image, offset, &address);
	describe(unwinder, place, address, found);
	if (found && !image_has_steps(mapping->image))
		place->step = by_frame_pointer;
	else if (found)
		image_step(mapping->image, address, &place->step);
	return place;
}

/* A word of the stack, as far as it was sampled. */
static bool read_word(const struct sampled_record *record, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - record->registers[REGISTER_STACK];

	if (address < record->registers[REGISTER_STACK] || record->stack_size < WORD || offset > record->stack_size - WORD)
		return false;
	memcpy(word, record->stack + offset, WORD);
	return true;
}

enum walked { WALK_ON, WALK_OVER, WALK_STUCK };

/* Goes up to the caller: its registers instead of the function's. */
static enum walked walk(const struct sampled_record *record, const struct step *step, uint64_t registers[SAMPLE_REGISTERS])
{
	uint64_t frame = registers[step->base] + (uint64_t)(int64_t)step->offset;
	uint64_t caller[SAMPLE_REGISTERS];

	if (!step->known || frame <= registers[REGISTER_STACK])
		return WALK_STUCK;
	if (step->registers[REGISTER_RETURN].rule != STEP_SAVED)
		return WALK_OVER;
	memcpy(caller, registers, sizeof(caller));
	for (int i = 0; i < SAMPLE_REGISTERS; i++)
		if (step->registers[i].rule == STEP_SAVED &&
		    !read_word(record, frame + (uint64_t)(int64_t)step->registers[i].at, &caller[i]))
			return WALK_STUCK;
	caller[REGISTER_STACK] = frame;
	memcpy(registers, caller, sizeof(caller));
	return registers[REGISTER_RETURN] ? WALK_ON : WALK_OVER;
}

int unwind_user(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames)
{
	uint64_t registers[SAMPLE_REGISTERS];
	enum walked walked = WALK_ON;
	int count = 0;
	bool called = false;

	if (!record->user)
		return 0;
	memcpy(registers, record->registers, sizeof(registers));
	while (walked == WALK_ON && count < UNWIND_USER - 1) {
		/* A return address may lie behind the function's end, if the call was the last thing in it. */
		uint64_t pc = registers[REGISTER_RETURN] - called;
		const struct mapping *mapping = spaces_find(unwinder->spaces, record->process, pc);
		const struct place *place = mapping ? place_in(unwinder, mapping, pc) : NULL;

		walked = WALK_STUCK;
		if (!place || count + place->count > UNWIND_USER - 1)
			break;
		memcpy(frames + count, place->frames, (size_t)place->count * sizeof(*frames));
		count += place->count;
		walked = walk(record, &place->step, registers);
		called = true;
	}
	if (walked != WALK_OVER)
		frames[count++] = unwinder->unfinished;
	return count;
}

enum { CONTEXTS = 4095 }; /* PERF_CONTEXT_KERNEL and the like: marks, not addresses */

static int32_t kernel_frame(struct unwinder *unwinder, uint64_t address)
{
	bool is_new;
	struct place *place = place_at(unwinder, NULL, address, &is_new);
	const char *name;
	size_t length;

	if (!is_new)
		return place->frames[0];
	kallsyms_read(&unwinder->kernel); /* the address may be a new module's */
	name = kallsyms_find(&unwinder->kernel, address, &length);
	add_frame(unwinder, place, name ? memory_text(name, length) : memory_format("?"));
	return place->frames[0];
}

/* What calls the sampler is no part of the story. */
static bool is_tracing(const char *frame)
{
	static const char prefix[] = "__traceiter_";

	return strncmp(frame, prefix, sizeof(prefix) - 1) == 0;
}

int unwind_kernel(struct unwinder *unwinder, const struct sampled_record *record, int32_t *frames)
{
	int count = 0;

	for (size_t i = 0; i < record->kernel_count && count < UNWIND_KERNEL; i++) {
		if (record->kernel[i] >= (uint64_t)-CONTEXTS)
			continue;
		frames[count] = kernel_frame(unwinder, record->kernel[i] - (i > 0));
		if (count > 0 || !is_tracing(unwind_text(unwinder, frames[count])))
			count++;
	}
	return count;
}
