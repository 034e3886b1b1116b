/*
 * place: where something is to be written: the folder that a path leads to, held open, and a name in it. All that follows goes
 * through that descriptor, so nobody can put another folder or a link there between a check and a use.
 *
 * A folder is shared if others can write to it, as to /tmp. What others put there is not trusted, as the kernel does not trust it
 * where fs.protected_symlinks, _regular and _fifos are set: a symbolic link leads on, and a file may be written, only if it belongs to
 * whoever writes or to the folder's owner. Here that holds without those settings too, and also in shared folders that are not sticky.
 */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct place {
	char *path;	    /* as given, for messages */
	int folder;	    /* descriptor, O_PATH */
	char *name;	    /* in it */
	int there;	    /* descriptor, O_PATH, of what has the name; -1: nothing */
	struct stat status; /* of what is there */
	bool open;	    /* it is an open file of some process, such as /dev/stdout */
};

/*
 * Follows the path. 0; -1 after fail() if it leads nowhere, to a folder, through a link that is not trusted, or to what may not
 * be written. place_end() in any case.
 */
int place_find(struct place *place, const char *path);
void place_end(struct place *place);

/* Nothing is there, or a file that another can take the place of. */
bool place_is_file(const struct place *place);

/*
 * Opens what is there, for writing: a descriptor; -1 after fail(). A pipe or terminal of another user, which might never take what is
 * written, is refused.
 */
int place_open(const struct place *place);

/* The folder that a path leads to: a descriptor, O_PATH; -1 after fail(). */
int place_folder(const char *path);

/* A folder that is to be there, made if it is not, with the umask: 0; -1 after fail(), also if it is another user's in a shared one. */
int place_make_folder(const char *path);

/* A name that cannot be foreseen, with this one in front, to be freed. */
char *place_name(const char *front);

/* A new folder of our own, 0700, in this one: `there` is its descriptor. 0; -1 after fail(). place_remove() ends it, when it is empty. */
int place_workspace(struct place *place, const char *parent);
void place_remove(struct place *place);

#endif
