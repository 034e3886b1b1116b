/*
 * trace.dat as libtracecmd reads it, against the stream that it was made of: every event's time, CPU and bytes, and
 * every gap. Without arguments of streams made here, in both byte orders; with STREAM and FILE of those.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "event/event.h"
#include "export/export.h"
#include "beat.h"

static const char format[] = "test\0"
			     BEAT_COMMON
			     "\tfield:int level;\toffset:8;\tsize:4;\tsigned:1;\n\n"
			     "print fmt: \"%d\", REC->level\n";

enum { EVENTS = 30000, CPUS = 3, LARGEST = 70000 };

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* --- making a stream --- */

static bool swapped;

static uint32_t order32(uint32_t value)
{
	return swapped ? __builtin_bswap32(value) : value;
}

static void write_record(FILE *file, enum kind kind, enum record_form form, const void *head, size_t head_size,
			 const void *body, size_t size)
{
	struct record_head record = {.kind = (uint8_t)kind, .form = (uint8_t)form};

	record.size = order32((uint32_t)(sizeof(record) + head_size + size));
	fwrite(&record, sizeof(record), 1, file);
	fwrite(head, head_size, 1, file);
	fwrite(body, 1, size, file);
}

static void write_event(FILE *file, int64_t ts, uint32_t cpu, size_t size)
{
	static char payload[LARGEST];
	char head[12];
	uint64_t time = swapped ? __builtin_bswap64((uint64_t)ts) : (uint64_t)ts;
	uint16_t id = swapped ? __builtin_bswap16(300) : 300;
	uint32_t tid = order32(cpu + 100);

	cpu = order32(cpu);
	memcpy(head, &time, 8);
	memcpy(head + 8, &cpu, 4);
	for (size_t i = 0; i < size; i++)
		payload[i] = (char)next_random();
	memcpy(payload, &id, 2);
	memcpy(payload + 4, &tid, 4);
	write_record(file, KIND_EVENT, RECORD_PACKED, head, sizeof(head), payload, size);
}

static void write_text(FILE *file, enum kind kind, const char *text)
{
	write_record(file, kind, RECORD_SPELLED, "", 0, text, strlen(text));
}

/* Mostly small events close together, now and then large ones, long silences, gaps, and time that goes back. */
static void make_stream(const char *path, size_t largest)
{
	FILE *file = fopen(path, "w");
	struct stream_head head = {.magic = STREAM_MAGIC, .byte_order = STREAM_BYTE_ORDER, .form = STREAM_OF_RECORDS};
	int64_t ts = 1000000000;
	char text[100];

	if (swapped) {
		head.byte_order = __builtin_bswap16(head.byte_order);
		head.form = __builtin_bswap16(head.form);
	}
	memcpy(head.magic, STREAM_MAGIC, sizeof(head.magic));
	fwrite(&head, sizeof(head), 1, file);
	write_text(file, KIND_STREAM, "stream version=1 host=a kernel=6 machine=x86_64 cpus=4 clock=mono");
	write_record(file, KIND_FORMAT, RECORD_PACKED, "", 0, format, sizeof(format) - 1);
	write_text(file, KIND_TASK, "task ts=1 tid=101 comm=\"a thread\"");
	for (int i = 0; i < EVENTS; i++) {
		uint64_t dice = next_random() % 1000;
		size_t size = 12 + 4 * (next_random() % 20);

		ts += (int64_t)(next_random() % 2000) + (dice < 5 ? 1 << 27 : dice == 5 ? INT64_C(1) << 40 : 0);
		if (dice == 6)
			ts -= 1000000;
		if (dice == 7) {
			snprintf(text, sizeof(text), "lost ts=2 cpu=%d count=%d", i % CPUS, i + 1);
			write_text(file, KIND_LOST, text);
		}
		if (dice > 980)
			size = 108 + 4 * (next_random() % 3); /* where the length begins to need a word */
		if (dice == 8)
			size = largest;
		write_event(file, ts, (uint32_t)(next_random() % CPUS), size);
	}
	write_text(file, KIND_LOST, "lost ts=3 cpu=1 count=5"); /* with no event behind it */
	write_text(file, KIND_END, "end records=0 lost=0");
	fclose(file);
}

static void make_dat(char *stream_path, const char *dat_path)
{
	struct export_options how = {.format = "tracedat"};
	char *files[] = {stream_path};
	struct stream *stream = stream_open(files, 1);
	FILE *out = fopen(dat_path, "w");
	struct export *export = export_new(stream, &how, out, ".");

	assert(export_check(&how) == 0);
	if (export_run(export) < 0) {
		puts(fail_text());
		abort();
	}
	assert(!export_complaint(export));
	export_free(export);
	stream_close(stream);
	fclose(out);
}

/* --- comparing --- */

struct expected {
	int64_t ts;
	uint64_t missed;
	char *payload;
	size_t size;
};

struct cpu {
	ARRAY(struct expected) events;
	uint64_t missed;
};

struct comparison {
	struct stream *stream;
	struct events *events;
	struct cpu cpus[64];
};

static int expect_event(void *context, const struct record *record)
{
	struct comparison *comparison = context;
	struct cpu *cpu = &comparison->cpus[record->cpu];

	*ARRAY_ADD(&cpu->events) = (struct expected){.ts = record->ts,
						     .missed = cpu->missed,
						     .payload = memory_text(record->text, record->length),
						     .size = record->length};
	cpu->missed = 0;
	return STREAM_DROP;
}

static int expect_lost(void *context, const struct record *record)
{
	struct comparison *comparison = context;
	const struct fields *fields = stream_fields(comparison->stream, record);
	uint64_t cpu = 0, count = 0;

	fields_unsigned(fields, "cpu", &cpu);
	fields_unsigned(fields, "count", &count);
	comparison->cpus[cpu].missed += count;
	return STREAM_DROP;
}

static void read_stream(struct comparison *comparison, char *path)
{
	struct handlers handlers = {.on = {[KIND_EVENT] = expect_event, [KIND_LOST] = expect_lost}};
	char *files[] = {path};

	comparison->stream = stream_open(files, 1);
	assert(comparison->stream);
	assert(stream_run(comparison->stream, &handlers, comparison) == 0);
	stream_close(comparison->stream);
}

static size_t compare_cpu(struct tracecmd_input *input, int number, const struct cpu *cpu)
{
	size_t count = 0;
	struct tep_record *record;

	while ((record = tracecmd_read_data(input, number))) {
		const struct expected *event = &cpu->events.items[count++];
		static const char zeros[4];

		assert(count <= cpu->events.count);
		assert((int64_t)record->ts == event->ts && record->cpu == number);
		assert((size_t)record->size == ((event->size + 3) & ~(size_t)3));
		assert(!memcmp(record->data, event->payload, event->size));
		assert(!memcmp((char *)record->data + event->size, zeros, (size_t)record->size - event->size));
		assert((uint64_t)record->missed_events == event->missed);
		tracecmd_free_record(record);
	}
	assert(count == cpu->events.count);
	return count;
}

static void compare(char *stream_path, const char *dat_path)
{
	static struct comparison comparison;
	struct tracecmd_input *input = tracecmd_open(dat_path, 0);
	size_t count = 0;

	assert(input);
	read_stream(&comparison, stream_path);
	for (int cpu = 0; cpu < tep_get_cpus(tracecmd_get_tep(input)); cpu++)
		count += compare_cpu(input, cpu, &comparison.cpus[cpu]);
	printf("%zu events\n", count);
	for (int cpu = 0; cpu < 64; cpu++) {
		for (size_t i = 0; i < comparison.cpus[cpu].events.count; i++)
			free(comparison.cpus[cpu].events.items[i].payload);
		free(comparison.cpus[cpu].events.items);
	}
	memset(&comparison, 0, sizeof(comparison));
	tracecmd_close(input);
}

static void compare_made(size_t largest)
{
	char folder[] = "/tmp/export_tracedat.XXXXXX";

	assert(mkdtemp(folder) && chdir(folder) == 0);
	make_stream("stream", largest);
	make_dat("stream", "dat");
	compare("stream", "dat");
	unlink("stream");
	unlink("dat");
	rmdir(folder);
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		compare(argv[1], argv[2]);
		return 0;
	}
	compare_made(3000);
	compare_made(LARGEST); /* pages larger than usual */
	swapped = true;
	compare_made(3000);
	return 0;
}
