/* Top critical methods, after AUDIT (USENIX ATC 2018), section 6.2: the path's nodes by their time on it. */
#include "blame/algorithm.h"

#include <stdlib.h>

static int choose_tcm(const struct blame *blame, size_t count, struct picks *picks)
{
	uint64_t *active = memory_new(blame->graph->nodes.count + 1, sizeof(*active));

	for (size_t i = 0; i < blame->path.count; i++) {
		const struct path_piece *piece = &blame->path.items[i];

		active[piece->node] += (uint64_t)piece->to - (uint64_t)piece->from;
	}
	for (size_t i = 0; i < blame->graph->nodes.count; i++)
		if (active[i])
			picks_add(picks, i, share_whole(active[i]));
	free(active);
	if (blame->graph->kind == GRAPH_RAG) {
		picks_sort(picks, blame->graph);
		picks_cut(picks, count);
	}
	return 0;
}

const struct blame_algorithm algorithm_tcm = {"tcm", choose_tcm};
