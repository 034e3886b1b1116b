#include "stream/stage.h"

#include <unistd.h>

#include "base/fail.h"
#include "base/priority.h"

static int see_stage(void *context, const struct record *record)
{
	const struct fields *fields = stream_fields(context, record);
	int64_t tid = 0;

	if (!fields)
		return -1;
	if (fields_integer(fields, "tid", &tid) < 0)
		return stream_fail(context, "%s", fail_text());
	if (tid == getpid())
		priority_lower(PRIORITY_LOW);
	return 0;
}

void stage_lets_others_first(struct stream *stream)
{
	stream_watch(stream, KIND_STAGE, see_stage, stream);
}
