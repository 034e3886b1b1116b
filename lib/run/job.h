/*
 * job: a job file: the program whose runs are wanted, and what is recorded of each run. tailblame-jobs(5) describes the file.
 *
 *	struct job *job = job_load("wget.job");		NULL: any program, and only its calls
 *	job_runs(job, "wget")				is this the job's program?
 *	job_free(job);
 *
 * The file charts/formats/calls.sizes lists which arguments and results of calls are sizes. A job file may list more in the same syntax.
 */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* A file of settings that libaugeas reads. */
struct job_config {
	char *lens, *path;
};

struct job {
	char *name;			/* from the `name` line, or the file's name without .job; "" until a program is known */
	ARRAY(char *) programs;		/* last path components; none: the first program that is executed (job_learn()) */
	ARRAY(struct job_config) configs;
	ARRAY(char *) sysctls;		/* globs of dotted names */
	char *host;			/* the facts describe the route to this host; NULL: the default route */
	char *directory;		/* the facts describe the disk of this directory; NULL: of the working directory */
	char *salt;			/* salt for the hashes of secrets, the same on all nodes; NULL: the job's name */
	/* private */
	struct job_call *calls;		/* hash by the kernel's name of the call */
};

/*
 * Cuts a line of a job file, or of a file that lists what job files may say, into its words, in place. '#' begins a comment; NULL follows the last
 * word. Returns the number of words; -1: more than JOB_WORDS.
 */
enum { JOB_WORDS = 64 };

int job_cut(char *line, char *words[JOB_WORDS + 1]);

/* The path of a job file, which may be given by the name of one in charts/jobs/. The caller frees it. */
char *job_find(const char *file);

/*
 * Reads a job file, given by its path or by the name of one in charts/jobs/. `file` NULL: a job without a file. Returns NULL after fail(), which
 * names the file and the line.
 */
struct job *job_load(const char *file);
void job_free(struct job *job);

/* Tells whether this is a program of the job, by the last component of its path. A name of 15 bytes may be one that the kernel cut (comm). */
bool job_runs(const struct job *job, const char *program);

/* Makes this the program of a job that has none, and its name unless it has one. */
void job_learn(struct job *job, const char *program);

/* The name of a call in features, and which of its numbers are sizes. */
const char *job_call_name(const struct job *job, const char *call);
bool job_result_is_size(const struct job *job, const char *call);
int job_size_argument(const struct job *job, const char *call); /* index from 0; -1: none */

#endif
