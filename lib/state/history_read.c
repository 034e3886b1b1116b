#include "state/history_read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "state/chunk.h"
#include "state/database.h"
#include "state/tree.h"

enum { NO, YES, UNKNOWN };

struct attribute {
	int64_t id;
	char *path;
	size_t length;
	int depth, holds; /* holds: whether it has intervals; UNKNOWN until someone asks */
};

enum { TEXTS = 256 };

struct text { /* a text of the file */
	int64_t number;
	struct state_value value; /* null: this slot is empty */
};

struct history_file {
	char *name;
	int fd;
	sqlite3 *database;
	sqlite3_stmt *rows, *row, *any, *text, *fact;
	struct state_texts *texts;
	struct text read[TEXTS]; /* cache of texts, by number modulo TEXTS */
	ARRAY(struct attribute) attributes; /* by path */
	bool spans;
	int64_t from, to;
};

/* The rows of an attribute that begin before ?3, from the last one that begins at ?2 or earlier. */
#define ROWS                                                                                                                  \
	"SELECT t0,data FROM chunk WHERE attr=?1 AND t0<?3 AND t0>=ifnull((SELECT max(t0) FROM chunk WHERE attr=?1 AND t0<=?2),?2)" \
	" ORDER BY t0"

/* The last row of an attribute that begins at a time or earlier. */
#define ROW "SELECT t0,data FROM chunk WHERE attr=?1 AND t0<=?2 ORDER BY t0 DESC LIMIT 1"

#define ANY "SELECT 1 FROM chunk WHERE attr=? LIMIT 1"
#define NAMES "SELECT id,parent,name FROM attr ORDER BY id"

/* Counts the tables that were made by our own statements. A view in the place of a table could run any query, even one without an end. */
#define TABLES "SELECT count(*) FROM sqlite_schema WHERE type='table' AND sql IN(?,?,?,?)"

enum { PATHS_MAX = 256 << 20 /* bytes of all paths together */ };

static int fail_read(const struct history_file *file)
{
	return database_fail(file->database, file->name, false);
}

static int fail_broken(const struct history_file *file, const char *what)
{
	return fail("'%s' is no whole history: %s", file->name, what);
}

/* Adds a name below its parent, which must precede it. Returns 0; -1 after fail(). */
static int read_name(struct history_file *file, sqlite3_stmt *names)
{
	int64_t id = sqlite3_column_int64(names, 0), parent = sqlite3_column_int64(names, 1);
	const char *name = (const char *)sqlite3_column_text(names, 2);
	size_t length = name ? (size_t)sqlite3_column_bytes(names, 2) : 0;
	struct attribute attribute = {.id = id, .holds = UNKNOWN};
	const struct attribute *above;

	if (id != (int64_t)file->attributes.count + 1)
		return fail_broken(file, "a name is missing");
	above = parent > 0 && parent < id ? &file->attributes.items[parent - 1] : NULL;
	if (parent < 0 || parent >= id || length == 0 || length > STATE_NAME_MAX || strlen(name) != length || (above && above->depth >= STATE_DEPTH_MAX))
		return fail_broken(file, "a name has no place");
	attribute.depth = above ? above->depth + 1 : 1;
	attribute.length = (above ? above->length + 1 : 0) + length;
	attribute.path = memory_new(attribute.length + 1, 1);
	if (above) {
		memcpy(attribute.path, above->path, above->length);
		attribute.path[above->length] = '/';
	}
	memcpy(attribute.path + attribute.length - length, name, length);
	*ARRAY_ADD(&file->attributes) = attribute;
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct attribute *)a)->path, ((const struct attribute *)b)->path);
}

static int read_names(struct history_file *file)
{
	sqlite3_stmt *names = database_prepare(file->database, file->name, NAMES);
	size_t bytes = 0;
	int status = names ? 0 : -1, step = SQLITE_DONE;

	while (status == 0 && (step = sqlite3_step(names)) == SQLITE_ROW) {
		status = read_name(file, names);
		if (status == 0)
			bytes += file->attributes.items[file->attributes.count - 1].length;
		if (bytes > PATHS_MAX)
			status = fail_broken(file, "its paths are too long");
	}
	if (status == 0 && step != SQLITE_DONE)
		status = fail_read(file);
	sqlite3_finalize(names);
	if (file->attributes.count > 0)
		qsort(file->attributes.items, file->attributes.count, sizeof(*file->attributes.items), by_path);
	return status;
}

static int check_tables(const struct history_file *file)
{
	static const char *const tables[] = {DATABASE_ATTR, DATABASE_VALUE, DATABASE_META, DATABASE_CHUNK};
	sqlite3_stmt *count = database_prepare(file->database, file->name, TABLES);
	int status = -1;

	for (int i = 0; count && i < 4; i++)
		sqlite3_bind_text(count, i + 1, tables[i], -1, SQLITE_STATIC);
	if (count && sqlite3_step(count) != SQLITE_ROW)
		fail_read(file);
	else if (count && sqlite3_column_int(count, 0) != 4)
		fail("'%s' is no history", file->name);
	else if (count)
		status = 0;
	sqlite3_finalize(count);
	return status;
}

static int open_database(struct history_file *file)
{
	struct stat status;

	file->fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 || fstat(file->fd, &status) < 0)
		return fail_errno("cannot open '%s'", file->name);
	if (!S_ISREG(status.st_mode))
		return fail("'%s' is no file", file->name);
	file->database = database_open(file->fd, file->name, false);
	if (!file->database || check_tables(file) < 0)
		return -1;
	file->rows = database_prepare(file->database, file->name, ROWS);
	file->row = file->rows ? database_prepare(file->database, file->name, ROW) : NULL;
	file->any = file->row ? database_prepare(file->database, file->name, ANY) : NULL;
	file->text = file->any ? database_prepare(file->database, file->name, "SELECT text FROM value WHERE id=?") : NULL;
	file->fact = file->text ? database_prepare(file->database, file->name, "SELECT value FROM meta WHERE key=?") : NULL;
	return file->fact ? 0 : -1;
}

static bool read_time(const struct history_file *file, const char *key, int64_t *ns)
{
	char *text = history_fact(file, key);
	bool known = text && number_integer(text, strlen(text), ns) == 0;

	free(text);
	return known;
}

struct history_file *history_open(const char *path)
{
	struct history_file *file = NEW(struct history_file);

	file->name = memory_text(path, strlen(path));
	file->fd = -1;
	file->texts = state_texts_new();
	if (open_database(file) == 0 && read_names(file) == 0) {
		file->spans = read_time(file, "from", &file->from) && read_time(file, "to", &file->to) && file->from <= file->to;
		return file;
	}
	history_close(file);
	return NULL;
}

void history_close(struct history_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->attributes.count; i++)
		free(file->attributes.items[i].path);
	free(file->attributes.items);
	sqlite3_finalize(file->rows);
	sqlite3_finalize(file->row);
	sqlite3_finalize(file->any);
	sqlite3_finalize(file->text);
	sqlite3_finalize(file->fact);
	sqlite3_close(file->database);
	if (file->fd >= 0)
		close(file->fd);
	for (size_t i = 0; i < TEXTS; i++)
		state_value_drop(file->texts, &file->read[i].value);
	state_texts_free(file->texts);
	free(file->name);
	free(file);
}

bool history_span(const struct history_file *file, int64_t *from, int64_t *to)
{
	*from = file->from;
	*to = file->to;
	return file->spans;
}

char *history_fact(const struct history_file *file, const char *key)
{
	char *fact = NULL;

	sqlite3_bind_text(file->fact, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(file->fact) == SQLITE_ROW && sqlite3_column_text(file->fact, 0))
		fact = memory_text((const char *)sqlite3_column_text(file->fact, 0), (size_t)sqlite3_column_bytes(file->fact, 0));
	sqlite3_reset(file->fact);
	return fact;
}

bool history_holds_end(struct history_file *file)
{
	char *fact = history_fact(file, HISTORY_HOLDS_END);
	bool holds = fact && strcmp(fact, "yes") == 0;

	free(fact);
	return holds;
}

size_t history_count(const struct history_file *file)
{
	return file->attributes.count;
}

const char *history_path(const struct history_file *file, size_t index)
{
	return file->attributes.items[index].path;
}

int history_holds(struct history_file *file, size_t index)
{
	struct attribute *attribute = &file->attributes.items[index];
	int step;

	if (attribute->holds != UNKNOWN)
		return attribute->holds;
	sqlite3_bind_int64(file->any, 1, attribute->id);
	step = sqlite3_step(file->any);
	sqlite3_reset(file->any);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return fail_read(file);
	attribute->holds = step == SQLITE_ROW ? YES : NO;
	return attribute->holds;
}

struct state_texts *history_texts(const struct history_file *file)
{
	return file->texts;
}

/* The text with this number, from the cache or the file. NULL after fail(). */
static const struct text *text_of(struct history_file *file, int64_t number)
{
	struct text *read = &file->read[(uint64_t)number % TEXTS];

	if (read->value.kind != STATE_NULL && read->number == number)
		return read;
	sqlite3_bind_int64(file->text, 1, number);
	if (sqlite3_step(file->text) == SQLITE_ROW) {
		const char *text = sqlite3_column_blob(file->text, 0);

		state_value_drop(file->texts, &read->value);
		*read = (struct text){number, state_value_read(file->texts, text ? text : "", (size_t)sqlite3_column_bytes(file->text, 0))};
	} else {
		read = NULL;
		fail_broken(file, "a value has no text");
	}
	sqlite3_reset(file->text);
	return read;
}

/* The caller owns a reference to the value. Returns 0; -1 after fail(). */
static int value_of(struct history_file *file, struct chunk_value stored, struct state_value *value)
{
	const struct text *text = stored.kind == CHUNK_TEXT ? text_of(file, stored.number) : NULL;

	*value = text ? state_value_share(text->value) : stored.kind == CHUNK_NUMBER ? state_value_number(stored.number) : (struct state_value){0};
	return stored.kind == CHUNK_TEXT && !text ? -1 : 0;
}

struct walk {
	int64_t from, to, at; /* at: the end of the previous row */
	history_seen *seen;
	void *context;
};

/* Calls `seen` for the intervals of a row. */
static int walk_row(struct history_file *file, sqlite3_stmt *row, struct walk *walk)
{
	int64_t at = sqlite3_column_int64(row, 0);
	const unsigned char *data = sqlite3_column_blob(row, 1), *end = data + sqlite3_column_bytes(row, 1);
	struct chunk_interval interval;
	int status = 0;

	if (at < walk->at)
		return fail_broken(file, "rows that overlap");
	if (!chunk_seek(&data, end, &at, walk->from))
		return fail_broken(file, "intervals that cannot be read");
	while (status == 0 && data < end && at < walk->to) {
		struct state_value value;
		int64_t until;

		if (!chunk_get(&data, end, &interval) || __builtin_add_overflow(at, interval.duration, &until))
			return fail_broken(file, "intervals that cannot be read");
		if (until > walk->from) {
			if (value_of(file, interval.value, &value) < 0)
				return -1;
			status = walk->seen(walk->context, at, until, value);
			state_value_drop(file->texts, &value);
		}
		at = until;
	}
	walk->at = at;
	return status;
}

int history_walk(struct history_file *file, size_t index, int64_t from, int64_t to, history_seen *seen, void *context)
{
	struct walk walk = {from, to, INT64_MIN, seen, context};
	int status = 0, step;

	sqlite3_bind_int64(file->rows, 1, file->attributes.items[index].id);
	sqlite3_bind_int64(file->rows, 2, from);
	sqlite3_bind_int64(file->rows, 3, to);
	while (status == 0 && (step = sqlite3_step(file->rows)) == SQLITE_ROW)
		status = walk_row(file, file->rows, &walk);
	if (status == 0 && step != SQLITE_DONE)
		status = fail_read(file);
	sqlite3_reset(file->rows);
	return status;
}

static int keep_value(void *context, int64_t from, int64_t to, struct state_value value)
{
	(void)from;
	(void)to;
	*(struct state_value *)context = state_value_share(value);
	return 1;
}

static int read_value(struct history_file *file, const struct attribute *attribute, int64_t ts, struct state_value *value)
{
	struct walk walk = {ts, ts < INT64_MAX ? ts + 1 : ts, INT64_MIN, keep_value, value};
	int status = 0, step;

	sqlite3_bind_int64(file->row, 1, attribute->id);
	sqlite3_bind_int64(file->row, 2, ts);
	step = sqlite3_step(file->row);
	if (step == SQLITE_ROW)
		status = walk_row(file, file->row, &walk);
	else if (step != SQLITE_DONE)
		status = fail_read(file);
	sqlite3_reset(file->row);
	return status < 0 ? -1 : 0;
}

/* Reads attributes in the order of their ids, as rows are in the file, so that each part of the file is read once. */
int history_at(struct history_file *file, int64_t ts, const bool *wanted, struct state_value *values)
{
	size_t count = file->attributes.count, *places = memory_new(count + 1, sizeof(*places));
	int status = 0;

	for (size_t i = 0; i < count; i++)
		places[file->attributes.items[i].id - 1] = i;
	for (size_t n = 0; n < count && status == 0; n++)
		if (wanted[places[n]])
			status = read_value(file, &file->attributes.items[places[n]], ts, &values[places[n]]);
	free(places);
	return status;
}
