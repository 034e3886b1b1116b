/*
 * A packed event of a format: the input is the text of a format file, a NUL, and the payload. Every field is spelled,
 * and read as number and as text.
 */
#include <string.h>

#include "base/number.h"
#include "event/event.h"
#include "support/fuzz.h"

static struct events *events;

static const char *const fields[] = {"prev_comm", "next_pid", "dev", "sector", "rwbs", "name", "args", "filename", "id", "common_pid"};

static int see_event(void *context, const struct record *record)
{
	struct event event;
	char text[32];
	int64_t number;

	(void)context;
	if (events_read(events, record, &event) < 0)
		return -1;
	events_learn_names(events, &event);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct event_field *field = event_type_field((struct event_type *)event.type, fields[i]);

		event_has(&event, field);
		event_number(&event, field);
		fuzz_must(event_text(&event, field, text, sizeof(text)) < sizeof(text));
		fuzz_must(event_spell_field(&event, field, text, sizeof(text)) < sizeof(text));
		fuzz_must(event_spell_number(event_read_number(&event, field, &number), number, text, sizeof(text)) < sizeof(text));
	}
	return STREAM_PASS;
}

static void put(FILE *file, enum kind kind, const void *first, size_t first_size, const void *second, size_t second_size)
{
	struct record_head head = {(uint32_t)(sizeof(head) + first_size + second_size), (uint8_t)kind, RECORD_PACKED, 0, 0};

	fwrite(&head, sizeof(head), 1, file);
	fwrite(first, first_size, 1, file);
	fwrite(second, second_size, 1, file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream_head head = {STREAM_MAGIC, STREAM_BYTE_ORDER, STREAM_OF_RECORDS, 0};
	struct packed_event event = {1000, 1};
	const uint8_t *nul = memchr(data, '\0', size);
	size_t format = nul ? (size_t)(nul - data) : size, written;
	struct handlers handlers = {.on[KIND_EVENT] = see_event};
	char *bytes = NULL, *files[1];
	FILE *file = open_memstream(&bytes, &written);
	struct stream *stream;

	fwrite(&head, sizeof(head), 1, file);
	put(file, KIND_FORMAT, "system", 7, data, format);
	if (nul)
		put(file, KIND_EVENT, &event, 12, nul + 1, size - format - 1);
	fclose(file);
	files[0] = (char *)fuzz_file(FUZZ_INPUT, bytes, written);
	free(bytes);
	stream = stream_open(files, 1);
	stream_output(stream, fuzz_output(FUZZ_FIRST), true);
	events = events_new(stream);
	stream_finish(stream, &handlers, NULL);
	events_free(events);
	return 0;
}
