/* trace.dat of version 7: sections that options point at, packed or not. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "import/tracedat.h"
#include "import/unpack.h"

enum { OPTION_DONE = 0, OPTION_BUFFER = 3, OPTION_BUFFER_TEXT = 22, PACKED = 1 };
enum { HEAD_SIZE = 16 }; /* of a section: its kind, flags, name and size */
enum { OPTION_SECTIONS_MAX = 1024, UNPACKED_MAX = 1 << 28 }; /* bytes in all; real files have a few MB */

/* Opens the contents of a section, unpacked if need be. 0; -1 after fail(). */
static int open_section(struct tracedat *file, uint64_t offset, unsigned expected, struct cursor *section)
{
	uint64_t flags, size, room;
	struct cursor at;
	unsigned id;
	char *bytes;
	long length;

	if (tracedat_load(file, offset, HEAD_SIZE, &at) < 0)
		return -1;
	id = (unsigned)cursor_number(&at, 2);
	flags = cursor_number(&at, 2);
	cursor_bytes(&at, 4); /* its name */
	size = cursor_number(&at, 8);
	if (at.cut || size > file->size - offset - HEAD_SIZE)
		return tracedat_fail(file, at.at, "a section lies behind the end of the file");
	if (id != expected)
		return tracedat_fail(file, at.at, "a section of another kind stands here");
	if (tracedat_load(file, offset + HEAD_SIZE, size, section) < 0)
		return -1;
	if (!(flags & PACKED))
		return 0;
	size = cursor_number(section, 4);
	room = cursor_number(section, 4);
	if (section->cut || size > cursor_left(section) || room > UNPACKED_MAX - file->unpacked_size)
		return tracedat_fail(file, section->at, "the sizes of a compressed section cannot be");
	bytes = memory_new((size_t)room + 1, 1);
	*ARRAY_ADD(&file->unpacked) = bytes;
	file->unpacked_size += room;
	length = unpack(file->compression, section->at, (size_t)size, bytes, (size_t)room);
	if (length < 0)
		return tracedat_fail(file, section->at, fail_text());
	*section = (struct cursor){.at = bytes, .end = bytes + length, .swapped = file->layout.swapped};
	return 0;
}

/* The CPUs of an instance and where their events are. */
static int read_cpus(struct tracedat *file, struct tracedat_buffer *buffer, struct cursor data)
{
	uint64_t count;

	buffer->page_size = (uint32_t)cursor_number(&data, 4);
	count = cursor_number(&data, 4);
	for (uint64_t i = 0; i < count && !data.cut; i++) {
		struct tracedat_cpu cpu = {.cpu = (int)cursor_number(&data, 4)};

		cpu.at = cursor_number(&data, 8);
		cpu.size = cursor_number(&data, 8);
		*ARRAY_ADD(&buffer->cpus) = cpu;
	}
	return data.cut ? fail("%s: the description of an instance is cut", file->name) : 0;
}

static int read_buffer(struct tracedat *file, struct cursor data, bool text)
{
	uint64_t offset = cursor_number(&data, 8);
	const char *name = cursor_text(&data), *clock = cursor_text(&data);
	struct tracedat_buffer *buffer;
	struct cursor at;

	if (data.cut)
		return fail("%s: the description of an instance is cut", file->name);
	buffer = tracedat_add_buffer(file, name);
	buffer->clock = memory_text(clock, strlen(clock));
	if (tracedat_load(file, offset, HEAD_SIZE, &at) < 0)
		return -1;
	cursor_bytes(&at, 2);
	buffer->compressed = cursor_number(&at, 2) & PACKED;
	cursor_bytes(&at, 4);
	buffer->text = text;
	buffer->text_at = offset + HEAD_SIZE;
	buffer->text_size = cursor_number(&at, 8);
	if (at.cut)
		return tracedat_fail(file, at.at, "the events of an instance lie behind the end of the file");
	return text ? 0 : read_cpus(file, buffer, data);
}

/* The parts that events cannot be read without, by the number of the option that says where they are. */
static const struct {
	unsigned id;
	int (*read)(struct tracedat *, struct cursor *);
} sections[] = {
	{16, tracedat_read_head_page},
	{17, tracedat_read_ftrace_formats},
	{18, tracedat_read_formats},
	{21, tracedat_read_cmdlines},
};

static int read_section_option(struct tracedat *file, unsigned id, struct cursor data)
{
	struct cursor section;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (sections[i].id != id)
			continue;
		if (open_section(file, cursor_number(&data, 8), id, &section) < 0)
			return -1;
		return sections[i].read(file, &section);
	}
	return tracedat_read_option(file, id, data);
}

/* Reads the options of a section; sets *next to the place of more options, 0: there are none. */
static int read_options(struct tracedat *file, struct cursor *at, uint64_t *next)
{
	*next = 0;
	for (;;) {
		unsigned id = (unsigned)cursor_number(at, 2);
		struct cursor data = cursor_part(at, cursor_number(at, 4));
		int status;

		if (data.cut)
			return fail("%s: its options are cut", file->name);
		if (id == OPTION_DONE) {
			*next = cursor_number(&data, 8);
			return 0;
		}
		if (id == OPTION_BUFFER || id == OPTION_BUFFER_TEXT)
			status = read_buffer(file, data, id == OPTION_BUFFER_TEXT);
		else
			status = read_section_option(file, id, data);
		if (status < 0)
			return -1;
	}
}

int tracedat_read_v7(struct tracedat *file, struct cursor *at)
{
	const char *name = cursor_text(at), *version = cursor_text(at);
	uint64_t next = cursor_number(at, 8);

	if (!name || !version || at->cut)
		return tracedat_fail(file, at->at, "it is cut within its first bytes");
	snprintf(file->compression, sizeof(file->compression), "%s", name);
	for (int i = 0; next; i++) {
		struct cursor section;

		if (i == OPTION_SECTIONS_MAX)
			return fail("%s: its options have no end", file->name);
		if (open_section(file, next, 0, &section) < 0 || read_options(file, &section, &next) < 0)
			return -1;
	}
	return file->buffers.count ? 0 : fail("%s: it holds no events: the recording was not ended", file->name);
}
