#include "source/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/now.h"
#include "base/number.h"
#include "source/instance.h"

enum { READ_BY_KERNEL = -1, NOT_NANOSECONDS = -2 };

static const struct {
	const char *name;
	int id;
} clocks[] = {
	{"mono", CLOCK_MONOTONIC},
	{"mono_raw", CLOCK_MONOTONIC_RAW},
	{"boot", CLOCK_BOOTTIME},
	{"tai", CLOCK_TAI},
	{"local", READ_BY_KERNEL},
	{"global", READ_BY_KERNEL},
	{"perf", READ_BY_KERNEL},
	{"uptime", NOT_NANOSECONDS},
	{"counter", NOT_NANOSECONDS},
	{"x86-tsc", NOT_NANOSECONDS},
	{"ppc-tb", NOT_NANOSECONDS},
};

/* The file lists the clocks there are, with brackets around the one in use. */
static bool is_offered(struct tracefs_instance *instance, const char *name, char **offered)
{
	*offered = tracefs_instance_file_read(instance, "trace_clock", NULL);
	if (!*offered)
		return false;
	(*offered)[strcspn(*offered, "\n")] = '\0';
	for (const char *at = *offered; *at;) {
		size_t length;

		at += strspn(at, " []");
		length = strcspn(at, " []");
		if (length && length == strlen(name) && memcmp(at, name, length) == 0)
			return true;
		at += length;
	}
	return false;
}

static int find(const char *name)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(clocks[i].name, name) == 0)
			return clocks[i].id;
	}
	return READ_BY_KERNEL;
}

int clock_set(struct trace_clock *clock, struct tracefs_instance *instance, const char *name)
{
	char *offered;

	*clock = (struct trace_clock){.name = name, .id = find(name), .stats = -1};
	if (!is_offered(instance, name, &offered)) {
		fail("no clock '%s' in this kernel; there are: %s", name, offered ? offered : "?");
		free(offered);
		return -1;
	}
	free(offered);
	if (clock->id == NOT_NANOSECONDS)
		return fail("the clock '%s' does not count nanoseconds", name);
	if (instance_write(instance, "trace_clock", name) < 0)
		return -1;
	if (clock->id != READ_BY_KERNEL)
		return 0;
	clock->stats = tracefs_instance_file_open(instance, "per_cpu/cpu0/stats", O_RDONLY | O_CLOEXEC);
	return clock->stats < 0 ? fail_errno("cannot open 'per_cpu/cpu0/stats'") : 0;
}

void clock_close(struct trace_clock *clock)
{
	if (clock->stats >= 0)
		close(clock->stats);
}

static int64_t ask_kernel(int stats)
{
	static const char key[] = "now ts: ";
	char text[1024];
	ssize_t length = pread(stats, text, sizeof(text) - 1, 0);
	const char *now;
	int64_t ns;

	if (length < 0)
		length = 0;
	text[length] = '\0';
	now = strstr(text, key);
	if (!now) {
		fail("cannot read the trace clock from 'per_cpu/cpu0/stats'");
		return INT64_MIN;
	}
	now += sizeof(key) - 1;
	now += strspn(now, " ");
	return number_time(now, strcspn(now, "\n"), &ns) < 0 ? INT64_MIN : ns;
}

int64_t clock_now(const struct trace_clock *clock)
{
	return clock->stats >= 0 ? ask_kernel(clock->stats) : now_by(clock->id);
}

int64_t clock_wall(const struct trace_clock *clock)
{
	int64_t before = clock_now(clock), wall = now_by(CLOCK_REALTIME), after = clock_now(clock);

	return wall - (before + (after - before) / 2);
}
