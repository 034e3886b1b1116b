#include "source/quotas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"
#include "source/cgroup.h"

enum { COST_LIMIT = 200, WALKS_A_SECOND = 5, THREADS_TEXT = 1 << 19 /* so that the record is not too long */ };

struct quota_group {
	char *path;
	int64_t quota, period;
	uint64_t count; /* how often it was throttled, when that was looked at last */
	int64_t time;	/* and for how long */
	int64_t since;	/* and when that was */
	uint64_t walk;	/* the last that came by */
	UT_hash_handle hh;
};

/* What looking at groups needs. */
struct look {
	struct quotas *quotas;
	struct stream *stream;
	const struct trace_clock *clock;
	int64_t begun;
	struct line tids;
	int status;
};

/*
 * The functions whose expiry as a timer lets a throttled group go on, "0xffffffff81234560,0x..."; "" if that is secret. They
 * are among the first of very many, so there is no need to read all.
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
	char *threads;

	(void)path;
	if (look->tids.length > THREADS_TEXT)
		return;
	threads = cgroup_threads(directory, look->quotas->first_version);
	for (char *at = threads; at && *at; at++)
		if (*at == '\n')
			*at = ',';
	if (threads)
		line_append(&look->tids, threads, strlen(threads));
	free(threads);
}

/* Who may have been throttled: all that are in the group now, or in one below it. */
static const char *threads_of(struct look *look, const char *path)
{
	line_begin(&look->tids, "");
	cgroup_walk(look->quotas->mount, path, take_threads, look);
	if (look->tids.length && look->tids.text[look->tids.length - 1] == ',')
		look->tids.text[--look->tids.length] = '\0';
	return look->tids.text;
}

/* A group that is new is told of without threads: since when it is watched. */
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
			line_text(&line, "tids", threads_of(look, group->path));
	}
	if (stream_write_line(look->stream, &line) < 0)
		look->status = -1;
	line_free(&line);
}

/* What was throttled between two looks was so between the beginning of the first and the end of the second. */
static void look_at(struct look *look, struct quota_group *group, int directory)
{
	uint64_t count;
	int64_t time;

	if (!cgroup_throttled(directory, look->quotas->first_version, &count, &time))
		return;
	if (time > group->time)
		write_group(look, group, clock_now(look->clock), count - group->count, time - group->time);
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
	free(group->path);
	free(group);
}

/* Over all groups. Those that it does not come by are gone, or have no quota any more. */
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

static int64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
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

/* Where there is no CPU controller now, none is mounted while a trace lasts. */
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
	cost = cpu_time();
	if (look.begun >= quotas->next_walk) {
		walk(&look);
		pause = (cpu_time() - cost) * COST_LIMIT;
		quotas->next_walk =
		    look.begun + (pause > NSEC_PER_SEC / WALKS_A_SECOND ? pause : NSEC_PER_SEC / WALKS_A_SECOND);
	} else if (look.begun >= quotas->next_look) {
		look_at_known(&look);
		quotas->next_look = look.begun + (cpu_time() - cost) * COST_LIMIT;
	}
	line_free(&look.tids);
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
