/*
 * story: one graph in words: its critical path in pieces and parts, and who is to blame.
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
	struct story_part *part; /* of its story */
	int32_t node; /* of the graph; NODE_NONE; good while the graph is there */
	char *row;   /* the thread or device that it belongs to: "grinder/77", "loop0" */
	char *name;  /* the same without the number of a thread: "grinder" */
};

struct holding { /* of a CPU that a thread waited for */
	char *owner, *name; /* as row and name of a piece */
	bool throttled;	    /* nobody held it: the thread was not let */
	double time; /* seconds */
};

/* All pieces of a path that are the same thing, in words. */
struct story_part {
	char *words; /* "in service at loop0" */
	char *act;   /* the same without the subject, if that is in the row of the piece */
	char *about; /* the name of the thread whose words can be put behind it, without it: "" if there is none */
	char *behind; /* these words: "asleep in nanosleep (timer)" */
	struct deed *deed; /* devices by their names */
	char *meanwhile; /* what went on: " while 9,412 requests of 319 others were served"; of pieces that differ, what can be said */
	enum node_what what;
	double time; /* seconds */
	double held; /* the seconds in which it is known who held the CPU */
	ARRAY(struct holding) holdings;
	uint64_t pieces;
	UT_hash_handle hh; /* by words */
};

/* A thread on the path that waited while the path was elsewhere, until another woke it. */
struct path_wait {
	char *row; /* as of a piece */
	int64_t from, to;
	size_t waker; /* the piece whose end woke it; NO_PIECE: the wait had not ended */
};
#define NO_PIECE SIZE_MAX

/* A thread of the chain of who waits for whom. */
struct chain_link {
	int32_t tid;
	char *name;		  /* cleaned */
	bool alike;		  /* another link has the same name */
	struct identity identity; /* of its process; pid 0: not known */
	struct deed *wait;	  /* what it waits in for the next link; NULL: it is the last one */
	char *queue;		  /* what it waits behind, in words; NULL: not known */
};

struct story {
	char *graph; /* its id */
	enum graph_kind kind;
	int64_t from, to;
	struct signal *signal; /* NULL: the graph names no signal that is known */
	char *root;	       /* label of the root or target; "" where unknown */
	char *root_name;       /* the same without the number of a thread */
	char *chain;	       /* who waits for whom, in words; NULL: nothing to tell */
	char *hint;	       /* what would tell more, in words; NULL: nothing is known to */
	bool stacks;	       /* its graph has some */
	ARRAY(struct chain_link) links; /* and as data */
	bool closed;	       /* its path is complete */
	ARRAY(struct story_piece) pieces;
	ARRAY(struct path_wait) waits; /* in the order of their ends; none where the graph did not come */
	struct story_part *parts; /* hash; longest time first when told */
	ARRAY(struct culprit) culprits;
};

#define SLIVER 0.0005 /* of the whole: would read 0.0 % */

struct story *story_new(const char *graph);
void story_free(struct story *story);

/* Take a `path` and a `blame` record; the graph may be NULL: it did not come. -1 after fail(). */
int story_path(const struct site *site, struct story *story, const struct graph *graph, const struct fields *fields);
int story_blame(const struct site *site, struct story *story, struct graph *graph, const struct fields *fields);

/* Its path and ranking are complete. */
void story_close(struct story *story);

/* Its subject: its signal's sentence, or its graph: "A took 12 s (graph 1)". The caller frees it. */
char *story_words(const struct site *site, const struct story *story);

/* How long it took, in seconds; 0 where that is not known. And the share of that which a part took, NAN where not known. */
double story_length(const struct story *story);
double story_share(const struct story *story, const struct story_part *part);

/* Tells whether its slivers are put together: they tell a reader little, two or more of them less. */
bool story_hides_slivers(const struct story *story);

/* How many of the culprits, from the first on, are worth a line, `room` at most: slivers behind others are not. */
size_t story_culprits(const struct story *story, size_t room);

/* Tells whether the ranking says the same as the path, in the same order, apart from slivers. */
bool story_is_ranked_alike(const struct story *story);

#endif
