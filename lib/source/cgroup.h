/*
 * cgroup: the groups of the CPU controller, and their files.
 */
#ifndef SOURCE_CGROUP_H
#define SOURCE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the groups of the CPU controller are mounted, the caller's to free; NULL: nowhere. */
char *cgroup_cpu_mount(bool *first_version);

/*
 * Calls visit() for the group at `path` below the mount ("" is the root) and all groups below it, each before its children. It visits no more than
 * CGROUP_MOST groups of one user, except root.
 */
enum { CGROUP_MOST = 1024 };
typedef void cgroup_visitor(void *context, int directory, const char *path);
void cgroup_walk(const char *mount, const char *path, cgroup_visitor *visit, void *context);

/* The directory of a group below the mount, the caller's to close; -1: the group is gone. */
int cgroup_open(const char *mount, const char *path);

/* The group's quota and period in nanoseconds; false: it has none. */
bool cgroup_quota(int directory, bool first_version, int64_t *quota, int64_t *period);

/* How often the group was throttled so far, and for how many nanoseconds, over all CPUs; false: it does not tell. */
bool cgroup_throttled(int directory, bool first_version, uint64_t *count, int64_t *time);

/* The tids of the group, one a line, some 30,000 at most, the caller's to free; NULL: none. */
char *cgroup_threads(int directory, bool first_version);

#endif
