#include "wake/function.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wake/part.h"
#include "wake/name.h"

enum { HANDOFFS_MAX = 256 };

/* A `handoff` record: its two events, and the field of each that has the value. */
struct handoff {
	struct event_type *type[2]; /* index: whether the event takes the value */
	struct event_field *field[2];
	struct event_field *again; /* if this field is 0, the call begins anew and takes nothing; NULL: each call takes */
	bool anywhere;
};

/* The state of the window and, behind it, what stays from window to window. */
struct traced {
	struct traced_functions of_window;
	ARRAY(struct handoff) handoffs;
};

static struct traced *traced_of(const struct wake *wake)
{
	return wake->of[PART_FUNCTION];
}

/* A call takes its job before it hands one on. */
static void add_hands(struct at *at)
{
	struct traced *traced = traced_of(at->wake);
	uint64_t value;

	for (int takes = 1; takes >= 0; takes--)
		for (size_t i = 0; i < traced->handoffs.count; i++) {
			const struct handoff *handoff = &traced->handoffs.items[i];

			if (takes && handoff->again && (!event_has(at->event, handoff->again) || event_number(at->event, handoff->again) == 0))
				continue;
			if (handoff->type[takes] == at->event->type && event_value(at->event, handoff->field[takes], &value))
				*ARRAY_ADD(&traced->of_window.hands) = (struct function_hand){
					traced->of_window.events.count - 1, (int)i, takes, handoff->anywhere, value};
		}
}

static struct function_event *add_event(struct at *at, int field)
{
	struct traced_functions *functions = &traced_of(at->wake)->of_window;
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
	add_hands(at);
}

/* An exception, or longjmp(), throws away a part of the stack, with the calls that lie there. */
static void on_unwind(struct at *at)
{
	enum { FROM, TO };

	if (at_has(at, TO))
		add_event(at, FROM)->to = at_number(at, TO);
}

/* "prog__request" and "prog__request__return" are the entry and return of one function. */
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

/* One side of a `handoff` record. -1 after fail(). */
static int read_side(struct wake *wake, const struct fields *fields, struct handoff *handoff, bool takes)
{
	char *event = fields_copy(fields, takes ? "to" : "from"), *key = fields_copy(fields, takes ? "to_key" : "from_key");
	int status = event && key ? 0 : fail("a handoff needs from, from_key, to and to_key");

	if (status == 0) {
		handoff->type[takes] = events_type(wake->events, event);
		handoff->field[takes] = event_type_field(handoff->type[takes], key);
	}
	free(event);
	free(key);
	return status;
}

static int read_handoff(struct wake *wake, const struct fields *fields)
{
	struct handoff handoff = {.anywhere = fields_is(fields, "process", "any")};
	struct traced *traced = traced_of(wake);
	char *again;

	if (traced->handoffs.count == HANDOFFS_MAX)
		return 0;
	if (read_side(wake, fields, &handoff, false) < 0 || read_side(wake, fields, &handoff, true) < 0)
		return -1;
	again = fields_copy(fields, "again");
	handoff.again = again ? event_type_field(handoff.type[true], again) : NULL;
	free(again);
	*ARRAY_ADD(&traced->handoffs) = handoff;
	return 0;
}

static void forget(struct wake *wake)
{
	struct traced_functions *functions = &traced_of(wake)->of_window;

	ARRAY_FREE(&functions->events);
	ARRAY_FREE(&functions->hands);
}

static void free_all(struct wake *wake)
{
	ARRAY_FREE(&traced_of(wake)->handoffs);
}

/* A stream begins. */
static int read_stream(struct wake *wake, const struct fields *fields)
{
	(void)fields;
	free_all(wake);
	return 0;
}

static const struct part_event events[] = {
	{"func:unwind", on_unwind, {"from", "to"}}, {"func:", on_function, {"sp"}, .named = function_named}, {0}};

static const struct part_record records[] = {{KIND_HANDOFF, read_handoff}, {KIND_STREAM, read_stream}, {0}};

const struct part function_part = {.events = events, .records = records, .window = sizeof(struct traced), .forget = forget, .free = free_all};
