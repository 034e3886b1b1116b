#include "fleet/excerpt.h"

#include <math.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/graph_record.h"
#include "stream/record.h"

enum { VALUE_MOST = 1024 /* bytes of a text */, DIGITS_MOST = 7 };

/* The type of a key's value. */
enum type { TEXT, TIME, NUMBER, INTEGER, COUNT, PLAIN_KEY, DEVICE, GRAPH_KIND, WHAT };

struct key {
	const char *name;
	enum type type;
	bool required;
};

static const struct key stream_keys[] = {
	{"version", COUNT, true}, {"host", TEXT, true}, {"clock", TEXT}, {"wall", TIME}, {"boot", TEXT}, {"moments", TEXT, true}, {0},
};
static const struct key device_keys[] = {{"dev", DEVICE, true}, {"name", TEXT, true}, {0}};
static const struct key signal_keys[] = {
	{"id", TEXT}, {"ts", TIME, true}, {"start", TIME}, {"chart", TEXT}, {"key", PLAIN_KEY}, {"value", NUMBER, true}, {"unit", TEXT},
	{"n", NUMBER}, {"center", NUMBER}, {"lcl", NUMBER}, {"ucl", NUMBER}, {"rules", TEXT}, {"tid", INTEGER}, {"comm", TEXT}, {"open", TEXT},
	{"mean", TEXT}, {"signs", COUNT}, {"sign_ts", TIME}, {"sign_value", NUMBER}, {"trigger", TEXT}, {0},
};
static const struct key window_keys[] = {
	{"id", TEXT}, {"from", TIME, true}, {"to", TIME, true}, {"signals", TEXT}, {"complete", TEXT}, {0},
};
static const struct key graph_keys[] = {
	{"id", TEXT, true}, {"window", TEXT}, {"signal", TEXT}, {"from", TIME, true}, {"to", TIME, true}, {"kind", GRAPH_KIND, true}, {0},
};
static const struct key path_keys[] = {
	{"graph", TEXT, true}, {"node", INTEGER, true}, {"from", TIME, true}, {"to", TIME, true}, {"tid", INTEGER}, {"what", WHAT}, {0},
};
static const struct key blame_keys[] = {
	{"graph", TEXT, true}, {"rank", COUNT}, {"name", TEXT, true}, {"score", NUMBER, true}, {"share", NUMBER}, {"on_path", TEXT},
	{"instances", COUNT}, {"algorithm", TEXT}, {"tid", INTEGER}, {0},
};
static const struct key lost_keys[] = {
	{"ts", TIME, true}, {"cpu", COUNT}, {"count", COUNT}, {"from", TIME}, {"bytes", COUNT}, {"flag", TEXT}, {0},
};
static const struct key end_keys[] = {{"records", COUNT}, {"lost", COUNT}, {"cut", TEXT}, {"gaps", TEXT}, {0}};

/* Further keys of path and blame: the deed, with names of threads, devices and functions (tailblame-graph(5)). */
static const struct key deed_keys[] = {
	{"deed", TEXT}, {"who", TEXT}, {"pool", TEXT}, {"pipe", TEXT}, {"whom", TEXT}, {"irq", TEXT}, {"softirq", TEXT}, {"syscall", TEXT},
	{"object", TEXT}, {"lock", TEXT}, {"for", TEXT}, {"queue", TEXT}, {"request", TEXT}, {"dev", DEVICE}, {"scheduler", TEXT}, {"file", TEXT}, {"group", TEXT},
	{"pace", TEXT}, {"doubt", TEXT}, {"function", TEXT}, {"cpu", INTEGER}, {"who_tid", INTEGER}, {"whom_tid", INTEGER}, {0},
};

static const struct {
	enum kind kind;
	const struct key *keys, *more;
	const char *before, *after; /* keys of two times that must be in this order, if the record has both */
} kinds[] = {
	{KIND_STREAM, stream_keys, NULL, NULL, NULL},	  {KIND_DEVICE, device_keys, NULL, NULL, NULL},
	{KIND_SIGNAL, signal_keys, NULL, "start", "ts"},  {KIND_WINDOW, window_keys, NULL, "from", "to"},
	{KIND_GRAPH, graph_keys, NULL, "from", "to"},	  {KIND_PATH, path_keys, deed_keys, "from", "to"},
	{KIND_BLAME, blame_keys, deed_keys, NULL, NULL},  {KIND_LOST, lost_keys, NULL, NULL, NULL},
	{KIND_END, end_keys, NULL, NULL, NULL},
};

/* Tells whether the text is a device's number, such as "7:0". */
static bool is_device(const char *text)
{
	size_t major = strspn(text, "0123456789"), minor = text[major] == ':' ? strspn(text + major + 1, "0123456789") : 0;

	return major > 0 && minor > 0 && major <= DIGITS_MOST && minor <= DIGITS_MOST && !text[major + 1 + minor];
}

/* A chart's key may be an argument of a program's call, which must not leave the machine. A device's number or a system call's name may. */
static bool is_plain_key(const char *text)
{
	return is_device(text) || seccomp_syscall_resolve_name(text) >= 0;
}

static bool is_what(const struct fields *fields)
{
	enum node_what what = node_what_read(fields, WHATS);

	return what != WHATS;
}

/* 1: the text may be kept; 0: it may not; -1 after fail(): it is not of its type. */
static int check_text(const char *text, const char *key, enum type type)
{
	if (strlen(text) > VALUE_MOST)
		return fail("%s= has more than %d bytes", key, VALUE_MOST);
	if (type == GRAPH_KIND && strcmp(text, "rag") && strcmp(text, "wake"))
		return fail("there is no such kind of graph");
	if (type == DEVICE && !is_device(text))
		return fail("%s= is no device's number", key);
	return type != PLAIN_KEY || is_plain_key(text);
}

/* 1: the record has the value, and it may be kept; 0: not so; -1 after fail(): it is not of its type. */
static int check(const struct fields *fields, const struct key *key)
{
	double number = 0;
	int64_t integer;
	uint64_t count;
	char *text;
	int found;

	switch (key->type) {
	case TIME:
		return fields_time(fields, key->name, &integer);
	case NUMBER:
		found = fields_double(fields, key->name, &number);
		return found > 0 && !isfinite(number) ? fail("%s= is no number", key->name) : found;
	case INTEGER:
		found = fields_integer(fields, key->name, &integer);
		return found > 0 && (integer < INT32_MIN || integer > INT32_MAX) ? fail("%s= is out of range", key->name) : found;
	case COUNT:
		return fields_unsigned(fields, key->name, &count);
	case WHAT:
		return !fields_find(fields, key->name) ? 0 : is_what(fields) ? 1 : fail("%s= is not known", key->name);
	default:
		text = fields_copy(fields, key->name);
		found = text ? check_text(text, key->name, key->type) : 0;
		free(text);
		return found;
	}
}

static int spell(const struct fields *fields, const struct key *keys, struct line *line)
{
	for (const struct key *key = keys; key && key->name; key++) {
		int found = check(fields, key);
		char *text;

		if (found < 0)
			return -1;
		if (found == 0 && key->required)
			return fail("%s= is missing", key->name);
		if (found == 0)
			continue;
		text = fields_copy(fields, key->name);
		line_text(line, key->name, text);
		free(text);
	}
	return 0;
}

/* A `lost` record must tell its size. */
static int check_loss(const struct fields *fields)
{
	return fields_find(fields, "count") || fields_find(fields, "bytes") ? 0 : fail("count= is missing");
}

static int check_order(const struct fields *fields, const char *before, const char *after)
{
	int64_t from, to;

	if (!before || fields_time(fields, before, &from) != 1 || fields_time(fields, after, &to) != 1 || from <= to)
		return 0;
	return fail("it ends before it starts");
}

int excerpt_record(const struct fields *fields, struct line *line)
{
	enum kind kind = kind_of(fields->kind, fields->kind_length);

	if ((kind == KIND_BLAME && fields_is(fields, "graph", "total")) || (kind == KIND_PATH && !fields_find(fields, "deed")))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].kind != kind)
			continue;
		line_begin(line, kind_name(kind));
		if (spell(fields, kinds[i].keys, line) < 0 || spell(fields, kinds[i].more, line) < 0 ||
		    check_order(fields, kinds[i].before, kinds[i].after) < 0 || (kind == KIND_LOST && check_loss(fields) < 0))
			return fail_prefix("a %s record", kind_name(kind));
		return 1;
	}
	return 0;
}
