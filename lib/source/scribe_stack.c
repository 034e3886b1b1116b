/* The part of scribe that writes stacks: as events of our own making, in the form of the kernel's. */
#include <string.h>

#include "source/scribe.h"

/* Far above the kernel's own numbers. */
enum { ID_SLEEP = 65534, ID_WAKE = 65533 };

/* What the formats below describe. */
struct stack_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint32_t stack;
	int32_t pid; /* of a wake-up only */
};

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:unsigned int stack;\toffset:8;\tsize:4;\tsigned:0;\n"

static const char sleep_format[] = "stack\0name: sleep\nID: 65534\n" COMMON "\nprint fmt: \"stack=%u\", REC->stack\n";
static const char wake_format[] = "stack\0name: wake\nID: 65533\n" COMMON
				  "\tfield:int pid;\toffset:12;\tsize:4;\tsigned:1;\n"
				  "\nprint fmt: \"stack=%u pid=%d\", REC->stack, REC->pid\n";

int scribe_stack_formats(struct stream *stream)
{
	struct record sleep = {.kind = KIND_FORMAT, .packed = true, .text = sleep_format, .length = sizeof(sleep_format) - 1};
	struct record wake = {.kind = KIND_FORMAT, .packed = true, .text = wake_format, .length = sizeof(wake_format) - 1};

	return stream_write_record(stream, &sleep) < 0 ? -1 : stream_write_record(stream, &wake);
}

/* Spells the stack out when it comes into this stream for the first time. */
static int describe(struct scribe *scribe, uint32_t stack)
{
	struct line line = {0};
	int status;

	while (scribe->described.count <= stack)
		*ARRAY_ADD(&scribe->described) = false;
	if (scribe->described.items[stack])
		return 0;
	scribe->described.items[stack] = true;
	line_begin(&line, kind_name(KIND_STACK));
	line_unsigned(&line, "id", stack);
	stacks_describe(scribe->stacks, stack, &line);
	status = stream_write_line(scribe->stream, &line);
	line_free(&line);
	return status;
}

static int write_stack(struct scribe *scribe, const struct stack_seen *seen)
{
	struct stack_event event = {.common_type = seen->woken ? ID_WAKE : ID_SLEEP,
				    .common_pid = seen->thread,
				    .stack = seen->stack,
				    .pid = seen->woken};
	struct record record = {
		.kind = KIND_EVENT,
		.packed = true,
		.text = (const char *)&event,
		.length = seen->woken ? sizeof(event) : offsetof(struct stack_event, pid),
		.ts = seen->ts,
		.cpu = seen->cpu,
	};

	if (scribe_is_own(scribe, seen->thread))
		return 0;
	if (!threads_known(&scribe->threads, seen->thread) &&
	    threads_see(&scribe->threads, scribe->stream, seen->ts, seen->thread, NULL) < 0)
		return -1;
	if (describe(scribe, seen->stack) < 0)
		return -1;
	scribe->events++;
	return stream_write_record(scribe->stream, &record);
}

int scribe_stacks(struct scribe *scribe, int64_t bound)
{
	struct stack_seen seen;

	while (scribe->stacks && stacks_next(scribe->stacks, bound, &seen))
		if (write_stack(scribe, &seen) < 0)
			return -1;
	return 0;
}
