/*
 * loaded: libraries that processes have loaded, by /proc, whether the program names them or not.
 */
#ifndef PROGRAM_LOADED_H
#define PROGRAM_LOADED_H

#include <stddef.h>

/* A file as it is to be opened, even where it is in a container or has been deleted, and its name. Both are lent. */
typedef void loaded_taker(void *context, const char *path, const char *name);

/*
 * Calls `take` for each file that a process which runs this program has code of, the program among them; the same file may come again.
 * Returns how many such processes there are whose files could be read. Cannot fail.
 */
size_t loaded_by(const char *program, loaded_taker *take, void *context);

#endif
