#include "state/database.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Leaves the path unresolved, because the file that /proc/self/fd/N leads to may have no name. */
static int keep_name(sqlite3_vfs *vfs, const char *name, int room, char *full)
{
	(void)vfs;
	return snprintf(full, (size_t)room, "%s", name) < room ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* SQLite refuses symbolic links; this link is our own. */
static int open_descriptor(const char *name, int flags, int mode)
{
	return open(name, flags & ~O_NOFOLLOW, mode);
}

static const char *files(void)
{
	static sqlite3_vfs vfs;

	if (!vfs.zName) {
		vfs = *sqlite3_vfs_find("unix-none");
		vfs.zName = "descriptor";
		vfs.xFullPathname = keep_name;
		vfs.pNext = NULL;
		vfs.xSetSystemCall(&vfs, "open", (sqlite3_syscall_ptr)open_descriptor);
		sqlite3_vfs_register(&vfs, 0);
	}
	return vfs.zName;
}

int database_fail(sqlite3 *database, const char *name, bool write)
{
	return fail("cannot %s '%s': %s", write ? "write" : "read", name, database ? sqlite3_errmsg(database) : "out of memory");
}

sqlite3_stmt *database_prepare(sqlite3 *database, const char *name, const char *sql)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK)
		return statement;
	database_fail(database, name, !sqlite3_db_readonly(database, "main"));
	return NULL;
}

/*
 * The file may be hostile: its schema is not trusted, and the cells of each page are checked. All reads are in one transaction, or each query would
 * look for a journal. Rows are read in the order of the file, so a large cache would only waste memory.
 */
static const char reading[] = "PRAGMA trusted_schema=off; PRAGMA cell_size_check=on; PRAGMA query_only=on; PRAGMA mmap_size=0; PRAGMA cache_size=-512; BEGIN";
/* Pages of 8 KiB make the file 8 % smaller than 4 KiB and halve the calls to read all of it; larger pages slow the writing of many attributes. */
static const char writing[] = "PRAGMA page_size=8192; PRAGMA journal_mode=off; PRAGMA synchronous=off; PRAGMA locking_mode=exclusive; PRAGMA temp_store=memory;"
			      "PRAGMA cache_size=-65536";

sqlite3 *database_open(int fd, const char *name, bool write)
{
	char *path = memory_format("/proc/self/fd/%d", fd);
	sqlite3 *database = NULL;
	int status = sqlite3_open_v2(path, &database, (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX, files());

	free(path);
	if (status == SQLITE_OK && !write)
		status = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (status == SQLITE_OK)
		status = sqlite3_exec(database, write ? writing : reading, NULL, NULL, NULL);
	if (status == SQLITE_OK)
		return database;
	database_fail(database, name, write);
	sqlite3_close(database);
	return NULL;
}
