/*
 * run_copy: reads the runs of many streams, such as `cat *.run`, and passes their records on as one stream. A command that needs all runs writes
 * its findings after them, once.
 *
 *	copy = run_copy_open(files, count);	NULL after fail()
 *	run_copy_write(copy, STDOUT_FILENO, text);
 *	run_copy_run(copy);			fills the table, and passes the records on
 *	stream_write_line(run_copy_output(copy), &line);
 *	status = run_copy_close(copy);
 *
 * Events and the records that explain them (formats, threads, devices) are dropped, because they belong to one stream.
 */
#ifndef RUN_RUN_COPY_H
#define RUN_RUN_COPY_H

#include "run/run_table.h"

struct run_copy;

struct run_copy *run_copy_open(char *const *files, int count);
void run_copy_write(struct run_copy *copy, int fd, bool text);
void run_copy_drop(struct run_copy *copy, enum kind kind); /* records of this kind are ignored and not passed on */

struct run_table *run_copy_table(const struct run_copy *copy);
struct stream *run_copy_output(const struct run_copy *copy);

/* Reads all input. Returns 0; -1 after fail(). */
int run_copy_run(struct run_copy *copy);

/* Ends the output, and frees `copy`. Returns the exit status; fail_text() is the message to print, or "". */
int run_copy_close(struct run_copy *copy);

#endif
