/* One bit of a stream changes: the answer is the same, or it is told that something is missing; never is it another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/command.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "event/event.h"

enum { DAMAGED, SPELLED, PLACES }; /* files of the test */
static int fds[PLACES];
static char paths[PLACES][32];

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

static void put(int place, const char *bytes, size_t size)
{
	CHECK(ftruncate(fds[place], 0) == 0 && lseek(fds[place], 0, SEEK_SET) == 0);
	CHECK(write(fds[place], bytes, size) == (ssize_t)size);
}

static char *get(int place, size_t *size)
{
	*size = (size_t)lseek(fds[place], 0, SEEK_END);
	return file_read(paths[place], NULL);
}

static char *get_bytes(int place, size_t *size)
{
	char *bytes;

	*size = (size_t)lseek(fds[place], 0, SEEK_END);
	bytes = memory_new(*size + 1, 1);
	CHECK(pread(fds[place], bytes, *size, 0) == (ssize_t)*size);
	return bytes;
}

/* As stream-cat does it; the exit status. */
static int copy(const char *from, int to, bool text)
{
	char *files[] = {(char *)from};
	struct handlers handlers = {0};
	struct stream *stream = stream_open(files, 1);
	struct events *events;
	int status;

	CHECK(stream && ftruncate(fds[to], 0) == 0 && lseek(fds[to], 0, SEEK_SET) == 0);
	stream_output(stream, fds[to], text);
	stream_copy_ends(stream);
	events = events_new(stream);
	status = stream_finish(stream, &handlers, NULL);
	events_free(events);
	return status;
}

/* A line without the thread's name, which may be unknown now. */
static void strip(char *line, char *name, size_t room)
{
	char *comm = strncmp(line, "event ", 6) ? NULL : strstr(line, " comm="), *end;

	snprintf(name, room, "?");
	if (!comm)
		return;
	end = strstr(comm + 1, " name=");
	CHECK(end);
	snprintf(name, room, "%.*s", (int)(end - comm - 6), comm + 6);
	memmove(comm, end, strlen(end) + 1);
}

/* Each line of `now` is one of `before`, in that order, with the same name or none; or tells of what is missing. */
static void compare(const char *before, const char *now, size_t bit)
{
	char *left = memory_text(before, strlen(before)), *all = memory_text(now, strlen(now)), *at = left, *next;

	for (char *line = all; *line; line = next) {
		char name[64], was[64], *old = at;

		next = line + strcspn(line, "\n");
		*next++ = '\0';
		if (!strncmp(line, "lost ", 5) || !strncmp(line, "end ", 4) || !strcmp(line, "stream version=1"))
			continue;
		strip(line, name, sizeof(name));
		for (;;) {
			if (!*old) {
				fprintf(stderr, "bit %zu: not in the stream: %s\n", bit, line);
				exit(1);
			}
			at = old + strcspn(old, "\n");
			if (*at)
				*at++ = '\0';
			strip(old, was, sizeof(was));
			if (!strcmp(old, line))
				break;
			old = at;
		}
		if (strcmp(name, was) && strcmp(name, "?")) {
			fprintf(stderr, "bit %zu: %s was %s: %s\n", bit, name, was, line);
			exit(1);
		}
	}
	free(left);
	free(all);
}

/* What comes of the stream with this bit changed. */
static void flip(char *bytes, size_t size, size_t bit, const char *before)
{
	size_t length;
	char *now;
	int status;

	bytes[bit / 8] ^= (char)(1 << bit % 8);
	put(DAMAGED, bytes, size);
	bytes[bit / 8] ^= (char)(1 << bit % 8);
	status = copy(paths[DAMAGED], SPELLED, true);
	now = get(SPELLED, &length);
	if (status == EXIT_DONE && strcmp(now, before)) {
		fprintf(stderr, "bit %zu: exit status 0, and another answer:\n%s", bit, now);
		exit(1);
	}
	if (status == EXIT_INCOMPLETE) {
		CHECK(*fail_text());
		compare(before, now, bit);
	}
	free(now);
}

#define FORMAT(name, id) "x\0name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"%u\", REC->number\n"

static void write_line(struct stream *stream, const char *text)
{
	struct record record = {.kind = kind_of(text, strcspn(text, " ")), .text = text, .length = strlen(text)};

	CHECK(stream_write_record(stream, &record) == 0);
}

static void write_event(struct stream *stream, int64_t ts, uint16_t id, int32_t tid, uint32_t number)
{
	struct __attribute__((packed)) {
		uint16_t id, rest;
		int32_t tid;
		uint32_t number;
	} payload = {id, 0, tid, number};
	struct record record = {KIND_EVENT, true, .text = (char *)&payload, .length = sizeof(payload), .ts = ts, .cpu = 1};

	CHECK(stream_write_record(stream, &record) == 0);
}

static void write_format(struct stream *stream, const char *text, size_t size)
{
	CHECK(stream_write_record(stream, &(struct record){KIND_FORMAT, true, .text = text, .length = size}) == 0);
}

/* Of several blocks: names and formats are in other ones than the events that need them. */
static void make_small(void)
{
	struct stream *stream = stream_create();
	struct events *events;

	stream_output(stream, fds[DAMAGED], false);
	events = events_new(stream);
	write_line(stream, "stream version=1 host=h");
	write_format(stream, FORMAT("one", "901"), sizeof(FORMAT("one", "901")) - 1);
	stream_flush(stream);
	write_format(stream, FORMAT("two", "902"), sizeof(FORMAT("two", "902")) - 1);
	stream_flush(stream);
	write_line(stream, "task ts=1.000000000 tid=7 comm=first");
	write_event(stream, 1000000001, 901, 7, 11);
	stream_flush(stream);
	write_line(stream, "task ts=1.000000002 tid=7 comm=second");
	stream_flush(stream);
	write_event(stream, 1000000003, 902, 7, 12);
	write_event(stream, 1000000004, 901, 8, 13);
	stream_flush(stream);
	write_line(stream, "signal id=1 ts=1.000000005 start=1.000000004 chart=x value=1 ucl=0.5 rules=1");
	CHECK(stream_close(stream) == 0);
	events_free(events);
}

/* The last bytes of the file may be missing, too: as far as it goes, it is read. */
static void cut(const char *bytes, size_t size, const char *before)
{
	size_t length;
	char *now;

	for (size_t at = 17; at < size; at++) {
		put(DAMAGED, bytes, at);
		CHECK(copy(paths[DAMAGED], SPELLED, true) == EXIT_INCOMPLETE);
		now = get(SPELLED, &length);
		compare(before, now, at);
		CHECK(strstr(now, "cut=yes"));
		free(now);
	}
}

/* Records that stand behind the damage come, whatever was damaged; nothing but their own block is lost. */
static void check_small(void)
{
	size_t size, length;
	char *bytes, *before, *now;

	make_small();
	bytes = get_bytes(DAMAGED, &size);
	CHECK(copy(paths[DAMAGED], SPELLED, true) == EXIT_DONE);
	before = get(SPELLED, &length);
	for (size_t bit = 0; bit < STREAM_HEAD_SIZE * 8; bit++)
		flip(bytes, size, bit, before);
	cut(bytes, size, before);
	for (size_t bit = STREAM_HEAD_SIZE * 8; bit < size * 8; bit++) {
		flip(bytes, size, bit, before);
		now = get(SPELLED, &length);
		CHECK((strstr(now, "number=13") || strstr(now, "lost ")) && strstr(now, "gaps=yes") && strstr(now, "bytes="));
		if (bit < size * 4)
			CHECK(strstr(now, "signal id=1"));
		free(now);
	}
	free(bytes);
	free(before);
}

static void check_recorded(const char *path, int times)
{
	unsigned long long state = 7;
	size_t size, length;
	char *bytes, *before, *now;

	CHECK(copy(path, DAMAGED, false) == EXIT_DONE);
	bytes = get_bytes(DAMAGED, &size);
	CHECK(copy(paths[DAMAGED], SPELLED, true) == EXIT_DONE && copy(path, DAMAGED, true) == EXIT_DONE);
	before = get(SPELLED, &length);
	now = get(DAMAGED, &length); /* of the first version, and as it is written now */
	CHECK(!strcmp(before, now));
	free(now);
	for (int i = 0; i < times; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		flip(bytes, size, (size_t)(state >> 20) % (size * 8), before);
	}
	free(bytes);
	free(before);
}

int main(void)
{
	for (int i = 0; i < PLACES; i++) {
		fds[i] = memfd_create("damage", 0);
		snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fds[i]);
	}
	check_small();
	check_recorded("testdata/demo.tb", 100);
	return 0;
}
