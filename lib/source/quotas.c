#include "source/quotas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "source/cgroup.h"

enum {
	COST_LIMIT = 200,
	WALKS_A_SECOND = 5,
	THREADS = 1 << 16, /* so that the record is not too long */
	FEW_GROUPS = 8,	   /* up to this number of groups, their threads are listed at each look, */
	FEW_THREADS = 64,  /* if a group has no more threads than this; else the list costs more than it is worth */
};

/* For this time after a group was throttled, it is likely to be throttled again. */
static const int64_t hot_time = NSEC_PER_SEC;

struct tids {
	ARRAY(int32_t) list;
};

struct quota_group {
	char *path;
	int64_t quota, period;
	uint64_t count; /* how often it was throttled, at the last look */
	int64_t time;	/* for how long, at the last look */
	int64_t since;	/* time of the last look */
	int64_t hot;	/* until then it is likely to be throttled again */
	struct tids before; /* its threads at the last look; none: they were not listed */
	bool large;	/* it had more than FEW_THREADS threads */
	uint64_t walk;	/* number of the last walk that found it */
	UT_hash_handle hh;
};

/* The state of a look at groups. */
struct look {
	struct quotas *quotas;
	struct stream *stream;
	const struct trace_clock *clock;
	int64_t begun;
	struct tids tids; /* of the group at hand */
	int status;
};

/*
 * The addresses of the timers' functions that let a throttled group go on, "0xffffffff81234560,0x..."; "" if they are secret. They
 * are among the first of very many lines, so not all have to be read.
 */
static char *timers(void)
{
	static const char *const names[] = {"sched_cfs_period_timer", "sched_cfs_slack_timer"};
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	char *found = memory_text("", 0), *longer, name[64];
	unsigned long long address;

	for (int count = 0; kallsyms && count < 2 && fscanf(kallsyms, "%llx %*c %63s%*[^\n]", &address, name) > 0;) {
		if (!address || (strcmp(name, names[0]) && strcmp(name, names[1])))
			continue;
		longer = memory_format("%s%s0x%llx", found, *found ? "," : "", address);
		free(found);
		found = longer;
		count++;
	}
	if (kallsyms)
		fclose(kallsyms);
	return found;
}

static void take_threads(void *context, int directory, const char *path)
{
	struct look *look = context;
	char *threads = cgroup_threads(directory, look->quotas->first_version), *rest = threads;

	(void)path;
	for (const char *tid; rest && look->tids.list.count < THREADS && (tid = strsep(&rest, "\n"));)
		if (*tid)
			*ARRAY_ADD(&look->tids.list) = atoi(tid);
	free(threads);
}

/* Lists the threads that are in the group now, or in one below it. */
static void list_threads(struct look *look, struct quota_group *group)
{
	look->tids.list.count = 0;
	cgroup_walk(look->quotas->mount, group->path, take_threads, look);
	group->large = look->tids.list.count > FEW_THREADS;
}

static int compare_tids(const void *one, const void *other)
{
	int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;

	return (a > b) - (a < b);
}

/* Writes the threads that may have been throttled: those in the group now, and those of the look before, which may have ended since. */
static void write_tids(const struct look *look, const struct quota_group *group, struct line *line)
{
	struct tids all = {0};
	struct line text = {0};

	for (size_t i = 0; i < look->tids.list.count; i++)
		*ARRAY_ADD(&all.list) = look->tids.list.items[i];
	for (size_t i = 0; i < group->before.list.count && all.list.count < THREADS; i++)
		*ARRAY_ADD(&all.list) = group->before.list.items[i];
	if (all.list.count)
		qsort(all.list.items, all.list.count, sizeof(*all.list.items), compare_tids);
	line_begin(&text, "");
	for (size_t i = 0; i < all.list.count; i++) {
		char tid[NUMBER_ROOM];

		if (i == 0 || all.list.items[i] != all.list.items[i - 1])
			line_append(&text, tid, (size_t)snprintf(tid, sizeof(tid), "%s%d", i ? "," : "", all.list.items[i]));
	}
	line_text(line, "tids", text.length ? text.text : "");
	line_free(&text);
	free(all.list.items);
}

/* The first record of a new group has no threads: it says since when the group is watched. */
static void write_group(struct look *look, const struct quota_group *group, int64_t now, uint64_t count, int64_t time)
{
	struct line line = {0};

	line_begin(&line, kind_name(KIND_QUOTA));
	line_time(&line, "ts", now);
	if (time)
		line_time(&line, "since", group->since);
	line_text(&line, "group", *group->path ? group->path : "/");
	line_time(&line, "quota", group->quota);
	line_time(&line, "period", group->period);
	if (*look->quotas->timers)
		line_text(&line, "timers", look->quotas->timers);
	if (time) {
		line_unsigned(&line, "count", count);
		line_time(&line, "time", time);
		if (!look->quotas->foreign)
			write_tids(look, group, &line);
	}
	if (stream_write_line(look->stream, &line) < 0)
		look->status = -1;
	line_free(&line);
}

/* Tells whether a group that is not throttled has its threads listed: those that it has now may have ended by the next look. */
static bool is_worth_listing(const struct look *look, const struct quota_group *group)
{
	return !group->large && (look->begun < group->hot || HASH_COUNT(look->quotas->groups) <= FEW_GROUPS);
}

/* If a group was throttled between two looks, that was between the beginning of the first and the end of the second. */
static void look_at(struct look *look, struct quota_group *group, int directory)
{
	struct tids before = group->before;
	bool throttled;
	uint64_t count;
	int64_t time;

	if (!cgroup_throttled(directory, look->quotas->first_version, &count, &time))
		return;
	throttled = time > group->time;
	if (throttled)
		group->hot = look->begun + hot_time;
	look->tids.list.count = 0;
	if (!look->quotas->foreign && (throttled || is_worth_listing(look, group)))
		list_threads(look, group);
	if (throttled)
		write_group(look, group, clock_now(look->clock), count - group->count, time - group->time);
	group->before = look->tids;
	look->tids = before; /* its memory serves the next group */
	group->count = count;
	group->time = time;
	group->since = look->begun;
}

static void see_group(void *context, int directory, const char *path)
{
	struct look *look = context;
	struct quota_group *group;
	int64_t quota, period;

	if (look->status < 0 || !cgroup_quota(directory, look->quotas->first_version, &quota, &period))
		return;
	HASH_FIND_STR(look->quotas->groups, path, group);
	if (!group) {
		group = NEW(struct quota_group);
		group->path = memory_text(path, strlen(path));
		group->since = look->begun;
		HASH_ADD_KEYPTR(hh, look->quotas->groups, group->path, strlen(group->path), group);
		cgroup_throttled(directory, look->quotas->first_version, &group->count, &group->time);
	}
	if (group->quota != quota || group->period != period) {
		group->quota = quota;
		group->period = period;
		write_group(look, group, look->begun, 0, 0);
	}
	group->walk = look->quotas->walks;
	look_at(look, group, directory);
}

static void forget_group(struct quotas *quotas, struct quota_group *group)
{
	HASH_DEL(quotas->groups, group);
	free(group->before.list.items);
	free(group->path);
	free(group);
}

/* Walks over all groups. Known ones that it does not find are gone, or have no quota any more. */
static void walk(struct look *look)
{
	struct quota_group *group, *next;

	look->quotas->walks++;
	cgroup_walk(look->quotas->mount, "", see_group, look);
	HASH_ITER(hh, look->quotas->groups, group, next) {
		if (group->walk != look->quotas->walks)
			forget_group(look->quotas, group);
	}
}

static void look_at_known(struct look *look)
{
	struct quota_group *group, *next;
	int directory;

	HASH_ITER(hh, look->quotas->groups, group, next) {
		directory = cgroup_open(look->quotas->mount, group->path);
		if (directory < 0)
			continue;
		look_at(look, group, directory);
		close(directory);
	}
}

/* Looks for the CPU controller only once: if there is none at first, none is mounted while a trace lasts. */
static const char *mount_point(struct quotas *quotas)
{
	if (!quotas->timers) {
		quotas->mount = cgroup_cpu_mount(&quotas->first_version);
		quotas->timers = timers();
	}
	return quotas->mount;
}

int quotas_look(struct quotas *quotas, struct stream *stream, const struct trace_clock *clock)
{
	struct look look = {.quotas = quotas, .stream = stream, .clock = clock, .begun = clock_now(clock)};
	int64_t cost, pause;

	if (!mount_point(quotas))
		return 0;
	cost = now_by(CLOCK_THREAD_CPUTIME_ID);
	if (look.begun >= quotas->next_walk) {
		walk(&look);
		pause = (now_by(CLOCK_THREAD_CPUTIME_ID) - cost) * COST_LIMIT;
		quotas->next_walk =
		    look.begun + (pause > NSEC_PER_SEC / WALKS_A_SECOND ? pause : NSEC_PER_SEC / WALKS_A_SECOND);
	} else if (look.begun >= quotas->next_look) {
		look_at_known(&look);
		quotas->next_look = look.begun + (now_by(CLOCK_THREAD_CPUTIME_ID) - cost) * COST_LIMIT;
	}
	free(look.tids.list.items);
	return look.status;
}

void quotas_free(struct quotas *quotas)
{
	struct quota_group *group, *next;

	HASH_ITER(hh, quotas->groups, group, next) {
		forget_group(quotas, group);
	}
	free(quotas->mount);
	free(quotas->timers);
}
