#include "program/counters.h"

#include <ctype.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/fail.h"

static const char yields[] = "syscalls:sys_enter_sched_yield";
enum { YIELDS_AT_ONCE = 100 };

/* Turns "cycles:u" into "cycles_u". */
static char *event_name(const char *name)
{
	char *event = memory_text(name, strlen(name));

	for (char *c = event; *c; c++)
		*c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
	return event;
}

/* Finds a tracepoint by its id; false: it is none. Does not use libpfm4, which needs debugfs for that. */
static bool find_tracepoint(const char *name, struct perf_event_attr *attributes)
{
	const char *colon = strchr(name, ':');
	char *system = colon ? memory_text(name, (size_t)(colon - name)) : NULL, *text;

	text = system && !strchr(name, '/') && *system && colon[1] ? tracefs_event_file_read(NULL, system, colon + 1, "id", NULL) : NULL;
	*attributes = (struct perf_event_attr){.size = sizeof(*attributes), .type = PERF_TYPE_TRACEPOINT};
	if (text)
		attributes->config = strtoull(text, NULL, 10);
	free(text);
	free(system);
	return attributes->config != 0;
}

/* 0; -1: libpfm4 does not know the name; *why says why. */
static int find_named(const char *name, struct perf_event_attr *attributes, const char **why)
{
	pfm_perf_encode_arg_t encoded = {.attr = attributes, .size = sizeof(encoded)};
	int error = pfm_initialize();

	*attributes = (struct perf_event_attr){.size = sizeof(*attributes)};
	if (error == PFM_SUCCESS)
		error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &encoded);
	*why = pfm_strerror(error);
	return error == PFM_SUCCESS ? 0 : -1;
}

/* 0 if the kernel counts it on the first CPU that is online; else the errno with which the kernel refuses. */
static int refusal(const struct perf_event_attr *attributes)
{
	struct perf_event_attr off = *attributes;
	int fd = -1;

	off.disabled = 1;
	for (int cpu = 0; fd < 0 && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		fd = (int)syscall(SYS_perf_event_open, &off, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && errno != ENODEV)
			return errno;
	}
	if (fd < 0)
		return ENODEV;
	close(fd);
	return 0;
}

/* Those of libpfm4's generic names that the kernel counts here: "page-faults, cpu-clock". */
static char *machine_has(void)
{
	pfm_pmu_info_t generic = {.size = sizeof(generic)};
	size_t size;
	char *names;
	FILE *out = open_memstream(&names, &size);

	if (pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &generic) != PFM_SUCCESS)
		generic.first_event = -1;
	for (int i = generic.first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = {.size = sizeof(event)};
		struct perf_event_attr attributes;
		const char *why;

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS || !event.equiv)
			continue; /* the entry with the short name is the same event */
		if (find_named(event.name, &attributes, &why) < 0 || attributes.type == PERF_TYPE_TRACEPOINT || refusal(&attributes))
			continue;
		fputs(ftell(out) > 0 ? ", " : "", out);
		for (const char *c = event.name; *c; c++)
			fputc(tolower((unsigned char)*c), out);
	}
	fclose(out);
	return names;
}

static int fail_refused(const char *name, int error)
{
	char *has;

	errno = error;
	if (error == EACCES || error == EPERM)
		return fail_errno("the kernel does not permit to count '%s'", name);
	has = machine_has();
	fail("this machine cannot count '%s': %s; it has %s, and tracepoints (SYSTEM:EVENT)", name, strerror(error), has);
	free(has);
	return -1;
}

static int add(struct counters *counters, const char *name)
{
	struct perf_event_attr attributes;
	const char *why = "";
	char *event;
	int error;

	if (!find_tracepoint(name, &attributes) && find_named(name, &attributes, &why) < 0)
		return fail("nobody knows the counter '%s': %s", name, why);
	error = refusal(&attributes);
	if (error)
		return fail_refused(name, error);
	event = event_name(name);
	for (size_t i = 0; i < counters->list.count; i++)
		if (strcmp(counters->list.items[i].event, event) == 0) {
			free(event);
			if (!counters->list.items[i].period)
				return fail("the counter '%s' is there already", name);
			counters->list.items[i].period = 0;
			return 0;
		}
	if (counters->list.count == COUNTERS_MAX) {
		free(event);
		return fail("at most %d counters are counted", COUNTERS_MAX - 1);
	}
	*ARRAY_ADD(&counters->list) = (struct counter){memory_text(name, strlen(name)), event, 0, attributes};
	return 0;
}

int counters_add(struct counters *counters, const char *list)
{
	int status = 0;

	for (const char *at = list; status == 0; at++) {
		size_t length = strcspn(at, ",");
		char *name = memory_text(at, length);

		status = length ? add(counters, name) : fail("a counter has a name");
		free(name);
		at += length;
		if (!*at)
			break;
	}
	return status;
}

void counters_add_yields(struct counters *counters)
{
	if (add(counters, yields) == 0)
		counters->list.items[counters->list.count - 1].period = YIELDS_AT_ONCE;
}
