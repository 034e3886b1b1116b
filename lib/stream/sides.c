#include "stream/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void sides_begin(struct sides *sides)
{
	*ARRAY_ADD(&sides->hosts) = (struct side_host){.name = NULL};
}

void sides_free(struct sides *sides)
{
	for (size_t i = 0; i < sides->hosts.count; i++) {
		free(sides->hosts.items[i].name);
		free(sides->hosts.items[i].line);
		free(sides->hosts.items[i].away);
	}
	free(sides->hosts.items);
}

int sides_of(struct sides *sides, const char *name)
{
	size_t count = sides->hosts.count;

	for (size_t i = 0; i < count; i++)
		if (sides->hosts.items[i].name && !strcmp(sides->hosts.items[i].name, name))
			return (int)i;
	if (!sides->hosts.items[0].name) {
		sides->hosts.items[0].name = memory_text(name, strlen(name));
		return 0;
	}
	if (count == SIDES_MAX)
		return fail("it is of more than %d hosts", SIDES_MAX);
	*ARRAY_ADD(&sides->hosts) = (struct side_host){.name = memory_text(name, strlen(name)), .away = NEW(struct side)};
	return (int)count;
}

void sides_enter(struct sides *sides, size_t number)
{
	struct side *side = sides->hosts.items[number].away, old = sides->at;

	if (number == sides->number)
		return;
	sides->at = *side;
	*side = old;
	sides->hosts.items[sides->number].away = side;
	sides->hosts.items[number].away = NULL;
	sides->number = number;
}

void sides_segment_over(struct sides *sides)
{
	for (size_t i = 0; i < sides->hosts.count; i++) {
		free(sides->hosts.items[i].line);
		sides->hosts.items[i].line = NULL;
		sides->hosts.items[i].told = false;
	}
	sides->hosted = false;
	sides_enter(sides, 0);
}

static void add_field(struct line *line, const struct fields *fields, const struct field *field)
{
	char *key = memory_text(field->key, field->key_length), *value = fields_copy(fields, key);

	line_text(line, key, value);
	free(value);
	free(key);
}

void sides_stream_line(struct line *line, const struct fields *stream, const struct fields *host)
{
	static const char *const of_host[] = {"host", "kernel", "machine", "cpus", "boot"};

	line_begin(line, "stream");
	for (int i = 0; i < stream->count; i++) {
		const struct field *field = &stream->item[i];
		bool own = false;

		for (size_t k = 0; k < sizeof(of_host) / sizeof(*of_host); k++)
			own |= strlen(of_host[k]) == field->key_length && !memcmp(of_host[k], field->key, field->key_length);
		if (!own)
			add_field(line, stream, field);
	}
	for (size_t k = 0; k < sizeof(of_host) / sizeof(*of_host); k++) {
		char *value = fields_copy(host, k ? of_host[k] : "name");

		if (value)
			line_text(line, of_host[k], value);
		free(value);
	}
}
