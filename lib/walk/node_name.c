#include "walk/node_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/number.h"
#include "base/suggestions.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

char *thread_name(const struct whole *whole, uint32_t number)
{
	const struct whole_thread *thread = &whole->threads.items[number];
	const char *name = whole_text(whole, thread->name);
	char *clean = clean_text(name, strlen(name)), *text = memory_format("%s/%d", clean, thread->tid);

	free(clean);
	return text;
}

char *node_name(const struct whole *whole, uint32_t segment)
{
	char *thread = thread_name(whole, segment_at(whole, segment)->thread);
	char *text = memory_format("%s#%u", thread, segment_at(whole, segment)->n);

	free(thread);
	return text;
}

static bool is_number(const char *text)
{
	return *text >= '0' && *text <= '9';
}

/* Words for the object: a descriptor's kind, if known, and number; a futex's address, unless there is a function, which tells more. */
static char *object_words(const char *object, const char *kind, bool has_function)
{
	if (!*object || (has_function && !strncmp(object, "0x", 2)))
		return memory_text("", 0);
	if (*kind)
		return memory_format(" %s %s", kind, object);
	return memory_format(is_number(object) && strncmp(object, "0x", 2) ? " fd %s" : " %s", object);
}

char *wait_name(const struct whole *whole, uint32_t number)
{
	struct wait_identity identity = whole_identity_at(whole, number);
	const char *syscall = whole_text(whole, identity.syscall), *function = whole_text(whole, identity.function);
	char *object = object_words(whole_text(whole, identity.object), whole_text(whole, whole_kind_of(whole, number)), *function);
	char *words = memory_format("%s%s%s%s", syscall, *syscall ? object : object + (*object == ' '),
				    (*syscall || *object) && *function ? ", " : "", function);
	char *clean = *words ? clean_text(words, strlen(words)) : memory_format("an unknown place");

	free(object);
	free(words);
	return clean;
}

static uint32_t find_tid(const struct whole *whole, const char *text)
{
	uint64_t tid = 0;
	uint32_t thread = NUMBER_NONE;

	if (number_count(text, strlen(text), &tid) == 0 && tid <= INT32_MAX)
		thread = whole_thread_of(whole, (int32_t)tid);
	return thread;
}

static void offer(struct suggestions *suggestions, const char *name)
{
	char *clean = clean_text(name, strlen(name));

	suggestions_offer(suggestions, clean);
	free(clean);
}

/* The only thread of this name; NUMBER_NONE: there is none, or, if it sets *several, more than one. */
static uint32_t find_name(const struct whole *whole, const char *name, bool *several, struct suggestions *suggestions)
{
	uint32_t found = NUMBER_NONE;

	*several = false;
	for (uint32_t i = 0; i < whole->threads.count; i++) {
		const char *text = whole_text(whole, whole->threads.items[i].name);

		offer(suggestions, text);
		if (strcmp(text, name) != 0)
			continue;
		*several = found != NUMBER_NONE;
		if (*several)
			return NUMBER_NONE;
		found = i;
	}
	return found;
}

uint32_t thread_find_named(const struct whole *whole, const char *name)
{
	const char *slash = strrchr(name, '/');
	uint32_t thread = find_tid(whole, slash ? slash + 1 : name);
	struct suggestions suggestions = suggestions_begin(name);
	bool several = false;

	if (thread == NUMBER_NONE)
		thread = find_name(whole, name, &several, &suggestions);
	if (thread == NUMBER_NONE && several)
		fail("several threads are called '%s'; say which by THREAD/TID", name);
	else if (thread == NUMBER_NONE)
		fail("there is no thread '%s'%s", name, suggestions_text(&suggestions));
	return thread;
}

static uint32_t find_at(const struct whole *whole, const char *thread, const char *seconds, const char *name)
{
	uint32_t number = thread_find_named(whole, thread), segment;
	int64_t ts;

	if (number == NUMBER_NONE || number_time(seconds, strlen(seconds), &ts) < 0)
		return NUMBER_NONE;
	/* several threads may have had the tid, one after the other: find the one that had it then */
	for (uint32_t i = 0; i < whole->threads.count; i++) {
		if (whole->threads.items[i].tid != whole->threads.items[number].tid)
			continue;
		segment = whole_at(whole, i, ts);
		if (segment != NUMBER_NONE)
			return segment;
	}
	fail("there is no node '%s': the thread has no segment then", name);
	return NUMBER_NONE;
}

uint32_t node_find(const struct whole *whole, const char *name)
{
	const char *hash = strrchr(name, '#'), *at = strrchr(name, '@'), *mark = hash && (!at || hash > at) ? hash : at;
	uint32_t thread, segment = NUMBER_NONE;
	uint64_t n;
	char *text;

	if (!mark) {
		fail("'%s' is no node: it is THREAD/TID#N or THREAD/TID@SECONDS", name);
		return NUMBER_NONE;
	}
	text = memory_text(name, (size_t)(mark - name));
	if (mark == at) {
		segment = find_at(whole, text, at + 1, name);
	} else {
		thread = thread_find_named(whole, text);
		if (thread != NUMBER_NONE && number_count(hash + 1, strlen(hash + 1), &n) == 0) {
			segment = whole_find(whole, whole->threads.items[thread].tid, n);
			if (segment == NUMBER_NONE)
				fail("there is no node '%s'", name);
		}
	}
	free(text);
	return segment;
}
