#include "source/interference.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "source/instance.h"

/* The time between two `lost` records about what somebody else did. */
#define PERIOD (NSEC_PER_SEC / 2)

struct watched {
	int watch;
	int pin; /* keeps the file open: the kernel forgets the watch of an event's folder that nobody has open */
	char *path; /* "tailblame-1/events/sched" */
};

struct file_watch {
	int fd;
	ARRAY(struct watched) places;
	struct tracefs_instance *instances[2]; /* NULL: none */
	char *file; /* the first that somebody else wrote to; NULL: none */
};

static struct watched *place_of(struct file_watch *files, int watch)
{
	for (size_t i = 0; i < files->places.count; i++)
		if (files->places.items[i].watch == watch)
			return &files->places.items[i];
	return NULL;
}

/* Watches a file of the instance. Takes over its name, which may be "". */
static int add(struct file_watch *files, struct tracefs_instance *instance, char *name, uint32_t mask)
{
	char *path = tracefs_instance_get_file(instance, name);
	int pin = open(path, O_PATH | O_CLOEXEC);
	int watch = pin < 0 ? -1 : inotify_add_watch(files->fd, path, mask);
	bool is_new = watch >= 0 && !place_of(files, watch);

	if (watch < 0)
		instance_fail_file(instance, "watch", name);
	if (is_new)
		*ARRAY_ADD(&files->places) = (struct watched){
			watch, pin, memory_format("%s%s%s", tracefs_instance_get_name(instance), *name ? "/" : "", name)};
	else if (pin >= 0)
		close(pin);
	tracefs_put_tracing_file(path);
	free(name);
	return watch < 0 ? -1 : 0;
}

/*
 * A reader of trace_pipe takes away what it reads. We read trace_pipe_raw ourselves; another process can read it, too, or map it, and a mapping shows
 * only as an open. So any second open of it counts.
 */
static int add_rings(struct file_watch *files, struct tracefs_instance *instance)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		char *name = memory_format("per_cpu/cpu%ld", cpu);
		bool there = tracefs_file_exists(instance, name) || tracefs_dir_exists(instance, name);

		if (!there)
			free(name); /* the numbers of CPUs may have holes */
		else if (add(files, instance, name, IN_MODIFY) < 0 ||
			 add(files, instance, memory_format("per_cpu/cpu%ld/trace_pipe", cpu), IN_ACCESS) < 0 ||
			 add(files, instance, memory_format("per_cpu/cpu%ld/trace_pipe_raw", cpu), IN_OPEN) < 0)
			return -1;
	}
	return 0;
}

static int add_instance(struct file_watch *files, struct tracefs_instance *instance, const struct selection *selection, bool kept)
{
	if (add(files, instance, memory_format("%s", ""), IN_MODIFY | IN_ACCESS) < 0 ||
	    add(files, instance, memory_format("options"), IN_MODIFY) < 0 ||
	    add(files, instance, memory_format("events"), IN_MODIFY) < 0 || add_rings(files, instance) < 0)
		return -1;
	for (size_t i = 0; i < selection_count(selection); i++) {
		const struct selected *selected = selection_at(selection, i);

		if (selected->enabled && selected->kept == kept &&
		    (add(files, instance, memory_format("events/%s", selected->system), IN_MODIFY) < 0 ||
		     add(files, instance, memory_format("events/%s/%s", selected->system, selected->name), IN_MODIFY) < 0))
			return -1;
	}
	return 0;
}

static void end(struct file_watch *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->places.count; i++) {
		close(files->places.items[i].pin);
		free(files->places.items[i].path);
	}
	free(files->places.items);
	close(files->fd);
	free(files->file);
	free(files);
}

/* NULL after fail(). */
static struct file_watch *watch_files(struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct selection *selection)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct file_watch *files;

	if (fd < 0) {
		fail_errno("cannot watch for changes of what is traced");
		return NULL;
	}
	files = NEW(struct file_watch);
	files->fd = fd;
	files->instances[0] = instance;
	files->instances[1] = keeper;
	if (add_instance(files, instance, selection, false) == 0 && (!keeper || add_instance(files, keeper, selection, true) == 0))
		return files;
	end(files);
	return NULL;
}

/* Tells whether the event does no harm to the traced data. */
static bool is_harmless(const struct inotify_event *event, const char *name)
{
	static const char *const harmless[] = {"trace_marker", "trace_marker_raw", "error_log"};

	if (event->mask & IN_ACCESS)
		return strcmp(name, "trace_pipe") != 0; /* a read of it takes events away */
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (strcmp(name, harmless[i]) == 0)
			return true;
	return false;
}

/* Tells whether the event shows that somebody else did something. */
static bool see(struct file_watch *files, const struct inotify_event *event, const char *ours)
{
	const struct watched *place = place_of(files, event->wd);
	const char *name = event->len > 0 ? event->name : place ? basename(place->path) : "";

	if ((!place && !(event->mask & IN_Q_OVERFLOW)) || is_harmless(event, name) || (ours && strcmp(name, ours) == 0))
		return false;
	if (files->file)
		return true;
	if (!place)
		files->file = memory_format("many files");
	else
		files->file = memory_format("%s%s%s", place->path, event->len > 0 ? "/" : "", event->len > 0 ? name : "");
	return true;
}

/* Tells whether somebody else wrote to a file of the instances since the last call, or read events away. */
static bool look(struct file_watch *files, const char *ours)
{
	_Alignas(struct inotify_event) char events[4096];
	bool seen = false;
	ssize_t length;

	while ((length = read(files->fd, events, sizeof(events))) > 0)
		for (char *at = events; at < events + length;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			seen |= see(files, event, ours);
			at += sizeof(*event) + event->len;
		}
	return seen;
}

/* Tells whether tracing, which we turned on, is off. */
static bool is_off(struct file_watch *files)
{
	bool seen = false;

	for (int i = 0; i < 2; i++) {
		if (!files->instances[i] || tracefs_trace_is_on(files->instances[i]) != 0)
			continue;
		seen = true;
		if (!files->file)
			files->file = memory_format("%s/tracing_on", tracefs_instance_get_name(files->instances[i]));
	}
	return seen;
}

int interference_watch(struct interference *interference, struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct selection *selection)
{
	interference->watch = watch_files(instance, keeper, selection);
	return interference->watch ? 0 : -1;
}

void interference_notice(struct interference *interference, const char *ours)
{
	if (!ours && interference->gate && gate_writes(interference->gate))
		ours = "enable";
	if (interference->watch && look(interference->watch, ours))
		stream_mark_incomplete(interference->stream);
}

void interference_begin(struct interference *interference, int64_t ts)
{
	interference->told = ts;
	interference_notice(interference, "tracing_on");
	if (interference->watch && is_off(interference->watch))
		stream_mark_incomplete(interference->stream);
}

int interference_say(struct interference *interference, int64_t from, int64_t ts)
{
	struct line line = {0};
	int status = 0;

	for (int i = 0; status == 0 && i < interference->rings; i++) {
		line_begin(&line, kind_name(KIND_LOST));
		line_time(&line, "ts", ts);
		line_integer(&line, "cpu", interference->merge->rings[i].cpu);
		line_unsigned(&line, "count", 0);
		line_time(&line, "from", from);
		status = stream_write_line(interference->stream, &line);
	}
	line_free(&line);
	interference->told = ts;
	return status;
}

int interference_look(struct interference *interference, int64_t ts)
{
	interference_notice(interference, NULL);
	if (!interference_file(interference))
		interference->told = ts;
	else if (ts - interference->told >= PERIOD)
		return interference_say(interference, interference->told, ts);
	return 0;
}

int interference_look_last(struct interference *interference, int64_t ts)
{
	return interference_file(interference) ? interference_say(interference, interference->told, ts) : 0;
}

const char *interference_file(const struct interference *interference)
{
	return interference->watch ? interference->watch->file : NULL;
}

void interference_end(struct interference *interference)
{
	end(interference->watch);
	interference->watch = NULL;
}
