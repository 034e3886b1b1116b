/*
 * state-query: say what attributes were, from a history of states.
 */
#include <time.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "state/glob.h"
#include "state/query.h"
#include "state/query_when.h"

static const char *format;
static uint64_t points;

static const struct option_entry options[] = {
	{OPTION_STRING, 'f', "format", &format, "FORMAT", .names = rows_format_name},
	{OPTION_COUNT, 'n', "points", &points, "N", "range: at most N intervals of each attribute"},
	{0},
};

/* The operands after the file and the question. */
struct words {
	char **word;
	int count;
};

static const char *word(const struct words *words, int index, const char *otherwise)
{
	return index < words->count ? words->word[index] : otherwise;
}

/* Reads the operands FROM and TO; without them, the span is the whole history. */
static void read_span(const struct history_file *file, const struct words *words, int64_t *from, int64_t *to)
{
	if (words->count < 2) {
		if (!history_span(file, from, to))
			die("the history is empty");
		return;
	}
	if (query_time(file, words->word[0], from) < 0 || query_time(file, words->word[1], to) < 0)
		die("%s", fail_text());
	if (*from >= *to)
		die_usage("FROM must be before TO");
}

/* Returns the pattern. Warns if no attribute matches it: it is probably a slip. */
static const char *pattern(struct history_file *file, const char *glob)
{
	for (size_t i = 0; i < history_count(file); i++)
		if (glob_matches(glob, history_path(file, i)) && history_holds(file, i))
			return glob;
	if (history_count(file) > 0)
		warn("no attribute matches '%s'; 'state-query FILE paths' lists them", glob);
	return glob;
}

static int ask_at(struct history_file *file, const struct words *words, struct rows *rows)
{
	int64_t ts;

	return query_time(file, words->word[0], &ts) < 0 ? -1 : query_at(file, ts, pattern(file, word(words, 1, "**")), rows);
}

static int ask_range(struct history_file *file, const struct words *words, struct rows *rows)
{
	int64_t from, to;

	read_span(file, words, &from, &to);
	return query_range(file, from, to, pattern(file, word(words, words->count == 1 ? 0 : 2, "**")), points, rows);
}

static int ask_stats(struct history_file *file, const struct words *words, struct rows *rows)
{
	int64_t from, to;

	read_span(file, words, &from, &to);
	return query_stats(file, from, to, pattern(file, words->word[words->count - 1]), rows);
}

static int ask_when(struct history_file *file, const struct words *words, struct rows *rows)
{
	return query_when(file, words->word[0], rows);
}

static int ask_paths(struct history_file *file, const struct words *words, struct rows *rows)
{
	return query_paths(file, pattern(file, word(words, 0, "**")), rows);
}

static int ask_views(struct history_file *file, const struct words *words, struct rows *rows)
{
	(void)words;
	return query_views(file, rows);
}

static const struct question {
	const char *name, *words;
	int least, most;
	int (*ask)(struct history_file *file, const struct words *words, struct rows *rows);
} questions[] = {
	{"at", "TIME [GLOB]", 1, 2, ask_at},	     {"range", "[FROM TO] [GLOB]", 0, 3, ask_range},
	{"stats", "[FROM TO] GLOB", 1, 3, ask_stats}, {"when", "CONDITION", 1, 1, ask_when},
	{"paths", "[GLOB]", 0, 1, ask_paths},	     {"views", "", 0, 0, ask_views},
};

static const char *question_name(size_t index)
{
	return index < sizeof(questions) / sizeof(questions[0]) ? questions[index].name : NULL;
}

static const struct question *find_question(const char *name, int words)
{
	int index = listing_find("question", name, question_name);
	const struct question *question = &questions[index < 0 ? 0 : index];

	if (index < 0)
		die_usage("%s", fail_text());
	if (words < question->least || words > question->most || (question->ask == ask_stats && words == 2))
		die_usage("it is '%s %s'", name, question->words);
	return question;
}

static enum rows_format wanted(void)
{
	int index = format ? listing_find("format", format, rows_format_name) : ROWS_TEXT;

	if (index < 0)
		die_usage("%s", fail_text());
	return (enum rows_format)index;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "FILE QUESTION [WORD...]", "say what attributes were, from a history of states");
	enum rows_format as = wanted();
	const struct question *question;
	struct history_file *file;
	struct words words;
	struct rows *rows;
	int status;
	bool closed;

	/* open */
	if (argc - first < 2)
		die_usage("a history and a question are missing, such as 'A.history at 15:43:07'");
	words = (struct words){argv + first + 2, argc - first - 2};
	question = find_question(argv[first + 1], words.count);
	interrupt_defer();
	file = history_open(argv[first]);
	if (!file)
		die("%s", fail_text());
	tzset();
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, 1);

	/* ask */
	rows = rows_new(stdout, as, query_wall(file));
	status = question->ask(file, &words, rows);
	if (status < 0)
		warn("%s", fail_text());
	rows_end(rows);
	if (file_flush(stdout, "standard output", &closed) < 0 && !closed) {
		warn("%s", fail_text());
		status = -1;
	}

	/* close */
	history_close(file);
	return status < 0 ? EXIT_FAILED : EXIT_DONE;
}
