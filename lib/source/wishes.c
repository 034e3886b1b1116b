#include "source/wishes.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/near.h"
#include "event/predicate.h"
#include "source/instance.h"

static struct wish *find(const struct wishes *wishes, const char *event)
{
	struct wish *found;

	HASH_FIND_STR(wishes->by_event, event, found);
	return found;
}

static struct wish *append(struct wishes *wishes, const char *event, const char *system, const char *name)
{
	struct wish *wish = NEW(struct wish);

	wish->event = memory_text(event, strlen(event));
	wish->system = memory_text(system, strlen(system));
	wish->name = memory_text(name, strlen(name));
	wish->flags = WISH_REQUIRED;
	*ARRAY_ADD(&wishes->list) = wish;
	if (!find(wishes, event))
		HASH_ADD_KEYPTR(hh, wishes->by_event, wish->event, strlen(wish->event), wish);
	return wish;
}

void wishes_add_probe(struct wishes *wishes, const char *event, const char *name, const char *origin)
{
	struct wish *wish = append(wishes, event, instance_probe_group(), name);

	wish->origin = memory_text(origin, strlen(origin));
	wish->flags |= WISH_STREAMED;
}

static void add_one(struct wishes *wishes, const char *system, const char *name, const char *filter, const char *waits,
		    unsigned flags)
{
	char *event = memory_format("%s:%s", system, name);
	struct wish *wish = find(wishes, event);

	if (wish) {
		predicate_widen(&wish->filter, filter);
		wish->flags |= flags;
	} else {
		wish = append(wishes, event, system, name);
		wish->filter = filter ? memory_text(filter, strlen(filter)) : NULL;
		wish->flags = flags;
	}
	if (waits && !wish->waits)
		wish->waits = memory_text(waits, strlen(waits));
	free(event);
}

/* Adds the events of a system that match; returns their number. A pattern leaves out what cannot be enabled. */
static int add_matching(struct wishes *wishes, const char *system, const char *pattern, const char *filter,
			const char *waits, unsigned flags)
{
	char **names = tracefs_system_events(NULL, system);
	int added = 0;

	for (int i = 0; names && names[i]; i++) {
		if (fnmatch(pattern, names[i], 0) != 0)
			continue;
		if (strcmp(pattern, names[i]) != 0 && !tracefs_event_file_exists(NULL, system, names[i], "enable"))
			continue;
		add_one(wishes, system, names[i], filter, waits, flags);
		added++;
	}
	tracefs_list_free(names);
	return added;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[\\") != NULL;
}

/* The kernel is asked once about each. */
static bool is_there(struct wishes *wishes, const char *system, const char *name)
{
	char *event = memory_format("%s:%s", system, name);
	const struct wish *known = find(wishes, event);
	bool there = known && !known->origin, absent = false;

	for (size_t i = 0; i < wishes->absent.count && !there && !absent; i++)
		absent = strcmp(wishes->absent.items[i], event) == 0;
	if (!there && !absent) {
		there = tracefs_event_file_exists(NULL, system, name, "format");
		if (!there) {
			*ARRAY_ADD(&wishes->absent) = event;
			return false;
		}
	}
	free(event);
	return there;
}

/* A name is looked up; only for a pattern are the kernel's thousands of events listed. Returns how many were added; -1 after fail(). */
static int add_all(struct wishes *wishes, const char *wanted, const char *pattern, const char *filter, const char *waits,
		   unsigned flags)
{
	char **systems;
	int added = 0;

	if (!is_pattern(wanted) && !is_pattern(pattern)) {
		if (!is_there(wishes, wanted, pattern))
			return 0;
		add_one(wishes, wanted, pattern, filter, waits, flags);
		return 1;
	}
	systems = tracefs_event_systems(NULL);
	if (!systems)
		return instance_fail_access("read", "events");
	for (int i = 0; systems[i]; i++)
		if (fnmatch(wanted, systems[i], 0) == 0)
			added += add_matching(wishes, systems[i], pattern, filter, waits, flags);
	tracefs_list_free(systems);
	return added;
}

/* `whole`: told with the system. */
static void offer_names(struct near *near, const char *system, bool whole)
{
	char **names = tracefs_system_events(NULL, system);

	for (int i = 0; names && names[i]; i++) {
		char *full = memory_format("%s:%s", system, names[i]);

		near_offer_as(near, names[i], whole ? full : names[i]);
		free(full);
	}
	tracefs_list_free(names);
}

/* Nothing matches: is it the system that nobody knows, or the name in it? Or is it a name without its system? */
static int fail_unknown(const char *event, const char *wanted, const char *pattern)
{
	struct near near_systems = near_begin(wanted), near_names = near_begin(pattern);
	char **systems = tracefs_event_systems(NULL);
	bool matching = false, bare = !strchr(event, ':');

	if (!systems)
		return instance_fail_access("read", "events");
	for (int i = 0; systems[i]; i++) {
		near_offer(&near_systems, systems[i]);
		if (bare)
			offer_names(&near_systems, systems[i], true);
		if (fnmatch(wanted, systems[i], 0) != 0)
			continue;
		matching = true;
		offer_names(&near_names, systems[i], false);
	}
	tracefs_list_free(systems);
	return fail("no event '%s' in this kernel%s", event, near_text(matching ? &near_names : &near_systems));
}

int wishes_add(struct wishes *wishes, const char *event, const char *filter, const char *waits, unsigned flags)
{
	const char *colon = strchr(event, ':');
	char *wanted = memory_text(event, colon ? (size_t)(colon - event) : strlen(event));
	const char *pattern = colon ? colon + 1 : "*";
	int added = add_all(wishes, wanted, pattern, filter, waits, flags);

	if (added == 0 && flags & WISH_REQUIRED)
		added = fail_unknown(event, wanted, pattern);
	free(wanted);
	return added < 0 ? -1 : 0;
}

int wishes_add_lives(struct wishes *wishes)
{
	static const char *const lives[] = {"task:task_rename", "task:task_newtask", "sched:sched_process_exec",
					     "sched:sched_process_fork", "sched:sched_process_exit"};

	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		struct wish *wish = find(wishes, lives[i]);

		if (wish)
			wish->flags |= WISH_WHOLE;
		else if (wishes_add(wishes, lives[i], NULL, NULL, WISH_QUIET | WISH_STREAMED) < 0)
			return -1;
	}
	return 0;
}

void wishes_free(struct wishes *wishes)
{
	HASH_CLEAR(hh, wishes->by_event);
	for (size_t i = 0; i < wishes->absent.count; i++)
		free(wishes->absent.items[i]);
	free(wishes->absent.items);
	for (size_t i = 0; i < wishes->list.count; i++) {
		struct wish *wish = wishes->list.items[i];

		free(wish->event);
		free(wish->system);
		free(wish->name);
		free(wish->origin);
		free(wish->filter);
		free(wish->waits);
		free(wish->format);
		free(wish);
	}
	free(wishes->list.items);
	free(wishes->by_id);
	*wishes = (struct wishes){0};
}
