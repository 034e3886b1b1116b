/* trace-export: every format. What comes of it is whole in that format; a trace.dat is given to trace-import. */
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "export/export.h"
#include "support/fuzz.h"

static const struct export_options tracedat = {"tracedat", ""}, variants[] = {
	{"ftrace", ""},
	{"ftrace", "", .nanoseconds = true, .exact = true},
	{"perfetto", ""},
	{"folded", ""},
	{"csv", "", .kind = "signal"},
	{"csv", "", .kind = "path"},
	{"csv", "", .kind = "event"},
	{"csv", "", .kind = "event", .event = "sched:sched_switch"},
	{"ftrace", "a"},
	{"perfetto", "a"},
	{"csv", "b", .kind = "event"},
};

enum { VARIANTS = sizeof(variants) / sizeof(*variants) };

/* The recipe of its main(). Returns the exit status. */
static int export_file(const char *path, int output, const struct export_options *options)
{
	char *files[] = {(char *)path};
	FILE *out = fdopen(dup(fuzz_output(output)), "w");
	struct stream *stream;
	struct export *export;
	int status = 1;

	fuzz_must(export_check(options) == 0);
	stream = stream_open(files, 1);
	export = export_new(stream, options, out, fuzz_folder());
	if (export_run(export) == 0)
		status = 0;
	fuzz_must(status == 0 || *fail_text());
	export_complaint(export);
	export_free(export);
	if (stream_close(stream) == 1)
		status = 1;
	fclose(out);
	return status;
}

/* No line controls a terminal, or ends within. */
static void check_lines(const char *text, size_t length)
{
	fuzz_must(length == 0 || text[length - 1] == '\n');
	for (size_t i = 0; i < length; i++)
		fuzz_must(text[i] == '\n' || ((unsigned char)text[i] >= ' ' && text[i] != 0x7f));
}

/* "     comm-1 [000] ....  1.000000: name: text" */
static void check_ftrace(const char *text, size_t length)
{
	check_lines(text, length);
	for (const char *line = text, *end; line < text + length; line = end + 1) {
		const char *cpu, *time;

		end = strchr(line, '\n');
		if (*line == '#' || !strncmp(line, "CPU:", 4))
			continue;
		cpu = memmem(line, (size_t)(end - line), " [", 2);
		time = cpu ? memmem(cpu, (size_t)(end - cpu), ": ", 2) : NULL;
		fuzz_must(cpu && time);
	}
}

/* "stack;of;frames 12" */
static void check_folded(const char *text, size_t length)
{
	check_lines(text, length);
	for (const char *line = text, *end; line < text + length; line = end + 1) {
		const char *blank;

		end = strchr(line, '\n');
		blank = memrchr(line, ' ', (size_t)(end - line));
		fuzz_must(blank && blank > line && strspn(blank + 1, "0123456789") == (size_t)(end - blank - 1) && blank + 1 < end);
	}
}

/* RFC 4180: every row has as many cells as the first. */
static void check_csv(const char *text, size_t length)
{
	size_t cells = 1, first = 0;
	bool quoted = false;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			quoted = !quoted;
		fuzz_must(text[i] != '\0');
		if (quoted)
			continue;
		cells += text[i] == ',';
		if (text[i] != '\n')
			continue;
		fuzz_must(i > 0 && text[i - 1] == '\r' && (!first || cells == first));
		first = cells;
		cells = 1;
	}
	fuzz_must(!quoted && cells == 1 && first && text[length - 1] == '\n');
}

/* Packets: field 1 of the trace, with its length, until nothing is left. */
static void check_perfetto(const char *text, size_t length)
{
	enum { PACKET = 1 << 3 | 2 };

	for (size_t at = 0; at < length;) {
		uint64_t size = 0;
		unsigned shift = 0;

		fuzz_must(text[at++] == PACKET);
		do {
			fuzz_must(at < length && shift < 64);
			size |= (uint64_t)(text[at] & 0x7f) << shift;
			shift += 7;
		} while (text[at++] & 0x80);
		fuzz_must(size <= length - at);
		at += size;
	}
}

static void check(const char *format)
{
	static const struct {
		const char *format;
		void (*check)(const char *text, size_t length);
	} checks[] = {{"ftrace", check_ftrace}, {"folded", check_folded}, {"csv", check_csv}, {"perfetto", check_perfetto}};
	size_t length;
	char *text = fuzz_content(FUZZ_FIRST, &length);

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (!strcmp(format, checks[i].format))
			checks[i].check(text, length);
	free(text);
	if (!strcmp(format, "tracedat")) /* which may refuse what it does not know, such as a clock */
		stage_import(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, 0);
}

static void export_and_check(const char *path, const struct export_options *options)
{
	if (export_file(path, FUZZ_FIRST, options) == 0)
		check(options->format);
}

/* A binary stream has no place for a comment: its length chooses. And only such a stream has what a trace.dat needs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool comment = size > 0 && data[0] == '#';
	unsigned variant = comment ? fuzz_variant(data, size, VARIANTS) : (unsigned)(size % VARIANTS);
	const char *path = fuzz_file(FUZZ_INPUT, data, size);

	export_and_check(path, &variants[variant]);
	if (!comment)
		export_and_check(path, &tracedat);
	return 0;
}
