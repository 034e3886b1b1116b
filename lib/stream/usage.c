#include "stream/usage.h"

#include <time.h>

#include "base/now.h"
#include "base/number.h"

#define SETUP_TOLD (NSEC_PER_SEC / 100) /* ns; a shorter setup is not reported */

void usage_begin(struct usage *usage)
{
	usage->began = now_by(CLOCK_MONOTONIC);
	usage->used = now_by(CLOCK_PROCESS_CPUTIME_ID);
	usage->setup = usage->used;
}

void usage_next(struct usage *usage)
{
	const char *command = usage->command;

	*usage = (struct usage){.command = command};
	usage_begin(usage);
	usage->setup = 0;
}

void usage_line(const struct usage *usage, bool source, struct line *line)
{
	int64_t wall = now_by(CLOCK_MONOTONIC) - usage->began;

	line_begin(line, "usage");
	line_text(line, "command", usage->command);
	line_unsigned(line, "events", source ? usage->events_out : usage->events_in);
	if (usage->traced)
		line_unsigned(line, "traced", usage->traced);
	line_unsigned(line, "kept", usage->events_out);
	line_unsigned(line, "bytes", source ? usage->bytes_out : usage->bytes_in);
	line_unsigned(line, "kept_bytes", usage->bytes_out);
	line_time(line, "cpu", now_by(CLOCK_PROCESS_CPUTIME_ID) - usage->used);
	if (usage->setup >= SETUP_TOLD)
		line_time(line, "setup", usage->setup);
	line_time(line, "wall", wall);
	if (source)
		line_time(line, "began", now_by(CLOCK_REALTIME) - wall);
}
