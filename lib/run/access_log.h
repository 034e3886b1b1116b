/*
 * access_log: light runs from a server's access log, for clients that do not run tailblame: a request is a run, its client the node, the time that
 * the request took the elapsed time.
 *
 *	format = access_log_format("nginx");		or a log_format of nginx, or a LogFormat of Apache
 *	access_log_read(format, file, job, output, &count)	for each file
 *	access_log_free(format);
 */
#ifndef RUN_ACCESS_LOG_H
#define RUN_ACCESS_LOG_H

#include "stream/output.h"

struct access_log;

/* The format of a name, or of a text with $variables or %directives. NULL after fail(): it lacks the client or the time taken. */
struct access_log *access_log_format(const char *text);
void access_log_free(struct access_log *format);

/* All zero before the first file. */
struct access_log_count {
	unsigned long long lines, strange; /* strange: do not fit the format, or are longer than 64 KiB */
	unsigned long long first;	   /* number of the first strange line, in its file */
	const char *first_file;
};

/* Writes the `run` and `features` records of a file's lines, "-": of standard input; `job` is the name of the job. 0; -1 after fail(). */
int access_log_read(const struct access_log *format, const char *file, const char *job, struct stream *output, struct access_log_count *count);

#endif
