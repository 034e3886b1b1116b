/*
 * confine: takes from a command the rights that it needs no more, once its files are open and before it reads what others wrote.
 *
 *	confine(CONFINE_RENAME, output, files, count);	what it still does besides reading, writing, memory, and the end
 *
 * Capabilities are dropped, no program that it starts gains any, and a system call that is not needed ends it with a message and
 * SIGSYS. What it starts is confined as it is. Files may still be opened for reading: operands are opened one after the other.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

enum confine_need {
	CONFINE_NOTHING_ELSE = 0,
	CONFINE_RENAME = 1,    /* to give a file its name when it is whole (file_draft_keep()) */
	CONFINE_TEMPORARY = 2, /* to make files, and folders, for itself */
	CONFINE_SOCKET = 4,    /* to call a socket of this machine */
	CONFINE_SPAWN = 8,     /* to start gnuplot, and what that needs itself */
};

/*
 * `place`: the file or folder that is written to at the end; NULL: there is none. `files` are read; some may not be open yet. Where root
 * may only read or write these by capabilities, as in the folder of another user, it keeps those that this takes, and no
 * others. If the kernel cannot do all this, the command goes on as it is.
 */
void confine(unsigned needs, const char *place, char *const *files, int count);

/* Why this machine cannot confine a command: a sentence; NULL: it can. */
const char *confine_obstacle(void);

#endif
