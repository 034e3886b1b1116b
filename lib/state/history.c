#include "state/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "state/chunk.h"
#include "state/database.h"

enum { OPEN_BYTES_MAX = 64 << 20 };

static const char schema[] = DATABASE_ATTR ";" DATABASE_VALUE ";" DATABASE_META ";" DATABASE_CHUNK "; BEGIN";

/* The last row of an attribute that begins before a time and ends after it. */
#define STRADDLING "SELECT t0,data FROM chunk WHERE attr=?1 AND t0<?2 AND t1>?2 ORDER BY t0 DESC LIMIT 1"

/* The row of an attribute that is being filled. */
struct open_chunk {
	int64_t t0, t1;
	unsigned char *data;
	uint16_t length, room;
	uint8_t count; /* intervals in it; 0: there is no such row */
};

struct history {
	char *path;
	struct file_draft *draft;
	sqlite3 *database;
	sqlite3_stmt *put_chunk, *put_text, *put_name, *put_meta, *straddling, *drop_later;
	ARRAY(struct open_chunk) open; /* by node */
	size_t bytes;
	int64_t texts;
};

static int fail_write(const struct history *history)
{
	return database_fail(history->database, history->path, true);
}

struct history *history_new(const char *path)
{
	struct history *history = NEW(struct history);

	history->path = memory_text(path, strlen(path));
	history->draft = file_draft(path);
	if (history->draft && fchmod(fileno(file_draft_stream(history->draft)), 0600) == 0) /* the mode of all recordings */
		history->database = database_open(fileno(file_draft_stream(history->draft)), path, true);
	if (history->database && sqlite3_exec(history->database, schema, NULL, NULL, NULL) != SQLITE_OK) {
		fail_write(history);
	} else if (history->database) {
		history->put_chunk = database_prepare(history->database, path, "INSERT INTO chunk VALUES(?,?,?,?)");
		history->put_text = database_prepare(history->database, path, "INSERT INTO value VALUES(?,?)");
		history->put_name = database_prepare(history->database, path, "INSERT INTO attr VALUES(?,?,?)");
		history->put_meta = database_prepare(history->database, path, "INSERT OR REPLACE INTO meta VALUES(?,?)");
		history->straddling = database_prepare(history->database, path, STRADDLING);
		history->drop_later = database_prepare(history->database, path, "DELETE FROM chunk WHERE attr=? AND t0>=?");
	}
	if (history->drop_later)
		return history;
	history_free(history);
	return NULL;
}

void history_free(struct history *history)
{
	sqlite3_stmt *statements[] = {history->put_chunk, history->put_text,   history->put_name,
				      history->put_meta,  history->straddling, history->drop_later};

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		sqlite3_finalize(statements[i]);
	sqlite3_close(history->database);
	for (size_t i = 0; i < history->open.count; i++)
		free(history->open.items[i].data);
	free(history->open.items);
	free(history->path);
	free(history);
}

/* Runs a statement whose values are bound. 0; -1 after fail(). */
static int run(const struct history *history, sqlite3_stmt *statement)
{
	int status = sqlite3_step(statement);

	sqlite3_reset(statement);
	return status == SQLITE_DONE ? 0 : fail_write(history);
}

/* Rows */

static int write_row(struct history *history, uint32_t node, const struct open_chunk *chunk)
{
	sqlite3_bind_int64(history->put_chunk, 1, node);
	sqlite3_bind_int64(history->put_chunk, 2, chunk->t0);
	sqlite3_bind_int64(history->put_chunk, 3, chunk->t1);
	sqlite3_bind_blob(history->put_chunk, 4, chunk->data, chunk->length, SQLITE_STATIC);
	return run(history, history->put_chunk);
}

static void forget(struct history *history, struct open_chunk *chunk)
{
	history->bytes -= chunk->length;
	chunk->count = 0;
	chunk->length = 0;
}

static int flush(struct history *history, uint32_t node)
{
	struct open_chunk *chunk = &history->open.items[node];
	int status = chunk->count > 0 ? write_row(history, node, chunk) : 0;

	forget(history, chunk);
	return status;
}

static int flush_all(struct history *history)
{
	for (size_t node = 0; node < history->open.count; node++) {
		if (flush(history, (uint32_t)node) < 0)
			return -1;
		free(history->open.items[node].data);
		history->open.items[node] = (struct open_chunk){0};
	}
	return 0;
}

static struct open_chunk *open_chunk(struct history *history, uint32_t node)
{
	while (history->open.count <= node)
		*ARRAY_ADD(&history->open) = (struct open_chunk){0};
	return &history->open.items[node];
}

static int write_text(struct history *history, int64_t number, const char *text, size_t length)
{
	sqlite3_bind_int64(history->put_text, 1, number);
	sqlite3_bind_blob(history->put_text, 2, text, (int)length, SQLITE_STATIC);
	return run(history, history->put_text);
}

/* Writes the text of the value if the file does not have it yet. Returns 0; -1 after fail(). */
static int value_of(struct history *history, struct state_value value, struct chunk_value *stored)
{
	char room[STATE_VALUE_ROOM];
	const char *text;
	size_t length;
	int64_t *number;

	*stored = (struct chunk_value){.kind = CHUNK_NULL};
	if (value.kind == STATE_NUMBER)
		*stored = (struct chunk_value){CHUNK_NUMBER, value.number};
	if (value.kind != STATE_TEXT)
		return 0;
	number = state_text_number(value.text);
	if (*number == 0) {
		*number = ++history->texts;
		text = state_value_spell(value, room, &length);
		if (write_text(history, *number, text, length) < 0)
			return -1;
	}
	*stored = (struct chunk_value){CHUNK_TEXT, *number};
	return 0;
}

static void put(struct history *history, struct open_chunk *chunk, const struct chunk_interval *interval)
{
	size_t length;

	if (chunk->room - chunk->length < CHUNK_INTERVAL_ROOM) {
		chunk->room = (uint16_t)(2 * chunk->room + 2 * CHUNK_INTERVAL_ROOM);
		chunk->data = memory_grow(chunk->data, chunk->room, 1);
	}
	length = chunk_put(chunk->data + chunk->length, interval);
	chunk->length = (uint16_t)(chunk->length + length);
	chunk->t1 += interval->duration;
	chunk->count++;
	history->bytes += length;
}

/* Appends an interval. A row never begins with null. */
static int add(struct history *history, uint32_t node, int64_t from, int64_t to, struct state_value value)
{
	struct open_chunk *chunk = open_chunk(history, node);
	struct chunk_interval interval;

	if (chunk->count > 0 && (chunk->count == CHUNK_INTERVALS || chunk->t1 != from) && flush(history, node) < 0)
		return -1;
	if (chunk->count == 0 && value.kind == STATE_NULL)
		return 0;
	if (chunk->count == 0)
		chunk->t0 = chunk->t1 = from;
	if (value_of(history, value, &interval.value) < 0)
		return -1;
	interval.duration = to - from;
	put(history, chunk, &interval);
	return history->bytes > OPEN_BYTES_MAX ? flush_all(history) : 0;
}

/* Takes back */

/* Copies the intervals of a row, cut at `until`, to the open row. */
static void put_until(struct history *history, struct open_chunk *chunk, const unsigned char *data, size_t length, int64_t until)
{
	const unsigned char *at = data;
	struct chunk_interval interval;

	while (chunk->t1 < until && chunk_get(&at, data + length, &interval)) {
		if (interval.duration > until - chunk->t1)
			interval.duration = until - chunk->t1;
		put(history, chunk, &interval);
	}
}

/* Cuts the open row at `until`. */
static void cut_open(struct history *history, struct open_chunk *chunk, int64_t until)
{
	struct open_chunk whole = *chunk;

	history->bytes -= chunk->length;
	*chunk = (struct open_chunk){.t0 = whole.t0, .t1 = whole.t0};
	put_until(history, chunk, whole.data, whole.length, until);
	free(whole.data);
}

/* Cuts the written rows at `until`. A row that straddles it becomes the open row; it and all later rows are deleted. */
static int cut_written(struct history *history, uint32_t node, int64_t until)
{
	struct open_chunk *chunk = open_chunk(history, node);

	sqlite3_bind_int64(history->straddling, 1, node);
	sqlite3_bind_int64(history->straddling, 2, until);
	sqlite3_bind_int64(history->drop_later, 1, node);
	if (sqlite3_step(history->straddling) == SQLITE_ROW) {
		chunk->t0 = chunk->t1 = sqlite3_column_int64(history->straddling, 0);
		put_until(history, chunk, sqlite3_column_blob(history->straddling, 1), (size_t)sqlite3_column_bytes(history->straddling, 1), until);
		sqlite3_bind_int64(history->drop_later, 2, chunk->t0);
	} else {
		sqlite3_bind_int64(history->drop_later, 2, until);
	}
	sqlite3_reset(history->straddling);
	return run(history, history->drop_later);
}

static int change(void *context, uint32_t node, int64_t since, struct state_value before, int64_t ts, struct state_value now)
{
	(void)now;
	return add(context, node, since, ts, before);
}

static int take_back(void *context, uint32_t node, int64_t since, struct state_value before, int64_t from, int64_t ts)
{
	struct history *history = context;
	struct open_chunk *chunk = open_chunk(history, node);

	(void)ts;
	if (since < from)
		return add(history, node, since, from, before);
	if (chunk->count > 0 && chunk->t0 < from) {
		cut_open(history, chunk, from);
		return 0;
	}
	forget(history, chunk);
	return cut_written(history, node, from);
}

const struct state_sink history_sink = {change, take_back, false};

/* The end */

int history_tell(struct history *history, const char *key, const char *value)
{
	sqlite3_bind_text(history->put_meta, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_text(history->put_meta, 2, value, -1, SQLITE_STATIC);
	return run(history, history->put_meta);
}

static int write_names(struct history *history, const struct state_tree *tree)
{
	for (size_t node = 1; node < state_tree_count(tree); node++) {
		sqlite3_bind_int64(history->put_name, 1, (sqlite3_int64)node);
		sqlite3_bind_int64(history->put_name, 2, state_tree_parent(tree, (uint32_t)node));
		sqlite3_bind_text(history->put_name, 3, state_tree_name(tree, (uint32_t)node), -1, SQLITE_STATIC);
		if (run(history, history->put_name) < 0)
			return -1;
	}
	return 0;
}

struct last {
	struct history *history;
	int64_t end;
};

static int still(void *context, uint32_t node, int64_t since, struct state_value value)
{
	const struct last *last = context;
	int64_t until = last->end < INT64_MAX ? last->end + 1 : last->end; /* the attribute still has this value at the end */

	return since < until ? add(last->history, node, since, until, value) : 0;
}

static int tell_time(struct history *history, const char *key, int64_t ns)
{
	char text[STATE_VALUE_ROOM];
	size_t length;

	return history_tell(history, key, state_value_spell(state_value_number(ns), text, &length));
}

int history_keep(struct history *history, const struct state_machine *machine)
{
	struct file_draft *draft = history->draft;
	struct last last = {.history = history};
	int64_t from;

	if (state_machine_span(machine, &from, &last.end) &&
	    (tell_time(history, "from", from) < 0 || tell_time(history, "to", last.end) < 0 ||
	     history_tell(history, HISTORY_HOLDS_END, "yes") < 0 ||
	     state_attributes_each(state_machine_attributes(machine), still, &last) < 0))
		return -1;
	if (flush_all(history) < 0 || write_names(history, state_machine_tree(machine)) < 0)
		return -1;
	if (sqlite3_exec(history->database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		return fail_write(history);
	history->draft = NULL;
	return file_draft_keep(draft);
}
