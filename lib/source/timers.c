#include "source/timers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "event/packet_timer.h"

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
		if (packet_timer_find(space + 3, length) >= 0 && strtoull(line, NULL, 16))
			status = tell(stream, strtoull(line, NULL, 16), space + 3, length);
	}
	free(text);
	return status;
}
