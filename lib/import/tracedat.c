#include "import/tracedat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

#define MAGIC "\027\010\104tracing"
enum { MAGIC_SIZE = 10, PAGE_SIZE_MAX = 1 << 20 };
enum { BEGINNING = 4 << 20 }; /* more than the description of most files of version 6 */

/* Magic number, version, byte order, size of a long, size of a page. */
static int read_beginning(struct tracedat *file, struct cursor *at)
{
	const char *magic = cursor_bytes(at, MAGIC_SIZE), *version = cursor_text(at);
	unsigned big, long_size;

	if (!magic || memcmp(magic, MAGIC, MAGIC_SIZE) != 0 || !version)
		return tracedat_fail(file, at->at, "it does not begin as a trace.dat file does");
	file->version = strcmp(version, "6") == 0 ? 6 : strcmp(version, "7") == 0 ? 7 : 0;
	if (!file->version)
		return fail("%s: trace.dat of version '%.8s'; this program reads 6 and 7", file->name, version);
	big = (unsigned)cursor_number(at, 1);
	long_size = (unsigned)cursor_number(at, 1);
	at->swapped = (big != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	file->page_size = (uint32_t)cursor_number(at, 4);
	if (at->cut || big > 1 || (long_size != 4 && long_size != 8))
		return tracedat_fail(file, at->at, "its byte order or size of numbers cannot be");
	if (file->page_size < 64 || file->page_size > PAGE_SIZE_MAX)
		return tracedat_fail(file, at->at, "its size of a page cannot be");
	file->layout = (struct page_layout){.swapped = at->swapped, .long_size = (uint8_t)long_size};
	return 0;
}

/* What the description of a file of version 6 has told; that of version 7 is told where it is. */
static void forget(struct tracedat *file)
{
	for (size_t i = 0; i < file->formats.count; i++)
		free(file->formats.items[i].system);
	for (size_t i = 0; i < file->buffers.count; i++) {
		free(file->buffers.items[i].name);
		free(file->buffers.items[i].clock);
		free(file->buffers.items[i].cpus.items);
	}
	for (size_t i = 0; i < file->stats.count; i++)
		free(file->stats.items[i]);
	for (size_t i = 0; i < file->unpacked.count; i++)
		free(file->unpacked.items[i]);
	free(file->formats.items);
	free(file->buffers.items);
	free(file->stats.items);
	free(file->unpacked.items);
	tracedat_forget_pieces(file);
	timeshift_free(&file->shift);
	free(file->clock);
	free(file->uname);
	free(file->cmdlines);
	*file = (struct tracedat){.name = file->name, .fd = file->fd, .size = file->size};
}

/* With so much of the file's beginning in memory; *cut: that may be why it failed. */
static int read_description(struct tracedat *file, uint64_t size, bool *cut)
{
	struct cursor at;
	int status;

	if (tracedat_load(file, 0, size, &at) < 0)
		return -1;
	status = read_beginning(file, &at);
	if (status == 0)
		status = file->version == 6 ? tracedat_read_v6(file, &at) : tracedat_read_v7(file, &at);
	*cut = at.cut && size < file->size;
	return status;
}

int tracedat_open(struct tracedat *file, const char *name, int fd)
{
	uint64_t size = BEGINNING;
	bool cut = false;

	*file = (struct tracedat){.name = name, .fd = -1};
	if (tracedat_use_file(file, fd) < 0)
		return -1;
	while (read_description(file, size, &cut) < 0) {
		if (!cut)
			return -1;
		forget(file);
		size *= 4;
	}
	return 0;
}

void tracedat_close(struct tracedat *file)
{
	forget(file);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct tracedat){.fd = -1};
}

struct tracedat_buffer *tracedat_add_buffer(struct tracedat *file, const char *name)
{
	struct tracedat_buffer *buffer = ARRAY_ADD(&file->buffers);

	*buffer = (struct tracedat_buffer){.name = memory_text(name, strlen(name)), .page_size = file->page_size};
	return buffer;
}

/* --- parts that both versions have -------------------------------------------------------------------------------- */

/* "header_page" says by its field `commit` how long a long of the kernel is, which a 32-bit trace-cmd need not know. */
int tracedat_read_head_page(struct tracedat *file, struct cursor *at)
{
	static const char *const names[] = {"header_page", "header_event"};

	for (int i = 0; i < 2; i++) {
		const char *name = cursor_text(at);
		struct cursor text = cursor_part(at, cursor_number(at, 8));
		const char *commit, *size;

		if (!name || strcmp(name, names[i]) != 0 || text.cut)
			return tracedat_fail(file, at->at, "the description of a page is missing");
		commit = cursor_left(&text) ? memmem(text.at, cursor_left(&text), "commit;", 7) : NULL;
		size = commit ? memmem(commit, (size_t)(text.end - commit), "size:", 5) : NULL;
		if (i == 0 && size && size + 5 < text.end && (size[5] == '4' || size[5] == '8'))
			file->layout.long_size = (uint8_t)(size[5] - '0');
	}
	return 0;
}

enum { FORMATS_MAX = 1 << 16 };

static int add_format(struct tracedat *file, const char *system, struct cursor *at)
{
	uint64_t size = cursor_number(at, 8);
	const char *text = cursor_bytes(at, size);

	if (!text)
		return tracedat_fail(file, at->at, "the formats of events are cut");
	if (file->formats.count == FORMATS_MAX)
		return tracedat_fail(file, at->at, "there are more formats than an event's number can tell apart");
	*ARRAY_ADD(&file->formats) = (struct tracedat_format){memory_text(system, strlen(system)), text, (size_t)size};
	return 0;
}

int tracedat_read_ftrace_formats(struct tracedat *file, struct cursor *at)
{
	uint64_t count = cursor_number(at, 4);

	for (uint64_t i = 0; i < count; i++)
		if (add_format(file, "ftrace", at) < 0)
			return -1;
	return 0;
}

int tracedat_read_formats(struct tracedat *file, struct cursor *at)
{
	uint64_t systems = cursor_number(at, 4);

	for (uint64_t i = 0; i < systems; i++) {
		const char *system = cursor_text(at);
		uint64_t count = cursor_number(at, 4);

		if (!system)
			return tracedat_fail(file, at->at, "the formats of events are cut");
		for (uint64_t k = 0; k < count; k++)
			if (add_format(file, system, at) < 0)
				return -1;
	}
	return 0;
}

int tracedat_read_cmdlines(struct tracedat *file, struct cursor *at)
{
	uint64_t size = cursor_number(at, 8);
	const char *text = cursor_bytes(at, size);

	if (!text)
		return tracedat_fail(file, at->at, "the names of threads are cut");
	free(file->cmdlines);
	file->cmdlines = memory_text(text, (size_t)size);
	return 0;
}

/* "local global [mono] boot": what the clock file says, or one name. */
static char *chosen_clock(const char *text, size_t length)
{
	const char *open = memchr(text, '[', length), *close = open ? memchr(open, ']', length - (size_t)(open - text)) : NULL;

	if (close)
		return memory_text(open + 1, (size_t)(close - open - 1));
	return memory_text(text, strcspn(text, " \n"));
}

static const struct {
	const char *name;
	bool counts_time;
} clocks[] = {
	{"", true}, {"local", true}, {"global", true}, {"mono", true}, {"mono_raw", true}, {"boot", true}, {"tai", true},
	{"perf", true}, {"uptime", false}, {"counter", false},
};

int tracedat_clock(const struct tracedat *file, const struct tracedat_buffer *buffer, const char **clock)
{
	char *name = NULL;

	*clock = "";
	if (buffer->clock && *buffer->clock) {
		name = chosen_clock(buffer->clock, strlen(buffer->clock));
		snprintf(buffer->clock, strlen(buffer->clock) + 1, "%s", name);
		free(name);
		*clock = buffer->clock;
	} else if (file->clock) {
		*clock = file->clock;
	}
	if (file->shift.mult)
		return 0;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strcmp(*clock, clocks[i].name) == 0 && clocks[i].counts_time)
			return 0;
	return fail("%s: its clock '%s' does not tell the time", file->name, *clock);
}

/* --- options ------------------------------------------------------------------------------------------------------ */

static char *text_of(struct cursor data)
{
	return memory_text(data.at, cursor_left(&data) ? strnlen(data.at, cursor_left(&data)) : 0);
}

static int64_t number_of(struct cursor data)
{
	char *text = text_of(data);
	int64_t number = strtoll(text, NULL, 0);

	free(text);
	return number;
}

static int read_date(struct tracedat *file, struct cursor data)
{
	file->dated = true;
	file->wall = (int64_t)((uint64_t)number_of(data) * 1000); /* it is in microseconds */
	return 0;
}

static int read_offset(struct tracedat *file, struct cursor data)
{
	file->shift.offset = (int64_t)((uint64_t)file->shift.offset + (uint64_t)number_of(data));
	return 0;
}

static int read_stats(struct tracedat *file, struct cursor data)
{
	*ARRAY_ADD(&file->stats) = text_of(data);
	return 0;
}

static int read_clock(struct tracedat *file, struct cursor data)
{
	char *text = text_of(data);

	free(file->clock);
	file->clock = chosen_clock(text, strlen(text));
	free(text);
	return 0;
}

static int read_uname(struct tracedat *file, struct cursor data)
{
	free(file->uname);
	file->uname = text_of(data);
	return 0;
}

static int read_cpu_count(struct tracedat *file, struct cursor data)
{
	file->cpus = (uint32_t)cursor_number(&data, 4);
	return 0;
}

static int read_tick_rate(struct tracedat *file, struct cursor data)
{
	file->shift.mult = (uint32_t)cursor_number(&data, 4);
	file->shift.shift = (uint32_t)cursor_number(&data, 4);
	return 0;
}

static int read_samples(struct tracedat *file, struct cursor data)
{
	return timeshift_read_samples(&file->shift, data) < 0 ? fail_prefix("%s", file->name) : 0;
}

/* By number, as in trace-cmd.dat.v7(5); what is not here has to do with neither events nor times. */
static int (*const options[])(struct tracedat *, struct cursor) = {
	[1] = read_date,	[2] = read_stats,    [4] = read_clock,	   [5] = read_uname,
	[7] = read_offset, [8] = read_cpu_count, [12] = read_samples, [14] = read_tick_rate,
};

int tracedat_read_option(struct tracedat *file, unsigned id, struct cursor data)
{
	return id < sizeof(options) / sizeof(options[0]) && options[id] ? options[id](file, data) : 0;
}
