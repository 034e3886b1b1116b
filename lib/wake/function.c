#include "wake/function.h"

#include <stdlib.h>
#include <string.h>

#include "wake/part.h"
#include "wake/wake_name.h"

static void on_function(struct at *at)
{
	const struct thread *thread = at_thread(at);
	struct functions *functions = at->wake->of[PART_FUNCTION];

	*ARRAY_ADD(&functions->events) = (struct function_event){at->wake->now, thread->index, at_named(at), at_returns(at)};
}

/* "prog__request" and "prog__request__return" are of one function. */
static int16_t name_function(struct wake *wake, const char *name, bool *returns)
{
	static const char suffix[] = "__return";
	size_t length = strlen(name), tail = sizeof(suffix) - 1;
	char *function;
	int16_t text;

	*returns = length > tail && !strcmp(name + length - tail, suffix);
	function = memory_text(name, *returns ? length - tail : length);
	text = wake_name_text(wake->names, function);
	free(function);
	return text;
}

static void forget(struct wake *wake)
{
	struct functions *functions = wake->of[PART_FUNCTION];

	ARRAY_FREE(&functions->events);
}

static const struct part_event events[] = {{"func:", on_function, .named = name_function}, {0}};

const struct part function_part = {.events = events, .window = sizeof(struct functions), .forget = forget};
