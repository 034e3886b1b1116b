#include "source/exception_python.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "program/lookup_program.h"

/*
 * CPython 3.11 on machines of 64 bits (Include/cpython/pystate.h, internal/pycore_frame.h, cpython/code.h, cpython/unicodeobject.h): where
 * things lie in a thread's state, a frame, the code that it runs, an object, a type, an exception, a tuple and a text. A text of ASCII is compact.
 */
enum { FRAMES_AT = 56, FRAME_AT = 8, CODE_AT = 32, CALLER_AT = 48, NAME_AT = 128, INNER_AT = 24 };
enum { TYPE_AT = 8, TYPE_NAME_AT = 24, ARGS_AT = 24, ITEM_AT = 24, STATE_AT = 32, TEXT_AT = 48, STATE_ASCII = 0x60 };

enum { FRAMES = 6 };

/* Numbers of the arguments in the first event. */
enum { SLOT_TYPE, SLOT_FRAME, SLOT_NAME, SLOT_CLASS, SLOT_VALUE_TYPE, SLOT_VALUE, SLOT_ITEM = SLOT_VALUE + 3 };

/* Asks for three values of an object: its type's name and its state, which tell whether it is a text of ASCII, and the text. */
static void ask_text(struct asked *asked, const int *steps, int count)
{
	int offsets[ARGUMENT_DEREFS];

	for (int i = 0; i < count; i++)
		offsets[i] = steps[i];
	memcpy(offsets + count, (const int[]){TYPE_AT, TYPE_NAME_AT, 0}, 3 * sizeof(*offsets));
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_THIRD, offsets, count + 3);
	offsets[count] = STATE_AT;
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_THIRD, offsets, count + 1);
	offsets[count] = TEXT_AT;
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_THIRD, offsets, count + 1);
}

/* The function gets the thread's state, the type, and a text or an instance of the type, whose first argument may be a text. */
static void ask_set(struct asked *asked)
{
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_SECOND, NULL, 0);
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, (const int[]){FRAMES_AT, FRAME_AT}, 2);
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_SECOND, (const int[]){TYPE_NAME_AT, 0}, 2);
	exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_SECOND, (const int[]){TYPE_AT, TYPE_NAME_AT, 0}, 3);
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_THIRD, (const int[]){TYPE_AT}, 1);
	ask_text(asked, NULL, 0);
	ask_text(asked, (const int[]){ARGS_AT, ITEM_AT}, 2);
}

/* Asks for the names of the functions in the thread's frames. */
static void ask_calls(struct asked *asked)
{
	for (int frame = 0; frame < FRAMES; frame++) {
		int offsets[ARGUMENT_DEREFS] = {FRAMES_AT, FRAME_AT}, derefs = 2;

		for (int i = 0; i < frame; i++)
			offsets[derefs++] = CALLER_AT;
		offsets[derefs++] = CODE_AT;
		offsets[derefs++] = NAME_AT;
		offsets[derefs++] = TEXT_AT;
		exception_ask(asked, ARGUMENT_FORM_TEXT, ASK_FIRST, offsets, derefs);
	}
}

/* Asks for the frame that an exception passes. */
static void ask_passed(struct asked *asked)
{
	exception_ask(asked, ARGUMENT_FORM_HEX, ASK_FIRST, (const int[]){INNER_AT}, 1);
}

static const struct {
	const char *function, *event;
	void (*ask)(struct asked *asked);
} moments[] = {
	{"_PyErr_SetObject", "exception:set", ask_set}, {"_PyErr_SetObject", "exception:calls", ask_calls}, {"PyTraceBack_Here", "exception:passed", ask_passed}};
enum { MOMENT_SET, MOMENT_CALLS, MOMENT_PASSED, MOMENTS };

int exception_python_probe(struct lookup *lookup, struct probes *probes, struct selection *selection, const char *path, uint8_t first)
{
	const char *slash = strrchr(path, '/');
	uint64_t offset;

	if (!strstr(slash ? slash : path, "3.11"))
		return fail("'%s' is not Python 3.11, the only one whose exceptions are known", path);
	for (int moment = 0; moment < MOMENTS; moment++) {
		struct asked asked = {0};
		struct selected *selected;

		if (lookup_offset(lookup, path, moments[moment].function, &offset) < 0)
			return -1;
		moments[moment].ask(&asked);
		if (probes_told(probes, path, moments[moment].function, &asked.arguments, asked.found, moments[moment].event) < 0)
			return -1;
		selected = selection_at(selection, selection_count(selection) - 1);
		selected->exception = (uint8_t)(first + moment);
		selected->flags |= SELECT_QUIET;
	}
	return 0;
}

/* --- what happens ------------------------------------------------------------------------------------------------------ */

/* Reads a text of ASCII from the three values of ask_text(), the first in this slot. False: there is no such text. */
static bool read_text(const struct exception_event *event, int slot, char room[ARGUMENT_TEXT_MOST + 1])
{
	return exception_text(event, slot, room) && !strcmp(room, "str") && (exception_number(event, slot + 1) & STATE_ASCII) == STATE_ASCII && exception_text(event, slot + 2, room);
}

/* Reads the exception's name. False: what was set as its type is no type. */
static bool read_name(const struct exception_event *event, char room[ARGUMENT_TEXT_MOST + 1])
{
	return exception_text(event, SLOT_CLASS, room) && (!strcmp(room, "type") || !strcmp(room, "ABCMeta")) && exception_text(event, SLOT_NAME, room) && *room;
}

static void see_set(struct python_set *set, const struct exception_event *event)
{
	char room[ARGUMENT_TEXT_MOST + 1];
	bool is_instance = exception_number(event, SLOT_VALUE_TYPE) == exception_number(event, SLOT_TYPE);

	free(set->name);
	free(set->what);
	set->name = memory_format("%s", read_name(event, room) ? room : "?");
	set->what = read_text(event, is_instance ? SLOT_ITEM : SLOT_VALUE, room) ? memory_text(room, strlen(room)) : NULL;
	set->frame = exception_number(event, SLOT_FRAME);
}

/* Tells whether what was read is a function's name: objects other than texts of ASCII have other bytes there. */
static bool is_name(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.<>", *at))
			return false;
	return *text != '\0';
}

static void see_calls(struct python_set *set, const struct exception_event *event)
{
	char room[ARGUMENT_TEXT_MOST + 1];

	free(set->calls);
	set->calls = NULL;
	for (int frame = 0; frame < FRAMES && exception_text(event, frame, room) && is_name(room); frame++) {
		char *more = memory_format("%s%s%s", set->calls ? set->calls : "", set->calls ? ";" : "", room);

		free(set->calls);
		set->calls = more;
	}
}

bool exception_python_see(struct python_set *set, const struct exception_event *event, uint8_t first)
{
	uint64_t frame;

	switch (event->selected->exception - first) {
	case MOMENT_SET:
		see_set(set, event);
		return false;
	case MOMENT_CALLS:
		see_calls(set, event);
		return false;
	default:
		frame = exception_number(event, 0);
		if (set->name && frame && frame == set->frame)
			return true;
		exception_python_forget(set); /* it was not set in this frame */
		return false;
	}
}

void exception_python_forget(struct python_set *set)
{
	free(set->name);
	free(set->what);
	free(set->calls);
	*set = (struct python_set){0};
}
