#include "export/format.h"

#include "base/fail.h"
#include "base/file.h"
#include "event/spell.h"

int export_flush(void *context)
{
	struct export *export = context;

	return file_flush(export->out, "the output", &export->closed);
}

int export_written(struct export *export)
{
	return ferror(export->out) ? export_flush(export) : 0;
}

int export_read_lost(struct export *export, const struct record *record, uint64_t *cpu, uint64_t *count)
{
	const struct fields *fields = stream_fields(export->stream, record);

	*cpu = *count = 0;
	if (!fields)
		return -1;
	if (fields_unsigned(fields, "cpu", cpu) < 0 || fields_unsigned(fields, "count", count) < 0)
		return stream_fail(export->stream, "%s", fail_text());
	return 0;
}

const struct fields *export_event_fields(struct export_event *room, const struct event *event, const char *comm)
{
	if (event->fields)
		return event->fields;
	event_spell(event, comm, &room->spelled);
	return fields_parse(&room->fields, room->spelled.text, room->spelled.length) < 0 ? NULL : &room->fields;
}

const struct field *export_own_fields(const struct fields *fields)
{
	const struct field *name = fields_find(fields, "name");

	return name ? name + 1 : fields->item + fields->count;
}

void export_leave_out(struct export *export, const char *reason)
{
	if (export->left_out++ == 0)
		export->reason = reason;
	stream_mark_incomplete(export->stream);
}
