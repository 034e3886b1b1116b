#include "import/tracedat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "import/unpack.h"

enum { LOADED_MORE = 64 << 10 }; /* slack: heads of sections are loaded again after the file's beginning */

static int use_file(struct tracedat *file, int fd)
{
	struct stat about;

	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0 || fstat(file->fd, &about) < 0)
		return fail_errno("cannot read '%s'", file->name);
	file->size = (uint64_t)about.st_size;
	return 0;
}

int tracedat_read(struct tracedat *file, char *bytes, size_t size, uint64_t at, size_t *length)
{
	struct stat about;

	*length = 0;
	while (*length < size) {
		ssize_t got = pread(file->fd, bytes + *length, size - *length, (off_t)(at + *length));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_errno("cannot read '%s'", file->name);
		if (got == 0)
			break;
		*length += (size_t)got;
	}
	if (*length < size && fstat(file->fd, &about) == 0 && (uint64_t)about.st_size < file->size)
		file->size = (uint64_t)about.st_size; /* somebody has cut the file meanwhile */
	return 0;
}

static int load_bytes(struct tracedat *file, uint64_t at, uint64_t size, struct cursor *cursor)
{
	struct tracedat_piece *piece = ARRAY_ADD(&file->pieces);
	uint64_t left = at < file->size ? file->size - at : 0;

	*piece = (struct tracedat_piece){.at = at};
	if (size > left)
		size = left;
	if (file->loaded + size > 2 * file->size + LOADED_MORE)
		return fail("%s: its parts lie one upon the other", file->name);
	file->loaded += size;
	piece->bytes = memory_new((size_t)size + 1, 1);
	if (tracedat_read(file, piece->bytes, (size_t)size, at, &piece->length) < 0)
		return -1;
	*cursor = (struct cursor){.at = piece->bytes, .end = piece->bytes + piece->length, .swapped = file->layout.swapped};
	return 0;
}

static uint64_t place_of(const struct tracedat *file, const char *at)
{
	for (size_t i = 0; i < file->pieces.count; i++) {
		const struct tracedat_piece *piece = &file->pieces.items[i];

		if (at >= piece->bytes && at <= piece->bytes + piece->length)
			return piece->at + (uint64_t)(at - piece->bytes);
	}
	return UINT64_MAX;
}

static int fail_at(const struct tracedat *file, const char *at, const char *sentence)
{
	uint64_t place = place_of(file, at);

	if (place == UINT64_MAX)
		return fail("%s: in a compressed part: %s", file->name, sentence);
	return fail("%s: byte %llu: %s", file->name, (unsigned long long)place, sentence);
}

static void forget_pieces(struct tracedat *file)
{
	for (size_t i = 0; i < file->pieces.count; i++)
		free(file->pieces.items[i].bytes);
	free(file->pieces.items);
	file->pieces.items = NULL;
	file->pieces.count = file->pieces.room = 0;
}

/* --- parts that both versions have -------------------------------------------------------------------------------- */

/* The field `commit` of "header_page" tells the size of the kernel's long, which a 32-bit trace-cmd need not know. */
static int read_head_page(struct tracedat *file, struct cursor *at)
{
	static const char *const names[] = {"header_page", "header_event"};

	for (int i = 0; i < 2; i++) {
		const char *name = cursor_text(at);
		struct cursor text = cursor_part(at, cursor_number(at, 8));
		const char *commit, *size;

		if (!name || strcmp(name, names[i]) != 0 || text.cut)
			return fail_at(file, at->at, "the description of a page is missing");
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
		return fail_at(file, at->at, "the formats of events are cut");
	if (file->formats.count == FORMATS_MAX)
		return fail_at(file, at->at, "there are more formats than an event's number can tell apart");
	*ARRAY_ADD(&file->formats) = (struct tracedat_format){memory_text(system, strlen(system)), text, (size_t)size};
	return 0;
}

static int read_ftrace_formats(struct tracedat *file, struct cursor *at)
{
	uint64_t count = cursor_number(at, 4);

	for (uint64_t i = 0; i < count; i++)
		if (add_format(file, "ftrace", at) < 0)
			return -1;
	return 0;
}

static int read_formats(struct tracedat *file, struct cursor *at)
{
	uint64_t systems = cursor_number(at, 4);

	for (uint64_t i = 0; i < systems; i++) {
		const char *system = cursor_text(at);
		uint64_t count = cursor_number(at, 4);

		if (!system)
			return fail_at(file, at->at, "the formats of events are cut");
		for (uint64_t k = 0; k < count; k++)
			if (add_format(file, system, at) < 0)
				return -1;
	}
	return 0;
}

static int read_cmdlines(struct tracedat *file, struct cursor *at)
{
	uint64_t size = cursor_number(at, 8);
	const char *text = cursor_bytes(at, size);

	if (!text)
		return fail_at(file, at->at, "the names of threads are cut");
	free(file->cmdlines);
	file->cmdlines = memory_text(text, (size_t)size);
	return 0;
}

/* Reads a part that may be missing; if it is cut, the parts behind it report that. */
static int read_list(struct cursor *at, char **list)
{
	uint64_t size = cursor_number(at, 4);
	const char *text = cursor_bytes(at, size);

	free(*list);
	*list = text ? memory_text(text, (size_t)size) : NULL;
	return 0;
}

static int read_symbols(struct tracedat *file, struct cursor *at)
{
	return read_list(at, &file->symbols);
}

static int read_printks(struct tracedat *file, struct cursor *at)
{
	return read_list(at, &file->printks);
}

/* The clock that is chosen in the text of the kernel's trace_clock file, "local global [mono] boot"; the text may also be one name. */
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
	file->wall = (int64_t)((uint64_t)number_of(data) * 1000); /* the option is in microseconds */
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

/* Options by number, as in trace-cmd.dat.v7(5); the others concern neither events nor times. */
static int (*const options[])(struct tracedat *, struct cursor) = {
	[1] = read_date,	[2] = read_stats,    [4] = read_clock,	   [5] = read_uname,
	[7] = read_offset, [8] = read_cpu_count, [12] = read_samples, [14] = read_tick_rate,
};

static int read_option(struct tracedat *file, unsigned id, struct cursor data)
{
	return id < sizeof(options) / sizeof(options[0]) && options[id] ? options[id](file, data) : 0;
}

static struct tracedat_buffer *add_buffer(struct tracedat *file, const char *name)
{
	struct tracedat_buffer *buffer = ARRAY_ADD(&file->buffers);

	*buffer = (struct tracedat_buffer){.name = memory_text(name, strlen(name)), .page_size = file->page_size};
	return buffer;
}

/* --- version 6: one part behind the other --------------------------------------------------------------------------- */

enum { KIND_SIZE = 10, CPU_SIZE = 16, OPTION_DONE_6 = 0, OPTION_BUFFER_6 = 3 };

static int read_cpus_6(struct tracedat *file, struct tracedat_buffer *buffer, struct cursor *at)
{
	if (file->cpus == 0 || file->cpus > TRACEDAT_CPUS_MAX)
		return fail_at(file, at->at, "its number of CPUs cannot be");
	for (uint32_t i = 0; i < file->cpus; i++) {
		uint64_t offset = cursor_number(at, 8), size = cursor_number(at, 8);

		*ARRAY_ADD(&buffer->cpus) = (struct tracedat_cpu){(int)i, offset, size};
	}
	return at->cut ? fail_at(file, at->at, "it is cut before its events begin") : 0;
}

/* Reads an instance's name and where its list of CPUs stands. The list can only be read when the number of CPUs is known. */
static int read_buffer_option(struct tracedat *file, struct cursor data, uint64_t *lists)
{
	uint64_t offset = cursor_number(&data, 8);
	const char *name = cursor_text(&data);

	if (!name || offset > file->size)
		return fail_at(file, data.end, "an instance lies behind the end of the file");
	add_buffer(file, name);
	lists[file->buffers.count - 1] = offset;
	return 0;
}

enum { BUFFERS_MAX = 256 };

static int read_options_6(struct tracedat *file, struct cursor *at, uint64_t *lists)
{
	for (;;) {
		unsigned id = (unsigned)cursor_number(at, 2);
		struct cursor data;
		int status;

		if (at->cut)
			return fail_at(file, at->at, "the options are cut");
		if (id == OPTION_DONE_6)
			return 0;
		data = cursor_part(at, cursor_number(at, 4));
		if (data.cut)
			return fail_at(file, at->at, "the options are cut");
		if (id != OPTION_BUFFER_6)
			status = read_option(file, id, data);
		else if (file->buffers.count < BUFFERS_MAX)
			status = read_buffer_option(file, data, lists);
		else
			status = fail_at(file, data.at, "more instances than can be");
		if (status < 0)
			return -1;
	}
}

/* Reads the kind of an instance's data, and where in the file they lie. */
static int read_kind(struct tracedat *file, struct tracedat_buffer *buffer, uint64_t list)
{
	const char *kind;
	struct cursor at;

	if (load_bytes(file, list, KIND_SIZE + (uint64_t)file->cpus * CPU_SIZE, &at) < 0)
		return -1;
	kind = cursor_bytes(&at, KIND_SIZE);
	if (kind && memcmp(kind, "latency  ", KIND_SIZE) == 0) {
		buffer->text = true;
		buffer->text_at = list + KIND_SIZE;
		buffer->text_size = file->size - buffer->text_at;
		return 0;
	}
	if (!kind || memcmp(kind, "flyrecord", KIND_SIZE) != 0)
		return fail_at(file, at.at, "what should be a list of CPUs is none");
	return read_cpus_6(file, buffer, &at);
}

static int read_v6(struct tracedat *file, struct cursor *at)
{
	static uint64_t lists[BUFFERS_MAX];

	if (read_head_page(file, at) < 0 || read_ftrace_formats(file, at) < 0 ||
	    read_formats(file, at) < 0)
		return -1;
	read_symbols(file, at);
	read_printks(file, at);
	if (at->cut || read_cmdlines(file, at) < 0)
		return fail_at(file, at->at, "it is cut before its events begin");
	file->cpus = (uint32_t)cursor_number(at, 4);
	add_buffer(file, "");
	while (cursor_left(at) >= KIND_SIZE && memcmp(at->at, "options  ", KIND_SIZE) == 0) {
		cursor_bytes(at, KIND_SIZE);
		if (read_options_6(file, at, lists) < 0)
			return -1;
	}
	if (cursor_left(at) < KIND_SIZE && !cursor_bytes(at, KIND_SIZE)) /* more options may follow */
		return fail_at(file, at->at, "it is cut before its events begin");
	lists[0] = place_of(file, at->at);
	for (size_t i = 0; i < file->buffers.count; i++)
		if (read_kind(file, &file->buffers.items[i], lists[i]) < 0)
			return -1;
	return 0;
}

/* --- version 7: sections, and options that say where they are --------------------------------------------------------- */

enum { OPTION_DONE_7 = 0, OPTION_BUFFER_7 = 3, OPTION_BUFFER_TEXT = 22, PACKED = 1 };
enum { HEAD_SIZE = 16 }; /* of a section: its kind, flags, name and size */
enum { OPTION_SECTIONS_MAX = 1024, UNPACKED_MAX = 1 << 28 }; /* bytes in all; real files have a few MB */

/* Gives the contents of a section, unpacked if they are compressed. 0; -1 after fail(). */
static int open_section(struct tracedat *file, uint64_t offset, unsigned expected, struct cursor *section)
{
	uint64_t flags, size, room;
	struct cursor at;
	unsigned id;
	char *bytes;
	long length;

	if (load_bytes(file, offset, HEAD_SIZE, &at) < 0)
		return -1;
	id = (unsigned)cursor_number(&at, 2);
	flags = cursor_number(&at, 2);
	cursor_bytes(&at, 4); /* the section's name */
	size = cursor_number(&at, 8);
	if (at.cut || size > file->size - offset - HEAD_SIZE)
		return fail_at(file, at.at, "a section lies behind the end of the file");
	if (id != expected)
		return fail_at(file, at.at, "a section of another kind stands here");
	if (load_bytes(file, offset + HEAD_SIZE, size, section) < 0)
		return -1;
	if (!(flags & PACKED))
		return 0;
	size = cursor_number(section, 4);
	room = cursor_number(section, 4);
	if (section->cut || size > cursor_left(section) || room > UNPACKED_MAX - file->unpacked_size)
		return fail_at(file, section->at, "the sizes of a compressed section cannot be");
	bytes = memory_new((size_t)room + 1, 1);
	*ARRAY_ADD(&file->unpacked) = bytes;
	file->unpacked_size += room;
	length = unpack(file->compression, section->at, (size_t)size, bytes, (size_t)room);
	if (length < 0)
		return fail_at(file, section->at, fail_text());
	*section = (struct cursor){.at = bytes, .end = bytes + length, .swapped = file->layout.swapped};
	return 0;
}

/* Reads the CPUs of an instance and where their events lie. */
static int read_cpus_7(struct tracedat *file, struct tracedat_buffer *buffer, struct cursor data)
{
	uint64_t count;

	buffer->page_size = (uint32_t)cursor_number(&data, 4);
	count = cursor_number(&data, 4);
	for (uint64_t i = 0; i < count && !data.cut; i++) {
		struct tracedat_cpu cpu = {.cpu = (int)cursor_number(&data, 4)};

		cpu.at = cursor_number(&data, 8);
		cpu.size = cursor_number(&data, 8);
		if (cpu.cpu < 0 || cpu.cpu >= TRACEDAT_CPUS_MAX)
			return fail("%s: the number of a CPU cannot be", file->name);
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
	buffer = add_buffer(file, name);
	buffer->clock = memory_text(clock, strlen(clock));
	if (load_bytes(file, offset, HEAD_SIZE, &at) < 0)
		return -1;
	cursor_bytes(&at, 2);
	buffer->compressed = cursor_number(&at, 2) & PACKED;
	cursor_bytes(&at, 4);
	buffer->text = text;
	buffer->text_at = offset + HEAD_SIZE;
	buffer->text_size = cursor_number(&at, 8);
	if (at.cut)
		return fail_at(file, at.at, "the events of an instance lie behind the end of the file");
	return text ? 0 : read_cpus_7(file, buffer, data);
}

/* The sections that are read, by the number of the option that says where they are. */
static const struct {
	unsigned id;
	int (*read)(struct tracedat *, struct cursor *);
} sections[] = {
	{16, read_head_page},
	{17, read_ftrace_formats},
	{18, read_formats},
	{19, read_symbols},
	{20, read_printks},
	{21, read_cmdlines},
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
	return read_option(file, id, data);
}

/* Reads the options of a section; *next becomes the place of more options; 0: there are no more. */
static int read_options_7(struct tracedat *file, struct cursor *at, uint64_t *next)
{
	*next = 0;
	for (;;) {
		unsigned id = (unsigned)cursor_number(at, 2);
		struct cursor data = cursor_part(at, cursor_number(at, 4));
		int status;

		if (data.cut)
			return fail("%s: its options are cut", file->name);
		if (id == OPTION_DONE_7) {
			*next = cursor_number(&data, 8);
			return 0;
		}
		if (id == OPTION_BUFFER_7 || id == OPTION_BUFFER_TEXT)
			status = read_buffer(file, data, id == OPTION_BUFFER_TEXT);
		else
			status = read_section_option(file, id, data);
		if (status < 0)
			return -1;
	}
}

static int read_v7(struct tracedat *file, struct cursor *at)
{
	const char *name = cursor_text(at), *version = cursor_text(at);
	uint64_t next = cursor_number(at, 8);

	if (!name || !version || at->cut)
		return fail_at(file, at->at, "it is cut within its first bytes");
	snprintf(file->compression, sizeof(file->compression), "%s", name);
	for (int i = 0; next; i++) {
		struct cursor section;

		if (i == OPTION_SECTIONS_MAX)
			return fail("%s: its options have no end", file->name);
		if (open_section(file, next, 0, &section) < 0 || read_options_7(file, &section, &next) < 0)
			return -1;
	}
	return file->buffers.count ? 0 : fail("%s: it holds no events: the recording was not ended", file->name);
}

/* --- opening ---------------------------------------------------------------------------------------------------------- */

#define MAGIC "\027\010\104tracing"
enum { MAGIC_SIZE = 10 };
enum { BEGINNING = 4 << 20 }; /* more than the description of most files of version 6 */

/* Reads magic number, version, byte order, size of a long, size of a page. */
static int read_beginning(struct tracedat *file, struct cursor *at)
{
	const char *magic = cursor_bytes(at, MAGIC_SIZE), *version = cursor_text(at);
	unsigned big, long_size;

	if (!magic || memcmp(magic, MAGIC, MAGIC_SIZE) != 0 || !version)
		return fail_at(file, at->at, "it does not begin as a trace.dat file does");
	file->version = strcmp(version, "6") == 0 ? 6 : strcmp(version, "7") == 0 ? 7 : 0;
	if (!file->version)
		return fail("%s: trace.dat of version '%.8s'; this program reads 6 and 7", file->name, version);
	big = (unsigned)cursor_number(at, 1);
	long_size = (unsigned)cursor_number(at, 1);
	at->swapped = (big != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	file->page_size = (uint32_t)cursor_number(at, 4);
	if (at->cut || big > 1 || (long_size != 4 && long_size != 8))
		return fail_at(file, at->at, "its byte order or size of numbers cannot be");
	if (file->page_size < 64 || file->page_size > TRACEDAT_PAGE_MAX)
		return fail_at(file, at->at, "its size of a page cannot be");
	file->layout = (struct page_layout){.swapped = at->swapped, .long_size = (uint8_t)long_size};
	return 0;
}

/* Frees all that was read of the description of a file. */
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
	forget_pieces(file);
	timeshift_free(&file->shift);
	free(file->clock);
	free(file->uname);
	free(file->cmdlines);
	free(file->symbols);
	free(file->printks);
	*file = (struct tracedat){.name = file->name, .fd = file->fd, .size = file->size};
}

/* Reads the description with the first `size` bytes of the file in memory; *cut: it may have failed because they are too few. */
static int read_description(struct tracedat *file, uint64_t size, bool *cut)
{
	struct cursor at;
	int status;

	if (load_bytes(file, 0, size, &at) < 0)
		return -1;
	status = read_beginning(file, &at);
	if (status == 0)
		status = file->version == 6 ? read_v6(file, &at) : read_v7(file, &at);
	*cut = at.cut && size < file->size;
	return status;
}

int tracedat_open(struct tracedat *file, const char *name, int fd)
{
	uint64_t size = BEGINNING;
	bool cut = false;

	*file = (struct tracedat){.name = name, .fd = -1};
	if (use_file(file, fd) < 0)
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
