/*
 * file: files written whole or not at all, temporary files, and the files that tailblame ships.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A file that gets its name only when it is complete. Until then it is a nameless file in the same folder, so that a crash leaves
 * nothing behind. (On file systems without nameless files it has a temporary name; an exit removes it, a deadly signal does not.)
 * A draft follows symbolic links and replaces the file there. It keeps the mode of a file of our own, but never set-user-ID or
 * set-group-ID. It writes straight to a device or a pipe. In a shared folder it follows, writes and replaces no file of another
 * user; see base/place.h.
 *
 *	struct file_draft *draft = file_draft("report.html");
 *	fprintf(file_draft_stream(draft), ...);
 *	return file_draft_keep(draft);
 */
struct file_draft;
struct file_draft *file_draft(const char *path); /* NULL after fail() */
struct file_draft *file_draft_record(const char *path); /* the same, for a recording: a new file has mode 0600 */
FILE *file_draft_stream(struct file_draft *draft);
int file_draft_keep(struct file_draft *draft);	/* flushes, checks, renames; -1 after fail(); frees in any case */

/*
 * Opens a file for a recording, which is written in place, because a recording that was cut is still worth having. The file is new, with mode
 * 0600, or a file of our own without other hard links, which keeps its contents; or a device or a pipe. Returns a descriptor; -1 after
 * fail().
 */
int file_record(const char *path);

/*
 * A nameless file in `folder` (NULL: $TMPDIR, else /tmp), to be written and read back; closing it removes it. NULL after fail().
 * Call file_settle() before reading back: 0; -1 after fail() if a write was lost.
 */
const char *file_temporary_folder(void); /* $TMPDIR or /tmp */
FILE *file_temporary(const char *folder);
int file_settle(FILE *temporary);

/*
 * Flushes an output: 0; -1 after fail("cannot write NAME: why"); the reason is missing if an earlier write failed. Sets *closed if
 * the output is a pipe without a reader.
 */
int file_flush(FILE *output, const char *name, bool *closed);

/*
 * The whole file as text with NUL after it; the caller frees it. `length` may be NULL. NULL after fail(): the file cannot be read, or is
 * larger than FILE_READ_MAX, a bound far above any configuration or state file.
 */
enum { FILE_READ_MAX = 64 << 20 };
char *file_read(const char *path, size_t *length);

/* The same for a regular file in whose folder others may have put a link (place_open_to_read()). */
char *file_read_safely(const char *path, size_t *length);

/*
 * Finds a shipped file, such as "charts/block.chart", under $TAILBLAME_DATA, then beside the program (../share/tailblame if
 * installed, .. in the source tree). The caller frees the path; NULL after fail().
 */
char *file_shipped(const char *name);

#endif
