#include "wake/reason.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"

struct kept {
	struct reason reason;
	int16_t index;
	char *key; /* its texts, which point here */
	UT_hash_handle hh;
};

struct reasons {
	ARRAY(struct kept *) list;
	struct kept *by_key;
};

/*
 * Waits for any of many events. Where an object is named, only those for such: who receives from a datagram socket takes what
 * comes from anybody.
 */
static const struct {
	const char *syscall, *object;
} many[] = {
	{"epoll_wait", NULL},		{"epoll_pwait", NULL},	   {"epoll_pwait2", NULL},     {"poll", NULL},
	{"ppoll", NULL},		{"select", NULL},	   {"pselect6", NULL},	       {"io_getevents", NULL},
	{"io_uring_enter", NULL},	{"wait4", NULL},	   {"waitid", NULL},	       {"accept", NULL},
	{"accept4", NULL},		{"rt_sigtimedwait", NULL}, {"mq_timedreceive", NULL},  {"msgrcv", NULL},
	{"recvfrom", "udp socket"},	{"recvmsg", "udp socket"}, {"recvmmsg", "udp socket"},
};

static bool is_call(const struct reason *reason)
{
	return reason->syscall && !reason->lock && !reason->purpose;
}

static bool is_of_many(const struct reason *reason)
{
	for (size_t i = 0; is_call(reason) && i < sizeof(many) / sizeof(*many); i++)
		if (strcmp(reason->syscall, many[i].syscall) == 0 &&
		    (reason->object ? many[i].object && strcmp(reason->object, many[i].object) == 0 : !many[i].object))
			return true;
	return false;
}

static bool does_receive(const struct reason *reason)
{
	return is_call(reason) && (strncmp(reason->syscall, "recv", 4) == 0 || strncmp(reason->syscall, "read", 4) == 0);
}

struct reasons *reasons_new(void)
{
	return NEW(struct reasons);
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
	kept->reason.many = is_of_many(&kept->reason);
	kept->reason.receives = does_receive(&kept->reason);
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
