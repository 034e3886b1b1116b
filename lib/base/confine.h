/*
 * confine: takes from a process the rights that it does not need, before it reads what others wrote.
 *
 *	confine(CONFINE_RENAME, output, files, count);	for a command: what it needs besides reading, writing, memory and exit
 *	has = confine_wholly(768 << 20);		for a process that only answers: it keeps memory, and open files
 *
 * Both drop capabilities, and allow only the system calls that one table lists for each need. No program that they start gains
 * capabilities, and no memory becomes code, except that of a program that is started. A command keeps its user and the files that this user
 * may read, because it opens operands one after the other; any other system call ends it with a message and SIGSYS. If the kernel has Landlock, a
 * command can change files only where it writes its output, and where temporary files are. The programs that it starts are confined as it is.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdint.h>

enum confine_need {
	CONFINE_NOTHING_ELSE = 0,
	CONFINE_RENAME = 1,    /* to give a file its name once it is complete (file_draft_keep()) */
	CONFINE_TEMPORARY = 2, /* to make files, and folders, for itself */
	CONFINE_SOCKET = 4,    /* to connect to a socket of this machine */
	CONFINE_SPAWN = 8,     /* to start gnuplot; includes what gnuplot needs */
	CONFINE_SPOOL = 16,    /* to keep files in the folder `place` */
	CONFINE_NETWORK = 32,  /* to connect to other machines, by libnats and its threads */
};

/*
 * `place`: the file or folder that the command writes to; NULL: there is none. It reads `files`, some of which may not be open yet. If root can
 * read or write these only by capabilities, as in the folder of another user, it keeps those capabilities, and no others. If the kernel cannot
 * do all this, the command goes on as it is.
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
 * Confines this process, which has one thread. It goes on as a user that nobody else is, and reaches no file system or network. It can make
 * only the system calls for memory and for files that are open already; any other fails with EPERM. Its CPU time and memory are
 * bounded; `memory`: how many bytes it may take besides those that it has. If the system refuses one of these steps, the others hold. Returns
 * the rights that it still has, as enum confine_has.
 */
unsigned confine_wholly(uint64_t memory);

/* The rights in words: "its user, capabilities". The text stays until the next call. */
const char *confine_has_text(unsigned has);

#endif
