#include "source/selection.h"

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

struct selection {
	ARRAY(struct selected *) list;
	struct selected *by_event; /* hash; recorded events are not in it */
	ARRAY(char *) absent;  /* events that this kernel lacks; thousands of charts may ask for the same one */
	struct selected *by_id[SELECT_IDS];
};

struct selection *selection_new(void)
{
	return NEW(struct selection);
}

struct selected *selection_at(const struct selection *selection, size_t place)
{
	return place < selection->list.count ? selection->list.items[place] : NULL;
}

size_t selection_count(const struct selection *selection)
{
	return selection->list.count;
}

struct selected *const *selection_by_id(const struct selection *selection)
{
	return selection->by_id;
}

static struct selected *find(const struct selection *selection, const char *event)
{
	struct selected *found;

	HASH_FIND_STR(selection->by_event, event, found);
	return found;
}

static struct selected *append(struct selection *selection, const char *event, const char *system, const char *name)
{
	struct selected *selected = NEW(struct selected);

	selected->event = memory_text(event, strlen(event));
	selected->system = memory_text(system, strlen(system));
	selected->name = memory_text(name, strlen(name));
	selected->flags = SELECT_REQUIRED;
	*ARRAY_ADD(&selection->list) = selected;
	if (!find(selection, event))
		HASH_ADD_KEYPTR(hh, selection->by_event, selected->event, strlen(selected->event), selected);
	return selected;
}

struct selected *selection_add_probe(struct selection *selection, const char *event, const char *name, const char *origin)
{
	struct selected *selected = append(selection, event, instance_probe_group(), name);

	selected->origin = memory_text(origin, strlen(origin));
	selected->flags |= SELECT_STREAMED;
	return selected;
}

bool selection_has_probe(const struct selection *selection, const char *event, const char *origin)
{
	if (!find(selection, event))
		return false;
	for (size_t i = 0; i < selection->list.count; i++) {
		const struct selected *selected = selection->list.items[i];

		if (selected->origin && strcmp(selected->event, event) == 0 && strcmp(selected->origin, origin) == 0)
			return true;
	}
	return false;
}

struct selected *selection_add_shared(struct selection *selection, const char *name)
{
	char *event = memory_format("%s:%s", instance_probe_group(), name);
	struct selected *selected = append(selection, event, instance_probe_group(), name);

	selected->flags |= SELECT_STREAMED | SELECT_QUIET;
	free(event);
	return selected;
}

struct selected *selection_add_part(struct selection *selection, struct selected *shared, const char *event, const char *origin)
{
	struct selected *selected = selection_add_probe(selection, event, shared->name, origin);

	selected->flags |= SELECT_PARTIAL;
	*ARRAY_ADD(&shared->parts) = selected;
	return selected;
}

static void add_one(struct selection *selection, const char *system, const char *name, const char *filter, const char *waits,
		    unsigned flags)
{
	char *event = memory_format("%s:%s", system, name);
	struct selected *selected = find(selection, event);

	if (selected) {
		predicate_widen(&selected->filter, filter);
		selected->flags |= flags;
	} else {
		selected = append(selection, event, system, name);
		selected->filter = filter ? memory_text(filter, strlen(filter)) : NULL;
		selected->flags = flags;
	}
	if (waits && !selected->waits)
		selected->waits = memory_text(waits, strlen(waits));
	free(event);
}

/* Adds the events of a system that match; returns their number. A pattern leaves out events that cannot be enabled. */
static int add_matching(struct selection *selection, const char *system, const char *pattern, const char *filter,
			const char *waits, unsigned flags)
{
	char **names = tracefs_system_events(NULL, system);
	int added = 0;

	for (int i = 0; names && names[i]; i++) {
		if (fnmatch(pattern, names[i], 0) != 0)
			continue;
		if (strcmp(pattern, names[i]) != 0 && !tracefs_event_file_exists(NULL, system, names[i], "enable"))
			continue;
		add_one(selection, system, names[i], filter, waits, flags);
		added++;
	}
	tracefs_list_free(names);
	return added;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[\\") != NULL;
}

/* Tells whether the kernel has the event; asks it only once about each. */
static bool is_there(struct selection *selection, const char *system, const char *name)
{
	char *event = memory_format("%s:%s", system, name);
	const struct selected *known = find(selection, event);
	bool there = known && !known->origin, absent = false;

	for (size_t i = 0; i < selection->absent.count && !there && !absent; i++)
		absent = strcmp(selection->absent.items[i], event) == 0;
	if (!there && !absent) {
		there = tracefs_event_file_exists(NULL, system, name, "format");
		if (!there) {
			*ARRAY_ADD(&selection->absent) = event;
			return false;
		}
	}
	free(event);
	return there;
}

/*
 * Looks a plain name up; lists the kernel's thousands of events only for a pattern. A pattern of systems leaves out the uprobes of other
 * collectors, which may vanish at any moment. Returns how many were added; -1 after fail().
 */
static int add_all(struct selection *selection, const char *wanted, const char *pattern, const char *filter, const char *waits,
		   unsigned flags)
{
	char **systems;
	int added = 0;

	if (!is_pattern(wanted) && !is_pattern(pattern)) {
		if (!is_there(selection, wanted, pattern))
			return 0;
		add_one(selection, wanted, pattern, filter, waits, flags);
		return 1;
	}
	systems = tracefs_event_systems(NULL);
	if (!systems)
		return instance_fail_access("read", "events");
	for (int i = 0; systems[i]; i++)
		if (fnmatch(wanted, systems[i], 0) == 0 && !(is_pattern(wanted) && instance_is_probe_group(systems[i])))
			added += add_matching(selection, systems[i], pattern, filter, waits, flags);
	tracefs_list_free(systems);
	return added;
}

/* Offers the names of a system's events as suggestions; with `whole`, a suggestion includes the system. */
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

/* Nothing matches: suggests systems if the system is unknown, else events of it; for a name without a system also events of all systems. */
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

int selection_add(struct selection *selection, const char *event, const char *filter, const char *waits, unsigned flags)
{
	const char *colon = strchr(event, ':');
	char *wanted = memory_text(event, colon ? (size_t)(colon - event) : strlen(event));
	const char *pattern = colon ? colon + 1 : "*";
	int added = add_all(selection, wanted, pattern, filter, waits, flags);

	if (added == 0 && flags & SELECT_REQUIRED)
		added = fail_unknown(event, wanted, pattern);
	free(wanted);
	return added < 0 ? -1 : 0;
}

int selection_add_lives(struct selection *selection)
{
	static const char *const lives[] = {"task:task_rename", "task:task_newtask", "sched:sched_process_exec",
					     "sched:sched_process_fork", "sched:sched_process_exit"};

	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		struct selected *selected = find(selection, lives[i]);

		if (selected)
			selected->flags |= SELECT_WHOLE;
		else if (selection_add(selection, lives[i], NULL, NULL, SELECT_QUIET | SELECT_STREAMED) < 0)
			return -1;
	}
	return 0;
}

void selection_add_maps(struct selection *selection)
{
	static const char event[] = "syscalls:sys_enter_mmap";

	if (!find(selection, event))
		selection_add(selection, event, "prot & 4", NULL, SELECT_QUIET | SELECT_STREAMED | SELECT_MAPS);
}

#define LIVES "sched:sched_process_"

/* --- in tracefs -------------------------------------------------------------------------------------------------- */

static void learn(struct selected *selected, struct tep_event *event)
{
	selected->id = (uint16_t)event->id;
	layout_learn(&selected->layout, selected->event, selected->waits, event);
}

static int read_format(struct selected *selected, struct tracefs_instance *instance, struct tep_handle *tep)
{
	struct tep_event *event;

	selected->format = tracefs_event_file_read(instance, selected->system, selected->name, "format", &selected->format_length);
	if (!selected->format)
		return fail_errno("cannot read the format of event '%s'", selected->event);
	tep_parse_event(tep, selected->format, (unsigned long)selected->format_length, selected->system);
	event = tep_find_event_by_name(tep, selected->system, selected->name);
	if (!event)
		return fail("cannot understand the format of event '%s'", selected->event);
	learn(selected, event);
	return selected->arguments ? argument_record_learn(selected->arguments, event, &selected->format, &selected->format_length) : 0;
}

int selection_add_recorded(struct selection *selection, const char *system, const char *format, size_t length, struct tep_handle *tep)
{
	struct tep_event *event = format_read(tep, system, format, length, false);
	struct selected *selected;

	if (!event)
		return -1;
	if (selection->by_id[event->id])
		return fail("two events have the number %d", event->id);
	selected = NEW(struct selected);
	selected->event = memory_format("%s:%s", system, event->name);
	selected->system = memory_text(system, strlen(system));
	selected->name = memory_text(event->name, strlen(event->name));
	selected->format = memory_text(format, length);
	selected->format_length = (int)length;
	selected->enabled = true;
	learn(selected, event);
	*ARRAY_ADD(&selection->list) = selected;
	selection->by_id[selected->id] = selected;
	return 0;
}

/* The reason is in the last error of the kernel's log: "...: error: Field not found", and lines below it that show where. */
static int fail_filter(const struct selected *selected, struct tracefs_instance *instance)
{
	char *log = tracefs_error_last(instance);
	char *reason = log ? strstr(log, "error: ") : NULL;

	while (reason && strstr(reason + 1, "error: "))
		reason = strstr(reason + 1, "error: ");
	if (reason)
		reason[strcspn(reason, "\n")] = '\0';
	fail("wrong filter '%s' of event '%s'%s%s", selected->filter, selected->event, reason ? ": " : "",
	     reason ? reason + strlen("error: ") : "");
	free(log);
	return -1;
}

/* Events about threads that begin, end or are renamed are few, and charts and names depend on them. */
static bool is_about_lives(const struct selected *selected)
{
	return strcmp(selected->system, "task") == 0 || strncmp(selected->event, LIVES, strlen(LIVES)) == 0;
}

static bool can_keep(const struct selected *selected)
{
	return !(selected->flags & SELECT_STREAMED) && !is_about_lives(selected);
}

bool selection_can_keep(const struct selection *selection)
{
	for (size_t i = 0; i < selection->list.count; i++)
		if (can_keep(selection->list.items[i]))
			return true;
	return false;
}

/* With SELECT_WHOLE, the filter is set only for the kernel to check it, and taken off again. */
static int put_filter(const struct selected *selected, struct tracefs_instance *instance)
{
	static const char none[] = "0";

	if (tracefs_event_file_write(instance, selected->system, selected->name, "filter", selected->filter) < 0)
		return fail_filter(selected, instance);
	if (selected->flags & SELECT_WHOLE && tracefs_event_file_write(instance, selected->system, selected->name, "filter", none) < 0)
		return fail_errno("cannot take the filter off the event '%s'", selected->event);
	return 0;
}

/* Tells whether the machine has devices that hand their bios on to others: device mapper, md. */
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
static bool is_needless(const struct selected *selected)
{
	return !(selected->flags & SELECT_REQUIRED) && strcmp(selected->event, "block:block_bio_remap") == 0 && !has_stacked_devices();
}

/* Enables the event; leaves out context that this kernel lacks. -1 after fail(). */
static int switch_on(struct selected *selected, struct tracefs_instance *instance)
{
	if (is_needless(selected))
		return 0;
	if (!tracefs_event_file_exists(instance, selected->system, selected->name, "enable"))
		return selected->flags & SELECT_REQUIRED ? fail("no event '%s' in this kernel that can be enabled", selected->event) : 0;
	if (selected->filter && put_filter(selected, instance) < 0)
		return -1;
	if (tracefs_event_file_write(instance, selected->system, selected->name, "enable", "1") < 0)
		return fail_errno("cannot enable the event '%s'", selected->event);
	selected->enabled = true;
	return 0;
}

/*
 * task_newtask takes the place of sched_process_fork if both are on: only it shows threads that the kernel makes for a process, such as
 * io_uring's workers.
 */
static void learn_births(struct selection *selection)
{
	struct selected *fork = NULL, *birth = NULL;

	for (size_t i = 0; i < selection->list.count; i++) {
		struct selected *selected = selection->list.items[i];

		if (selected->layout.is_fork)
			fork = selected;
		if (selected->enabled && strcmp(selected->event, "task:task_newtask") == 0)
			birth = selected;
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

/* Gives a part the format of the shared event, without the field that tells parts apart, and with a number of its own. */
static void set_format(struct selected *part, const struct selected *shared, uint16_t id)
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

/* Numbers parts from the largest number down, because the kernel numbers its events from the smallest up. */
static int number_parts(struct selection *selection)
{
	unsigned id = SELECT_OWN_IDS;

	for (size_t i = 0; i < selection->list.count; i++) {
		const struct selected *shared = selection->list.items[i];

		for (size_t n = 0; n < shared->parts.count; n++) {
			while (--id > 0 && selection->by_id[id])
				;
			if (id == 0)
				return fail("there are more functions than numbers for their events");
			set_format(shared->parts.items[n], shared, (uint16_t)id);
		}
	}
	return 0;
}

int selection_enable(struct selection *selection, struct tracefs_instance *instance, struct tracefs_instance *keeper)
{
	struct tep_handle *tep = tep_alloc();
	int status = 0;

	for (size_t i = 0; status == 0 && i < selection->list.count; i++) {
		struct selected *selected = selection->list.items[i];

		if (selected->flags & SELECT_PARTIAL)
			continue;
		selected->kept = keeper && can_keep(selected);
		status = switch_on(selected, selected->kept ? keeper : instance);
		if (status == 0 && selected->enabled)
			status = read_format(selected, instance, tep);
		if (status == 0 && selected->enabled)
			selection->by_id[selected->id] = selected;
	}
	learn_births(selection);
	tep_free(tep);
	return status < 0 ? -1 : number_parts(selection);
}

int selection_enable_late(struct selection *selection, struct selected *selected, struct tracefs_instance *instance)
{
	struct tep_handle *tep = tep_alloc();
	int status = read_format(selected, instance, tep); /* before it is on: its events may come at once */

	tep_free(tep);
	if (status < 0)
		return -1;
	selection->by_id[selected->id] = selected;
	return switch_on(selected, instance);
}

void selection_free(struct selection *selection)
{
	if (!selection)
		return;
	HASH_CLEAR(hh, selection->by_event);
	for (size_t i = 0; i < selection->absent.count; i++)
		free(selection->absent.items[i]);
	free(selection->absent.items);
	for (size_t i = 0; i < selection->list.count; i++) {
		struct selected *selected = selection->list.items[i];

		free(selected->event);
		free(selected->system);
		free(selected->name);
		free(selected->origin);
		free(selected->sampled);
		argument_record_free(selected->arguments);
		free(selected->filter);
		free(selected->waits);
		free(selected->format);
		free(selected->parts.items);
		free(selected);
	}
	free(selection->list.items);
	free(selection);
}
