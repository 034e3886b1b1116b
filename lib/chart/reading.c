#include "chart/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "event/machine.h"

/* What the kernel returns for errors (MAX_ERRNO), and of these ERESTARTSYS and its like, which no program sees. */
enum { ERROR_MOST = 4095, RESTART_FIRST = 512, RESTART_LAST = 516 };

struct reading_kind {
	const char *name;
	int64_t (*number)(const struct reading_world *world, int64_t number);				       /* NULL: as it is */
	size_t (*spell)(const struct reading_world *world, int64_t number, char *text, size_t room); /* NULL: as the event does */
};

static int64_t number_disk(const struct reading_world *world, int64_t number)
{
	return (int64_t)events_device_disk(world->events, (uint64_t)number);
}

static int64_t number_error(const struct reading_world *world, int64_t number)
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

static size_t copy(char *text, size_t room, const char *from)
{
	int length = snprintf(text, room, "%s", from);

	return (size_t)length < room ? (size_t)length : room - 1;
}

static size_t spell_device(const struct reading_world *world, int64_t number, char *text, size_t room)
{
	char device[NUMBER_ROOM];

	(void)world;
	device_spell(device, (uint64_t)number);
	return copy(text, room, device);
}

static size_t spell_syscall(const struct reading_world *world, int64_t number, char *text, size_t room)
{
	return machine_spell_call(machine_of(world->machine), number, text, room);
}

static const struct reading_kind kinds[] = {
	{"", NULL, NULL},
	{"disk", number_disk, spell_device},
	{"syscall", NULL, spell_syscall},
	{"error", number_error, NULL},
};

int reading_make(struct reading *reading, struct event_type *type, const char *text)
{
	const char *colon = strchr(text, ':'), *kind = colon ? colon + 1 : "";

	snprintf(reading->name, sizeof(reading->name), "%.*s", (int)strcspn(text, ":"), text);
	sample_field_name(reading->name, reading->label);
	reading->field = event_type_field(type, reading->name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, kind)) {
			reading->kind = &kinds[i];
			return 0;
		}
	return fail("unknown reading '%s' of field '%s'; there are disk, syscall, error", kind, reading->name);
}

/* FNV-1a. */
int64_t reading_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (int64_t)hash;
}

int64_t reading_number(const struct reading *reading, const struct reading_world *world, const struct event *event)
{
	int64_t number;
	bool is_text = event_read_number(event, reading->field, &number) == SPELL_TEXT;
	char text[READING_ROOM];

	if (reading->kind->number)
		return reading->kind->number(world, number);
	if (!is_text || reading->kind->spell)
		return number;
	return event_spell_field(event, reading->field, text, sizeof(text)) ? reading_hash(text) : 0;
}

size_t reading_spell(const struct reading *reading, const struct reading_world *world, const struct event *event,
		     char *text, size_t room)
{
	if (reading->kind->spell)
		return reading->kind->spell(world, reading_number(reading, world, event), text, room);
	return event_spell_field(event, reading->field, text, room);
}

enum event_spelling reading_spelling(const struct reading *reading, const struct event *event)
{
	int64_t number;

	return reading->kind->number || reading->kind->spell ? SPELL_SIGNED : event_read_number(event, reading->field, &number);
}

size_t reading_spell_number(const struct reading *reading, const struct reading_world *world, enum event_spelling spelling,
			    int64_t number, char *text, size_t room)
{
	if (reading->kind->spell)
		return reading->kind->spell(world, number, text, room);
	return event_spell_number(spelling, number, text, room);
}
