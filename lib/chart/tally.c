#include "chart/tally.h"

#include <stddef.h>

static void count_thread(struct tally *tally, int32_t tid)
{
	struct tally_thread *free = NULL;

	for (struct tally_thread *thread = tally->threads; thread < tally->threads + TALLY_THREADS; thread++) {
		if (thread->count > 0 && thread->tid == tid) {
			thread->count++;
			return;
		}
		if (thread->count == 0)
			free = thread;
	}
	if (free) {
		*free = (struct tally_thread){tid, 1};
		return;
	}
	for (int i = 0; i < TALLY_THREADS; i++)
		tally->threads[i].count--;
}

void tally_add(struct tally *tally, bool counts, int32_t tid)
{
	tally->events++;
	if (!counts)
		return;
	tally->counted++;
	if (tid >= 0)
		count_thread(tally, tid);
}

int32_t tally_most(const struct tally *tally)
{
	for (int i = 0; i < TALLY_THREADS; i++)
		if (tally->threads[i].count > 0 && 2 * tally->threads[i].count >= tally->counted)
			return tally->threads[i].tid;
	return -1;
}
