/*
 * database: SQLite on a descriptor, and its failures as sentences. Private to history.c and history_read.c.
 *
 * SQLite wants a name; /proc/self/fd/N is one also for a file that has none yet, if SQLite does not ask where that leads.
 */
#ifndef STATE_DATABASE_H
#define STATE_DATABASE_H

#include <stdbool.h>

#include <sqlite3.h>

/* The tables of a history; a file whose tables were made in other words is none. */
#define DATABASE_ATTR "CREATE TABLE attr(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT NOT NULL)"
#define DATABASE_VALUE "CREATE TABLE value(id INTEGER PRIMARY KEY, text BLOB NOT NULL)"
#define DATABASE_META "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)"
#define DATABASE_CHUNK                                                                                                        \
	"CREATE TABLE chunk(attr INTEGER, t0 INTEGER, t1 INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(attr, t0)) WITHOUT ROWID"

/* A fact, "yes": intervals that last until the end reach beyond it, by 1 ns; in older histories they end there. */
#define HISTORY_HOLDS_END "holds_end"

/* NULL after fail(). `name` is for messages. */
sqlite3 *database_open(int fd, const char *name, bool write);

/* fail("cannot read 'NAME': why"), or write; returns -1. */
int database_fail(sqlite3 *database, const char *name, bool write);

/* NULL after fail(). */
sqlite3_stmt *database_prepare(sqlite3 *database, const char *name, const char *sql);

#endif
