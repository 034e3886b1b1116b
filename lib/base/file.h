/*
 * file: files written whole or not at all, temporary files, and the files that tailblame ships.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A file that appears under its name only when it is complete: written in the same folder without a name, then renamed. An end
 * in between leaves nothing behind. (Where the file system knows no files without a name it has one, which an exit removes, and a
 * deadly signal does not.) It takes the place of the file that a symbolic link leads to, if there is one yet, and has its mode if
 * that is a file of one's own; but it never runs with its owner's rights. A device or a pipe is written to as it is. Of what others
 * put into a shared folder nothing is followed, written, or replaced; see base/place.h.
 *
 *	struct file_draft *draft = file_draft("report.html");
 *	fprintf(file_draft_stream(draft), ...);
 *	return file_draft_keep(draft);
 */
struct file_draft;
struct file_draft *file_draft(const char *path); /* NULL after fail() */
FILE *file_draft_stream(struct file_draft *draft);
int file_draft_keep(struct file_draft *draft);	/* flushes, checks, renames; -1 after fail(); frees in any case */

/*
 * A file for what is recorded, written in place, for up to where it was cut a record is worth having: made with mode 0600, or one's
 * own with one name, with what it holds. A device or a pipe as above. A descriptor; -1 after fail().
 */
int file_record(const char *path);

/*
 * A file without a name in this folder, to be written and read back; NULL: where $TMPDIR says, else in /tmp. It is gone when it is
 * closed. NULL after fail(). file_settle() before it is read back: 0; -1 after fail() if not all that was put into it is there.
 */
const char *file_temporary_folder(void); /* the latter */
FILE *file_temporary(const char *folder);
int file_settle(FILE *temporary);

/*
 * What was put into an output is written: 0; -1 after fail("cannot write NAME: why"), without why where only the mark of an earlier
 * write is left. `*closed`: it is a pipe that nobody reads any more.
 */
int file_flush(FILE *output, const char *name, bool *closed);

/*
 * The whole file as text with NUL behind it; the caller frees it. `length` may be NULL. NULL after fail(): it cannot be read,
 * or it is larger than what people write or commands keep for themselves.
 */
enum { FILE_READ_MAX = 64 << 20 };
char *file_read(const char *path, size_t *length);

/*
 * Where a shipped file is: "charts/block.chart" is looked for under $TAILBLAME_DATA, then beside the program
 * (../share/tailblame where it is installed, .. in the source tree). The caller frees the path; NULL after fail().
 */
char *file_shipped(const char *name);

#endif
