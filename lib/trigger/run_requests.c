#include "trigger/run_requests.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "chart/series.h"

struct calling { /* a thread with open calls */
	int32_t tid;
	uint32_t open;
	UT_hash_handle hh;
};

struct run_requests {
	bool own;
	ARRAY(char *) asked; /* charts that the collector was asked for */
	struct calling *threads;
};

struct run_requests *run_requests_new(bool own)
{
	struct run_requests *requests = NEW(struct run_requests);

	requests->own = own;
	return requests;
}

void run_requests_free(struct run_requests *requests)
{
	run_requests_forget(requests);
	for (size_t i = 0; i < requests->asked.count; i++)
		free(requests->asked.items[i]);
	free(requests->asked.items);
	free(requests);
}

void run_requests_chart(struct run_requests *requests, const struct chart *chart)
{
	if (!requests->own && chart->asked)
		*ARRAY_ADD(&requests->asked) = memory_text(chart->name, strlen(chart->name));
}

static bool is_asked(const struct run_requests *requests, const char *chart)
{
	for (size_t i = 0; i < requests->asked.count; i++)
		if (!strcmp(requests->asked.items[i], chart))
			return true;
	return false;
}

/* Counts a call as open. Tells whether no other call of the thread is open; if the thread is unknown, always true. */
static bool is_outermost(struct run_requests *requests, int32_t tid)
{
	struct calling *thread;

	if (tid < 0)
		return true;
	HASH_FIND_INT(requests->threads, &tid, thread);
	if (!thread) {
		thread = NEW(struct calling);
		thread->tid = tid;
		HASH_ADD_INT(requests->threads, tid, thread);
	}
	return thread->open++ == 0;
}

bool run_requests_begin(struct run_requests *requests, const struct sample *begun, bool named)
{
	if (requests->own)
		return true;
	if (requests->asked.count)
		return is_asked(requests, begun->series->chart);
	return is_outermost(requests, begun->tid) || named;
}

static void drop(struct run_requests *requests, struct calling *thread)
{
	HASH_DEL(requests->threads, thread);
	free(thread);
}

void run_requests_gone(struct run_requests *requests, const struct sample *gone)
{
	struct calling *thread;

	HASH_FIND_INT(requests->threads, &gone->tid, thread);
	if (thread && --thread->open == 0)
		drop(requests, thread);
}

void run_requests_forget(struct run_requests *requests)
{
	struct calling *thread, *next;

	HASH_ITER(hh, requests->threads, thread, next) {
		drop(requests, thread);
	}
}
