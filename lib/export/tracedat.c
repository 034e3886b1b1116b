/* trace.dat, version 6, for trace-cmd, KernelShark and whatever reads with libtracecmd: trace-cmd.dat.v6(5). */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/open_files.h"
#include "export/bytes.h"
#include "export/format.h"

/*
 * formats: the texts of the events' format files, from the stream, to be written into the file.
 */

struct format {
	int number;
	char *system, *text;
	size_t length; /* of the text */
	UT_hash_handle hh;
};

struct formats {
	struct format *by_number; /* in order of arrival */
};

static struct formats *formats_new(void)
{
	return NEW(struct formats);
}

static void formats_free(struct formats *formats)
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

/* Reads the ID of "name: sched_switch\nID: 316\nformat:...". 0; -1 after fail(). */
static int number_of(const char *text, int *number)
{
	const char *line = strstr(text, "\nID: ");

	return line && sscanf(line, "\nID: %d", number) == 1 ? 0 : fail("a format has no ID");
}

static bool is_same(const struct format *format, const char *system, const char *text, size_t length)
{
	return !strcmp(format->system, system) && format->length == length && !memcmp(format->text, text, length);
}

/*
 * Takes the body of a format record: system, NUL, text. Fails if a known number has another text, because events of
 * the two formats could not be told apart. 0; -1 after fail().
 */
static int formats_add(struct formats *formats, const char *body, size_t length)
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

/* Tells whether a format is the first of its system, and the system is not ftrace. */
static bool leads(const struct formats *formats, const struct format *format)
{
	if (!strcmp(format->system, "ftrace"))
		return false;
	for (const struct format *before = formats->by_number; before != format; before = before->hh.next)
		if (!strcmp(before->system, format->system))
			return false;
	return true;
}

/* Writes the formats as trace-cmd.dat.v6(5) has them: those of the system ftrace, then each other system with its formats. */
static void formats_write(const struct formats *formats, struct bytes *out)
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

/*
 * spool: keeps the events of each CPU in temporary files without a name until the stream has ended.
 *
 * A CPU has a file and a buffer from its first event on. Events are read back in the order in which they were added.
 */

enum { SPOOL_CPUS = 1 << 14 }; /* more CPUs than any machine has; a file descriptor each */

struct spooled {
	int64_t ts;
	uint64_t missed; /* events lost between this one and the one before */
	uint32_t size;
	char *payload; /* valid until the next spool_next() */
};

struct spool_cpu { /* the sums of one CPU; all zero: it had no events */
	uint64_t events, missed; /* missed: also those lost behind the last event */
};

struct entry { /* stands before each payload in the file */
	int64_t ts;
	uint64_t missed;
	uint32_t size;
};

struct file {
	struct spool_cpu sums;
	uint64_t missed; /* events lost since the last event */
	FILE *stream;    /* NULL: no event yet */
};

struct spool {
	const char *folder;
	struct file *files;
	uint32_t cpus, largest;
	char *payload;
	uint32_t room;
};

/* Makes its files in this folder; the text `folder` must outlive the spool. */
static struct spool *spool_new(const char *folder)
{
	struct spool *spool = NEW(struct spool);

	spool->folder = folder;
	open_files_raise(); /* each CPU needs an open file */
	return spool;
}

static void spool_free(struct spool *spool)
{
	for (uint32_t cpu = 0; cpu < spool->cpus; cpu++)
		if (spool->files[cpu].stream)
			fclose(spool->files[cpu].stream);
	free(spool->files);
	free(spool->payload);
	free(spool);
}

static struct file *file_of(struct spool *spool, uint32_t cpu)
{
	if (cpu >= spool->cpus) {
		spool->files = memory_grow(spool->files, cpu + 1, sizeof(*spool->files));
		memset(spool->files + spool->cpus, 0, (cpu + 1 - spool->cpus) * sizeof(*spool->files));
		spool->cpus = cpu + 1;
	}
	return &spool->files[cpu];
}

static int open_file(struct spool *spool, struct file *file)
{
	file->stream = file_temporary(spool->folder);
	return file->stream ? 0 : -1;
}

/* Adds an event; cpu < SPOOL_CPUS. 0; -1 after fail(). */
static int spool_add(struct spool *spool, uint32_t cpu, int64_t ts, const char *payload, uint32_t size)
{
	struct file *file = file_of(spool, cpu);
	struct entry entry = {.ts = ts, .missed = file->missed, .size = size};

	if (!file->stream && open_file(spool, file) < 0)
		return -1;
	if (fwrite(&entry, sizeof(entry), 1, file->stream) != 1 || fwrite(payload, 1, size, file->stream) != size)
		return fail_errno("cannot write a temporary file in '%s'", spool->folder);
	file->missed = 0;
	file->sums.events++;
	if (size > spool->largest)
		spool->largest = size;
	return 0;
}

/* Notes that events were lost before the next event of this CPU. */
static void spool_lost(struct spool *spool, uint32_t cpu, uint64_t count)
{
	struct file *file = file_of(spool, cpu);

	file->missed += count;
	file->sums.missed += count;
}

/* The highest CPU that had an event or a loss, + 1. */
static uint32_t spool_cpus(const struct spool *spool)
{
	return spool->cpus;
}

static const struct spool_cpu *spool_cpu(const struct spool *spool, uint32_t cpu)
{
	return &spool->files[cpu].sums;
}

/* The size of the largest payload. */
static uint32_t spool_largest(const struct spool *spool)
{
	return spool->largest;
}

/* Goes to a CPU's first event, after the last was added. 0; -1 after fail(). */
static int spool_rewind(struct spool *spool, uint32_t cpu)
{
	FILE *stream = spool->files[cpu].stream;

	if (stream && (fflush(stream) || fseeko(stream, 0, SEEK_SET) < 0))
		return fail_errno("cannot write a temporary file in '%s'", spool->folder);
	return 0;
}

/* Reads a CPU's next event. 1; 0: there are no more; -1 after fail(). */
static int spool_next(struct spool *spool, uint32_t cpu, struct spooled *event)
{
	FILE *stream = spool->files[cpu].stream;
	struct entry entry;

	if (!stream || (fread(&entry, sizeof(entry), 1, stream) != 1 && feof(stream)))
		return 0;
	if (entry.size > spool->room) {
		spool->room = spool->largest;
		spool->payload = memory_grow(spool->payload, spool->room, 1);
	}
	if (ferror(stream) || fread(spool->payload, 1, entry.size, stream) != entry.size)
		return fail_errno("cannot read a temporary file in '%s'", spool->folder);
	*event =
	    (struct spooled){.ts = entry.ts, .missed = entry.missed, .size = entry.size, .payload = spool->payload};
	return 1;
}

/*
 * subbuffer: packs events into pages of the kernel's ring buffer; source/page.h unpacks them.
 *
 * A page begins with the time of its first event and the number of bytes in use. Upper bits of that number tell whether
 * events were lost before the page, and whether their count follows the last event. (struct buffer_data_page and the MISSED
 * flags in the kernel's kernel/trace/ring_buffer.c; the head of an entry in events/header_event of tracefs.)
 *
 *	subbuffer_begin(&page, size, swapped);
 *	while there are events:
 *		if (!subbuffer_add(&page, &event)) {
 *			write subbuffer_finish(&page), page.bytes.length bytes;
 *			subbuffer_add(&page, &event);
 *		}
 *	write subbuffer_finish(&page) if (!subbuffer_empty(&page))
 */

struct subbuffer {
	struct bytes bytes;
	size_t size;	 /* of a page */
	int64_t ts;	 /* time of the page's last event */
	uint64_t missed; /* events lost before its first event */
	bool begun;
};

enum { SUBBUFFER_HEAD = 16, SUBBUFFER_USUAL = 4096 }; /* the head has a commit field of 64 bits */

enum {
	TYPE_BITS = 5,
	TIME_BITS = 27,
	TYPE_LENGTH_FOLLOWS = 0,
	TYPE_TIME_EXTEND = 30,
	SMALL_MAX = 28 * 4, /* the longest payload whose length fits into the type */
	EXTEND_SIZE = 8,
	COUNT_SIZE = 8, /* the count of missed events, behind the last event */
};

#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)
#define TIME_MAX (INT64_C(1) << 59) /* a time extend holds less than this */

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

static size_t entry_size(uint32_t size)
{
	return 4 + (padded(size) > SMALL_MAX || size == 0 ? 4 : 0) + padded(size);
}

/* The size of a page that an event of this size fits on: a power of two, at least the usual size. */
static size_t subbuffer_size(uint32_t largest)
{
	size_t size = SUBBUFFER_USUAL;

	while (size < SUBBUFFER_HEAD + EXTEND_SIZE + entry_size(largest) + COUNT_SIZE)
		size *= 2;
	return size;
}

static void subbuffer_begin(struct subbuffer *page, size_t size, bool swapped)
{
	*page = (struct subbuffer){.size = size, .bytes.swapped = swapped};
}

static bool subbuffer_empty(const struct subbuffer *page)
{
	return !page->begun;
}

static void add_head(struct subbuffer *page, uint32_t type, uint32_t delta)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != page->bytes.swapped;

	bytes_add32(&page->bytes, big ? type << TIME_BITS | delta : delta << TYPE_BITS | type);
}

static void add_entry(struct subbuffer *page, uint32_t delta, const struct spooled *event)
{
	size_t length = padded(event->size), end = page->bytes.length + entry_size(event->size);

	if (entry_size(event->size) == 4 + length) {
		add_head(page, (uint32_t)length / 4, delta);
	} else {
		add_head(page, TYPE_LENGTH_FOLLOWS, delta);
		bytes_add32(&page->bytes, (uint32_t)length + 4);
	}
	bytes_add(&page->bytes, event->payload, event->size);
	bytes_fill(&page->bytes, end);
}

static void begin_page(struct subbuffer *page, const struct spooled *event)
{
	page->begun = true;
	page->ts = event->ts;
	page->missed = event->missed;
	page->bytes.length = 0;
	bytes_add64(&page->bytes, (uint64_t)event->ts);
	bytes_fill(&page->bytes, SUBBUFFER_HEAD);
}

/* Adds an event to the page. False: the event must go on the next page. */
static bool subbuffer_add(struct subbuffer *page, const struct spooled *event)
{
	int64_t delta = page->begun ? event->ts - page->ts : 0;
	bool extend = delta >= INT64_C(1) << TIME_BITS;

	if (!page->begun)
		begin_page(page, event);
	else if (event->missed || delta < 0 || delta >= TIME_MAX ||
		 page->bytes.length + (extend ? EXTEND_SIZE : 0) + entry_size(event->size) + COUNT_SIZE > page->size)
		return false;
	if (extend) {
		add_head(page, TYPE_TIME_EXTEND, (uint32_t)(delta & ((1 << TIME_BITS) - 1)));
		bytes_add32(&page->bytes, (uint32_t)(delta >> TIME_BITS));
		delta = 0;
	}
	add_entry(page, (uint32_t)delta, event);
	page->ts = event->ts;
	return true;
}

/* Completes the page and returns its bytes; the next event begins a new page. */
static const char *subbuffer_finish(struct subbuffer *page)
{
	uint64_t commit = page->bytes.length - SUBBUFFER_HEAD;

	if (page->missed) {
		commit |= MISSED_EVENTS | MISSED_STORED;
		bytes_add64(&page->bytes, page->missed);
	}
	bytes_put64(&page->bytes, 8, commit);
	bytes_fill(&page->bytes, page->size);
	page->begun = false;
	return page->bytes.data;
}

static void subbuffer_free(struct subbuffer *page)
{
	bytes_free(&page->bytes);
}

struct tracedat {
	struct events *events;
	struct formats *formats;
	struct spool *spool;
	struct bytes header;      /* of the file */
	struct line names;        /* the names of threads, a line each */
	struct line functions, printks; /* texts in the form of the kernel's /proc/kallsyms and printk_formats */
	struct line clock, uname; /* in the form of the file's options */
	uint32_t cpus;            /* number of CPUs of the machine */
	bool seen;                /* a raw event came, so the byte order is known */
	uint64_t texts;
};

enum { OPTION_CPUSTAT = 2, OPTION_TRACECLOCK = 4, OPTION_UNAME = 5 };

static int stream_seen(void *context, const struct record *record)
{
	struct export *export = context;
	struct tracedat *dat = export->state;
	const struct fields *fields = stream_fields(export->stream, record);
	char host[65] = "unknown", kernel[65] = "unknown", machine[65] = "unknown", clock[33] = "";
	uint64_t cpus = 0;
	char *text;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "cpus", &cpus) < 0)
		return stream_fail(export->stream, "%s", fail_text());
	if (cpus <= SPOOL_CPUS && cpus > dat->cpus)
		dat->cpus = (uint32_t)cpus;
	fields_text(fields, "host", host, sizeof(host));
	fields_text(fields, "kernel", kernel, sizeof(kernel));
	fields_text(fields, "machine", machine, sizeof(machine));
	text = memory_format("Linux %s %s %s", host, kernel, machine);
	line_begin(&dat->uname, text);
	free(text);
	if (fields_text(fields, "clock", clock, sizeof(clock))) {
		text = memory_format("[%s]\n", clock);
		line_begin(&dat->clock, text);
		free(text);
	}
	return STREAM_DROP;
}

static int format_seen(void *context, const struct record *record)
{
	struct export *export = context;
	struct tracedat *dat = export->state;

	return formats_add(dat->formats, record->text, record->length) < 0
		   ? stream_fail(export->stream, "%s", fail_text())
		   : STREAM_DROP;
}

/* Adds the line "ffffffff81000000 t name". */
static int add_function(struct export *export, const struct record *record, const char *key)
{
	struct tracedat *dat = export->state;
	const struct fields *fields = stream_fields(export->stream, record);
	uint64_t offset = 0;
	int64_t address;
	char name[128], *text;

	if (!fields || fields_integer(fields, "address", &address) < 0 || fields_unsigned(fields, "offset", &offset) < 0)
		return -1;
	if (!fields_text(fields, key, name, sizeof(name)) || strpbrk(name, " \n"))
		return STREAM_DROP;
	text = memory_format("%016" PRIx64 " t %s\n", (uint64_t)address - offset, name);
	line_append(&dat->functions, text, strlen(text));
	free(text);
	return STREAM_DROP;
}

static int symbol_seen(void *context, const struct record *record)
{
	return add_function(context, record, "name");
}

static int timer_seen(void *context, const struct record *record)
{
	return add_function(context, record, "function");
}

/* Adds the line "0xffffffff82345678 : \"text\\n\"". */
static int printk_seen(void *context, const struct record *record)
{
	struct export *export = context;
	struct line *printks = &((struct tracedat *)export->state)->printks;
	const struct fields *fields = stream_fields(export->stream, record);
	char format[1024] = "", head[32];
	int64_t address = 0;

	if (!fields || fields_integer(fields, "address", &address) < 0)
		return -1;
	fields_text(fields, "format", format, sizeof(format));
	line_append(printks, head, (size_t)snprintf(head, sizeof(head), "0x%" PRIx64 " : \"", (uint64_t)address));
	for (const char *at = format; *at; at++) {
		if (*at == '\n' || *at == '"' || *at == '\\')
			line_append(printks, "\\", 1);
		line_append(printks, *at == '\n' ? "n" : at, 1);
	}
	line_append(printks, "\"\n", 2);
	return STREAM_DROP;
}

static int event_seen(void *context, const struct record *record)
{
	struct export *export = context;
	struct tracedat *dat = export->state;
	struct event event;

	if (events_read(dat->events, record, &event) < 0)
		return -1;
	events_learn_names(dat->events, &event);
	if (!event.payload) {
		dat->texts++;
		export_leave_out(export, "an event that is text has no format, which trace.dat needs");
		return STREAM_DROP;
	}
	if (event.ts < 0 || event.cpu >= SPOOL_CPUS) {
		export_leave_out(export, "an event's time or CPU is out of range");
		return STREAM_DROP;
	}
	if (dat->seen && dat->header.swapped != event.swapped)
		return stream_fail(
		    export->stream,
		    "these events are in another byte order than those before; export each stream alone");
	dat->seen = true;
	dat->header.swapped = event.swapped;
	return spool_add(dat->spool, event.cpu, event.ts, event.payload, event.size) < 0 ? -1 : STREAM_DROP;
}

static int lost_seen(void *context, const struct record *record)
{
	struct export *export = context;
	struct tracedat *dat = export->state;
	uint64_t cpu, count;

	if (export_read_lost(export, record, &cpu, &count) < 0)
		return -1;
	if (record_tells_damage(record))
		export_leave_out(export, "the stream is damaged, and trace.dat cannot tell where");
	else if (cpu >= SPOOL_CPUS)
		export_leave_out(export, "an event's time or CPU is out of range");
	else
		spool_lost(dat->spool, (uint32_t)cpu, count);
	return STREAM_DROP;
}

static void add_name(void *context, int32_t tid, const char *comm)
{
	struct tracedat *dat = context;
	char text[64];
	int length = snprintf(text, sizeof(text), "%d %.31s\n", tid, comm);

	for (char *c = text; c < text + length - 1; c++)
		if ((unsigned char)*c < ' ')
			*c = '_';
	line_append(&dat->names, text, (size_t)length);
}

/* At the end of a stream: keeps the names of its threads, which will be forgotten. */
static int names_seen(void *context)
{
	struct tracedat *dat = ((struct export *)context)->state;

	events_each_thread(dat->events, add_name, dat);
	return 0;
}

static void add_text(struct bytes *header, const char *text)
{
	bytes_add(header, text, strlen(text));
}

static void add_word(struct bytes *header, const char *text) /* with its NUL */
{
	bytes_add(header, text, strlen(text) + 1);
}

/* Describes the pages: subbuffer packs them with the head of a 64-bit kernel. */
static void add_page_format(struct bytes *header, size_t page_size)
{
	static const char entry[] =
	    "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
	    "\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
	    "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
	char *page = memory_format("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:%zu;\tsigned:0;\n",
				   page_size - SUBBUFFER_HEAD);

	add_word(header, "header_page");
	bytes_add64(header, strlen(page));
	add_text(header, page);
	add_word(header, "header_event");
	bytes_add64(header, strlen(entry));
	add_text(header, entry);
	free(page);
}

static void add_option(struct bytes *header, uint16_t number, const char *text)
{
	bytes_add16(header, number);
	bytes_add32(header, (uint32_t)strlen(text) + 1);
	add_word(header, text);
}

static void add_options(struct tracedat *dat)
{
	struct bytes *header = &dat->header;

	add_word(header, "options  ");
	for (uint32_t cpu = 0; cpu < spool_cpus(dat->spool); cpu++) {
		const struct spool_cpu *sums = spool_cpu(dat->spool, cpu);
		char *text = memory_format("CPU: %u\nentries: 0\noverrun: %" PRIu64 "\n", cpu, sums->missed);

		add_option(header, OPTION_CPUSTAT, text);
		free(text);
	}
	if (dat->clock.length)
		add_option(header, OPTION_TRACECLOCK, dat->clock.text);
	if (dat->uname.length)
		add_option(header, OPTION_UNAME, dat->uname.text);
	bytes_add16(header, 0);
}

/* Written if no function of the kernel or no format of trace_printk() is known: Trace Compass opens no file without these sections. */
#define NO_FUNCTIONS "ffffffffffffffff a unknown\n"
#define NO_PRINTK_FORMATS "0xffffffffffffffff : \"unknown\"\n"

static void add_section(struct bytes *header, const char *text)
{
	bytes_add32(header, (uint32_t)strlen(text));
	add_text(header, text);
}

static void make_header(struct tracedat *dat, size_t page_size)
{
	struct bytes *header = &dat->header;
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != header->swapped;

	add_text(header, "\x17\x08\x44tracing");
	add_word(header, "6");
	bytes_add(header, big ? "\1" : "\0", 1);
	bytes_add(header, "\10", 1); /* bytes of a long */
	bytes_add32(header, (uint32_t)page_size);
	add_page_format(header, page_size);
	formats_write(dat->formats, header);
	add_section(header, dat->functions.length ? dat->functions.text : NO_FUNCTIONS);
	add_section(header, dat->printks.length ? dat->printks.text : NO_PRINTK_FORMATS);
	bytes_add64(header, dat->names.length);
	bytes_add(header, dat->names.text, dat->names.length);
	bytes_add32(header, dat->cpus);
	add_options(dat);
	add_word(header, "flyrecord");
}

/* Packs the events of a CPU and writes their pages; `out` NULL: only counts. Returns the number of pages; -1 after fail(). */
static int64_t pack(struct export *export, uint32_t cpu, size_t page_size, FILE *out)
{
	struct tracedat *dat = export->state;
	struct subbuffer page;
	struct spooled event;
	int64_t pages = 0;
	int more = spool_rewind(dat->spool, cpu);

	if (more < 0)
		return -1;
	subbuffer_begin(&page, page_size, dat->header.swapped);
	do {
		more = spool_next(dat->spool, cpu, &event);
		if (more > 0 && subbuffer_add(&page, &event))
			continue;
		if (!subbuffer_empty(&page)) {
			const char *data = subbuffer_finish(&page);

			pages++;
			if (out)
				fwrite(data, 1, page_size, out);
		}
		if (more > 0)
			subbuffer_add(&page, &event);
	} while (more > 0);
	subbuffer_free(&page);
	return more < 0 || (out && export_written(export) < 0) ? -1 : pages;
}

static int write_file(struct export *export, size_t page_size)
{
	struct tracedat *dat = export->state;
	uint32_t cpus = spool_cpus(dat->spool);
	size_t head = (dat->header.length + 16 * (size_t)dat->cpus + page_size - 1) / page_size * page_size;
	uint64_t at = head;

	for (uint32_t cpu = 0; cpu < dat->cpus; cpu++) {
		int64_t pages = cpu < cpus ? pack(export, cpu, page_size, NULL) : 0;

		if (pages < 0)
			return -1;
		bytes_add64(&dat->header, at);
		bytes_add64(&dat->header, (uint64_t)pages * page_size);
		at += (uint64_t)pages * page_size;
	}
	bytes_fill(&dat->header, head);
	fwrite(dat->header.data, 1, head, export->out);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		if (pack(export, cpu, page_size, export->out) < 0)
			return -1;
	return export_written(export);
}

static int end(struct export *export)
{
	struct tracedat *dat = export->state;
	size_t page_size = subbuffer_size(spool_largest(dat->spool));

	if (!dat->seen && dat->texts > 0)
		return fail("the events of this stream are text and have no format, which trace.dat needs; "
			    "export them with --format=ftrace");
	if (!dat->seen)
		return fail("there are no events to export");
	if (spool_cpus(dat->spool) > dat->cpus)
		dat->cpus = spool_cpus(dat->spool);
	make_header(dat, page_size);
	return write_file(export, page_size);
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct tracedat *dat = NEW(struct tracedat);

	dat->events = events_new(export->stream);
	dat->formats = formats_new();
	dat->spool = spool_new(export->folder);
	export->state = dat;
	handlers->on[KIND_STREAM] = stream_seen;
	handlers->on[KIND_FORMAT] = format_seen;
	handlers->on[KIND_SYMBOL] = symbol_seen;
	handlers->on[KIND_TIMER] = timer_seen;
	handlers->on[KIND_PRINTK] = printk_seen;
	handlers->on[KIND_EVENT] = event_seen;
	handlers->on[KIND_LOST] = lost_seen;
	handlers->finish = names_seen;
	return 0;
}

static void free_state(struct export *export)
{
	struct tracedat *dat = export->state;

	events_free(dat->events);
	formats_free(dat->formats);
	spool_free(dat->spool);
	bytes_free(&dat->header);
	line_free(&dat->names);
	line_free(&dat->functions);
	line_free(&dat->printks);
	line_free(&dat->clock);
	line_free(&dat->uname);
	free(dat);
}

const struct export_format export_tracedat = {
	.name = "tracedat", .binary = true, .begin = begin, .end = end, .free = free_state};
