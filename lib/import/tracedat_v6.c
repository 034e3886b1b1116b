/* trace.dat of version 6: one part behind the other. */
#include <string.h>

#include "base/fail.h"
#include "import/tracedat.h"

enum { KIND_SIZE = 10, CPU_SIZE = 16, CPUS_MAX = 1 << 16, OPTION_DONE = 0, OPTION_BUFFER = 3 };

/* A part that begins with its size and does not matter here. */
static void skip(struct cursor *at)
{
	cursor_bytes(at, cursor_number(at, 4));
}

static int read_cpus(struct tracedat *file, struct tracedat_buffer *buffer, struct cursor *at)
{
	if (file->cpus == 0 || file->cpus > CPUS_MAX)
		return tracedat_fail(file, at->at, "its number of CPUs cannot be");
	for (uint32_t i = 0; i < file->cpus; i++) {
		uint64_t offset = cursor_number(at, 8), size = cursor_number(at, 8);

		*ARRAY_ADD(&buffer->cpus) = (struct tracedat_cpu){(int)i, offset, size};
	}
	return at->cut ? tracedat_fail(file, at->at, "it is cut before its events begin") : 0;
}

/* An instance's name and where its list of CPUs stands; that must be read when the number of CPUs is known. */
static int read_buffer_option(struct tracedat *file, struct cursor data, uint64_t *lists)
{
	uint64_t offset = cursor_number(&data, 8);
	const char *name = cursor_text(&data);

	if (!name || offset > file->size)
		return tracedat_fail(file, data.end, "an instance lies behind the end of the file");
	tracedat_add_buffer(file, name);
	lists[file->buffers.count - 1] = offset;
	return 0;
}

enum { BUFFERS_MAX = 256 };

static int read_options(struct tracedat *file, struct cursor *at, uint64_t *lists)
{
	for (;;) {
		unsigned id = (unsigned)cursor_number(at, 2);
		struct cursor data;
		int status;

		if (at->cut)
			return tracedat_fail(file, at->at, "the options are cut");
		if (id == OPTION_DONE)
			return 0;
		data = cursor_part(at, cursor_number(at, 4));
		if (data.cut)
			return tracedat_fail(file, at->at, "the options are cut");
		if (id != OPTION_BUFFER)
			status = tracedat_read_option(file, id, data);
		else if (file->buffers.count < BUFFERS_MAX)
			status = read_buffer_option(file, data, lists);
		else
			status = tracedat_fail(file, data.at, "more instances than can be");
		if (status < 0)
			return -1;
	}
}

/* What kind of events an instance has, and where. */
static int read_kind(struct tracedat *file, struct tracedat_buffer *buffer, uint64_t list)
{
	const char *kind;
	struct cursor at;

	if (tracedat_load(file, list, KIND_SIZE + (uint64_t)file->cpus * CPU_SIZE, &at) < 0)
		return -1;
	kind = cursor_bytes(&at, KIND_SIZE);
	if (kind && memcmp(kind, "latency  ", KIND_SIZE) == 0) {
		buffer->text = true;
		buffer->text_at = list + KIND_SIZE;
		buffer->text_size = file->size - buffer->text_at;
		return 0;
	}
	if (!kind || memcmp(kind, "flyrecord", KIND_SIZE) != 0)
		return tracedat_fail(file, at.at, "what should be a list of CPUs is none");
	return read_cpus(file, buffer, &at);
}

int tracedat_read_v6(struct tracedat *file, struct cursor *at)
{
	static uint64_t lists[BUFFERS_MAX];

	if (tracedat_read_head_page(file, at) < 0 || tracedat_read_ftrace_formats(file, at) < 0 ||
	    tracedat_read_formats(file, at) < 0)
		return -1;
	skip(at); /* kernel symbols */
	skip(at); /* formats of printk */
	if (at->cut || tracedat_read_cmdlines(file, at) < 0)
		return tracedat_fail(file, at->at, "it is cut before its events begin");
	file->cpus = (uint32_t)cursor_number(at, 4);
	tracedat_add_buffer(file, "");
	while (cursor_left(at) >= KIND_SIZE && memcmp(at->at, "options  ", KIND_SIZE) == 0) {
		cursor_bytes(at, KIND_SIZE);
		if (read_options(file, at, lists) < 0)
			return -1;
	}
	lists[0] = tracedat_place(file, at->at);
	for (size_t i = 0; i < file->buffers.count; i++)
		if (read_kind(file, &file->buffers.items[i], lists[i]) < 0)
			return -1;
	return 0;
}
