/*
 * code: a program or library whose code some process has mapped.
 *
 * Its file is opened when it is first mapped, and read when an address in it is first needed: by then the process may be gone, and the file
 * too. Another process, without rights, reads it (program/lookup.h).
 *
 * Paths and links come from processes that may be malicious. So only regular files are opened: a FIFO could block us for ever, and opening
 * some devices makes them act.
 */
#ifndef PROGRAM_CODE_H
#define PROGRAM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "program/debug_source.h"

struct code;
struct lookup;
struct lookup_place;

enum { CODE_BUILD_ID = 20 }; /* bytes, at most */

/* What identifies the file that was mapped. */
struct code_identity {
	const unsigned char *build_id;
	size_t build_id_size; /* 0: not known */
	uint64_t inode;	      /* 0: not known */
	dev_t device;	      /* of the inode */
};

/*
 * Opens the file that a process mapped at [start, end): by /proc/PID/map_files, which is that very file, or by its path, here or in the
 * process's own root. processes[0] is that process; the `others` behind it are its parents, which often have the same root and live longer.
 * Never NULL: if the file cannot be opened, the result is code without names.
 */
struct code *code_open(struct lookup *lookup, const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		       const struct code_identity *identity);
void code_free(struct code *code);

bool code_is_missing(const struct code *code); /* its file could not be opened */

const char *code_name(const struct code *code); /* the path's last part: "libz.so.1.2.13" */

/* A mark that the caller keeps: some process has the code mapped. */
void code_mark(struct code *code, bool mapped);
bool code_is_mapped(const struct code *code);

/* Looks up the place at an offset in the file. The caller frees the functions' names. */
void code_look(struct code *code, uint64_t offset, struct lookup_place *place);

/* As lookup_block() and lookup_variable_at(). */
struct image_block;
void code_block(struct code *code, uint64_t offset, uint64_t behind, struct image_block *block);
char *code_variable(struct code *code, uint64_t offset, int64_t distance, uint64_t *byte);

/*
 * Opens the debug file that the process without rights asks for, for the program at this path. The file must be readable by everybody. It
 * is in the folder of debug files, or beside the program, where only root and our own user may be able to write it. Returns a socket as
 * opener_open() does; -1: there is none.
 */
int code_open_debug(const char *path, enum debug_place place, const void *text, size_t length);

#endif
