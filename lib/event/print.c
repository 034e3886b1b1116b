#include "event/print.h"

#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/memory.h"
#include "event/format.h"

/* A dynamic field's offset and length have 16 bits each: the library reads at most this far. */
enum { BEHIND = 2 << 16 };

struct printer {
	struct trace_seq seq;
	char *copy;        /* the payload, with zeros behind it */
	size_t room, used; /* size of the copy; bytes of it that an earlier payload left non-zero */
};

struct printer *printer_new(void)
{
	struct printer *printer = NEW(struct printer);

	trace_seq_init(&printer->seq);
	return printer;
}

void printer_free(struct printer *printer)
{
	trace_seq_destroy(&printer->seq);
	free(printer->copy);
	free(printer);
}

/* The library trusts lengths in the payload, and reads strings up to their NUL, wherever it is. */
static void copy_payload(struct printer *printer, const struct event *event)
{
	size_t wanted = event->size + BEHIND;

	if (wanted > printer->room) {
		free(printer->copy);
		printer->copy = memory_new(wanted, 1);
		printer->room = wanted;
	} else if (printer->used > event->size) {
		memset(printer->copy + event->size, 0, printer->used - event->size);
	}
	memcpy(printer->copy, event->payload, event->size);
	printer->used = event->size;
}

static bool prepare(struct printer *printer, const struct event *event, const struct tep_event *format,
		    printer_clean *clean)
{
	uint32_t offset, length;

	copy_payload(printer, event);
	for (const struct tep_format_field *field = format->format.fields; field; field = field->next) {
		if (!format_locate(field, event, &offset, &length))
			return false;
		if (clean && field->flags & TEP_FIELD_IS_STRING && field->size > 0) /* a field without a length ends the line, too */
			clean(field->name, printer->copy + offset, strnlen(printer->copy + offset, length));
	}
	return true;
}

const char *printer_print(struct printer *printer, const struct event *event, printer_clean *clean)
{
	struct tep_event *format = event->type->format;
	struct tep_record record = {.ts = (unsigned long long)event->ts, .cpu = (int)event->cpu};

	if (!event->payload || !format || format->flags & TEP_EVENT_FL_FAILED ||
	    !prepare(printer, event, format, clean))
		return NULL;
	record.data = printer->copy;
	record.size = (int)event->size;
	trace_seq_reset(&printer->seq);
	tep_print_event(format->tep, &printer->seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&printer->seq);
	if (printer->seq.state != TRACE_SEQ__GOOD || format->flags & TEP_EVENT_FL_FAILED)
		return NULL;
	return printer->seq.buffer;
}
