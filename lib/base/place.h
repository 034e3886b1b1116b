/*
 * place: the target of a write, or a read: the folder that a path leads to, held open, and a name in it. Every later call uses that
 * descriptor, so nobody can put another folder or a link there between a check and a use.
 *
 * A folder is shared if users other than us, or a group other than ours, can write to it, as to /tmp. Here a symbolic link in a shared folder
 * is followed, and a file written, only if it belongs to us or to the folder's owner. The kernel does the same if fs.protected_symlinks,
 * _regular and _fifos are set, but only in sticky folders that all can write to.
 */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct place {
	char *path;	    /* as given, for messages */
	int folder;	    /* descriptor, O_PATH */
	char *name;	    /* in the folder */
	int there;	    /* descriptor, O_PATH, of the file with this name; -1: there is none */
	struct stat status; /* of that file */
	bool open;	    /* the path leads to an open file of a process, such as /dev/stdout */
};

/*
 * Follows the path. 0; -1 after fail(): it leads nowhere, to a folder, through a link of another user, or to a file that must
 * not be written. Call place_end() in either case.
 */
int place_find(struct place *place, const char *path);
void place_end(struct place *place);

/* Tells whether the place is empty or holds a regular file that can be replaced. */
bool place_is_file(const struct place *place);

/*
 * Opens the file for writing: a descriptor; -1 after fail(). Refuses a pipe or terminal of another user, because writing to it might
 * block for ever.
 */
int place_open(const struct place *place);

/*
 * Opens a regular file for reading: a descriptor; -1 after fail(). A symbolic link is followed only if root or this user made it, whatever the
 * folder: the owner of a folder could otherwise have root read a file that the owner must not read.
 */
int place_open_to_read(const char *path);

/* The folder that a path leads to: a descriptor, O_PATH; -1 after fail(). */
int place_folder(const char *path);

/* Makes a folder, with the mode that the umask allows, unless it exists: 0; -1 after fail(), also if another user owns it, in a shared folder. */
int place_make_folder(const char *path);

/* A random name that begins with `front`; the caller frees it. */
char *place_name(const char *front);

/* Makes a new folder with mode 0700 in `parent`; place->there is its descriptor. 0; -1 after fail(). place_remove() removes it once empty. */
int place_workspace(struct place *place, const char *parent);
void place_remove(struct place *place);

#endif
