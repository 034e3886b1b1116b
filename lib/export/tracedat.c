/* trace.dat, version 6, for trace-cmd, KernelShark and whatever reads with libtracecmd: trace-cmd.dat.v6(5). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "export/format.h"
#include "export/formats.h"
#include "export/spool.h"
#include "export/subbuffer.h"

struct tracedat {
	struct events *events;
	struct formats *formats;
	struct spool *spool;
	struct bytes header;      /* of the file */
	struct line names;        /* a line for each thread */
	struct line functions, printks; /* of the kernel, as /proc/kallsyms and printk_formats have them */
	struct line clock, uname; /* as options hold them */
	uint32_t cpus;            /* that the machine had */
	bool seen;                /* a raw event: the byte order is known */
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

/* "ffffffff81000000 t name" */
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

/* "0xffffffff82345678 : \"text\\n\"" */
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

/* A stream is over, and its threads will be forgotten. */
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

/* The pages are of our own packing: their head is that of a 64-bit kernel. */
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

/* Where nothing is known of the kernel's functions or of trace_printk's formats: Trace Compass does not open a file without. */
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

/* Packs the events of a CPU; `out` NULL: only to see how many pages there are. -1 after fail(). */
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
