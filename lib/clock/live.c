#include "clock/live.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "clock/merged.h"

#define REMEMBERED (60 * NSEC_PER_SEC) /* how long sent bytes are kept, to find the clocks */
#define ROUND_LEAST (NSEC_PER_SEC / 50)
#define ROUND_MOST (NSEC_PER_SEC / 4)
enum {
	ROUND_SHARE = 20,     /* finding the clocks takes at most one part in 20 of a CPU */
	HELD_MOST = 64 << 20, /* bytes held of a host; beyond that it is not read on */
};

struct queue {
	char *bytes;
	size_t begin, end, room;
};

struct input {
	struct feed *feed;
	int fd;
	struct queue queue;
	int64_t heard;	 /* when something came last, or the input was opened; CLOCK_MONOTONIC */
	int64_t arrival; /* the least difference of this machine's wall clock and the stream's time; INT64_MAX: nothing came */
	bool over;
	int host; /* its number in `hosts`; HOST_NONE: none yet */
	int64_t clocked; /* the end of its last clock record */
	unsigned noted;
	/* what came too late: */
	bool passed;	 /* the output is ahead of it */
	uint64_t late;
	int64_t late_from;
};

struct live {
	int64_t wait;
	ARRAY(struct input *) inputs;
	struct stream *stream;
	struct merged *merged;
	struct hosts *hosts; /* NULL: no host has begun */
	struct input *reference; /* NULL: not chosen yet */
	int64_t opened, due, round;
	int64_t looked; /* all that the inputs held at this time was read */
	int64_t newest; /* the latest time that was written */
	bool writing;
	live_sayer *say;
};

struct live *live_new(int64_t wait)
{
	struct live *live = NEW(struct live);

	live->wait = wait;
	live->newest = INT64_MIN;
	live->opened = live->looked = now_by(CLOCK_MONOTONIC);
	return live;
}

static void input_free(struct input *input)
{
	if (input->feed) {
		if (!input->over)
			feed_close(input->feed);
		feed_free(input->feed);
	}
	free(input->queue.bytes);
	free(input);
}

void live_free(struct live *live)
{
	for (size_t i = 0; i < live->inputs.count; i++)
		input_free(live->inputs.items[i]);
	free(live->inputs.items);
	if (live->hosts)
		hosts_free(live->hosts);
	if (live->merged)
		merged_free(live->merged);
	free(live);
}

/* --- what is held ------------------------------------------------------------------------------------------------- */

static size_t held_bytes(const struct queue *queue)
{
	return queue->end - queue->begin;
}

static int hold(void *context, const struct held *held, const char *text)
{
	struct queue *queue = &((struct input *)context)->queue;
	size_t more = sizeof(*held) + held->length + 1;

	if (queue->end + more > queue->room && queue->begin > held_bytes(queue)) {
		memcpy(queue->bytes, queue->bytes + queue->begin, held_bytes(queue));
		queue->end = held_bytes(queue);
		queue->begin = 0;
	}
	if (queue->end + more > queue->room) {
		queue->room = 2 * (queue->end + more);
		queue->bytes = memory_grow(queue->bytes, queue->room, 1);
	}
	memcpy(queue->bytes + queue->end, held, sizeof(*held));
	memcpy(queue->bytes + queue->end + sizeof(*held), text, held->length);
	queue->end += more;
	queue->bytes[queue->end - 1] = '\0';
	return 0;
}

static bool peek(const struct input *input, struct held *held, const char **text)
{
	if (!held_bytes(&input->queue))
		return false;
	memcpy(held, input->queue.bytes + input->queue.begin, sizeof(*held));
	*text = input->queue.bytes + input->queue.begin + sizeof(*held);
	return true;
}

static void drop(struct input *input, const struct held *held)
{
	input->queue.begin += sizeof(*held) + held->length + 1;
	if (!held_bytes(&input->queue))
		input->queue.begin = input->queue.end = 0;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

int live_open(struct live *live, char *operand)
{
	struct input *input = NEW(struct input);
	char *file = feed_file(operand);

	*ARRAY_ADD(&live->inputs) = input;
	input->host = HOST_NONE;
	input->arrival = INT64_MAX;
	input->clocked = INT64_MIN;
	input->over = true;
	input->fd = strcmp(file, "-") ? open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : dup(STDIN_FILENO);
	if (input->fd < 0)
		return fail_errno("cannot open '%s'", file);
	input->feed = feed_open(operand, input->fd, hold, input);
	input->over = false;
	input->heard = live->opened;
	return 0;
}

static int read_some(struct input *input)
{
	int64_t before = input->feed->newest;
	int status = feed_run(input->feed);

	if (status < 0)
		return -1;
	input->heard = now_by(CLOCK_MONOTONIC);
	if (input->feed->newest > before) {
		int64_t arrival = timestamp_difference(now_by(CLOCK_REALTIME), input->feed->newest);

		input->arrival = arrival < input->arrival ? arrival : input->arrival;
	}
	if (status > 0)
		return 0;
	input->over = true;
	return feed_close(input->feed);
}

static bool is_full(const struct input *input)
{
	return held_bytes(&input->queue) > HELD_MOST;
}

/* Waits for input, at most `timeout` ms, and reads what is there. 1; 0: the output's reader is gone; -1 after fail(). */
static int read_all(struct live *live, int timeout)
{
	size_t count = live->inputs.count;
	struct pollfd *polls = memory_new(count + 1, sizeof(*polls));
	bool more = false;
	int status = 1;

	for (size_t i = 0; i < count; i++) {
		struct input *input = live->inputs.items[i];

		polls[i] = (struct pollfd){.fd = input->over || is_full(input) ? -1 : input->fd, .events = POLLIN};
		more |= polls[i].fd >= 0 && input->feed->more;
		if (is_full(input))
			input->heard = now_by(CLOCK_MONOTONIC);
	}
	polls[count] = (struct pollfd){.fd = STDOUT_FILENO};
	live->looked = now_by(CLOCK_MONOTONIC);
	if (poll(polls, count + 1, more ? 0 : timeout) > 0 || more) {
		if ((polls[count].revents & (POLLERR | POLLHUP)) == POLLERR)
			status = 0;
		for (size_t i = 0; i < count && status > 0; i++)
			if (polls[i].fd >= 0 && (polls[i].revents || live->inputs.items[i]->feed->more) && read_some(live->inputs.items[i]) < 0)
				status = -1;
	}
	free(polls);
	return status;
}

/* Frees the sentence. */
static void say(const struct live *live, char *sentence)
{
	live->say(sentence);
	free(sentence);
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

/* Counts to the last look, not to now: if this process got no CPU since then, something may have come from the host meanwhile. */
static bool is_silent(const struct live *live, const struct input *input)
{
	return live->looked - input->heard >= live->wait;
}

/* The wall-clock time at 0 of the host's clock: its stream's, if that agrees with when its records come, else by these. False: it is not known. */
static bool find_wall(const struct live *live, struct input *input, int64_t *wall)
{
	const struct input *reference = live->reference;
	int64_t of_reference, between;

	if (!merged_wall(reference->feed, &of_reference))
		of_reference = reference->arrival;
	*wall = of_reference;
	if (input == reference || input->arrival == INT64_MAX || reference->arrival == INT64_MAX)
		return input == reference || merged_wall(input->feed, wall);
	between = timestamp_difference(input->arrival, reference->arrival);
	input->feed->by_arrival = !merged_wall(input->feed, wall) ||
				  !timestamp_near(timestamp_difference(*wall, of_reference), between, timestamp_add(live->wait, 1));
	if (input->feed->by_arrival)
		*wall = timestamp_add(of_reference, between);
	return true;
}

/* Chooses the reference. False: no host has begun, or the wanted one has not, but may soon. */
static bool choose_reference(struct live *live, const char *name)
{
	bool awaited = false;

	for (size_t i = 0; i < live->inputs.count && !live->reference; i++) {
		struct input *input = live->inputs.items[i];

		if (input->feed->begun && (name ? !strcmp(input->feed->name, name) : i == 0))
			live->reference = input;
		awaited |= !input->feed->begun && (name || i == 0) && !input->over && !is_silent(live, input);
	}
	for (size_t i = 0; i < live->inputs.count && !live->reference && !awaited; i++)
		if (live->inputs.items[i]->feed->begun) {
			live->reference = live->inputs.items[i];
			say(live, memory_format("%s has not begun; times are by the clock of host %s",
						name ? name : live->inputs.items[0]->feed->file, live->reference->feed->name));
		}
	return live->reference;
}

static void note(struct live *live, struct input *input)
{
	for (int i = 0; i < MERGED_NOTES; i++) {
		char *text = input->noted & 1u << i ? NULL : merged_note(live->hosts, input->host, input->feed, i);

		if (!text)
			continue;
		say(live, text);
		input->noted |= 1u << i;
		if (i >= MERGED_UNKNOWN)
			stream_mark_incomplete(live->stream);
	}
}

/* Finds all clocks anew. 0; -1 after fail(). */
static int find_clocks(struct live *live)
{
	ARRAY(struct flows *) copies = {0};
	int status = 0;

	if (live->hosts)
		hosts_free(live->hosts);
	live->hosts = hosts_new();
	for (size_t i = 0; i < live->inputs.count && status == 0; i++) {
		struct input *input = live->inputs.items[i];
		int64_t wall;

		if (!input->feed->begun)
			continue;
		if (input->feed->newest > INT64_MIN + REMEMBERED)
			flows_forget(input->feed->flows, input->feed->newest - REMEMBERED);
		*ARRAY_ADD(&copies) = flows_so_far(input->feed->flows);
		input->host = merged_host(live->hosts, input->feed, copies.items[copies.count - 1], input->clocked,
					  find_wall(live, input, &wall) ? &wall : NULL);
		status = input->host == HOST_NONE ? -1 : 0;
	}
	if (status == 0)
		hosts_find(live->hosts, live->reference->host);
	for (size_t i = 0; i < copies.count; i++)
		flows_free(copies.items[i]);
	free(copies.items);
	return status;
}

/* Writes `clock` records for the time since the last ones. 0; -1 after fail(). */
static int tell_clocks(struct live *live)
{
	for (size_t i = 0; i < live->inputs.count; i++) {
		struct input *input = live->inputs.items[i];

		if (input->host == HOST_NONE || input->feed->last_event <= input->clocked)
			continue;
		note(live, input);
		if (hosts_write(live->hosts, input->host, live->stream) < 0)
			return -1;
		input->clocked = input->feed->last_event;
	}
	return 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int64_t mapped(const struct live *live, const struct input *input, int64_t place)
{
	return place == INT64_MIN || input->host == HOST_NONE ? INT64_MIN : hosts_map(live->hosts, input->host, place);
}

/* The time to which all hosts that are waited for have come. */
static int64_t safe_time(const struct live *live)
{
	int64_t safe = INT64_MAX;

	for (size_t i = 0; i < live->inputs.count; i++) {
		const struct input *input = live->inputs.items[i];
		int64_t newest;

		if (input->over || is_silent(live, input))
			continue;
		newest = mapped(live, input, input->feed->newest);
		safe = newest < safe ? newest : safe;
	}
	return safe;
}

static struct input *earliest(const struct live *live, int64_t *at)
{
	struct input *first = NULL;

	for (size_t i = 0; i < live->inputs.count; i++) {
		struct input *input = live->inputs.items[i];
		const char *text;
		struct held held;
		int64_t place;

		if (input->host == HOST_NONE || !peek(input, &held, &text))
			continue;
		place = mapped(live, input, held.place);
		if (!first || place < *at) {
			first = input;
			*at = place;
		}
	}
	return first;
}

/* Counts the host's events that came too late as lost. 0; -1 after fail(). */
static int write_late(struct live *live, struct input *input)
{
	struct line line = {0};
	int status;

	if (!input->late)
		return 0;
	say(live, memory_format("host %s: nothing came from it for the time to wait, and then what others were ahead of: %llu of its events are lost",
				input->feed->name, (unsigned long long)input->late));
	line_begin(&line, "lost");
	line_time(&line, "ts", live->newest);
	line_unsigned(&line, "count", input->late);
	line_time(&line, "from", input->late_from);
	status = merged_line(live->merged, input->feed, &line);
	stream_count_lost(live->stream, input->late);
	line_free(&line);
	input->late = 0;
	return status;
}

static int write_record(struct live *live, struct input *input, int64_t at)
{
	struct held held;
	const char *text = NULL;
	int status = 0;

	peek(input, &held, &text);
	if (held.kind == KIND_EVENT && input->passed && at < live->newest) {
		input->late_from = input->late++ ? input->late_from : at;
	} else {
		if (held.kind == KIND_EVENT) {
			input->passed = false;
			status = write_late(live, input);
		}
		live->newest = at > live->newest ? at : live->newest;
		if (status == 0)
			status = merged_record(live->merged, live->hosts, input->host, input->feed, &held, text, live->newest);
	}
	drop(input, &held);
	return status;
}

/* Writes all records up to the safe time. 0; -1 after fail(). */
static int write_safe(struct live *live)
{
	int64_t safe = safe_time(live), at = INT64_MIN;
	struct input *input;

	while ((input = earliest(live, &at)) && at <= safe && !stream_output_closed(live->stream))
		if (write_record(live, input, at) < 0)
			return -1;
	for (size_t i = 0; i < live->inputs.count; i++) {
		input = live->inputs.items[i];
		if (!input->over && mapped(live, input, input->feed->newest) < live->newest)
			input->passed = true;
		if (input->over && !held_bytes(&input->queue) && write_late(live, input) < 0)
			return -1;
	}
	return stream_flush(live->stream);
}

/* Tells whether writing may begin: the clocks of all hosts that go on are known, or `wait` has passed. */
static bool may_begin(const struct live *live)
{
	bool waited = live->looked - live->opened >= live->wait;

	for (size_t i = 0; i < live->inputs.count && !waited; i++) {
		const struct input *input = live->inputs.items[i];

		if (!input->over && (input->host == HOST_NONE || hosts_is_unknown(live->hosts, input->host)))
			return false;
	}
	return true;
}

static int round_of(struct live *live, const char *reference)
{
	int64_t began = now_by(CLOCK_MONOTONIC), used = now_by(CLOCK_PROCESS_CPUTIME_ID);

	live->due = began + live->round;
	if (!live->reference && !choose_reference(live, reference))
		return 0;
	if (find_clocks(live) < 0)
		return -1;
	used = now_by(CLOCK_PROCESS_CPUTIME_ID) - used;
	live->due = began + (live->round > ROUND_SHARE * used ? live->round : ROUND_SHARE * used);
	if (!live->writing && !may_begin(live))
		return 0;
	if (!live->writing && merged_begin(live->merged, live->reference->feed, NULL) < 0)
		return -1;
	live->writing = true;
	return tell_clocks(live) < 0 ? -1 : write_safe(live);
}

static bool is_over(const struct live *live)
{
	for (size_t i = 0; i < live->inputs.count; i++)
		if (!live->inputs.items[i]->over)
			return false;
	return true;
}

/* How long to wait for input, in ms; -1: for ever, because nothing is held. */
static int timeout_of(const struct live *live)
{
	int64_t left = live->due - now_by(CLOCK_MONOTONIC);

	for (size_t i = 0; i < live->inputs.count; i++)
		if (held_bytes(&live->inputs.items[i]->queue))
			return left > 0 ? (int)(left / 1000000 + 1) : 0;
	return -1;
}

static void count_losses(struct live *live)
{
	for (size_t i = 0; i < live->inputs.count; i++) {
		stream_count_lost(live->stream, live->inputs.items[i]->feed->lost);
		if (live->inputs.items[i]->feed->incomplete)
			stream_mark_incomplete(live->stream);
	}
}

int live_run(struct live *live, const char *reference, struct stream *stream, live_sayer *told)
{
	int status = 1;

	live->say = told;
	live->stream = stream;
	live->merged = merged_new(stream);
	live->round = live->wait / 8 < ROUND_LEAST ? ROUND_LEAST : live->wait / 8 > ROUND_MOST ? ROUND_MOST : live->wait / 8;
	while (status > 0 && !is_over(live)) {
		status = read_all(live, timeout_of(live));
		if (status > 0 && now_by(CLOCK_MONOTONIC) >= live->due && round_of(live, reference) < 0)
			status = -1;
	}
	if (status > 0) {
		live->opened = live->looked - live->wait; /* nothing more comes */
		status = round_of(live, reference) < 0 ? -1 : 1;
	}
	count_losses(live);
	return status < 0 ? -1 : 0;
}
