/* The commands as functions. Each is the recipe of its main(), with options from a table. */
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/event.h"
#include "fuzz.h"
#include "calls/graph_builder.h"
#include "report/report.h"
#include "window/filter.h"

int stage_cat(const char *path, int output, bool text)
{
	char *files[] = {(char *)path};
	struct handlers handlers = {.hosts = true};
	struct stream *stream = stream_open(files, 1);
	struct events *events;
	int status;

	stream_output(stream, fuzz_output(output), text);
	stream_copy_ends(stream);
	events = events_new(stream);
	status = stream_finish(stream, &handlers, NULL);
	events_free(events);
	return status;
}

static const struct filter_variant {
	const char *method, *scale, *sides, *rules, *alarms;
	int64_t before, after;
	double keep;
	uint64_t baseline;
	int64_t recompute;
	const char *chart; /* NULL: by the stream */
} filters[FILTERS] = {
	{"pot", NULL, NULL, NULL, "1/h", NSEC_PER_SEC, 10000000, 1, BASELINE_OPEN, 0, NULL},
	{"pot", NULL, NULL, NULL, "0.001", NSEC_PER_SEC, 10000000, 1, 20, 0, NULL},
	{"pot", NULL, NULL, NULL, "6/m", 1000, 1000, 0.5, 20, 0, "runq"},
	{"pot", NULL, "upper", NULL, "0.01", 0, 0, 1, 10, NSEC_PER_SEC, "syscall"},
	{"imr", NULL, NULL, "1,2,3,4,5,6,7,8", "1/h", NSEC_PER_SEC, 10000000, 1, 5, 0, NULL},
	{"imr", "linear", "both", "1,5", "1/h", INT64_MAX, INT64_MAX, 1, 5, NSEC_PER_SEC, "runq"},
	{"paper", NULL, NULL, NULL, "1/h", NSEC_PER_SEC, 0, 1, 10, 0, NULL},
	{"xbar-r", NULL, "both", "1,2,3,4", "1/h", NSEC_PER_SEC, 0, 0.01, 2, 0, NULL},
	{"xbar-s", "linear", NULL, "1", "1/h", 1, 1, 1, 2, 0, NULL},
	{"ewma", NULL, "both", NULL, "1/h", NSEC_PER_SEC, 10000000, 1, 5, 0, NULL},
	{"p", NULL, NULL, NULL, "1/h", NSEC_PER_SEC, 0, 1, 3, 0, NULL},
	{"u", NULL, "both", "1,2", "1/h", NSEC_PER_SEC, 0, 1, 3, 0, NULL},
	{"imr", NULL, "upper", NULL, "1/h", NSEC_PER_SEC, 1000000, 1, 3, 0, "block"},
	{"imr", NULL, "upper", NULL, "1/h", NSEC_PER_SEC, 1000000, 1, 3, 0, "block-service"},
	{"imr", NULL, "upper", NULL, "1/h", NSEC_PER_SEC, 1000000, 1, 3, 0, "syscall"},
	{"imr", NULL, "upper", NULL, "1/h", NSEC_PER_SEC, 1000000, 1, 3, 0, "runq"},
	{"imr", NULL, "upper", NULL, "1/h", NSEC_PER_SEC, 1000000, 1, 3, 0, "func:server:serve"},
	{"ewma", "linear", "lower", "1", "1/h", 0, NSEC_PER_SEC, 0.1, 4, 1, "runq"},
	{"paper", "linear", "upper", "1", "1/h", NSEC_PER_SEC, 0, 1, 10, 1, "runq"},
	{"pot", NULL, NULL, NULL, "1/s", NSEC_PER_SEC, 10000000, 0.9, 15, 0, "runq"},
	{"pot", NULL, NULL, NULL, "1/h", NSEC_PER_SEC, 10000000, 1, 8, 0, "syscall-errors"},
	{"pot", NULL, NULL, NULL, "1/h", NSEC_PER_SEC, 10000000, 0.5, 10, 0, "wakeups"},
	{"imr", NULL, NULL, NULL, "1/h", 0, 0, 1, 3, NSEC_PER_SEC, "interrupts"},
};

static void judge(struct policy *policy, const struct filter_variant *v)
{
	policy->method = method_find(v->method);
	policy->baseline = v->baseline;
	policy->recompute = v->recompute;
	if ((v->scale && policy_scale(policy, v->scale) < 0) || (v->sides && policy_sides(policy, v->sides) < 0) ||
	    (v->rules && policy_rules(policy, v->rules) < 0) || policy_alarms(policy, v->alarms) < 0 ||
	    policy_check(policy) < 0) {
		fprintf(stderr, "%s\n", fail_text());
		abort();
	}
}

static void hush(const char *format, ...)
{
	(void)format;
}

int stage_filter(const char *path, int output, unsigned variant)
{
	static volatile sig_atomic_t relearn, asked;
	const struct filter_variant *v = &filters[variant];
	char *files[] = {(char *)path};
	struct policy policy = POLICY_OPEN;
	struct limits_book *book = limits_book_new();
	struct filter_options how = {
		.policy = &policy,
		.size = {.before = v->before, .after = v->after, .bytes = 1 << 16, .burst = 1 << 12, .share = v->keep},
		.relearn = &relearn,
		.asked = &asked,
	};
	struct stream *stream = stream_open(files, 1);
	struct filter *filter;
	int status;

	judge(&policy, v);
	policy.known = book;
	stream_output(stream, fuzz_output(output), variant & 1);
	stream_report_usage(stream, "cchart-filter");
	filter = filter_new(stream, &how);
	if (v->chart)
		fuzz_must(filter_chart(filter, chart_load(v->chart)) == 0);
	status = filter_finish(filter);
	if (status != 1)
		filter_complaints(filter, hush);
	if (status != 1)
		fuzz_must(filter_save(filter, book, file_draft("/dev/null")) == 0);
	filter_free(filter);
	limits_book_free(book);
	return status;
}

static const char *const formats[REPORTS] = {"text", "json", "html", "text", "text", "json"};

int stage_report(const char *path, int output, unsigned variant)
{
	struct report_options how = {.format = formats[variant], .output = variant == 2 ? fuzz_folder() : NULL, .width = 80, .whole = variant != 3,
				     .plot = variant == 0, .table = variant > 3};
	char *files[] = {(char *)path};
	struct stream *stream = stream_open(files, 1);
	struct report *report;
	int status;

	how.out = fdopen(dup(fuzz_output(output)), "w");
	report = report_new(stream, &how);
	status = report_run(report);
	report_free(report);
	if (stream_close(stream) == 1 || status < 0)
		status = 1;
	fclose(how.out);
	return status;
}
