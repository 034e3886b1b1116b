/*
 * program: the program and script of a process, in a few words that hold no secret; the title that it gives itself; and its control group.
 *
 * A process has one name everywhere: that of its program's file, and of the script that an interpreter runs. A title, which programs
 * write over their command line, stands beside it. Whatever selects processes by name asks program_is_called(), of the processes
 * that are there,
 *
 *	program_read(&program, pid);
 *	if (program_is_called(&program, comm, "rollup.py")) ...		comm: of the process' first thread
 *
 * and of each that begins later at its exec event, when threads_see() has told what it runs: threads_program() of source/threads.h.
 *
 * Arguments hold passwords, so the stream gets only the first word of a command line, and the script, module, class or archive that a known
 * interpreter runs. It gets nothing more where an option before that may or may not take an argument, or where the program is itself an
 * argument (sh -c).
 */
#ifndef SOURCE_PROGRAM_H
#define SOURCE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PROGRAM_READ: the most bytes read from a file in /proc */
enum { PROGRAM_ROOM = 256, PROGRAM_TITLE_ROOM = 128, PROGRAM_GROUP_ROOM = 256, PROGRAM_READ = 1 << 15 };

struct program {
	char words[PROGRAM_ROOM];	/* "python3 /srv/app.py"; "": not known, or a thread of the kernel */
	size_t script;			/* where in them the script begins; 0: there is none */
	char title[PROGRAM_TITLE_ROOM]; /* "postgres: shop idle in transaction"; "": none */
	char group[PROGRAM_GROUP_ROOM]; /* "system.slice/app.service"; "": not known, or the root */
	bool musl;			/* its C library is musl; only program_reader_read() sets it */
};

/*
 * Sets the words and the script from a command line as /proc has it: words that end with NUL. Of a word that is longer than 120 bytes the end is
 * kept, behind "...". `whole`: the line was not cut.
 */
void program_words(struct program *program, const char *line, size_t length, bool whole);

/*
 * Tells a title from a program: a first word with a space in it is a title, unless it is the path of the file that runs. The program is then
 * the title's own first word if the process' first thread has that name, or else the file. `file`: the path; NULL: not known.
 */
void program_split_title(struct program *program, const char *file, const char *comm);

/* Sets the group from the text of /proc/PID/cgroup: the last two components of the path in version 2's tree, else in systemd's, else in any. */
void program_group(struct program *program, const char *text);

/* Reads all fields but `musl` from /proc. They may be a moment late. The reading may wait for what the process waits for. */
void program_read(struct program *program, int32_t pid);

/* Sets *script to the last part of the script's path, "app.py", which lies within the words. Returns its length; 0: no interpreter runs a script. */
size_t program_script(const struct program *program, const char **script);

/*
 * Tells whether the process goes by this name: its first thread's, as of its exec; the last part of the path of its program or of its script;
 * or one of these paths as a whole. Never by its title.
 */
bool program_is_called(const struct program *program, const char *comm, const char *name);

#endif
