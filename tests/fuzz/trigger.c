/* Triggers, and what they make of a stream. An input is a trigger file; behind a line "%%" a stream may follow, else a fixed one is used. */
#include <string.h>

#include "base/fail.h"
#include "support/fuzz.h"
#include "trigger/watch.h"

static const char fixed[] = "event ts=1 cpu=0 tid=7 comm=srv name=t:begin id=1 url=http://x/feed size=5\n"
			    "event ts=1.01 cpu=0 tid=7 name=t:finish id=1 ret=-1\n"
			    "event ts=1.5 cpu=0 tid=7 name=t:begin id=2 size=big\n"
			    "exception ts=1.6 tid=7 name=err what=no\n"
			    "event ts=2.5 cpu=0 tid=7 name=t:finish id=2 ret=7\n"
			    "lost ts=3 cpu=0 count=1\n"
			    "event ts=4 cpu=0 tid=8 name=t:begin id=1\n"
			    "event ts=4.002 cpu=0 tid=8 name=t:finish id=1\n"
			    "signal id=1 ts=5 start=4 chart=req key=k value=1 center=0.5 ucl=0.7 rules=1 tid=7\n"
			    "event ts=9000 cpu=0 tid=8 name=t:begin id=1\n";

/* What was written of a trigger says the same once more. */
static void check_text(const struct trigger_list *list)
{
	for (size_t i = 0; i < list->items.count; i++) {
		const struct trigger *one = list->items.items[i], *other;
		struct trigger_list again = {0};

		fuzz_must(trigger_parse(&again, one->text, strlen(one->text), "again") == 0);
		other = again.items.items[0];
		fuzz_must(again.items.count == 1 && !strcmp(one->name, other->name) && !strcmp(one->text, other->text));
		fuzz_must(one->values.count == other->values.count && one->until.count == other->until.count);
		trigger_list_free(&again);
	}
}

static void watch_stream(const struct trigger_list *list, const char *path, bool text)
{
	static volatile sig_atomic_t relearn, asked;
	struct policy policy = POLICY_OPEN;
	struct watch_options watching = {.rest = 1000000000, .own_charts = true};
	struct filter_options how = {.policy = &policy, .size = {.before = 1000000000, .bytes = 1 << 16, .burst = 1 << 12, .share = 0.01},
				     .relearn = &relearn, .asked = &asked};
	char *files[] = {(char *)path};
	struct stream *stream = stream_open(files, 1);
	struct filter *filter;
	struct watch *watch;

	policy.method = method_find("pot");
	fuzz_must(stream && policy_alarms(&policy, "1/h") == 0 && policy_check(&policy) == 0);
	stream_output(stream, fuzz_output(FUZZ_FIRST), text);
	watch = watch_new(stream, list, &watching);
	how.watch = watch_of_filter(watch);
	filter = filter_new(stream, &how);
	watch_filter(watch, filter);
	fuzz_must(filter_chart(filter, chart_parse("chart name=req\nstart event=t:begin key=id split=kind show=url,size\nend event=t:finish key=id\n", "req")) == 0);
	filter_finish(filter);
	filter_free(filter);
	watch_free(watch);
}

/* Firings may be as many as a clock that jumps has room for; a test of a second is enough. */
static bool is_patient(const struct trigger_list *list)
{
	for (size_t i = 0; i < list->items.count; i++) {
		const struct trigger *trigger = list->items.items[i];

		if (trigger->on == ON_ALWAYS && trigger->every < 1000000)
			return false;
		for (size_t k = 0; k < trigger->values.count; k++)
			if (trigger->values.items[k].from > INT64_C(100000000000))
				return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *cut = memmem(data, size, "\n%%\n", 4);
	size_t length = cut ? (size_t)(cut - (const char *)data) + 1 : size;
	struct trigger_list list = {0};
	const char *path;

	if (trigger_parse(&list, (const char *)data, length, "fuzz") == 0) {
		check_text(&list);
		path = cut ? fuzz_file(FUZZ_INPUT, data + length + 3, size - length - 3) : fuzz_file(FUZZ_INPUT, fixed, sizeof(fixed) - 1);
		if (is_patient(&list))
			watch_stream(&list, path, size & 1);
	}
	trigger_list_free(&list);
	return 0;
}
