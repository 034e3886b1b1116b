#include "source/hits.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"

struct counter {
	size_t wish;
	int fd; /* on one CPU */
};

struct hits {
	ARRAY(struct counter) counters;
};

/* Whether the kernel lets this event pass only in part: then the rest is not to be counted either. */
static bool is_filtered(const struct wish *wish)
{
	return wish->filter && !(wish->flags & WISH_WHOLE);
}

static int open_counter(const struct wish *wish, int cpu)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = wish->id};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && is_filtered(wish) && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, wish->filter) < 0) {
		close(fd);
		errno = EOPNOTSUPP;
		return -1;
	}
	return fd;
}

static int count_wish(struct hits *hits, const struct wish *wish, size_t number)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_counter(wish, cpu);

		if (fd < 0 && errno != ENODEV && errno != EINVAL) /* a CPU that is off, or no CPU's number */
			return fail_errno("cannot count the event '%s'", wish->event);
		if (fd >= 0)
			*ARRAY_ADD(&hits->counters) = (struct counter){number, fd};
	}
	return 0;
}

struct hits *hits_count(const struct wishes *wishes)
{
	struct hits *hits = NEW(struct hits);

	for (size_t i = 0; i < wishes->list.count; i++) {
		const struct wish *wish = wishes->list.items[i];

		if (wish->enabled && wish->kept && count_wish(hits, wish, i) < 0) {
			hits_end(hits);
			return NULL;
		}
	}
	return hits;
}

uint64_t hits_of(const struct hits *hits, size_t i)
{
	uint64_t sum = 0, value;

	for (size_t n = 0; n < hits->counters.count; n++)
		if (hits->counters.items[n].wish == i && read(hits->counters.items[n].fd, &value, sizeof(value)) == sizeof(value))
			sum += value;
	return sum;
}

void hits_end(struct hits *hits)
{
	if (!hits)
		return;
	for (size_t i = 0; i < hits->counters.count; i++)
		close(hits->counters.items[i].fd);
	free(hits->counters.items);
	free(hits);
}
