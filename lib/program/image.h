/*
 * image: a program or library whose code is mapped somewhere: its functions' names, and how to walk up from them.
 *
 * The file is opened when it is first mapped, and read when an address in it first matters: by then the process may be gone,
 * and the file too. elfutils finds names in .symtab, .dynsym and .gnu_debugdata, and in the separate debug file that the build id
 * or the debug link names (/usr/lib/debug); where neither names a function, DWARF does. How to walk is in .eh_frame, or
 * .debug_frame.
 *
 * Addresses here are the image's own: what image_address() makes of an offset in the file.
 */
#ifndef PROGRAM_IMAGE_H
#define PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct image;

/* What tells that a file is the one that was mapped. */
struct image_identity {
	const unsigned char *build_id;
	size_t build_id_size; /* 0: not known */
	uint64_t inode;	      /* 0: not known */
	dev_t device;	      /* of the inode */
};

/*
 * The image of a file mapped by a process at [start, end): by /proc/PID/map_files, which is that very file, or by its path, here and in
 * the process's own root. Of the processes the first is the one, the others, of which there are `others`, are its
 * parents, which often have the same root and live longer. Never NULL: a file that cannot be had is an image without names.
 */
struct image *image_open(const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
			 const struct image_identity *identity);
void image_free(struct image *image);

bool image_is_missing(const struct image *image); /* its file could not be had */

const char *image_name(const struct image *image); /* the path's last part: "libz.so.1.2.13" */

/* A mark of its owner's: somebody has it mapped. */
void image_mark(struct image *image, bool mapped);
bool image_is_mapped(const struct image *image);

/* Turns an offset in the file into an address. false: no code lies there, or the file cannot be read. */
bool image_address(struct image *image, uint64_t offset, uint64_t *address);

enum { IMAGE_FUNCTIONS = 24 };

/*
 * The functions at the address as their programmers wrote them, innermost first: those that were inlined there, as far as DWARF
 * tells, and last the one that has a symbol. The caller frees each. How many; 0: unknown.
 */
int image_functions(struct image *image, uint64_t address, char *names[IMAGE_FUNCTIONS]);

/*
 * How to find the caller's registers from those of a function stopped at an address: the canonical frame address is a
 * register plus an offset, or is saved there, and what was saved lies at an offset from that address, or from the register.
 */
enum { STEP_REGISTERS = 17, STEP_RETURN = 16 };

enum step_rule {
	STEP_SAME,  /* the function has not changed it */
	STEP_SAVED, /* it lies at the frame address plus `at` */
	STEP_ASIDE, /* it lies at the register `base` plus `at` */
	STEP_LOST,  /* nobody knows; of the return address: there is no caller */
};

struct step {
	bool known;
	bool interrupted; /* the "caller" did not call: a signal came; its return address is where it stopped */
	bool indirect;	  /* the frame address lies at the register plus the offset */
	uint8_t base;	  /* register */
	int32_t offset;
	struct {
		uint8_t rule;
		int32_t at;
	} registers[STEP_REGISTERS];
};

/*
 * By the tables of the image; where they have nothing, by the frame pointer, if the function is seen to set it up when it is entered:
 * in other code that register holds anything. Not known: the image does not tell, or in terms too intricate.
 */
void image_step(struct image *image, uint64_t address, struct step *step);

#endif
