/* Filters in the kernel's words: what passes, what does not, and what a recording does not tell. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "event/predicate.h"
#include "beat.h"

static const char format[] = "test\0"
			     BEAT_COMMON
			     "\tfield:long ret;\toffset:8;\tsize:8;\tsigned:1;\n"
			     "\tfield:u64 sector;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:s8 level;\toffset:24;\tsize:1;\tsigned:1;\n"
			     "\tfield:u8 share;\toffset:25;\tsize:1;\tsigned:0;\n"
			     "\tfield:u16 port;\toffset:26;\tsize:2;\tsigned:0;\n"
			     "\tfield:dev_t dev;\toffset:28;\tsize:4;\tsigned:0;\n"
			     "\tfield:char task[16];\toffset:32;\tsize:16;\tsigned:0;\n"
			     "\tfield:__data_loc char[] path;\toffset:48;\tsize:4;\tsigned:0;\n"
			     "\tfield:u32 args[3];\toffset:52;\tsize:12;\tsigned:0;\n"
			     "\tfield:__u8 addr[4];\toffset:64;\tsize:4;\tsigned:0;\n\n"
			     "print fmt: \"%ld\", REC->ret\n";

struct beat {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	int64_t ret;
	uint64_t sector;
	int8_t level;
	uint8_t share;
	uint16_t port;
	uint32_t dev;
	char task[16];
	uint32_t path;
	uint32_t args[3];
	uint8_t addr[4];
	char text[8];
};

static const struct beat beat = {300, 0x09, 0, 77, -11, UINT64_MAX, -3, 200, 443, 8 << 20 | 17, "kworker/1:2", 68 | 8 << 16, {1, 2, 3}, {7, 7, 7, 7}, "/etc/rc"};

/* The same event as text; it does not tell common_flags. */
static const char text[] = "event ts=1 cpu=1 tid=77 comm=kw name=test:beat ret=-11 sector=18446744073709551615 level=-3 share=200 port=443 "
			   "dev=8:17 task=kworker/1:2 path=/etc/rc args=0x1,0x2,0x3 addr=0x7,0x7,0x7,0x7";

enum { NO, YES, UNKNOWN };

static const struct {
	const char *filter;
	int packed, text;
} cases[] = {
	{"ret == -11", YES, YES},
	{"ret < 0", YES, YES},
	{"ret>=-11&&ret<=-11", YES, YES},
	{"ret > 0 || ret == 0", NO, NO},
	{"ret != -11", NO, NO},
	{"ret & 1", YES, YES},
	{"ret & 0xa", NO, NO},
	{"ret > 0x7ffffffffffffff0", NO, NO},
	{"sector > 100", YES, YES}, /* it has no sign */
	{"sector == 0xffffffffffffffff", YES, YES},
	{"sector < 18446744073709551615", NO, NO},
	{"level < 0 && share > 0", YES, YES},
	{"level == 0xfd", YES, NO}, /* as wide as the field; text does not tell how wide that is */
	{"share == 0310", YES, YES},
	{"port == 443", YES, YES},
	{"dev == 0x800011", YES, YES},
	{"task == \"kworker/1:2\"", YES, YES},
	{"task == 'kworker/1'", NO, NO},
	{"task ~ \"kworker*\"", YES, YES},
	{"task ~ \"*1:*\" && task ~ '*2'", YES, YES},
	{"task ~ \"kwork?r/[0-9]:2\"", YES, YES},
	{"task ~ \"!kworker*\"", NO, NO},
	{"task != \"sh\"", YES, YES},
	{"path == \"/etc/rc\"", YES, YES},
	{"path ~ \"/etc*\"", YES, YES},
	{"!(ret < 0)", NO, NO},
	{"!ret < 0", NO, NO}, /* of the whole comparison */
	{"!!(ret < 0)", YES, YES},
	{"ret == 1 && ret == 2 || ret == -11", YES, YES},
	{"ret == -11 || ret == 1 && ret == 2", YES, YES}, /* && binds tighter */
	{"(ret == -11 || ret == 1) && ret == 2", NO, NO},
	{" ( ( ret==-11 ) ) ", YES, YES},
	{"CPU == 1 && cpu != 0 && common_cpu < 2", YES, YES},
	{"common_pid == 77", YES, YES},
	{"COMM == \"kw\" && comm ~ \"k*\"", YES, YES},
	{"COMM != \"kw\"", NO, NO},
	{"common_flags & 8", YES, UNKNOWN},
	{"common_flags & 16", NO, UNKNOWN},
	{"common_flags & 16 || ret < 0", YES, YES}, /* whatever the flags are */
	{"common_flags & 16 && ret > 0", NO, NO},
	{"!(common_flags & 16) && ret < 0", YES, UNKNOWN},
	{"absent == 1", UNKNOWN, UNKNOWN},
	{"absent == 1 && ret > 0 || level == 1", NO, NO},
	{"task == 5", UNKNOWN, UNKNOWN}, /* text is no number */
	{"args == 1", UNKNOWN, UNKNOWN},
	{"addr == 0x7070707", YES, UNKNOWN}, /* as wide as a number is a number */
	{"addr > 0x7070707", NO, UNKNOWN},
	{"ret.function == vfs_read", UNKNOWN, UNKNOWN},
	{"ret & CPUS{0-3,7} && level < 0", UNKNOWN, UNKNOWN},
};

static const char *const wrong[][2] = {
	{"", "a field is missing at the end"},
	{"ret", "one of == != < <= > >= & ~ is missing at the end"},
	{"ret = 1", "one of == != < <= > >= & ~ is missing before '= 1'"},
	{"ret == ", "a number, or a text in quotes that == != ~ compare, is missing at the end"},
	{"ret == foo", "a number, or a text in quotes that == != ~ compare, is missing before 'foo'"},
	{"ret == 12x", "a number, or a text in quotes that == != ~ compare, is missing before '12x'"},
	{"ret == 99999999999999999999", "a number, or a text in quotes that == != ~ compare, is missing before '99999999999999999999'"},
	{"task ~ 5", "a text in quotes is missing before '5'"},
	{"task < \"a\"", "a number, or a text in quotes that == != ~ compare, is missing at the end"},
	{"task == \"a", "a number, or a text in quotes that == != ~ compare, is missing before '\"a'"},
	{"ret == 1 ret == 2", "&& or || is missing before 'ret == 2'"},
	{"ret == 1 &&", "a field is missing at the end"},
	{"(ret == 1", "a ) is missing at the end"},
	{"ret == 1)", "&& or || is missing before ')'"},
};

static struct events *events;
static struct event_type *type;

static void check(const char *filter, const struct event *event, int wanted)
{
	struct predicate *predicate = predicate_new(events, type, filter);
	const char *field;
	bool passes;

	assert(predicate);
	passes = predicate_passes(predicate, event);
	if (passes != (wanted != NO) || predicate_unknown(predicate, &field) != (wanted == UNKNOWN)) {
		fprintf(stderr, "%s, %s: not %d\n", filter, event->payload ? "packed" : "text", wanted);
		abort();
	}
	predicate_free(predicate);
}

static void check_wrong(void)
{
	char deep[201], *name = NULL;
	struct predicate *predicate;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert(!predicate_new(events, type, wrong[i][0]));
		name = memory_format("wrong filter '%s' of event 'test:beat': %s", wrong[i][0], wrong[i][1]);
		if (strcmp(fail_text(), name) != 0) {
			fprintf(stderr, "%s\nnot %s\n", fail_text(), name);
			abort();
		}
		free(name);
	}
	memset(deep, '(', 200);
	deep[200] = '\0';
	assert(!predicate_new(events, type, deep));
	name = memory_format("%5000s", "ret == 1");
	assert(!predicate_new(events, type, name));
	free(name);
	predicate = predicate_new(events, type, "ret == 1 || COMM == 'a'");
	assert(predicate_asks_name(predicate));
	predicate_free(predicate);
}

/* What passes either; without a filter all pass. */
static void check_widen(void)
{
	char *filter = memory_text("ret == 1", 8);

	predicate_widen(&filter, "ret == 1");
	assert(!strcmp(filter, "ret == 1"));
	predicate_widen(&filter, "ret < 0");
	assert(!strcmp(filter, "(ret == 1) || (ret < 0)"));
	predicate_widen(&filter, NULL);
	assert(!filter);
	predicate_widen(&filter, "ret < 0");
	assert(!filter);
}

int main(void)
{
	struct stream *stream = stream_create();
	struct record formats = {.kind = KIND_FORMAT, .packed = true, .text = format, .length = sizeof(format) - 1};
	struct record packed = {.kind = KIND_EVENT, .packed = true, .text = (const char *)&beat, .length = sizeof(beat), .ts = 1, .cpu = 1};
	struct record written = {.kind = KIND_EVENT, .text = text, .length = sizeof(text) - 1};
	struct event event;

	events = events_new(stream);
	type = events_type(events, "test:beat");
	assert(stream_write_record(stream, &formats) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert(events_read(events, &written, &event) == 0); /* it names the thread, too */
		check(cases[i].filter, &event, cases[i].text);
		assert(events_read(events, &packed, &event) == 0);
		check(cases[i].filter, &event, cases[i].packed);
	}
	check_wrong();
	check_widen();
	stream_close(stream);
	events_free(events);
	return 0;
}
