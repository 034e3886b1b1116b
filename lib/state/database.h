/*
 * database: opens an SQLite database on a descriptor, and reports SQLite's failures. Private to history.c and history_read.c.
 *
 * SQLite wants a path. /proc/self/fd/N works even for a file that has no name yet, as long as SQLite does not resolve the link.
 */
#ifndef STATE_DATABASE_H
#define STATE_DATABASE_H

#include <stdbool.h>

#include <sqlite3.h>

/* The tables of a history. A file whose tables were made by other statements is no history. */
#define DATABASE_ATTR "CREATE TABLE attr(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL)"
#define DATABASE_VALUE "CREATE TABLE value(id INTEGER PRIMARY KEY, text BLOB NOT NULL)"
#define DATABASE_META "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)"
#define DATABASE_CHUNK                                                                                                        \
	"CREATE TABLE chunk(attr INTEGER, t0 INTEGER, t1 INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(attr, t0)) WITHOUT ROWID"

/* The key of a fact. "yes": intervals that last until the end reach 1 ns beyond it; in older histories they end there. */
#define HISTORY_HOLDS_END "holds_end"

/* NULL after fail(). `name` is for messages; the descriptor stays the caller's. */
sqlite3 *database_open(int fd, const char *name, bool write);

/* fail("cannot read 'NAME': why"), or "cannot write ..."; returns -1. */
int database_fail(sqlite3 *database, const char *name, bool write);

/* NULL after fail(). The caller finalizes the statement. */
sqlite3_stmt *database_prepare(sqlite3 *database, const char *name, const char *sql);

#endif
