/*
 * story: one graph in words: its critical path in pieces and parts, and its culprits.
 */
#ifndef MODEL_STORY_H
#define MODEL_STORY_H

#include <uthash.h>

#include "graph/graph.h"
#include "model/culprit.h"
#include "model/signal.h"

/* A piece of a critical path. */
struct story_piece {
	int64_t from, to;
	enum node_what what;
	struct story_part *part; /* the part of the story that it belongs to */
	int32_t node; /* index in the graph, valid while that exists; NODE_NONE: the graph or the node did not come */
	char *row;   /* the thread or device that it belongs to: "grinder/77", "loop0" */
	char *name;  /* the same without a thread's number: "grinder" */
};

struct holding { /* of a CPU, while a thread waited for it; or of a device, while a request was in its queue */
	char *owner, *name; /* like row and name of a piece; of a device: the thread, NULL */
	bool throttled;	    /* nobody held the CPU: the thread was throttled */
	double time; /* seconds */
};

/* All pieces of a path that have the same words. */
struct story_part {
	char *words; /* "in service at loop0" */
	char *act;   /* the same without the subject, if the row of the piece names that */
	char *about; /* the thread's name, if `behind` makes a phrase after it; "": it does not */
	char *behind; /* these words: "asleep in nanosleep (timer)" */
	struct deed *deed; /* with devices by name */
	char *meanwhile; /* circumstances: " while 9,412 requests of 319 others were served"; "" if those of its pieces differ */
	enum node_what what;
	double time; /* seconds */
	double held; /* seconds for which the holder of the CPU is known; of a device, of all its requests */
	ARRAY(struct holding) holdings;
	uint64_t pieces, nodes; /* nodes: a thread may have run within one, for a moment */
	int32_t last_node; /* of the last piece; NODE_NONE */
	UT_hash_handle hh; /* by words */
};

/* The wait of a thread on the path, while the path went through other threads, until one of them woke it. */
struct path_wait {
	char *row; /* like that of a piece */
	int64_t from, to;
	size_t waker; /* index of the piece whose end woke the thread; NO_PIECE: the wait had not ended */
};
#define NO_PIECE SIZE_MAX

/* A thread of the chain in which each thread waits for the next. */
struct chain_link {
	int32_t tid;
	char *name;		  /* cleaned */
	bool alike;		  /* another link has the same name */
	struct identity identity; /* its process; pid 0: unknown */
	struct deed *wait;	  /* its wait for the next link; NULL: this is the last link */
	char *queue;		  /* the queue in which it waits, in words; NULL: unknown */
};

struct story {
	char *graph; /* the graph's id */
	enum graph_kind kind;
	int64_t from, to;
	struct signal *signal; /* NULL: the graph names no known signal */
	char *root;	       /* label of the root or target; "": unknown */
	char *root_name;       /* the same without a thread's number */
	char *chain;	       /* the chain of waiting threads, in words; NULL: no thread waits for another */
	char *hint;	       /* an option that would tell more, in words; NULL: none */
	bool stacks;	       /* its graph has stacks */
	ARRAY(struct chain_link) links; /* the chain as data */
	bool closed;	       /* its path and ranking are complete */
	ARRAY(struct story_piece) pieces;
	ARRAY(struct path_wait) waits; /* in the order of their ends; none if the graph did not come */
	struct story_part *parts; /* hash; longest time first when told */
	ARRAY(struct culprit) culprits;
};

#define SLIVER 0.0005 /* a smaller share of the story would read 0.0 % */

struct story *story_new(const char *graph);
void story_free(struct story *story);

/* Take a `path` and a `blame` record. `graph` NULL: the graph did not come. Return 0; -1 after fail(). */
int story_path(const struct site *site, struct story *story, const struct graph *graph, const struct fields *fields);
int story_blame(const struct site *site, struct story *story, struct graph *graph, const struct fields *fields);

/* The path and ranking are complete: makes the words that need all pieces. */
void story_close(struct story *story);

/* The subject of the story: the sentence of its signal or, without a signal, its graph: "A took 12 s (graph 1)". The caller frees it. */
char *story_words(const struct site *site, const struct story *story);

/* The story's duration in seconds, 0 if unknown; and the share of it that a part took, NAN if unknown. */
double story_length(const struct story *story);
double story_share(const struct story *story, const struct story_part *part);

/* Tells whether the story has two or more slivers: these are summed up, because each tells a reader little. */
bool story_hides_slivers(const struct story *story);

/* The number of culprits, from the first on, that are worth a line; `room` at most. Slivers after the first culprit are not. */
size_t story_culprits(const struct story *story, size_t room);

/* Tells whether the ranking says the same as the path, in the same order, apart from small shares. */
bool story_is_ranked_alike(const struct story *story);

#endif
