/* Fields of every type, in either byte order: what their line says, and that each by itself is told the same. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "beat.h"
#include "event/spell.h"

enum { NUMBERS = 4 };

/* A field named f, the numbers in it, and what it is in a line. */
static const struct {
	const char *declaration;
	int element, count; /* bytes of a number, and how many there are */
	uint64_t numbers[NUMBERS];
	const char *spelled;
} cases[] = {
	{"int f", 4, 1, {(uint32_t)-5}, "-5"},
	{"unsigned int f", 4, 1, {(uint32_t)-5}, "4294967291"},
	{"s8 f", 1, 1, {0x80}, "-128"},
	{"u64 f", 8, 1, {UINT64_MAX}, "18446744073709551615"},
	{"dev_t f", 4, 1, {7 << 20 | 1}, "7:1"},
	{"void * f", 8, 1, {0xffff888012345678}, "0xffff888012345678"},
	{"void * f", 8, 1, {0}, "0x0"},
	{"char f[8]", 1, 4, {'r', '"', '\n', 0}, "\"r\\\"\\n\""},
	{"unsigned long f[2]", 8, 2, {3, 0xfedcba9876543210}, "0x3,0xfedcba9876543210"},
	{"short f[3]", 2, 3, {0xffff, 2, 3}, "0xffff,0x2,0x3"},
	{"u32 f[1]", 4, 1, {5}, "0x5"},
	{"__u8 f[4]", 1, 4, {10, 0, 0, 7}, "0xa,0x0,0x0,0x7"},
	{"s8 f[2]", 1, 2, {0, 255}, "0x0,0xff"},
	{"unsigned char f[3]", 1, 3, {'a', 0, 'b'}, "0x61,0x0,0x62"},
	{"__data_loc u8[] f", 1, 3, {'a', 'b', 0}, "0x61,0x62,0x0"},
	{"char f[]", 1, 4, {'a', ' ', '\n', 0}, "\"a \\n\""},
	{"unsigned long f[]", 8, 3, {1, 2, 3}, "0x1,0x2,0x3"},
	{"__data_loc char[] f", 1, 3, {'/', 'a', 0}, "/a"},
	{"__rel_loc char[] f", 1, 3, {'/', 'a', 0}, "/a"},
	{"__data_loc u64[] f", 8, 2, {1, 0x1122334455667788}, "0x1,0x1122334455667788"},
	{"__data_loc u64[] f", 8, 0, {0}, "\"\""},
	{"__data_loc unsigned int[] f", 4, 2, {1, 0x11223344}, "0x1,0x11223344"},
	{"__data_loc int[] f", 4, 1, {(uint32_t)-1}, "0xffffffff"},
	{"__data_loc long[] f", 8, 2, {(uint64_t)-5, 1}, "0xfffffffffffffffb,0x1"},
	{"__data_loc unsigned long long[] f", 8, 1, {9}, "0x9"},
	{"__data_loc __le32[] f", 4, 2, {1, 2}, "0x1,0x2"},
	{"__data_loc uint16_t[] f", 2, 2, {1, 2}, "0x1,0x2"},
	{"__data_loc struct point[] f", 1, 4, {1, 2, 3, 4}, "0x1,0x2,0x3,0x4"},
	{"__data_loc int[] f", 1, 3, {1, 2, 3}, "0x1,0x2,0x3"}, /* no whole number of them */
	{"u32 f[]", 4, 2, {7, 8}, "0x7,0x8"},
	{"__data_loc cpumask_t f", 8, 2, {5, 1}, "0x5,0x1"},
	{"__data_loc cpumask_t f", 8, 1, {5}, "5"},
};

struct payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint8_t own[200];
} __attribute__((packed));

static bool is_dynamic(size_t i)
{
	return strstr(cases[i].declaration, "_loc ") != NULL;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Puts a number of so many bytes there, and returns the place behind it. */
static uint8_t *put(uint8_t *at, uint64_t number, int size, bool swapped)
{
	bool big = swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (int i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(number >> 8 * i);
	return at + size;
}

/* Returns its size. */
static size_t make_payload(struct payload *payload, size_t i, bool swapped)
{
	const char *declaration = cases[i].declaration;
	int offset = begins(declaration, "__rel_loc") ? 0 : 12, length = cases[i].element * cases[i].count;
	uint8_t *at = payload->own;

	*payload = (struct payload){0};
	put((uint8_t *)&payload->type, 300, 2, swapped);
	put((uint8_t *)&payload->pid, 77, 4, swapped);
	if (is_dynamic(i))
		at = put(at, (uint64_t)(length << 16 | offset), 4, swapped);
	for (int n = 0; n < cases[i].count; n++)
		at = put(at, cases[i].numbers[n], cases[i].element, swapped);
	return (size_t)(at - (uint8_t *)payload);
}

static void learn(struct stream *stream, size_t i, bool swapped)
{
	const char *declaration = cases[i].declaration;
	int size = is_dynamic(i) ? 4 : strstr(declaration, "[]") ? 0 : cases[i].element * cases[i].count;
	char *text = memory_format("test:" BEAT_COMMON "\tfield:%s;\toffset:8;\tsize:%d;\tsigned:%d;\n\nprint fmt: \"\"\n", declaration, size,
				   begins(declaration, "int") || begins(declaration, "s8"));
	struct record record = {.kind = KIND_FORMAT, .packed = true, .swapped = swapped, .text = text, .length = strlen(text)};

	text[4] = '\0';
	assert(stream_write_record(stream, &record) == 0);
	free(text);
}

static void check_alone(struct events *events, const struct event *packed, const struct line *line)
{
	struct event_field *field = event_type_field(events_type(events, "test:beat"), "f");
	struct record record = {.kind = KIND_EVENT, .text = line->text, .length = line->length};
	struct event written;
	char here[64], there[64];
	int64_t number, again;
	enum event_spelling spelling = event_read_number(packed, field, &number);

	assert(events_read(events, &record, &written) == 0);
	if (spelling != SPELL_TEXT)
		assert(event_read_number(&written, field, &again) != SPELL_TEXT && again == number);
	for (size_t room = 1; room <= sizeof(here); room++) {
		assert(event_spell_field(packed, field, here, room) == event_spell_field(&written, field, there, room));
		assert(!strcmp(here, there));
		if (spelling != SPELL_TEXT) {
			assert(event_spell_number(spelling, number, here, room) == strlen(there));
			assert(!strcmp(here, there));
		}
	}
}

static void check(struct stream *stream, struct events *events, size_t i, bool swapped)
{
	struct payload payload;
	size_t size = make_payload(&payload, i, swapped);
	struct record record = {.kind = KIND_EVENT, .packed = true, .swapped = swapped, .text = (const char *)&payload, .length = size};
	struct line line = {0};
	struct event event;
	char *wanted = memory_format("event ts=0.000000000 cpu=0 tid=77 comm=c name=test:beat f=%s", cases[i].spelled);

	learn(stream, i, swapped);
	assert(events_read(events, &record, &event) == 0);
	event_spell(&event, "c", &line);
	if (strcmp(line.text, wanted) != 0) {
		fprintf(stderr, "%s:\n%s\nnot %s\n", cases[i].declaration, line.text, wanted);
		abort();
	}
	check_alone(events, &event, &line);
	line_free(&line);
	free(wanted);
}

int main(void)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct stream *stream = stream_create();
		struct events *events = events_new(stream);

		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			check(stream, events, i, swapped);
		stream_close(stream);
		events_free(events);
	}
	return 0;
}
