/*
 * tracedat: a file that trace-cmd recorded, trace.dat of version 6 or 7.
 *
 *	tracedat_open(&file, "trace.dat", fd)	its description is read, its events are not
 *	file.formats, file.cmdlines, ...	as the file has them
 *	tracedat_rings(&file, buffer, merge)	then merge_begin(), merge_next()
 *	tracedat_close(&file)
 *
 * libtracecmd reads such files too, at 64 ns an event; but it tells neither where the pages of a CPU lie nor the text of the
 * formats, and it trusts the sizes that it reads. This module checks every size in the description. Then it reads the pages of
 * each CPU a window at a time, so memory does not grow with the file. Nothing is mapped: if somebody cuts the file meanwhile,
 * it counts as a cut file and causes no SIGBUS.
 *
 * The layout is that of trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). Times are changed as libtracecmd changes them (TSC2NSEC, OFFSET,
 * TIME_SHIFT), except that the date is not added but kept apart (`wall`).
 */
#ifndef IMPORT_TRACEDAT_H
#define IMPORT_TRACEDAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "import/cursor.h"
#include "source/merge.h"
#include "source/page.h"
#include "import/timeshift.h"

enum { TRACEDAT_CPUS_MAX = 1 << 16, TRACEDAT_PAGE_MAX = 1 << 20 };

struct tracedat_format {
	char *system;
	const char *text; /* of the format file; not ended by NUL; struct tracedat owns it */
	size_t length;
};

struct tracedat_cpu {
	int cpu;
	uint64_t at, size; /* bytes of the file */
};

/* The recording of one instance. */
struct tracedat_buffer {
	char *name;  /* "" : the main one */
	char *clock; /* NULL: the clock of the whole file */
	uint32_t page_size;
	bool compressed, text; /* text: the output of a latency tracer */
	uint64_t text_at, text_size;
	ARRAY(struct tracedat_cpu) cpus;
};

/* A part of the description, in memory; `at` is its place in the file. */
struct tracedat_piece {
	char *bytes;
	size_t length;
	uint64_t at;
};

struct tracedat {
	const char *name; /* of the file, for messages; not copied */
	int version;
	struct page_layout layout;
	char *clock, *uname; /* NULL: the file does not tell */
	uint32_t cpus;	     /* recorded CPUs, with or without events; 0, or above TRACEDAT_CPUS_MAX: the file does not tell */
	bool dated;	  /* the file tells `wall` */
	int64_t wall;	  /* the wall clock when the trace clock was zero, ns */
	char *cmdlines;	  /* "TID NAME" lines */
	char *symbols, *printks; /* the text of the kernel's /proc/kallsyms and printk_formats; NULL: the file does not tell */
	ARRAY(struct tracedat_format) formats;
	ARRAY(struct tracedat_buffer) buffers;
	ARRAY(char *) stats; /* of each CPU of the main buffer, when the recording ended */

	/* found out while reading */
	uint64_t damaged;	/* pages with content that no kernel writes */
	uint64_t damaged_first; /* the place in the file of the first damaged page */
	uint64_t cut;		/* bytes that are missing behind the end of the file */

	/* private */
	struct timeshift shift;
	int fd;
	uint64_t size; /* of the file; becomes less if somebody cuts the file meanwhile */
	ARRAY(struct tracedat_piece) pieces;
	uint64_t loaded; /* bytes of all pieces together */
	uint64_t claimed; /* bytes of the events of all CPUs together */
	uint64_t chunk_room; /* bytes of memory for unpacked events of all CPUs together */
	char compression[16];
	uint32_t page_size;
	ARRAY(char *) unpacked; /* unpacked sections */
	uint64_t unpacked_size; /* bytes of all unpacked sections together */
};

/* Reads the description of an open file; the caller closes fd. -1 after fail(); call tracedat_close() all the same. */
int tracedat_open(struct tracedat *file, const char *name, int fd);
void tracedat_close(struct tracedat *file);

/* Adds the rings of a buffer to a merge; the file must outlive it. -1 after fail(). */
int tracedat_rings(struct tracedat *file, const struct tracedat_buffer *buffer, struct merge *merge);

/* After the last event: how many more events were lost, by the kernel's statistics, than the gaps in the ring told. */
uint64_t tracedat_lost_at_end(const struct ring *ring);
void tracedat_rings_free(struct merge *merge); /* merge_close(), and what tracedat_rings() made */

/* The text of a latency tracer: returns the descriptor of a nameless file, at its beginning; the caller closes it. -1 after fail(). */
int tracedat_text(struct tracedat *file, const struct tracedat_buffer *buffer);

/* Gives the clock of a buffer, such as "mono"; "": the file does not tell. -1 after fail(): the clock does not count time. */
int tracedat_clock(const struct tracedat *file, const struct tracedat_buffer *buffer, const char **clock);

/* For tracedat_ring.c. Reads up to `size` bytes; *length is less where the file ends. -1 after fail(). */
int tracedat_read(struct tracedat *file, char *bytes, size_t size, uint64_t at, size_t *length);

#endif
