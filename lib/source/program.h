/*
 * program: what a process runs, in a few words that hold no secret, and its control group.
 *
 * Arguments hold passwords, so of a command line only its first word is told, and of a known interpreter the script, module,
 * class or archive that it was given to run. Where an option stands before that of which it is not known whether it takes
 * an argument, or the program is itself an argument (sh -c), nothing more is told.
 */
#ifndef SOURCE_PROGRAM_H
#define SOURCE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What /proc has of them is read up to so much. */
enum { PROGRAM_ROOM = 256, PROGRAM_GROUP_ROOM = 256, PROGRAM_READ = 1 << 15 };

struct program {
	char words[PROGRAM_ROOM];	/* "python3 /srv/app.py"; "": not known, or a thread of the kernel */
	char group[PROGRAM_GROUP_ROOM]; /* "system.slice/app.service"; "": not known, or the root */
};

/*
 * From a command line as /proc has it, words that end with NUL. Of a word that is longer than 120 bytes the end is kept, behind "...".
 * `whole`: it was not cut.
 */
void program_words(struct program *program, const char *line, size_t length, bool whole);

/* From /proc/PID/cgroup: the last two components of the path in the second version's tree, else in systemd's, else in any. */
void program_group(struct program *program, const char *text);

/* Reads both. They may be a moment late, and may wait for what the process waits for. */
void program_read(struct program *program, int32_t pid);

#endif
