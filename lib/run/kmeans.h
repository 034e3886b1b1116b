/*
 * kmeans: exact k-means of numbers on a line, by dynamic programming (H. Wang, M. Song, Ckmeans.1d.dp, The R Journal 3/2, 2011),
 * and how well the groups are apart, by the mean silhouette (P. Rousseeuw, J. Comput. Appl. Math. 20, 1987).
 */
#ifndef RUN_KMEANS_H
#define RUN_KMEANS_H

#include <stddef.h>

enum { KMEANS_MOST = 5 }; /* groups */

struct kmeans {
	int groups;			/* 2 to KMEANS_MOST; 0: fewer than two different values */
	double silhouette;		/* mean over all values; that of a value alone in its group is 0 */
	size_t starts[KMEANS_MOST + 1]; /* index of each group's first value; behind the last, the count */
};

/*
 * The best grouping of values in ascending order: the number of groups with the greatest silhouette, the fewer if two differ by less
 * than 1e-10. Equal values are never parted; of partitions of equal cost (1e-9 of it) it is the one with the lower first cut, then
 * the lower second.
 */
struct kmeans kmeans_best(const double *values, size_t count);

#endif
