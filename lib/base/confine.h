/*
 * confine: takes from a process the rights that it does not need, before it reads what others wrote.
 *
 *	confine(CONFINE_RENAME, output, files, count);	a command: what it still does besides reading, writing, memory, and the end
 *	has = confine_wholly(768 << 20);		a process that only answers: it has memory, and what is open
 *
 * Both drop capabilities, let no program that is started gain any, let no memory become code (but of what is started), and allow
 * the system calls that one table has for what is needed. A command keeps its user and the files that this user may read,
 * because it opens operands one after the other; any other system call ends it with a message and SIGSYS. Where the kernel has Landlock, a command can
 * change files only where it writes its output, and where temporary files are. What it starts is confined as it is.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdint.h>

enum confine_need {
	CONFINE_NOTHING_ELSE = 0,
	CONFINE_RENAME = 1,    /* to give a file its name when it is whole (file_draft_keep()) */
	CONFINE_TEMPORARY = 2, /* to make files, and folders, for itself */
	CONFINE_SOCKET = 4,    /* to call a socket of this machine */
	CONFINE_SPAWN = 8,     /* to start gnuplot, and what that needs itself */
	CONFINE_SPOOL = 16,    /* to keep files in the folder that is its place */
	CONFINE_NETWORK = 32,  /* to call other machines, by libnats and its threads */
};

/*
 * `place`: the file or folder that is written to at the end; NULL: there is none. `files` are read; some may not be open yet. Where root
 * may only read or write these by capabilities, as in the folder of another user, it keeps those that this takes, and no
 * others. If the kernel cannot do all this, the command goes on as it is.
 */
void confine(unsigned needs, const char *place, char *const *files, int count);

/* Why this machine cannot confine a command: a sentence; NULL: it can. */
const char *confine_obstacle(void);

/* The rights that could not be taken from the process, a bit each. */
enum confine_has {
	CONFINE_HAS_USER = 1,
	CONFINE_HAS_CAPABILITIES = 2,
	CONFINE_HAS_FILES = 4,
	CONFINE_HAS_CALLS = 8,
	CONFINE_HAS_MEMORY = 16,
};

/*
 * Of this process, which has one thread: it goes on as a user that nobody else is, without a file system or network in reach, with no
 * system calls but those for memory and for what is open already (another fails with EPERM), and with bounds on CPU and
 * memory: `memory` is what it may have more than now, in bytes. Where the system refuses one of these, the others hold. Returns
 * what it still has.
 */
unsigned confine_wholly(uint64_t memory);

/* "its user, capabilities": them in words. The text stays until the next call. */
const char *confine_has_text(unsigned has);

#endif
