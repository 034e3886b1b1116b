#include "wake/reason.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "event/call_meanings.h"

struct kept {
	struct reason reason;
	int16_t index;
	char *key; /* the reason's texts, which point into it, then its `naps` */
	UT_hash_handle hh;
};

struct reasons {
	ARRAY(struct kept *) list;
	struct kept *by_key;
	const struct call_meanings *calls;
};

bool reasons_fails(const struct reasons *reasons, const char *syscall, int64_t result)
{
	return call_fails(reasons->calls, syscall, result, NULL);
}

struct reasons *reasons_new(void)
{
	const struct call_meanings *calls = call_meanings_shipped();
	struct reasons *reasons = calls ? NEW(struct reasons) : NULL;

	if (reasons)
		reasons->calls = calls;
	return reasons;
}

void reasons_free(struct reasons *reasons)
{
	HASH_CLEAR(hh, reasons->by_key);
	for (size_t i = 0; i < reasons->list.count; i++) {
		free(reasons->list.items[i]->key);
		free(reasons->list.items[i]);
	}
	free(reasons->list.items);
	free(reasons);
}

static const char *end_of(const char *text)
{
	return text + strlen(text) + 1;
}

/* Points the reason at the texts in its key, which follow each other; "" stands for a missing text. */
static void point(struct reason *reason, const char *key)
{
	const char **texts[] = {&reason->syscall, &reason->object, &reason->lock, &reason->purpose};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++, key = end_of(key))
		*texts[i] = *key ? key : NULL;
}

static int files_of(const char *call)
{
	static const struct {
		const char *call;
		int argument;
	} calls[] = {{"poll", 2}, {"ppoll", 2}, {"select", 1}, {"pselect6", 1}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(call, calls[i].call) == 0)
			return calls[i].argument;
	return 0;
}

/* Sets the meanings of a call; a lock or a page has none. */
static void tell_meanings(const struct call_meanings *calls, struct reason *reason)
{
	const char *call = reason->syscall;

	if (!call || reason->lock || reason->purpose || reason->naps)
		return;
	reason->many = call_waits_for_many(calls, call, reason->object);
	reason->files = files_of(call);
	reason->children = call_means(calls, CALL_MEANS_CHILDREN, call);
	reason->receives = call_means(calls, CALL_MEANS_RECEIVES, call);
	reason->sends = call_means(calls, CALL_MEANS_SENDS, call);
	reason->asks = call_means(calls, CALL_MEANS_ASKS, call);
	reason->closes = call_means(calls, CALL_MEANS_CLOSES, call);
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
	if (length == sizeof(key))
		return REASON_NONE;
	key[length++] = (char)reason.naps;
	HASH_FIND(hh, reasons->by_key, key, length, kept);
	if (kept)
		return kept->index;
	if (reasons->list.count == INT16_MAX)
		return REASON_NONE;
	kept = NEW(struct kept);
	kept->key = memory_new(length, 1);
	memcpy(kept->key, key, length);
	kept->index = (int16_t)reasons->list.count;
	kept->reason.naps = reason.naps;
	point(&kept->reason, kept->key);
	tell_meanings(reasons->calls, &kept->reason);
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
