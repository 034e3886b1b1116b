#include "export/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"

struct format {
	int number;
	char *system, *text;
	size_t length; /* of the text */
	UT_hash_handle hh;
};

struct formats {
	struct format *by_number; /* in order of arrival */
};

struct formats *formats_new(void)
{
	return NEW(struct formats);
}

void formats_free(struct formats *formats)
{
	struct format *format, *next;

	HASH_ITER(hh, formats->by_number, format, next)
	{
		HASH_DEL(formats->by_number, format);
		free(format->system);
		free(format->text);
		free(format);
	}
	free(formats);
}

/* "name: sched_switch\nID: 316\nformat:..." */
static int number_of(const char *text, int *number)
{
	const char *line = strstr(text, "\nID: ");

	return line && sscanf(line, "\nID: %d", number) == 1 ? 0 : fail("a format has no ID");
}

static bool is_same(const struct format *format, const char *system, const char *text, size_t length)
{
	return !strcmp(format->system, system) && format->length == length && !memcmp(format->text, text, length);
}

int formats_add(struct formats *formats, const char *body, size_t length)
{
	const char *nul = memchr(body, '\0', length);
	struct format *format;
	size_t rest;
	char *text;
	int number;

	if (!nul)
		return fail("a format record has no system");
	rest = length - (size_t)(nul + 1 - body);
	text = memory_text(nul + 1, rest);
	if (number_of(text, &number) < 0) {
		free(text);
		return -1;
	}
	HASH_FIND_INT(formats->by_number, &number, format);
	if (format) {
		bool same = is_same(format, body, text, rest);

		free(text);
		return same ? 0
			    : fail("event %d has another format than in a stream before; export each stream alone",
				   number);
	}
	format = NEW(struct format);
	format->number = number;
	format->system = memory_text(body, (size_t)(nul - body));
	format->text = text;
	format->length = rest;
	HASH_ADD_INT(formats->by_number, number, format);
	return 0;
}

static size_t count_of(const struct formats *formats, const char *system)
{
	size_t count = 0;

	for (const struct format *format = formats->by_number; format; format = format->hh.next)
		count += !strcmp(format->system, system);
	return count;
}

static void write_system(const struct formats *formats, const char *system, struct bytes *out)
{
	bytes_add32(out, (uint32_t)count_of(formats, system));
	for (const struct format *format = formats->by_number; format; format = format->hh.next)
		if (!strcmp(format->system, system)) {
			bytes_add64(out, format->length);
			bytes_add(out, format->text, format->length);
		}
}

/* Whether it is the first of a system other than ftrace. */
static bool leads(const struct formats *formats, const struct format *format)
{
	if (!strcmp(format->system, "ftrace"))
		return false;
	for (const struct format *before = formats->by_number; before != format; before = before->hh.next)
		if (!strcmp(before->system, format->system))
			return false;
	return true;
}

void formats_write(const struct formats *formats, struct bytes *out)
{
	uint32_t systems = 0;

	write_system(formats, "ftrace", out);
	for (const struct format *format = formats->by_number; format; format = format->hh.next)
		systems += leads(formats, format);
	bytes_add32(out, systems);
	for (const struct format *format = formats->by_number; format; format = format->hh.next)
		if (leads(formats, format)) {
			bytes_add(out, format->system, strlen(format->system) + 1);
			write_system(formats, format->system, out);
		}
}
