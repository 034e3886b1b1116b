#include "wake/function.h"

#include <stdlib.h>
#include <string.h>

#include "wake/part.h"
#include "wake/name.h"

static struct function_event *add_event(struct at *at, int field)
{
	struct functions *functions = at->wake->of[PART_FUNCTION];
	const struct thread *thread = at_thread(at);
	struct function_event *event = ARRAY_ADD(&functions->events);

	*event = (struct function_event){.ts = at->wake->now, .thread = thread->index, .function = CALL_NONE};
	event->depth = at_has(at, field) ? at_number(at, field) : 0;
	return event;
}

static void on_function(struct at *at)
{
	enum { SP };
	struct function_event *event = add_event(at, SP);

	event->function = at_named(at);
	event->returns = at_returns(at);
}

/* An exception, or longjmp(), throws away a part of the stack, with the calls that lie there. */
static void on_unwind(struct at *at)
{
	enum { FROM, TO };

	if (at_has(at, TO))
		add_event(at, FROM)->to = at_number(at, TO);
}

/* "prog__request" and "prog__request__return" are of one function. */
static int16_t function_named(struct wake *wake, const char *name, bool *returns)
{
	static const char suffix[] = "__return";
	size_t length = strlen(name), tail = sizeof(suffix) - 1;
	char *function;
	int16_t text;

	*returns = length > tail && !strcmp(name + length - tail, suffix);
	function = memory_text(name, *returns ? length - tail : length);
	text = name_text(wake->names, function);
	free(function);
	return text;
}

static void forget(struct wake *wake)
{
	struct functions *functions = wake->of[PART_FUNCTION];

	ARRAY_FREE(&functions->events);
}

static const struct part_event events[] = {
	{"func:unwind", on_unwind, {"from", "to"}}, {"func:", on_function, {"sp"}, .named = function_named}, {0}};

const struct part function_part = {.events = events, .window = sizeof(struct functions), .forget = forget};
