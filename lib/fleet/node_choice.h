/*
 * node_choice: chooses the machines that shall record whole runs. It groups light runs, which cost nothing, as run-cluster(1) does, and chooses the
 * nodes with the greatest and with the least share of runs in the slowest group.
 */
#ifndef FLEET_NODE_CHOICE_H
#define FLEET_NODE_CHOICE_H

#include "run/grouping.h"

enum { CHOICE_NODES = 8 /* of each group */ };

struct node_choice {
	char *nodes; /* with commas between them, as in an order */
	char *text;  /* a sentence: the groups of runs, and the chosen nodes */
};

/* Chooses by the light runs of a file. Returns 1, and the caller frees both texts; 0: there are no groups yet; -1 after fail(). */
int node_choice_make(char *path, const struct grouping_options *options, struct node_choice *choice);

#endif
