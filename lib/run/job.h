/*
 * job: a job file: the program whose runs are wanted, and what is recorded of each. tailblame-jobs(5) describes the file.
 *
 *	struct job *job = job_load("wget.job");		NULL: any program, and nothing but its calls
 *	job_runs(job, "wget")				is this the job's program?
 *	job_free(job);
 *
 * charts/formats/calls.sizes and, in the same words, the job's own file list which values of calls are sizes.
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
	char *name;			/* file's name without .job, or as `name` says; "" until a program is known */
	ARRAY(char *) programs;		/* last components; none: the first program that is executed (job_learn()) */
	ARRAY(struct job_config) configs;
	ARRAY(char *) sysctls;		/* globs of dotted names */
	char *host;			/* the facts tell the route to it; NULL: the default route */
	char *directory;		/* the facts tell its disk; NULL: the working directory */
	char *salt;			/* of hashes of secrets: the same on all nodes */
	/* private */
	struct job_call *calls;		/* hash by the kernel's name */
};

/*
 * Cuts a line of a job's file, or of one that lists what such a file may say, into its words, in place; NULL stands behind the last, and '#' begins a
 * comment. Returns how many; -1: more than JOB_WORDS.
 */
enum { JOB_WORDS = 64 };

int job_cut(char *line, char *words[JOB_WORDS + 1]);

/* The path of a job file, or of one that is shipped, by its name; the caller frees it. */
char *job_find(const char *file);

/*
 * Reads a job file, or one of those that are shipped by its name. NULL: a job without a file. NULL after fail(), which names the
 * file and the line.
 */
struct job *job_load(const char *file);
void job_free(struct job *job);

/* Tells whether this is a program of the job, by the last component of its path, or as the kernel cuts it (15 bytes). */
bool job_runs(const struct job *job, const char *program);

/* A job without a program takes this one. */
void job_learn(struct job *job, const char *program);

/* The name that features have for a call; and which of its numbers are sizes. */
const char *job_call_name(const struct job *job, const char *call);
bool job_result_is_size(const struct job *job, const char *call);
int job_size_argument(const struct job *job, const char *call); /* from 0; -1: none */

#endif
