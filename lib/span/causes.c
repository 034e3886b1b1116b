/* Finds the request that each call of a server belongs to; see requests.h. */
#include "span/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "span/messages.h"

int32_t turns_process(const struct turn_host *host, int32_t tid)
{
	struct turn_thread *thread;

	HASH_FIND_INT(host->threads, &tid, thread);
	return thread && thread->tgid ? thread->tgid : 0;
}

bool turns_see_waits(const struct turn_host *host)
{
	unsigned all = (1u << (host->few ? WAITS_OF_ALL : WAITS)) - 1;

	return (host->told & all) == all;
}

int64_t turns_waited(const struct turn_host *host, int32_t tid, int64_t from, int64_t to)
{
	struct turn_thread *thread;
	size_t before;

	HASH_FIND_INT(host->threads, &tid, thread);
	if (!thread)
		return TIME_NONE;
	before = COUNT_UNTIL(thread->waited.items, thread->waited.count, ts, from);
	return before < thread->waited.count && thread->waited.items[before].ts <= to ? thread->waited.items[before].ts : TIME_NONE;
}

int64_t turns_arrival(const struct end *end, uint64_t position, int64_t otherwise)
{
	size_t before = COUNT_UNTIL(end->arrived.items, end->arrived.count, end, position);

	return before < end->arrived.count && end->arrived.items[before].ts < otherwise ? end->arrived.items[before].ts : otherwise;
}

static bool lost_within(const struct turn_host *host, int64_t from, int64_t to)
{
	for (size_t i = 0; i < host->gaps.count; i++)
		if (host->gaps.items[i].from <= to && host->gaps.items[i].to >= from)
			return true;
	return false;
}

/* An address of one of the hosts. */
struct own_address {
	uint8_t ip[16];
	UT_hash_handle hh;
};

static struct own_address *find_own(struct own_address *all, const struct address *address)
{
	struct own_address *own;

	HASH_FIND(hh, all, address->ip, sizeof(own->ip), own);
	return own;
}

/* Gathers the addresses of all hosts. The caller frees them. */
static struct own_address *own_addresses(const struct requests *requests)
{
	struct own_address *all = NULL, *own;

	for (size_t h = 0; h < requests->hosts.count; h++) {
		size_t count;
		const struct end *const *ends = flows_ends(requests->hosts.items[h].flows, &count);

		for (size_t i = 0; i < count; i++) {
			if (find_own(all, &ends[i]->local))
				continue;
			own = NEW(struct own_address);
			memcpy(own->ip, ends[i]->local.ip, sizeof(own->ip));
			HASH_ADD(hh, all, ip, sizeof(own->ip), own);
		}
	}
	return all;
}

/* The requests of servers that are open at the current time. */
struct open {
	ARRAY(int32_t) turns;
};

static void close_answered(const struct requests *requests, struct open *open, int64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < open->turns.count; i++)
		if (requests->turns.items[open->turns.items[i]].last >= now)
			open->turns.items[kept++] = open->turns.items[i];
	open->turns.count = kept;
}

static bool of_one_process(const struct turn_host *host, int32_t a, int32_t b)
{
	int32_t first = turns_process(host, a), second = turns_process(host, b);

	return a == b || !first || !second || first == second;
}

/*
 * The request that the thread received in the same run of a callback in which it sends: it sends for this request, whatever else is open. -1: it
 * received none in the run, or no run is known.
 */
static int32_t received_in_run(const struct requests *requests, const struct open *open, const struct turn *turn)
{
	const struct turn_host *host = &requests->hosts.items[turn->host];
	int64_t from, to;
	int32_t found = -1;

	if (!units_run(host->units, turn->tid, turn->start, &from, &to))
		return -1;
	for (size_t i = 0; i < open->turns.count; i++) {
		const struct turn *candidate = &requests->turns.items[open->turns.items[i]];

		if (candidate->host != turn->host || candidate->tid != turn->tid || candidate->taken < from || candidate->taken > turn->start)
			continue;
		if (found < 0 || candidate->taken > requests->turns.items[found].taken)
			found = open->turns.items[i];
	}
	return found;
}

/*
 * The request for which the thread announced that it sends on the connection: by its last announcement before the bytes had left, if it did not wait
 * for several descriptors in between. -1: it announced no open request.
 */
static int32_t told_by_call(const struct requests *requests, const struct open *open, const struct turn *turn)
{
	const struct turn_host *host = &requests->hosts.items[turn->host];
	const struct called *called = units_called(host->units, turn->tid, turn->moved);

	if (!called || !called->request || called->fd != turn->end->fd || !turns_see_waits(host) ||
	    turns_waited(host, turn->tid, called->ts, turn->moved) != TIME_NONE || lost_within(host, called->ts, turn->moved))
		return -1;
	for (size_t i = 0; i < open->turns.count; i++) {
		const struct turn *candidate = &requests->turns.items[open->turns.items[i]];

		if (candidate->host == turn->host && candidate->tid == turn->tid && candidate->request == called->request)
			return open->turns.items[i];
	}
	return -1;
}

/* Finds the request that a client's turn belongs to, or the number of candidates. */
static void find_cause(struct requests *requests, const struct open *open, struct turn *turn, bool served)
{
	const struct turn_host *host = &requests->hosts.items[turn->host];
	int32_t own = -1, run = told_by_call(requests, open, turn);
	uint64_t owned = 0;

	if (run < 0)
		run = received_in_run(requests, open, turn);
	for (size_t i = 0; i < open->turns.count; i++) {
		const struct turn *candidate = &requests->turns.items[open->turns.items[i]];

		if (candidate->host != turn->host || candidate->taken > turn->start || !of_one_process(host, candidate->tid, turn->tid))
			continue;
		turn->candidates++;
		if (candidate->tid == turn->tid) {
			own = open->turns.items[i];
			owned++;
		}
	}
	if (run >= 0) {
		const struct turn *cause = &requests->turns.items[run];

		turn->sure = cause->alone && cause->answered && turn->alone && !lost_within(host, cause->taken, turn->start);
		turn->parent = turn->sure ? run : -1;
	} else if (owned == 1) {
		const struct turn *cause = &requests->turns.items[own];

		turn->sure = cause->alone && cause->answered && turn->alone && turns_see_waits(host) &&
			     turns_waited(host, turn->tid, cause->taken, turn->start) == TIME_NONE && !lost_within(host, cause->taken, cause->last);
		turn->parent = turn->sure ? own : -1;
	} else {
		turn->sure = !served && !host->gaps.count;
	}
}

/* Threads that have received requests or messages, and since when. A client's turn of any other process is a root. */
struct servers {
	ARRAY(struct server {
		int host;
		int32_t tid;
		int64_t since;
	}) threads;
};

static void add_server(struct servers *servers, int host, int32_t tid, int64_t since)
{
	for (size_t i = 0; i < servers->threads.count; i++) {
		struct server *known = &servers->threads.items[i];

		if (known->host == host && known->tid == tid) {
			known->since = sooner(known->since, since);
			return;
		}
	}
	*ARRAY_ADD(&servers->threads) = (struct server){host, tid, since};
}

static bool has_served(const struct requests *requests, const struct servers *servers, const struct turn *turn)
{
	for (size_t i = 0; i < servers->threads.count; i++) {
		const struct server *known = &servers->threads.items[i];

		if (known->host == turn->host && known->since <= turn->start && of_one_process(&requests->hosts.items[turn->host], known->tid, turn->tid))
			return true;
	}
	return false;
}

void causes_find(struct requests *requests)
{
	struct own_address *own = own_addresses(requests);
	struct servers servers = {0};
	struct open open = {0};
	size_t count;
	const struct message *messages = messages_list(requests->messages, &count);

	for (size_t i = 0; i < count; i++)
		add_server(&servers, messages[i].host, messages[i].tid, messages[i].taken);
	for (size_t i = 0; i < requests->turns.count; i++) {
		struct turn *turn = &requests->turns.items[i];

		close_answered(requests, &open, turn->start);
		if (turn->server) {
			*ARRAY_ADD(&open.turns) = (int32_t)i;
			add_server(&servers, turn->host, turn->tid, turn->start);
			turn->sure = turn->sure || !find_own(own, &turn->end->peer); /* or it came from outside the stream */
		} else {
			find_cause(requests, &open, turn, has_served(requests, &servers, turn));
		}
	}
	HASH_FREE(own);
	free(servers.threads.items);
	free(open.turns.items);
}
