/* A history file of somebody else: each question has an answer, or a sentence. */
#include "state/query.h"
#include "state/query_when.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct history_file *file = history_open(fuzz_file(FUZZ_INPUT, data, size));
	struct rows *rows;
	int64_t from, to;

	if (!file)
		return 0;
	rows = rows_new(stderr, ROWS_CSV, query_wall(file));
	query_paths(file, "**", rows);
	rows_end(rows);
	rows = rows_new(stderr, ROWS_JSON, INT64_MIN);
	query_views(file, rows);
	rows_end(rows);
	if (history_span(file, &from, &to) && from < to) {
		rows = rows_new(stderr, ROWS_TEXT, query_wall(file));
		query_at(file, from + (to - from) / 2, "**", rows);
		query_range(file, from, to, "Threads/**", 4, rows);
		query_stats(file, from, to, "**", rows);
		query_when(file, "Threads/*/Fd == Threads/*/Fd && Requests/*/Command != null", rows);
		rows_end(rows);
	}
	history_close(file);
	return 0;
}
