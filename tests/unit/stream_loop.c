/* The loop, the two spellings, and streams of the other byte order. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "event/event.h"
#include "beat.h"

static const char format[] = "test\0"
			     BEAT_COMMON
			     "\tfield:int level;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\tfield:dev_t dev;\toffset:12;\tsize:4;\tsigned:0;\n\n"
			     "print fmt: \"%d\", REC->level\n";

struct payload {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid, level;
	uint32_t dev;
};

static uint16_t order16(uint16_t value, bool swapped)
{
	return swapped ? __builtin_bswap16(value) : value;
}

static uint32_t order32(uint32_t value, bool swapped)
{
	return swapped ? __builtin_bswap32(value) : value;
}

static void put_record(FILE *file, enum kind kind, enum record_form form, const void *body, size_t size, bool swapped)
{
	struct record_head head = {order32((uint32_t)(sizeof(head) + size), swapped), (uint8_t)kind, (uint8_t)form, 0, 0};

	fwrite(&head, sizeof(head), 1, file);
	fwrite(body, size, 1, file);
}

static void make_stream(const char *path, bool swapped)
{
	FILE *file = fopen(path, "w");
	struct stream_head head = {STREAM_MAGIC, order16(STREAM_BYTE_ORDER, swapped), order16(STREAM_OF_RECORDS, swapped), 0};
	struct {
		struct packed_event event;
		struct payload payload;
	} __attribute__((packed)) body = {
		{12345678901, order32(3, swapped)},
		{order16(300, swapped), 0, 0, (int32_t)order32(77, swapped), (int32_t)order32((uint32_t)-5, swapped),
		 order32(7 << 20 | 1, swapped)},
	};

	if (swapped)
		body.event.ts = (int64_t)__builtin_bswap64((uint64_t)body.event.ts);
	fwrite(&head, sizeof(head), 1, file);
	put_record(file, KIND_STREAM, RECORD_SPELLED, "stream version=1", 16, swapped);
	put_record(file, KIND_FORMAT, RECORD_PACKED, format, sizeof(format) - 1, swapped);
	put_record(file, KIND_TASK, RECORD_SPELLED, "task ts=0 tid=77 comm=heart", 27, swapped);
	/* the packed head of 12 bytes, not struct packed_event's padded 16 */
	struct record_head event_head = {order32((uint32_t)(8 + 12 + sizeof(body.payload)), swapped), KIND_EVENT, RECORD_PACKED, 0, 0};

	fwrite(&event_head, sizeof(event_head), 1, file);
	fwrite(&body.event, 12, 1, file);
	fwrite(&body.payload, sizeof(body.payload), 1, file);
	put_record(file, KIND_END, RECORD_SPELLED, "end records=4 lost=0", 20, swapped);
	fclose(file);
}

struct seen {
	struct events *events;
	struct event_type *type;
	struct event_field *level, *dev, *missing;
	int count, finished;
};

static int see_event(void *context, const struct record *record)
{
	struct seen *seen = context;
	struct event event;
	char text[32];

	assert(events_read(seen->events, record, &event) == 0);
	assert(event.type == seen->type && event.tid == 77 && event.cpu == 3 && event.ts == 12345678901);
	assert(event_number(&event, seen->level) == -5);
	assert(event_has(&event, seen->level) && !event_has(&event, seen->missing));
	assert(event_number(&event, seen->missing) == 0);
	event_spell_field(&event, seen->dev, text, sizeof(text));
	assert(!strcmp(text, "7:1"));
	assert(!strcmp(events_comm(seen->events, 77), "heart"));
	seen->count++;
	return STREAM_PASS;
}

static int see_end(void *context)
{
	((struct seen *)context)->finished++;
	return 0;
}

/* Copies the files through the loop, looking at each event and each end. Returns the exit status. */
static int copy(char *const *files, int count, const char *to, bool text, int events, int streams)
{
	struct handlers handlers = {.on[KIND_EVENT] = see_event, .finish = see_end};
	struct stream *stream = stream_open(files, count);
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600), status;
	struct seen seen = {0};

	assert(stream && fd >= 0);
	stream_output(stream, fd, text);
	seen.events = events_new(stream);
	seen.type = events_type(seen.events, "test:beat");
	seen.level = event_type_field(seen.type, "level");
	seen.dev = event_type_field(seen.type, "dev");
	seen.missing = event_type_field(seen.type, "missing");
	status = stream_finish(stream, &handlers, &seen);
	assert(seen.count == events && seen.finished == streams);
	events_free(seen.events);
	close(fd);
	return status;
}

static bool same(const char *path, const char *expected)
{
	char text[1024] = "";
	int fd = open(path, O_RDONLY);
	ssize_t length = read(fd, text, sizeof(text) - 1);

	close(fd);
	return length >= 0 && !strcmp(text, expected);
}

static const char expected[] = "stream version=1\ntask ts=0 tid=77 comm=heart\n"
			       "event ts=12.345678901 cpu=3 tid=77 comm=heart name=test:beat level=-5 dev=7:1\n"
			       "end records=3 lost=0\n";

static size_t load(const char *path, char *bytes, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t size = fread(bytes, 1, room, file);

	fclose(file);
	return size;
}

/* A stream that was cut anywhere does not take anything from the one behind it in the same file. */
static void test_cut(const char *first, const char *behind)
{
	char cut[2048], whole[2048], text[1024] = "";
	size_t size = load(first, cut, sizeof(cut)), more = load(behind, whole, sizeof(whole)), end = strlen("end records=4 lost=0") + 8;

	for (size_t at = 16; at < size; at++) {
		bool has_event = at >= size - end;
		FILE *file = fopen("joined", "w");
		const char *rest;

		fwrite(cut, at, 1, file);
		fwrite(whole, more, 1, file);
		fclose(file);
		assert(copy((char *[]){"joined"}, 1, "text", true, 1 + has_event, 2) == 3);
		assert(!strncmp(fail_text(), "joined: the stream was cut at byte ", 35) && (size_t)atoi(fail_text() + 35) == at);
		text[load("text", text, sizeof(text) - 1)] = '\0';
		rest = strstr(text, " cut=yes\n");
		assert(rest && !strcmp(rest + 9, expected));
	}
}

struct hosts {
	struct stream *stream;
	struct events *events[2];
};

static void *see_host(void *context)
{
	struct hosts *hosts = context;

	hosts->events[1] = events_new(hosts->stream);
	return hosts;
}

/* Behind a stream of several hosts, whose last one knows other formats and names, a stream of one host is spelled by its own. */
static void test_hosts(const char *behind)
{
	static const char *const lines[] = {"stream version=1", "host name=a", "task ts=0 tid=77 comm=first", "host name=b",
					    "task ts=0 tid=77 comm=second", "end records=5 lost=0"};
	struct stream_head head = {STREAM_MAGIC, STREAM_BYTE_ORDER, STREAM_OF_RECORDS, 0};
	struct handlers handlers = {.host = see_host};
	FILE *file = fopen("hosts", "w");
	char text[1024] = "";
	struct hosts hosts;
	int fd;

	fwrite(&head, sizeof(head), 1, file);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		put_record(file, KIND_OTHER, RECORD_SPELLED, lines[i], strlen(lines[i]), false);
	fclose(file);
	hosts.stream = stream_open((char *[]){"hosts", (char *)behind}, 2);
	fd = open("text", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert(hosts.stream && fd >= 0);
	stream_output(hosts.stream, fd, true);
	hosts.events[0] = events_new(hosts.stream);
	assert(stream_finish(hosts.stream, &handlers, &hosts) == 0);
	events_free(hosts.events[0]);
	events_free(hosts.events[1]);
	close(fd);
	text[load("text", text, sizeof(text) - 1)] = '\0';
	assert(strstr(text, expected) && !strcmp(strstr(text, expected), expected));
}

int main(void)
{
	char folder[] = "/tmp/stream_loop.XXXXXX";

	assert(mkdtemp(folder) && chdir(folder) == 0);
	make_stream("own", false);
	make_stream("other", true);

	/* either byte order reads the same; a copy keeps the order that it came in */
	assert(copy((char *[]){"own"}, 1, "text", true, 1, 1) == 0 && same("text", expected));
	assert(copy((char *[]){"other"}, 1, "text", true, 1, 1) == 0 && same("text", expected));
	assert(copy((char *[]){"other"}, 1, "copy", false, 1, 1) == 0);
	assert(copy((char *[]){"copy"}, 1, "text", true, 1, 1) == 0 && same("text", expected));

	/* several files are several streams, each with its own formats and its own end */
	assert(copy((char *[]){"own", "other"}, 2, "both", false, 2, 2) == 0);
	assert(copy((char *[]){"both"}, 1, "text", true, 2, 2) == 0);

	/* text reads as the events that it came from */
	assert(copy((char *[]){"other"}, 1, "text", true, 1, 1) == 0);
	assert(copy((char *[]){"text"}, 1, "again", true, 1, 1) == 0 && same("again", expected));

	test_cut("own", "own");
	test_cut("own", "other");
	test_cut("other", "own");
	test_cut("other", "other");
	test_hosts("own");

	for (int i = 0; i < 8; i++)
		unlink((const char *[]){"own", "other", "text", "copy", "both", "again", "joined", "hosts"}[i]);
	rmdir(folder);
	return 0;
}
