#include "source/doubt.h"

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

/* Between two records of doubt about what somebody else did. */
#define PERIOD (NSEC_PER_SEC / 2)

struct watched {
	int watch;
	int pin; /* the kernel forgets what is watched of an event's folder that nobody has open */
	char *path; /* "tailblame-1/events/sched" */
};

struct meddling {
	int fd;
	ARRAY(struct watched) places;
	struct tracefs_instance *instances[2]; /* NULL: none */
	char *file; /* the first that somebody else wrote to; NULL: none */
};

static struct watched *place_of(struct meddling *meddling, int watch)
{
	for (size_t i = 0; i < meddling->places.count; i++)
		if (meddling->places.items[i].watch == watch)
			return &meddling->places.items[i];
	return NULL;
}

/* Takes the file's name in the instance, which may be "". */
static int add(struct meddling *meddling, struct tracefs_instance *instance, char *name, uint32_t mask)
{
	char *path = tracefs_instance_get_file(instance, name);
	int pin = open(path, O_PATH | O_CLOEXEC);
	int watch = pin < 0 ? -1 : inotify_add_watch(meddling->fd, path, mask);
	bool is_new = watch >= 0 && !place_of(meddling, watch);

	if (watch < 0)
		instance_fail_file(instance, "watch", name);
	if (is_new)
		*ARRAY_ADD(&meddling->places) = (struct watched){
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
static int add_rings(struct meddling *meddling, struct tracefs_instance *instance)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		char *name = memory_format("per_cpu/cpu%ld", cpu);
		bool there = tracefs_file_exists(instance, name) || tracefs_dir_exists(instance, name);

		if (!there)
			free(name); /* the numbers of CPUs may have holes */
		else if (add(meddling, instance, name, IN_MODIFY) < 0 ||
			 add(meddling, instance, memory_format("per_cpu/cpu%ld/trace_pipe", cpu), IN_ACCESS) < 0 ||
			 add(meddling, instance, memory_format("per_cpu/cpu%ld/trace_pipe_raw", cpu), IN_OPEN) < 0)
			return -1;
	}
	return 0;
}

static int add_instance(struct meddling *meddling, struct tracefs_instance *instance, const struct wishes *wishes, bool kept)
{
	if (add(meddling, instance, memory_format("%s", ""), IN_MODIFY | IN_ACCESS) < 0 ||
	    add(meddling, instance, memory_format("options"), IN_MODIFY) < 0 ||
	    add(meddling, instance, memory_format("events"), IN_MODIFY) < 0 || add_rings(meddling, instance) < 0)
		return -1;
	for (size_t i = 0; i < wishes_count(wishes); i++) {
		const struct wish *wish = wishes_at(wishes, i);

		if (wish->enabled && wish->kept == kept &&
		    (add(meddling, instance, memory_format("events/%s", wish->system), IN_MODIFY) < 0 ||
		     add(meddling, instance, memory_format("events/%s/%s", wish->system, wish->name), IN_MODIFY) < 0))
			return -1;
	}
	return 0;
}

static void end(struct meddling *meddling)
{
	if (!meddling)
		return;
	for (size_t i = 0; i < meddling->places.count; i++) {
		close(meddling->places.items[i].pin);
		free(meddling->places.items[i].path);
	}
	free(meddling->places.items);
	close(meddling->fd);
	free(meddling->file);
	free(meddling);
}

/* NULL after fail(). */
static struct meddling *watch(struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct wishes *wishes)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct meddling *meddling;

	if (fd < 0) {
		fail_errno("cannot watch for changes of what is traced");
		return NULL;
	}
	meddling = NEW(struct meddling);
	meddling->fd = fd;
	meddling->instances[0] = instance;
	meddling->instances[1] = keeper;
	if (add_instance(meddling, instance, wishes, false) == 0 && (!keeper || add_instance(meddling, keeper, wishes, true) == 0))
		return meddling;
	end(meddling);
	return NULL;
}

/* Tells whether the event is no harm to the traced data. */
static bool is_harmless(const struct inotify_event *event, const char *name)
{
	static const char *const harmless[] = {"trace_marker", "trace_marker_raw", "error_log"};

	if (event->mask & IN_ACCESS)
		return strcmp(name, "trace_pipe") != 0; /* which takes away what it reads */
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (strcmp(name, harmless[i]) == 0)
			return true;
	return false;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Tells whether the event shows that somebody else did something. */
static bool see(struct meddling *meddling, const struct inotify_event *event, const char *ours)
{
	const struct watched *place = place_of(meddling, event->wd);
	const char *name = event->len > 0 ? event->name : place ? last_part(place->path) : "";

	if ((!place && !(event->mask & IN_Q_OVERFLOW)) || is_harmless(event, name) || (ours && strcmp(name, ours) == 0))
		return false;
	if (meddling->file)
		return true;
	if (!place)
		meddling->file = memory_format("many files");
	else
		meddling->file = memory_format("%s%s%s", place->path, event->len > 0 ? "/" : "", event->len > 0 ? name : "");
	return true;
}

/* Tells whether somebody else wrote to a file of the instances since the last call, or read events away. */
static bool look(struct meddling *meddling, const char *ours)
{
	_Alignas(struct inotify_event) char events[4096];
	bool seen = false;
	ssize_t length;

	while ((length = read(meddling->fd, events, sizeof(events))) > 0)
		for (char *at = events; at < events + length;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			seen |= see(meddling, event, ours);
			at += sizeof(*event) + event->len;
		}
	return seen;
}

/* Tells whether tracing, which we turned on, is off. */
static bool is_off(struct meddling *meddling)
{
	bool seen = false;

	for (int i = 0; i < 2; i++) {
		if (!meddling->instances[i] || tracefs_trace_is_on(meddling->instances[i]) != 0)
			continue;
		seen = true;
		if (!meddling->file)
			meddling->file = memory_format("%s/tracing_on", tracefs_instance_get_name(meddling->instances[i]));
	}
	return seen;
}

int doubt_watch(struct doubt *doubt, struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct wishes *wishes)
{
	doubt->meddling = watch(instance, keeper, wishes);
	return doubt->meddling ? 0 : -1;
}

void doubt_notice(struct doubt *doubt, const char *ours)
{
	if (!ours && doubt->gate && gate_writes(doubt->gate))
		ours = "enable";
	if (doubt->meddling && look(doubt->meddling, ours))
		stream_mark_incomplete(doubt->stream);
}

void doubt_begin(struct doubt *doubt, int64_t ts)
{
	doubt->told = ts;
	doubt_notice(doubt, "tracing_on");
	if (doubt->meddling && is_off(doubt->meddling))
		stream_mark_incomplete(doubt->stream);
}

int doubt_say(struct doubt *doubt, int64_t from, int64_t ts)
{
	struct line line = {0};
	int status = 0;

	for (int i = 0; status == 0 && i < doubt->rings; i++) {
		line_begin(&line, kind_name(KIND_LOST));
		line_time(&line, "ts", ts);
		line_integer(&line, "cpu", doubt->merge->rings[i].cpu);
		line_unsigned(&line, "count", 0);
		line_time(&line, "from", from);
		status = stream_write_line(doubt->stream, &line);
	}
	line_free(&line);
	doubt->told = ts;
	return status;
}

int doubt_look(struct doubt *doubt, int64_t ts)
{
	doubt_notice(doubt, NULL);
	if (!doubt_file(doubt))
		doubt->told = ts;
	else if (ts - doubt->told >= PERIOD)
		return doubt_say(doubt, doubt->told, ts);
	return 0;
}

int doubt_look_last(struct doubt *doubt, int64_t ts)
{
	return doubt_file(doubt) ? doubt_say(doubt, doubt->told, ts) : 0;
}

const char *doubt_file(const struct doubt *doubt)
{
	return doubt->meddling ? doubt->meddling->file : NULL;
}

void doubt_end(struct doubt *doubt)
{
	end(doubt->meddling);
	doubt->meddling = NULL;
}
