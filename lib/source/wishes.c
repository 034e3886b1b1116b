#include "source/wishes.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/fail.h"
#include "base/suggestions.h"
#include "event/format.h"
#include "event/predicate.h"
#include "source/argument_record.h"
#include "source/instance.h"

struct wishes {
	ARRAY(struct wish *) list;
	struct wish *by_event; /* those that were added by name */
	ARRAY(char *) absent;  /* events that this kernel does not have: each chart of thousands may ask for them again */
	struct wish *by_id[WISH_IDS];
};

struct wishes *wishes_new(void)
{
	return NEW(struct wishes);
}

struct wish *wishes_at(const struct wishes *wishes, size_t place)
{
	return place < wishes->list.count ? wishes->list.items[place] : NULL;
}

size_t wishes_count(const struct wishes *wishes)
{
	return wishes->list.count;
}

struct wish *const *wishes_by_id(const struct wishes *wishes)
{
	return wishes->by_id;
}

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

struct wish *wishes_add_probe(struct wishes *wishes, const char *event, const char *name, const char *origin)
{
	struct wish *wish = append(wishes, event, instance_probe_group(), name);

	wish->origin = memory_text(origin, strlen(origin));
	wish->flags |= WISH_STREAMED;
	return wish;
}

bool wishes_has_probe(const struct wishes *wishes, const char *event, const char *origin)
{
	if (!find(wishes, event))
		return false;
	for (size_t i = 0; i < wishes->list.count; i++) {
		const struct wish *wish = wishes->list.items[i];

		if (wish->origin && strcmp(wish->event, event) == 0 && strcmp(wish->origin, origin) == 0)
			return true;
	}
	return false;
}

struct wish *wishes_add_shared(struct wishes *wishes, const char *name)
{
	char *event = memory_format("%s:%s", instance_probe_group(), name);
	struct wish *wish = append(wishes, event, instance_probe_group(), name);

	wish->flags |= WISH_STREAMED | WISH_QUIET;
	free(event);
	return wish;
}

struct wish *wishes_add_part(struct wishes *wishes, struct wish *shared, const char *event, const char *origin)
{
	struct wish *wish = wishes_add_probe(wishes, event, shared->name, origin);

	wish->flags |= WISH_PARTIAL;
	*ARRAY_ADD(&shared->parts) = wish;
	return wish;
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

/*
 * A name is looked up; only for a pattern are the kernel's thousands of events listed, without the uprobes of other collectors, which are
 * theirs and go at any moment. Returns how many were added; -1 after fail().
 */
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
		if (fnmatch(wanted, systems[i], 0) == 0 && !(is_pattern(wanted) && instance_is_probe_group(systems[i])))
			added += add_matching(wishes, systems[i], pattern, filter, waits, flags);
	tracefs_list_free(systems);
	return added;
}

/* `whole`: told with the system. */
static void offer_names(struct suggestions *suggestions, const char *system, bool whole)
{
	char **names = tracefs_system_events(NULL, system);

	for (int i = 0; names && names[i]; i++) {
		char *full = memory_format("%s:%s", system, names[i]);

		suggestions_offer_as(suggestions, names[i], whole ? full : names[i]);
		free(full);
	}
	tracefs_list_free(names);
}

/* Nothing matches: is it the system that nobody knows, or the name in it? Or is it a name without its system? */
static int fail_unknown(const char *event, const char *wanted, const char *pattern)
{
	struct suggestions near_systems = suggestions_begin(wanted), near_names = suggestions_begin(pattern);
	char **systems = tracefs_event_systems(NULL);
	bool matching = false, bare = !strchr(event, ':');

	if (!systems)
		return instance_fail_access("read", "events");
	for (int i = 0; systems[i]; i++) {
		suggestions_offer(&near_systems, systems[i]);
		if (bare)
			offer_names(&near_systems, systems[i], true);
		if (fnmatch(wanted, systems[i], 0) != 0)
			continue;
		matching = true;
		offer_names(&near_names, systems[i], false);
	}
	tracefs_list_free(systems);
	return fail("no event '%s' in this kernel%s", event, suggestions_text(matching ? &near_names : &near_systems));
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

void wishes_add_maps(struct wishes *wishes)
{
	static const char event[] = "syscalls:sys_enter_mmap";

	if (!find(wishes, event))
		wishes_add(wishes, event, "prot & 4", NULL, WISH_QUIET | WISH_STREAMED | WISH_MAPS);
}

#define LIVES "sched:sched_process_"

/* --- in tracefs -------------------------------------------------------------------------------------------------- */

static void learn(struct wish *wish, struct tep_event *event)
{
	wish->id = (uint16_t)event->id;
	layout_learn(&wish->layout, wish->event, wish->waits, event);
}

static int read_format(struct wish *wish, struct tracefs_instance *instance, struct tep_handle *tep)
{
	struct tep_event *event;

	wish->format = tracefs_event_file_read(instance, wish->system, wish->name, "format", &wish->format_length);
	if (!wish->format)
		return fail_errno("cannot read the format of event '%s'", wish->event);
	tep_parse_event(tep, wish->format, (unsigned long)wish->format_length, wish->system);
	event = tep_find_event_by_name(tep, wish->system, wish->name);
	if (!event)
		return fail("cannot understand the format of event '%s'", wish->event);
	learn(wish, event);
	return wish->arguments ? argument_record_learn(wish->arguments, event, &wish->format, &wish->format_length) : 0;
}

int wishes_add_recorded(struct wishes *wishes, const char *system, const char *format, size_t length, struct tep_handle *tep)
{
	struct tep_event *event = format_read(tep, system, format, length, false);
	struct wish *wish;

	if (!event)
		return -1;
	if (wishes->by_id[event->id])
		return fail("two events have the number %d", event->id);
	wish = NEW(struct wish);
	wish->event = memory_format("%s:%s", system, event->name);
	wish->system = memory_text(system, strlen(system));
	wish->name = memory_text(event->name, strlen(event->name));
	wish->format = memory_text(format, length);
	wish->format_length = (int)length;
	wish->enabled = true;
	learn(wish, event);
	*ARRAY_ADD(&wishes->list) = wish;
	wishes->by_id[wish->id] = wish;
	return 0;
}

/* The kernel's last word: "...: error: Field not found" and lines below it that show where. */
static int fail_filter(const struct wish *wish, struct tracefs_instance *instance)
{
	char *log = tracefs_error_last(instance);
	char *reason = log ? strstr(log, "error: ") : NULL;

	while (reason && strstr(reason + 1, "error: "))
		reason = strstr(reason + 1, "error: ");
	if (reason)
		reason[strcspn(reason, "\n")] = '\0';
	fail("wrong filter '%s' of event '%s'%s%s", wish->filter, wish->event, reason ? ": " : "",
	     reason ? reason + strlen("error: ") : "");
	free(log);
	return -1;
}

/* Threads that come, go and are renamed are few; charts and names depend on them. */
static bool is_about_lives(const struct wish *wish)
{
	return strcmp(wish->system, "task") == 0 || strncmp(wish->event, LIVES, strlen(LIVES)) == 0;
}

static bool can_keep(const struct wish *wish)
{
	return !(wish->flags & WISH_STREAMED) && !is_about_lives(wish);
}

bool wishes_can_keep(const struct wishes *wishes)
{
	for (size_t i = 0; i < wishes->list.count; i++)
		if (can_keep(wishes->list.items[i]))
			return true;
	return false;
}

/* One that is not for the kernel to put is written all the same: it knows best whether it is right. */
static int put_filter(const struct wish *wish, struct tracefs_instance *instance)
{
	static const char none[] = "0";

	if (tracefs_event_file_write(instance, wish->system, wish->name, "filter", wish->filter) < 0)
		return fail_filter(wish, instance);
	if (wish->flags & WISH_WHOLE && tracefs_event_file_write(instance, wish->system, wish->name, "filter", none) < 0)
		return fail_errno("cannot take the filter off the event '%s'", wish->event);
	return 0;
}

/* Devices that hand their bios on to others: device mapper, md. */
static bool has_stacked_devices(void)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = strncmp(entry->d_name, "dm-", 3) == 0 || strncmp(entry->d_name, "md", 2) == 0;
	if (dir)
		closedir(dir);
	return found;
}

/* Without such a device, bios are only remapped to partitions, which nobody needs to know. */
static bool is_needless(const struct wish *wish)
{
	return !(wish->flags & WISH_REQUIRED) && strcmp(wish->event, "block:block_bio_remap") == 0 && !has_stacked_devices();
}

/* Context that this kernel does not have is left out; -1 after fail(). */
static int switch_on(struct wish *wish, struct tracefs_instance *instance)
{
	if (is_needless(wish))
		return 0;
	if (!tracefs_event_file_exists(instance, wish->system, wish->name, "enable"))
		return wish->flags & WISH_REQUIRED ? fail("no event '%s' in this kernel that can be enabled", wish->event) : 0;
	if (wish->filter && put_filter(wish, instance) < 0)
		return -1;
	if (tracefs_event_file_write(instance, wish->system, wish->name, "enable", "1") < 0)
		return fail_errno("cannot enable the event '%s'", wish->event);
	wish->enabled = true;
	return 0;
}

/* Threads that the kernel makes for a process, as io_uring's workers, show in task_newtask, not in sched_process_fork. */
static void learn_births(struct wishes *wishes)
{
	struct wish *fork = NULL, *birth = NULL;

	for (size_t i = 0; i < wishes->list.count; i++) {
		struct wish *wish = wishes->list.items[i];

		if (wish->layout.is_fork)
			fork = wish;
		if (wish->enabled && strcmp(wish->event, "task:task_newtask") == 0)
			birth = wish;
	}
	if (!birth)
		return;
	birth->layout.is_fork = true;
	if (fork)
		fork->layout.is_fork = false;
}

/* Cuts the text from `begin` on through the end of `last`, if both are there. */
static void cut(char *text, const char *begin, const char *last)
{
	char *from = strstr(text, begin), *to = from ? strstr(from, last) : NULL;

	if (to)
		memmove(from, to + strlen(last), strlen(to + strlen(last)) + 1);
}

/* The format of the event that they share, without the field that tells them apart, and with a number of its own. */
static void set_format(struct wish *part, const struct wish *shared, uint16_t id)
{
	static const char number[] = "\nID: ";
	char *text = memory_text(shared->format, (size_t)shared->format_length), *at = strstr(text, number);

	cut(text, "\tfield:u32 " LAYOUT_PART ";", "\n");
	cut(text, " " LAYOUT_PART "=", "%u");
	cut(text, ", REC->" LAYOUT_PART, LAYOUT_PART);
	if (at) {
		char *rest = at + strlen(number);

		rest += strcspn(rest, "\n");
		*at = '\0';
		part->format = memory_format("%s%s%u%s", text, number, id, rest);
	} else {
		part->format = memory_format("%s", text);
	}
	part->format_length = (int)strlen(part->format);
	part->id = id;
	part->enabled = true;
	free(text);
}

/* From the largest number down: the kernel gives them from the smallest up. */
static int number_parts(struct wishes *wishes)
{
	unsigned id = WISH_OWN_IDS;

	for (size_t i = 0; i < wishes->list.count; i++) {
		const struct wish *shared = wishes->list.items[i];

		for (size_t n = 0; n < shared->parts.count; n++) {
			while (--id > 0 && wishes->by_id[id])
				;
			if (id == 0)
				return fail("there are not as many numbers of events as functions");
			set_format(shared->parts.items[n], shared, (uint16_t)id);
		}
	}
	return 0;
}

int wishes_enable(struct wishes *wishes, struct tracefs_instance *instance, struct tracefs_instance *keeper)
{
	struct tep_handle *tep = tep_alloc();
	int status = 0;

	for (size_t i = 0; status == 0 && i < wishes->list.count; i++) {
		struct wish *wish = wishes->list.items[i];

		if (wish->flags & WISH_PARTIAL)
			continue;
		wish->kept = keeper && can_keep(wish);
		status = switch_on(wish, wish->kept ? keeper : instance);
		if (status == 0 && wish->enabled)
			status = read_format(wish, instance, tep);
		if (status == 0 && wish->enabled)
			wishes->by_id[wish->id] = wish;
	}
	learn_births(wishes);
	tep_free(tep);
	return status < 0 ? -1 : number_parts(wishes);
}

int wishes_enable_late(struct wishes *wishes, size_t first, struct tracefs_instance *instance)
{
	struct tep_handle *tep = tep_alloc();
	int status = 0;

	for (size_t i = first; status == 0 && i < wishes->list.count; i++) {
		struct wish *wish = wishes->list.items[i];

		status = read_format(wish, instance, tep); /* first: its events may come at once */
		if (status < 0)
			break;
		wishes->by_id[wish->id] = wish;
		status = switch_on(wish, instance);
	}
	tep_free(tep);
	return status;
}

void wishes_free(struct wishes *wishes)
{
	if (!wishes)
		return;
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
		argument_record_free(wish->arguments);
		free(wish->filter);
		free(wish->waits);
		free(wish->format);
		free(wish->parts.items);
		free(wish);
	}
	free(wishes->list.items);
	free(wishes);
}
