#include "source/recorder.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "program/helpers.h"
#include "source/program_reader.h"
#include "source/recorder_question.h"
#include "source/sent_files.h"

bool recorder_suits(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && S_ISFIFO(file.st_mode);
}

/* Listens at a name that nobody can guess, and so take before us. */
static int listen_at(struct recorder *recorder, char *name, size_t room)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1;
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return fail_errno("cannot have a random number");
	snprintf(name, room, "tailblame-%d-%016llx", getpid(), (unsigned long long)number);
	memcpy(address.sun_path + 1, name, strlen(name)); /* behind a NUL: the abstract namespace */
	recorder->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (recorder->listening >= 0)
		sent_files_refuse(recorder->listening);
	if (recorder->listening < 0 ||
	    bind(recorder->listening, (struct sockaddr *)&address, length + (socklen_t)strlen(name)) < 0 ||
	    listen(recorder->listening, 1) < 0)
		return fail_errno("cannot listen at the socket '@%s'", name);
	return 0;
}

static char *events_kept(const struct selection *selection)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < selection_count(selection); i++) {
		const struct selected *selected = selection_at(selection, i);

		if (selected->kept && selected->enabled)
			fprintf(out, "%s%s", ftell(out) > 0 ? "," : "", selected->event);
	}
	fclose(out);
	return text;
}

int recorder_offer(struct recorder *recorder, const struct selection *selection, struct stream *stream, int fd)
{
	struct line line = {0};
	struct stat pipe = {0};
	char name[64] = "", *events = selection ? events_kept(selection) : NULL;
	int status;

	status = fstat(fd, &pipe) < 0 ? fail_errno("cannot look at the pipe") : listen_at(recorder, name, sizeof(name));
	line_begin(&line, kind_name(KIND_RECORDER));
	line_text(&line, "socket", name);
	line_unsigned(&line, "pipe", pipe.st_ino);
	line_text(&line, events ? "events" : "ring", events ? events : "yes");
	status = status < 0 ? -1 : stream_write_line(stream, &line);
	line_free(&line);
	free(events);
	return status;
}

static bool is_allowed(int call)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(call, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

bool recorder_is_called(struct recorder *recorder, int wait)
{
	struct pollfd ready = {.fd = recorder->listening, .events = POLLIN};
	int call;

	if (recorder->call >= 0)
		return true;
	if (recorder->listening < 0 || poll(&ready, 1, wait) <= 0)
		return false;
	/* cppcheck-suppress nullPointer ; who it is is asked below, not here */
	call = accept4(recorder->listening, NULL, NULL, SOCK_CLOEXEC);
	if (call >= 0 && !is_allowed(call)) {
		sent_files_close(call);
		return false;
	}
	if (call < 0)
		return false;
	sent_files_close(recorder->listening);
	recorder->listening = -1;
	recorder->call = call;
	return true;
}

bool recorder_is_told(struct recorder *recorder)
{
	struct recorder_question question;
	bool told = false;

	while (recorder_is_called(recorder, 0) && recv(recorder->call, &question, sizeof(question), MSG_DONTWAIT) > 0)
		told = true;
	return told;
}

/* Drops the events before `from`. *floor becomes the time up to which events may have been dropped or overwritten; INT64_MIN: none were. */
static int drop(struct recorder *recorder, int64_t from, int64_t *floor)
{
	uint64_t counts[COUNTERS_MAX];
	struct stack_seen stack;
	struct ring *ring;
	int status;

	*floor = from < recorder->told ? recorder->told - 1 : INT64_MIN;
	if (from <= recorder->told)
		return 0;
	while (recorder->stacks && stacks_next(recorder->stacks, from, &stack, counts)) {
	}
	status = merge_begin(&recorder->merge, from);
	while (status == 0 && (status = merge_next(&recorder->merge, &ring)) > 0) {
		*floor = ring_ts(ring);
		status = 0;
	}
	for (int i = 0; i < recorder->merge.count; i++) {
		ring = &recorder->merge.rings[i];
		if (ring->standing && ring->missed && ring_ts(ring) > *floor)
			*floor = ring_ts(ring);
		if (ring->standing)
			ring->missed = 0; /* overwritten before anybody asked: as it should be */
	}
	return status;
}

static int begin_answer(struct stream *stream, int64_t floor)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_RECORDER));
	if (floor != INT64_MIN)
		line_time(&line, "floor", floor);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

static int end_answer(struct stream *stream, int64_t ts, uint64_t kept)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TICK));
	line_time(&line, "ts", ts);
	line_unsigned(&line, "kept", kept);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status < 0 ? -1 : stream_flush(stream);
}

/* Waits until all events before `to`, or before now if that is earlier, can be read; returns that time. INT64_MIN after fail(). */
static int64_t settled(const struct recorder *recorder, int64_t to)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	int64_t now = clock_now(recorder->clock);

	if (to > now)
		to = now;
	while (now != INT64_MIN && now < to + RECORDER_SLACK_NS) {
		nanosleep(&pause, NULL);
		now = clock_now(recorder->clock);
	}
	return now == INT64_MIN ? INT64_MIN : to;
}

static int answer(struct recorder *recorder, const struct recorder_question *question)
{
	struct stream *stream = recorder->stream;
	int64_t to = settled(recorder, question->to), floor;

	helpers_list(recorder->own + EVENT_WRITER_OWN - HELPERS_MAX);
	event_writer_own(recorder->writer, recorder->own);
	if (to == INT64_MIN || drop(recorder, question->from, &floor) < 0 ||
	    begin_answer(stream, floor) < 0 || event_writer_round(recorder->writer, &recorder->merge, to) < 0 ||
	    end_answer(stream, to, recorder_traced(recorder)) < 0)
		return -1;
	recorder->told = to > question->from ? to : question->from;
	return 0;
}

static void *serve(void *context)
{
	struct recorder *recorder = context;
	struct recorder_question question;
	uint64_t one = 1;
	int status = 0;

	recorder->tid = recorder->own[1] = recorder->foreign ? 0 : gettid();
	recorder->own[2] = recorder->reader ? program_reader_tid(recorder->reader) : 0;
	while (status == 0 && !stream_output_closed(recorder->stream) &&
	       recv(recorder->call, &question, sizeof(question), MSG_WAITALL) == sizeof(question))
		status = answer(recorder, &question);
	if (status < 0)
		snprintf(recorder->failure, sizeof(recorder->failure), "%s", fail_text());
	recorder->left = true;
	shutdown(recorder->call, SHUT_RDWR); /* a reader that asks again must not wait */
	if (write(recorder->bell, &one, sizeof(one)) < 0) {
		/* it rings already */
	}
	return NULL;
}

int recorder_begin(struct recorder *recorder, struct merge *rings, int64_t since, const struct trace_clock *clock,
		   const struct event_writer_setup *setup, int32_t self, int bell)
{
	struct event_writer_setup own = *setup;
	sigset_t all, before;
	int error;

	recorder->merge = *rings;
	recorder->clock = clock;
	recorder->told = since;
	recorder->bell = bell;
	recorder->stream = own.stream = stream_create();
	recorder->stacks = setup->stacks;
	recorder->reader = setup->reader;
	recorder->foreign = setup->foreign;
	recorder->own[0] = self;
	own.process = &recorder->everyone;
	own.names = NULL; /* what is kept has no predicate */
	own.titles = NULL; /* the collector writes them, */
	own.exceptions = NULL; /* and these */
	own.ticks = own.gaps = false; /* the reader takes a tick for the end of an answer, and judges nothing by these events */
	own.always_asks = true;
	recorder->writer = event_writer_new(&own);
	stream_output(recorder->stream, recorder->call, false);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the collector's own thread */
	error = pthread_create(&recorder->thread, NULL, serve, recorder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return fail("cannot start a thread: %s", strerror(error));
	recorder->begun = true;
	return 0;
}

int32_t recorder_tid(const struct recorder *recorder)
{
	return recorder->tid;
}

int recorder_has_left(const struct recorder *recorder)
{
	if (!recorder->left)
		return 0;
	return *recorder->failure ? fail("%s", recorder->failure) : 1;
}

uint64_t recorder_traced(const struct recorder *recorder)
{
	return merge_traced(&recorder->merge);
}

void recorder_end(struct recorder *recorder, bool wait)
{
	if (recorder->listening >= 0)
		sent_files_close(recorder->listening);
	if (recorder->begun) {
		if (!wait)
			shutdown(recorder->call, SHUT_RDWR);
		pthread_join(recorder->thread, NULL);
	}
	if (recorder->stream)
		stream_close(recorder->stream);
	if (recorder->call >= 0)
		close(recorder->call);
	event_writer_free(recorder->writer);
	merge_close(&recorder->merge);
	*recorder = (struct recorder){.listening = -1, .call = -1};
}
