/*
 * culprit: one line of a ranking: a deed, the thread that did it, and the time that it is blamed for.
 */
#ifndef MODEL_CULPRIT_H
#define MODEL_CULPRIT_H

#include "graph/graph.h"
#include "model/site.h"

struct culprit {
	uint64_t rank;
	char *name, *label;
	struct deed *deed; /* with devices by name */
	char *who;    /* the name of the thread, or pool, that did it; "": none */
	char *act;    /* the deed without the thread: "read of loop0 in service"; NULL for a text written by hand */
	char *words;  /* "reader: read of loop0 in service" */
	char *fuller; /* "reader (318 threads): read of loop0 in service" */
	uint64_t samples, in_function; /* stack samples of its runs, and those of them in the deed's function; 0: none */
	char *threw; /* the exception that it threw; "": none */
	char *counters; /* the values of counters meanwhile, as in the record; "": none */
	int64_t counted; /* CPU time over which they counted, ns */
	char *measured; /* these in words: ": std::out_of_range", ", 97 % of 60 samples, 12 page faults"; "": none */
	double score; /* seconds; for an exception, 1 over its distance from the throw in calls */
	double share; /* share of the graph's time, 0 to 1; NAN: not given */
	bool timeless; /* the score is no time */
	bool on_path;
	uint64_t instances, threads; /* threads: the number of threads that a wake graph's name stands for; 0: unknown */
	uint64_t processes;	     /* the number of processes of these threads; 0: unknown */
	struct identity identity;    /* the only process, or the one that did it for most of the time; pid 0: unknown, or none did */
	char *whom;		     /* the name of the thread for which it was done; "": none */
	struct identity whom_identity; /* its process; pid 0: unknown */
	char *algorithm;
};

/* Reads a `blame` record, without threads and processes, which culprit_count() adds. Returns 0; -1 after fail(). */
int culprit_read(const struct site *site, struct culprit *culprit, const struct fields *fields);
void culprit_free(struct culprit *culprit);

/* Adds the threads and processes that did the deed, from the graph that was ranked. */
void culprit_count(struct culprit *culprit, const struct site *site, struct graph *graph, const struct fields *fields);

/* The deed of a record, with its device by name; if the record has only name=, a deed of that text. The caller frees it. */
struct deed *culprit_deed(const struct site *site, const struct fields *fields);

/* A ranked deed: "reader (318 threads of 2 processes): read of loop0 in service". The caller frees it. */
char *culprit_words(const struct deed *deed, uint64_t threads, uint64_t processes);

/* The same as a label; for a thread that ran, only its name. The caller frees it. */
char *culprit_label(const struct culprit *culprit);

/* The score in words: "2.28 s"; for an exception, the distance from the throw: "threw", "2 calls up". The caller frees it. */
char *culprit_score(const struct culprit *culprit);

#endif
