/*
 * culprit: one line of a ranking: a deed, who did it, and how much it is blamed for.
 */
#ifndef MODEL_CULPRIT_H
#define MODEL_CULPRIT_H

#include "graph/graph.h"
#include "model/site.h"

struct culprit {
	uint64_t rank;
	char *name, *label;
	struct deed *deed; /* devices by their names */
	char *who;    /* the name of the thread, or pool, that did it; "" where it is none */
	char *act;    /* what was done: "read of loop0 in service"; NULL of a text by hand */
	char *words;  /* "reader: read of loop0 in service" */
	char *fuller; /* "reader (318 threads): read of loop0 in service" */
	uint64_t samples, in_function; /* taken of its runs, and those in the function of the deed; 0: none */
	char *threw; /* the exception that it threw; "": none */
	char *counters; /* what was counted meanwhile, as in the record; "": nothing */
	int64_t counted; /* in how much CPU time, ns */
	char *measured; /* these in words: ": std::out_of_range", ", 97 % of 60 samples, 12 page faults"; "": none */
	double score; /* seconds; of an exception 1 over the calls from the throw */
	double share; /* of the graph's time, 0 to 1; NAN where not given */
	bool timeless; /* the score is no time */
	bool on_path;
	uint64_t instances, threads; /* threads: how many a wake graph's name stands for; 0: unknown */
	uint64_t processes;	     /* how many processes these are of; 0: unknown */
	struct identity identity;    /* of the only process, or of the one that did it for most of the time; pid 0: unknown, or none did */
	char *whom;		     /* the name of the thread that it served meanwhile; "": none */
	struct identity whom_identity; /* its process; pid 0: unknown */
	char *algorithm;
};

/* Takes a `blame` record; threads and processes are for the caller to add. -1 after fail(). */
int culprit_read(const struct site *site, struct culprit *culprit, const struct fields *fields);
void culprit_free(struct culprit *culprit);

/* Adds the threads and processes whose deed it is, as found in the graph that was ranked. */
void culprit_count(struct culprit *culprit, const struct site *site, struct graph *graph, const struct fields *fields);

/* The deed of a record, its device by name; where the record has only name=, that text. The caller frees it. */
struct deed *culprit_deed(const struct site *site, const struct fields *fields);

/* A ranked deed: "reader (318 threads of 2 processes): read of loop0 in service". The caller frees it. */
char *culprit_words(const struct deed *deed, uint64_t threads, uint64_t processes);

/* The same as a label: of a thread that ran, its name. The caller frees it. */
char *culprit_label(const struct culprit *culprit);

/* The amount that it is blamed for: "2.28 s"; of an exception how far it was from the throw: "threw", "2 calls up". The caller frees it. */
char *culprit_score(const struct culprit *culprit);

#endif
