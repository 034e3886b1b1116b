#include "wake/reason.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "chart/failures.h"

#define LIST "charts/formats/waits.calls"

/* A line of the list. */
struct call_line {
	enum { CALL_MANY, CALL_CHILDREN, CALL_RECEIVES, CALL_SENDS, CALL_ASKS, CALL_CLOSES, CALL_FAILS } kind;
	const char *call; /* a pattern, but of CALL_MANY and CALL_FAILS */
	char *rest;	  /* the kind of file; NULL: none. The errors of CALL_FAILS are read elsewhere (chart/failures.h) */
};

struct kept {
	struct reason reason;
	int16_t index;
	char *key; /* its texts, which point here */
	UT_hash_handle hh;
};

struct reasons {
	ARRAY(struct kept *) list;
	struct kept *by_key;
	char *text; /* of the list of calls */
	ARRAY(struct call_line) calls;
	const struct failures *failures;
};

static bool is_call(const struct reason *reason)
{
	return reason->syscall && !reason->lock && !reason->purpose;
}

static bool is_of_many(const struct reasons *reasons, const struct reason *reason)
{
	for (size_t i = 0; is_call(reason) && i < reasons->calls.count; i++) {
		const struct call_line *line = &reasons->calls.items[i];

		if (line->kind == CALL_MANY && strcmp(reason->syscall, line->call) == 0 &&
		    (reason->object ? line->rest && strcmp(reason->object, line->rest) == 0 : !line->rest))
			return true;
	}
	return false;
}

static bool does(const struct reasons *reasons, const struct reason *reason, int kind)
{
	for (size_t i = 0; is_call(reason) && i < reasons->calls.count; i++) {
		const struct call_line *line = &reasons->calls.items[i];

		if ((int)line->kind == kind && fnmatch(line->call, reason->syscall, 0) == 0)
			return true;
	}
	return false;
}

bool reasons_fails(const struct reasons *reasons, const char *syscall, int64_t result)
{
	return failures_has(reasons->failures, syscall, result);
}

/* "many recvfrom udp socket", cut in place. -1 after fail(). */
static int add_line(struct reasons *reasons, char *text, int number)
{
	static const char *const kinds[] = {[CALL_MANY] = "many", [CALL_CHILDREN] = "children", [CALL_RECEIVES] = "receives", [CALL_SENDS] = "sends",
					     [CALL_ASKS] = "asks", [CALL_CLOSES] = "closes", [CALL_FAILS] = "fails"};
	const char *kind = strsep(&text, " "), *call = text ? strsep(&text, " ") : NULL;

	for (int i = 0; call && i < (int)(sizeof(kinds) / sizeof(*kinds)); i++)
		if (strcmp(kind, kinds[i]) == 0) {
			*ARRAY_ADD(&reasons->calls) = (struct call_line){i, call, text};
			return 0;
		}
	return fail(LIST ":%d: a line is many, children, receives, sends, asks, closes or fails, and a call", number);
}

struct reasons *reasons_new(void)
{
	struct reasons *reasons = NEW(struct reasons);
	char *path = file_shipped(LIST), *rest, *line;
	int number = 0, status;

	reasons->text = path ? file_read(path, NULL) : NULL;
	free(path);
	reasons->failures = reasons->text ? failures_shipped() : NULL;
	status = reasons->failures ? 0 : -1;
	for (rest = reasons->text; status == 0 && (line = strsep(&rest, "\n"));) {
		number++;
		if (*line && *line != '#')
			status = add_line(reasons, line, number);
	}
	if (status == 0)
		return reasons;
	reasons_free(reasons);
	return NULL;
}

void reasons_free(struct reasons *reasons)
{
	HASH_CLEAR(hh, reasons->by_key);
	for (size_t i = 0; i < reasons->list.count; i++) {
		free(reasons->list.items[i]->key);
		free(reasons->list.items[i]);
	}
	free(reasons->list.items);
	free(reasons->calls.items);
	free(reasons->text);
	free(reasons);
}

static const char *end_of(const char *text)
{
	return text + strlen(text) + 1;
}

/* Points the reason at the texts in its key, which stand behind each other: "" where there is none. */
static void point(struct reason *reason, const char *key)
{
	const char **texts[] = {&reason->syscall, &reason->object, &reason->lock, &reason->purpose};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++, key = end_of(key))
		*texts[i] = *key ? key : NULL;
}

int16_t reason_index(struct reasons *reasons, struct reason reason)
{
	const char *texts[] = {reason.syscall, reason.object, reason.lock, reason.purpose};
	size_t length = 0;
	struct kept *kept;
	char key[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		size_t text = texts[i] ? strlen(texts[i]) : 0;

		if (length + text + 1 > sizeof(key))
			return REASON_NONE;
		memcpy(key + length, texts[i] ? texts[i] : "", text + 1);
		length += text + 1;
	}
	HASH_FIND(hh, reasons->by_key, key, length, kept);
	if (kept)
		return kept->index;
	if (reasons->list.count == INT16_MAX)
		return REASON_NONE;
	kept = NEW(struct kept);
	kept->key = memory_new(length, 1);
	memcpy(kept->key, key, length);
	kept->index = (int16_t)reasons->list.count;
	point(&kept->reason, kept->key);
	kept->reason.many = is_of_many(reasons, &kept->reason);
	kept->reason.children = does(reasons, &kept->reason, CALL_CHILDREN);
	kept->reason.receives = does(reasons, &kept->reason, CALL_RECEIVES);
	kept->reason.sends = does(reasons, &kept->reason, CALL_SENDS);
	kept->reason.asks = does(reasons, &kept->reason, CALL_ASKS);
	kept->reason.closes = does(reasons, &kept->reason, CALL_CLOSES);
	*ARRAY_ADD(&reasons->list) = kept;
	HASH_ADD_KEYPTR(hh, reasons->by_key, kept->key, length, kept);
	return kept->index;
}

int16_t reason_syscall(struct reasons *reasons, const char *syscall)
{
	return reason_index(reasons, (struct reason){.syscall = syscall});
}

const struct reason *reason_at(const struct reasons *reasons, int16_t index)
{
	static const struct reason none;

	return index == REASON_NONE ? &none : &reasons->list.items[index]->reason;
}
