/*
 * node_choice: chooses the machines that shall record whole runs. Light runs, which cost nothing, are grouped as run-cluster(1) does, and the nodes
 * with the most runs in the slowest and in the fastest group are chosen.
 */
#ifndef FLEET_NODE_CHOICE_H
#define FLEET_NODE_CHOICE_H

#include "run/grouping.h"

enum { CHOICE_NODES = 8 /* of each group */ };

struct node_choice {
	char *nodes; /* with commas between them, as an order has them */
	char *text;  /* a sentence: how the runs fall into groups, and which nodes these are */
};

/* Looks at the light runs of a file: 1, and the caller frees both texts; 0: there are no groups yet; -1 after fail(). */
int node_choice_make(char *path, const struct grouping_options *options, struct node_choice *choice);

#endif
