/*
 * replay: how long a request would have taken if some of its nodes had done their own work in no time.
 *
 * A request activity graph is run again, with the times of its record as the only guide to what follows what. E is a
 * node's end in the replay, S its start; s, e, ws and we are the recorded times of start, end, wait_start and
 * wait_end.
 *
 * - The request, a node without parent, and one that started before its parent start when they did.
 * - A node has a clock. It stands at S when the node starts, and runs while the node is active; of a node whose work
 *   is taken as zero it does not run. While the node waits, the clock stands.
 * - A child starts at the reading of its parent's clock at s; if the parent waits then, as long after the reading as s
 *   is after the parent last was active or a wait of it ended. A child that started after its parent's end keeps its
 *   distance from it. The beginning of a wait is read in the same way.
 * - A wait for a child c that started before we and ended by then ends with the child: at max(its beginning, E(c)),
 *   plus what passed in the record between max(ws, e(c)) and we. Any other wait lasts as long as it did. The clock is
 *   then put forward to the wait's end, unless it is there already.
 * - A node ends at the clock's reading at e.
 * - A join of all ends at the latest of its S and the E of those of its awaited that ended by its e; a join of any at
 *   the later of its S and the earliest E of all that it awaited; plus what passed in the record between the same
 *   times and its e. If nothing that it awaited had ended by its e it lasts as long as it did.
 *
 * Empty waits have no effect. With no work taken as zero every node starts and ends when it did. A node's work taken
 * as zero shortens no request by more than that work.
 */
#ifndef BLAME_REPLAY_H
#define BLAME_REPLAY_H

#include "graph/graph.h"

struct replay;

/* For a request activity graph with at least one node; root: the node that is the request. */
struct replay *replay_new(const struct graph *graph, int32_t root);
void replay_free(struct replay *replay);

/* Sets how the replay takes a node's work from now on. LONGER: its clock goes forward by 1 ns when it starts. */
enum replay_work { WORK_AS_IT_WAS, WORK_ZERO, WORK_LONGER };
void replay_take(struct replay *replay, int32_t node, enum replay_work work);

/* Sets how long the request takes, in nanoseconds. 0; -1 after fail(): joins await each other in a circle. */
int replay_latency(struct replay *replay, uint64_t *latency);

/*
 * Which nodes could have shortened the last replay by doing their work faster: found by going back from the request's
 * end along all that its time was read from. Of the others none can; of these, not all.
 */
void replay_look_back(struct replay *replay);
bool replay_matters(const struct replay *replay, int32_t node);

/* How long the node was active, in nanoseconds; known after a replay. */
uint64_t replay_work_of(const struct replay *replay, int32_t node);

#endif
