/*
 * open_files: how many files a process may have open at once: usually 1024, too few where each CPU needs several.
 */
#ifndef BASE_OPEN_FILES_H
#define BASE_OPEN_FILES_H

/* As many as the system lets this process have. */
void open_files_raise(void);

/* As many as before open_files_raise(); for a child that is to be another program. */
void open_files_restore(void);

/* Closes all from this one on. */
void open_files_close(int first);

#endif
