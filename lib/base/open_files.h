/*
 * open_files: raises the limit of open files, which is usually 1024: too few if each CPU needs several.
 */
#ifndef BASE_OPEN_FILES_H
#define BASE_OPEN_FILES_H

/* Raises the limit as far as the system allows. */
void open_files_raise(void);

/* Restores the limit from before open_files_raise(); for a child about to exec. */
void open_files_restore(void);

/* Closes all descriptors from `first` on. */
void open_files_close(int first);

#endif
