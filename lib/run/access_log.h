/*
 * access_log: light runs of a server's access log, before any client has a program of ours: a request is a run, its client the node,
 * its time what took long.
 *
 *	format = access_log_format("nginx");		or a log_format of nginx, or a LogFormat of Apache
 *	access_log_run(format, line, &run)		for each line
 *	access_log_free(format);
 */
#ifndef RUN_ACCESS_LOG_H
#define RUN_ACCESS_LOG_H

#include <stddef.h>

#include "stream/line.h"

struct access_log;

/* The format of a name, or of a text with $variables or %directives. NULL after fail(): it lacks the client or the time taken. */
struct access_log *access_log_format(const char *text);
void access_log_free(struct access_log *format);

/*
 * Makes the `run` and `features` records of a line; `number` is the line's, and `job` the name of the job. 0; -1: the line does not
 * fit the format.
 */
int access_log_run(const struct access_log *format, const char *text, unsigned long long number, const char *job, struct line *run, struct line *features);

#endif
