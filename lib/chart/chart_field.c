#include "chart/chart_field.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "event/machine.h"

/* The kernel returns errors down to -MAX_ERRNO. No program sees the errors from ERESTARTSYS on. */
enum { ERROR_MOST = 4095, RESTART_FIRST = 512, RESTART_LAST = 516 };

struct field_form {
	const char *name;
	int64_t (*number)(const struct field_world *world, int64_t number);				       /* NULL: the number as it is */
	size_t (*spell)(const struct field_world *world, int64_t number, char *text, size_t room); /* NULL: as the event does */
	int64_t (*text)(const char *text); /* the number of a field that is text; NULL: `number` of 0 */
};

static int64_t number_disk(const struct field_world *world, int64_t number)
{
	return (int64_t)events_device_disk(world->events, (uint64_t)number);
}

static int64_t number_error(const struct field_world *world, int64_t number)
{
	static const int64_t none[] = {EAGAIN, EINPROGRESS, EINTR};

	(void)world;
	if (number >= 0 || number < -ERROR_MOST || (number <= -RESTART_FIRST && number >= -RESTART_LAST))
		return 0;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (number == -none[i])
			return 0;
	return 1;
}

/* The lower eight bits are the states of a sleep, also of an idle worker (128); a bit above says that the thread was preempted. */
static int64_t number_runnable(const struct field_world *world, int64_t number)
{
	(void)world;
	return (number & 0xff) == 0;
}

static int64_t text_runnable(const char *text)
{
	return *text == 'R';
}

static int64_t number_never(const struct field_world *world, int64_t number)
{
	(void)world, (void)number;
	return 0;
}

static int64_t text_flush(const char *text)
{
	return *text == 'F';
}

/*
 * Tells whether somebody may wait for a request: a read, or a write to be done at once. If a number does not tell, somebody may. A discard frees what
 * nobody uses, and takes as long as the disk likes.
 */
static int64_t number_waited(const struct field_world *world, int64_t number)
{
	(void)world, (void)number;
	return 1;
}

static int64_t text_waited(const char *text)
{
	return *text == 'R' || (*text != 'D' && strchr(text, 'S') != NULL);
}

static int64_t text_discard(const char *text)
{
	return *text == 'D';
}

static int64_t number_command(const struct field_world *world, int64_t number)
{
	return number != 0 && number == world->command;
}

static size_t copy(char *text, size_t room, const char *from)
{
	int length = snprintf(text, room, "%s", from);

	return (size_t)length < room ? (size_t)length : room - 1;
}

static size_t spell_device(const struct field_world *world, int64_t number, char *text, size_t room)
{
	char device[NUMBER_ROOM];

	(void)world;
	device_spell(device, (uint64_t)number);
	return copy(text, room, device);
}

static size_t spell_syscall(const struct field_world *world, int64_t number, char *text, size_t room)
{
	return machine_spell_call(machine_of(world->machine), number, text, room);
}

static const struct field_form forms[] = {
	{"", NULL, NULL, NULL},
	{"disk", number_disk, spell_device, NULL},
	{"syscall", NULL, spell_syscall, NULL},
	{"error", number_error, NULL, NULL},
	{"runnable", number_runnable, NULL, text_runnable},
	{"flush", number_never, NULL, text_flush},
	{"waited", number_waited, NULL, text_waited},
	{"discard", number_never, NULL, text_discard},
	{"command", number_command, NULL, NULL},
};

int chart_field_make(struct chart_field *field, struct event_type *type, const char *text)
{
	const char *colon = strchr(text, ':'), *form = colon ? colon + 1 : "";

	snprintf(field->name, sizeof(field->name), "%.*s", (int)strcspn(text, ":"), text);
	sample_field_name(field->name, field->label);
	field->raw = event_type_field(type, field->name);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(forms[i].name, form)) {
			field->form = &forms[i];
			return 0;
		}
	return fail("unknown form '%s' of field '%s'; there are disk, syscall, error, runnable, flush, waited, discard, command", form, field->name);
}

/* FNV-1a. */
int64_t chart_field_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (int64_t)hash;
}

/* The name in "syscalls:sys_enter_read", if the field is a call's number; NULL: the event may be of any call. */
static const char *call_of_event(const struct chart_field *field, const struct event *event)
{
	static const char enters[] = "syscalls:sys_enter_";

	return field->form->spell == spell_syscall && !strncmp(event->type->name, enters, strlen(enters)) ? event->type->name + strlen(enters) : NULL;
}

int64_t chart_field_number(const struct chart_field *field, const struct field_world *world, const struct event *event)
{
	int64_t number;
	bool is_text = event_read_number(event, field->raw, &number) == SPELL_TEXT;
	const char *call = event_has(event, field->raw) ? NULL : call_of_event(field, event); /* an event that is text lacks the call's number */
	char text[FIELD_ROOM];

	if (call)
		return chart_field_hash(call);
	if (is_text && field->form->text) {
		event_spell_field(event, field->raw, text, sizeof(text));
		return field->form->text(text);
	}
	if (field->form->number)
		return field->form->number(world, number);
	if (!is_text || field->form->spell)
		return number;
	return event_spell_field(event, field->raw, text, sizeof(text)) ? chart_field_hash(text) : 0;
}

size_t chart_field_spell(const struct chart_field *field, const struct field_world *world, const struct event *event,
		     char *text, size_t room)
{
	const char *call = call_of_event(field, event);

	if (call && (!event_has(event, field->raw) || !*world->machine))
		return copy(text, room, call);
	if (field->form->spell)
		return field->form->spell(world, chart_field_number(field, world, event), text, room);
	return event_spell_field(event, field->raw, text, room);
}

enum event_spelling chart_field_spelling(const struct chart_field *field, const struct event *event)
{
	int64_t number;

	return field->form->number || field->form->spell ? SPELL_SIGNED : event_read_number(event, field->raw, &number);
}

size_t chart_field_spell_number(const struct chart_field *field, const struct field_world *world, enum event_spelling spelling,
			    int64_t number, char *text, size_t room)
{
	if (field->form->spell)
		return field->form->spell(world, number, text, room);
	return event_spell_number(spelling, number, text, room);
}
