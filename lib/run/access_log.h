/*
 * access_log: makes light runs from a server's access log, for clients that do not run tailblame: a request is a run, its client is the node, and the
 * time that the request took is the elapsed time.
 *
 *	format = access_log_format("nginx");		or "apache", a log_format of nginx, or a LogFormat of Apache
 *	access_log_read(format, file, job, output, &count)	for each file
 *	access_log_free(format);
 */
#ifndef RUN_ACCESS_LOG_H
#define RUN_ACCESS_LOG_H

#include "stream/output.h"

struct access_log;

/* Reads a format: a name, or a text with $variables or %directives. NULL after fail(), such as if it lacks the client or the time taken. */
struct access_log *access_log_format(const char *text);
void access_log_free(struct access_log *format);

/* All zero before the first file. */
struct access_log_count {
	unsigned long long lines, strange; /* strange: lines that do not fit the format, or are longer than 64 KiB */
	unsigned long long first;	   /* number of the first strange line in its file */
	const char *first_file;
};

/* Writes `run` and `features` records for the lines of a file ("-": standard input). `job` is the name of the job. Returns 0; -1 after fail(). */
int access_log_read(const struct access_log *format, const char *file, const char *job, struct stream *output, struct access_log_count *count);

#endif
