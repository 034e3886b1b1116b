#include "stream/host_listeners.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void host_listeners_begin(struct host_listeners *listeners)
{
	*ARRAY_ADD(&listeners->hosts) = (struct stream_host){.name = NULL};
}

void host_listeners_free(struct host_listeners *listeners)
{
	for (size_t i = 0; i < listeners->hosts.count; i++) {
		free(listeners->hosts.items[i].name);
		free(listeners->hosts.items[i].line);
		free(listeners->hosts.items[i].away);
	}
	free(listeners->hosts.items);
}

int host_listeners_find(struct host_listeners *listeners, const char *name)
{
	size_t count = listeners->hosts.count;

	for (size_t i = 0; i < count; i++)
		if (listeners->hosts.items[i].name && !strcmp(listeners->hosts.items[i].name, name))
			return (int)i;
	if (!listeners->hosts.items[0].name) {
		listeners->hosts.items[0].name = memory_text(name, strlen(name));
		return 0;
	}
	if (count == STREAM_HOSTS_MAX)
		return fail("it is of more than %d hosts", STREAM_HOSTS_MAX);
	*ARRAY_ADD(&listeners->hosts) = (struct stream_host){.name = memory_text(name, strlen(name)), .away = NEW(struct host_listener)};
	return (int)count;
}

void host_listeners_enter(struct host_listeners *listeners, size_t number)
{
	struct host_listener *listener = listeners->hosts.items[number].away, old = listeners->current;

	if (number == listeners->number)
		return;
	listeners->current = *listener;
	*listener = old;
	listeners->hosts.items[listeners->number].away = listener;
	listeners->hosts.items[number].away = NULL;
	listeners->number = number;
}

void host_listeners_segment_over(struct host_listeners *listeners)
{
	for (size_t i = 0; i < listeners->hosts.count; i++) {
		free(listeners->hosts.items[i].line);
		listeners->hosts.items[i].line = NULL;
		listeners->hosts.items[i].told = false;
	}
	listeners->hosted = false;
	host_listeners_enter(listeners, 0);
}

static void add_field(struct line *line, const struct fields *fields, const struct field *field)
{
	char *key = memory_text(field->key, field->key_length), *value = fields_copy(fields, key);

	line_text(line, key, value);
	free(value);
	free(key);
}

void host_listeners_stream_line(struct line *line, const struct fields *stream, const struct fields *host)
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
