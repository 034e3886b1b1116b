#include "source/timers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char *const functions[] = {
	"qdisc_watchdog", "tcp_write_timer", "tcp_delack_timer", "tcp_keepalive_timer", "tcp_pace_kick", "tcp_compressed_ack_kick",
	"reqsk_timer_handler",
};

static bool is_wanted(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strlen(functions[i]) == length && !memcmp(functions[i], name, length))
			return true;
	return false;
}

static int tell(struct stream *stream, uint64_t address, const char *name, size_t length)
{
	struct line line = {0};
	char text[32], function[64];
	int status;

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	snprintf(function, sizeof(function), "%.*s", (int)length, name);
	line_begin(&line, kind_name(KIND_TIMER));
	line_text(&line, "address", text);
	line_text(&line, "function", function);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

/* Lines are "ffffffff81000000 t name", with the module's "[name]" behind a tab. */
int timers_tell(struct stream *stream)
{
	char *text = file_read("/proc/kallsyms", NULL);
	int status = 0;

	for (char *line = text, *end; line && *line && status == 0; line = end + (*end == '\n')) {
		const char *space = strchr(line, ' ');
		size_t length;

		end = strchr(line, '\n');
		end = end ? end : line + strlen(line);
		if (!space || end - space < 4)
			continue;
		length = strcspn(space + 3, "\t\n");
		if (is_wanted(space + 3, length) && strtoull(line, NULL, 16))
			status = tell(stream, strtoull(line, NULL, 16), space + 3, length);
	}
	free(text);
	return status;
}
