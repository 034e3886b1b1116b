#include "span/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "span/spans.h"

/* The time for which a process had an end as a descriptor: from its first sending to its last. */
struct stretch {
	int64_t from, to;
	const struct end *end; /* NULL: unknown */
};

struct descriptor {
	struct descriptor_key {
		int32_t host, process, fd;
	} key;
	ARRAY(struct stretch) stretches; /* by their beginnings */
	UT_hash_handle hh;
};

struct span_of_bytes {
	uint64_t from, to;
};

/* An end, and what state files tell about its queue and about messages that come in. */
struct side {
	const struct end *end;
	const struct connection *connection; /* NULL: the other end is unknown */
	int host;
	ARRAY(const struct queued *) queued; /* in order of time */
	ARRAY(const struct begun *) begun;   /* messages that come in, in order of time */
	ARRAY(struct span_of_bytes) together; /* bytes that the end sent or received together with messages */
	UT_hash_handle hh;
};

struct owned { /* a message that is a unit */
	struct owned_key {
		int64_t host;
		uint64_t number;
	} key;
	size_t message;
	UT_hash_handle hh;
};

struct messages {
	const struct requests *requests;
	struct descriptor *descriptors;
	struct side *sides;
	struct owned *owned;
	ARRAY(struct message) list;
};

void messages_free(struct messages *messages)
{
	struct descriptor *descriptor, *next_descriptor;
	struct side *side, *next_side;

	HASH_ITER(hh, messages->descriptors, descriptor, next_descriptor) {
		HASH_DEL(messages->descriptors, descriptor);
		free(descriptor->stretches.items);
		free(descriptor);
	}
	HASH_ITER(hh, messages->sides, side, next_side) {
		HASH_DEL(messages->sides, side);
		free(side->queued.items);
		free(side->begun.items);
		free(side->together.items);
		free(side);
	}
	HASH_FREE(messages->owned);
	free(messages->list.items);
	free(messages);
}

const struct message *messages_list(const struct messages *messages, size_t *count)
{
	*count = messages->list.count;
	return messages->list.items;
}

static struct side *find_side(const struct messages *messages, const struct end *end)
{
	struct side *side;

	HASH_FIND_PTR(messages->sides, &end, side);
	return side;
}

bool messages_have(const struct messages *messages, const struct end *end)
{
	const struct side *side = find_side(messages, end), *other;

	if (!side)
		return false;
	other = side->connection ? find_side(messages, side->connection->end[side->connection->end[0] == end]) : NULL;
	return side->begun.count || (other && other->begun.count);
}

bool messages_hold(const struct messages *messages, const struct end *end, uint64_t position)
{
	const struct side *side = find_side(messages, end);
	size_t before = side ? COUNT_UNTIL(side->together.items, side->together.count, from, position - 1) : 0;

	return before && position <= side->together.items[before - 1].to;
}

/* --- descriptors and sides ---------------------------------------------------------------------------------------- */

static int32_t process_of(const struct turn_host *host, int32_t tid)
{
	int32_t process = turns_process(host, tid);

	return process ? process : tid;
}

/* The host's state is known until its first loss. */
static int64_t known_until(const struct turn_host *host)
{
	int64_t until = INT64_MAX;

	for (size_t i = 0; i < host->gaps.count; i++)
		until = sooner(until, host->gaps.items[i].from);
	return until;
}

static struct side *add_side(struct messages *messages, const struct end *end, int host)
{
	struct side *side = find_side(messages, end);

	if (side)
		return side;
	side = NEW(struct side);
	side->end = end;
	side->host = host;
	HASH_ADD_PTR(messages->sides, end, side);
	return side;
}

static struct descriptor *find_descriptor(const struct messages *messages, int host, int32_t process, int32_t fd)
{
	struct descriptor_key key = {host, process, fd};
	struct descriptor *descriptor;

	HASH_FIND(hh, messages->descriptors, &key, sizeof(key), descriptor);
	return descriptor;
}

static int by_beginning(const void *left, const void *right)
{
	const struct stretch *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* Adds a side for each end of the host, and the descriptors of these ends. */
static void find_descriptors(struct messages *messages, int number)
{
	const struct turn_host *host = &messages->requests->hosts.items[number];
	struct descriptor *descriptor;
	size_t count;
	const struct end *const *ends = flows_ends(host->flows, &count);

	for (size_t i = 0; i < count; i++) {
		const struct end *end = ends[i];
		const struct moved *first, *last;
		int32_t process;

		add_side(messages, end, number);
		if (!end->sent.count || end->fd < 0)
			continue;
		first = &end->sent.items[0];
		last = &end->sent.items[end->sent.count - 1];
		process = process_of(host, last->tid);
		descriptor = find_descriptor(messages, number, process, end->fd);
		if (!descriptor) {
			descriptor = NEW(struct descriptor);
			descriptor->key = (struct descriptor_key){number, process, end->fd};
			HASH_ADD(hh, messages->descriptors, key, sizeof(descriptor->key), descriptor);
		}
		*ARRAY_ADD(&descriptor->stretches) = (struct stretch){end->older ? end->since : first->ts, last->ts, end};
	}
}

/* Orders the stretches. If two ends seem to have had the same descriptor at the same time, both are unknown. */
static void order_stretches(struct messages *messages)
{
	for (struct descriptor *descriptor = messages->descriptors; descriptor; descriptor = descriptor->hh.next) {
		struct stretch *stretches = descriptor->stretches.items;

		qsort(stretches, descriptor->stretches.count, sizeof(struct stretch), by_beginning);
		for (size_t i = 1; i < descriptor->stretches.count; i++)
			if (stretches[i - 1].to >= stretches[i].from) {
				stretches[i - 1].end = stretches[i].end = NULL;
				stretches[i].to = later(stretches[i].to, stretches[i - 1].to);
			}
	}
}

/* The end that had the descriptor: it sent by it before this time and, if a message is queued, also behind this time. NULL: unknown. */
static const struct end *end_at(const struct messages *messages, int host, const struct queued *queued)
{
	int32_t process = process_of(&messages->requests->hosts.items[host], queued->tid);
	const struct descriptor *descriptor = find_descriptor(messages, host, process, queued->fd);
	size_t before = descriptor ? COUNT_UNTIL(descriptor->stretches.items, descriptor->stretches.count, from, queued->ts) : 0;
	const struct stretch *stretch = before ? &descriptor->stretches.items[before - 1] : NULL;

	if (!stretch || (queued->what == QUEUE_MESSAGE && stretch->to < queued->ts))
		return NULL;
	return stretch->end;
}

/* Gives each side the entries of its queue, and the messages that come in at its end. */
static void share_out(struct messages *messages, int number)
{
	const struct turn_host *host = &messages->requests->hosts.items[number];
	int64_t until = known_until(host);
	size_t count, begun_count;
	const struct queued *queued = units_queued(host->units, &count);
	const struct begun *begun = units_begun(host->units, INT64_MIN + 1, until, &begun_count);

	for (size_t i = 0; i < count; i++) {
		const struct end *end = queued[i].ts < until && queued[i].fd >= 0 ? end_at(messages, number, &queued[i]) : NULL;
		struct side *side = end ? find_side(messages, end) : NULL;

		if (side)
			*ARRAY_ADD(&side->queued) = &queued[i];
	}
	for (size_t i = 0; i < begun_count; i++) {
		struct side *side = begun[i].unit->message && begun[i].end ? find_side(messages, begun[i].end) : NULL;

		if (side)
			*ARRAY_ADD(&side->begun) = &begun[i];
	}
}

/* --- messages with units of their own ----------------------------------------------------------------------------- */

static uint64_t position_at(const struct moves *moves, int64_t ts)
{
	size_t before = COUNT_UNTIL(moves->items, moves->count, ts, ts);

	return before ? moves->items[before - 1].end : moves->before;
}

static struct message *add_message(struct messages *messages, const struct end *end, int host, const struct moved *received)
{
	struct message *message = ARRAY_ADD(&messages->list);

	*message = (struct message){.end = end, .host = host, .tid = received->tid, .left = TIME_NONE, .sent = TIME_NONE, .done = TIME_NONE,
				    .start = received->ts, .taken = received->ts, .last = received->ts};
	return message;
}

static void add_owned(struct messages *messages, int host, uint64_t number)
{
	struct owned *owned = NEW(struct owned);

	owned->key = (struct owned_key){host, number};
	owned->message = messages->list.count - 1;
	HASH_ADD(hh, messages->owned, key, sizeof(owned->key), owned);
}

/* The message that came in as this unit. NULL: none is known. */
static struct message *find_owned(const struct messages *messages, int host, uint64_t number)
{
	struct owned_key key = {host, number};
	struct owned *owned;

	HASH_FIND(hh, messages->owned, &key, sizeof(key), owned);
	return owned ? &messages->list.items[owned->message] : NULL;
}

static const struct end *other_end(const struct side *side)
{
	return side->connection ? side->connection->end[side->connection->end[0] == side->end] : NULL;
}

/* When the byte behind the position had arrived. Retransmitted segments may count twice, so then the answer is `otherwise`. */
static int64_t arrival(const struct end *end, const struct end *other, uint64_t position, int64_t otherwise)
{
	return other && other->again ? otherwise : turns_arrival(end, position, otherwise);
}

/* The sending of the byte before the position; NULL: it was not seen. */
static const struct moved *sent_by(const struct end *end, uint64_t position)
{
	size_t before = COUNT_UNTIL(end->sent.items, end->sent.count, end, position - 1);

	return before < end->sent.count ? &end->sent.items[before] : NULL;
}

static int64_t out_at(const struct moved *sent)
{
	return sent->since != INT64_MIN ? sent->since : sent->ts;
}

/*
 * Adds a message that came in as a unit. Returns the position of its end. 0: no call's bytes end where the message begins, so the bytes of the calls
 * are not those of the program (they are encrypted).
 */
static uint64_t take_unit(struct messages *messages, const struct side *side, const struct begun *begun)
{
	const struct moves *received = &side->end->received;
	size_t before = COUNT_UNTIL(received->items, received->count, ts, begun->ts);
	uint64_t end = before ? received->items[before - 1].end : 0, from = end - begun->bytes;
	struct message *message;
	size_t first;

	if (begun->bytes > end - (before ? received->before : 0))
		return 0;
	first = COUNT_UNTIL(received->items, received->count, end, from);
	if (from != received->before && (!first || received->items[first - 1].end != from))
		return 0;
	message = add_message(messages, side->end, side->host, &received->items[before - 1]);
	message->tid = begun->tid;
	message->start = arrival(side->end, other_end(side), from, message->taken);
	message->done = begun->until == INT64_MAX ? TIME_NONE : begun->until;
	message->last = later(message->taken, message->done);
	message->bytes = begun->bytes;
	message->number = begun->number;
	message->name = begun->name;
	add_owned(messages, side->host, begun->number);
	return end;
}

/* The messages that a process left in queues for units of one name, and the units of this name that came in at one end; both in order. */
struct matching {
	ARRAY(const struct queued *) left;
	ARRAY(struct { size_t message; uint64_t end; }) units;
	size_t left_at, unit_at; /* the next of each; those before are handled */
};

static void gather_left(const struct messages *messages, const struct side *from, const char *name, struct matching *matching)
{
	const struct turn_host *host = &messages->requests->hosts.items[from->host];
	int32_t process = process_of(host, from->end->sent.items[0].tid);
	int64_t until = known_until(host);
	size_t count;
	const struct queued *queued = units_queued(host->units, &count);

	for (size_t i = 0; i < count && queued[i].ts < until; i++)
		if (queued[i].what == QUEUE_MESSAGE && queued[i].to && !strcmp(queued[i].to, name) && process_of(host, queued[i].tid) == process)
			*ARRAY_ADD(&matching->left) = &queued[i];
}

static void gather_units(struct messages *messages, const struct side *to, const char *name, struct matching *matching)
{
	for (size_t i = 0; i < to->begun.count; i++) {
		uint64_t end = strcmp(to->begun.items[i]->unit->name, name) == 0 ? take_unit(messages, to, to->begun.items[i]) : 0;
		size_t place = matching->units.count;

		if (!end)
			continue;
		(void)ARRAY_ADD(&matching->units);
		matching->units.items[place].message = messages->list.count - 1;
		matching->units.items[place].end = end;
	}
}

/*
 * The sender's queue was empty before and at `until`, by which time the sender had sent up to position `end`: joins the messages left in the queue
 * in between with the units that came in. If not `known`, the queue may not have been empty before: only counts the candidates of each unit.
 */
static void join_window(struct messages *messages, const struct side *from, struct matching *matching, int64_t until, uint64_t end, bool known)
{
	size_t left = matching->left_at, unit = matching->unit_at;
	bool same;

	while (matching->left_at < matching->left.count && matching->left.items[matching->left_at]->ts <= until)
		matching->left_at++;
	while (matching->unit_at < matching->units.count && matching->units.items[matching->unit_at].end <= end)
		matching->unit_at++;
	same = known && matching->unit_at - unit == matching->left_at - left;
	for (; unit < matching->unit_at; unit++) {
		struct message *message = &messages->list.items[matching->units.items[unit].message];

		message->candidates = same ? 1 : matching->left_at - left;
		if (!same)
			continue;
		message->left = matching->left.items[left]->ts;
		message->sent = out_at(sent_by(from->end, matching->units.items[unit].end));
		message->cause_host = from->host;
		message->cause = matching->left.items[left++]->request;
	}
}

static int64_t waited_before(const struct turn_host *host, int32_t tid, int64_t at, size_t back)
{
	struct turn_thread *thread;
	size_t before;

	HASH_FIND_INT(host->threads, &tid, thread);
	before = thread ? COUNT_UNTIL(thread->waited.items, thread->waited.count, ts, at) : 0;
	return before > back ? thread->waited.items[before - 1 - back].ts : TIME_NONE;
}

/* Tells whether the queue was certainly empty when this message was left in it; see messages.h. */
static bool is_idle(const struct messages *messages, const struct side *side, const struct queued *left)
{
	const struct turn_host *hosts = messages->requests->hosts.items, *host = &hosts[side->host];
	int64_t waited = waited_before(host, left->tid, left->ts, 1), width;
	int there = side->connection->end[0] == side->end;
	const struct turn_host *peer = &hosts[side->connection->host[there]];
	uint64_t sent;

	if (waited == TIME_NONE || !turns_see_waits(host) || host->width == SPAN_WIDTH_UNKNOWN || peer->width == SPAN_WIDTH_UNKNOWN)
		return false;
	width = side->host == side->connection->host[there] ? 0 : host->width + peer->width;
	sent = position_at(&side->end->sent, waited);
	return sent == position_at(&side->end->sent, left->ts) && position_at(&side->connection->end[there]->received, waited - width) >= sent;
}

/* For a connection older than the trace: begins a window at the first message before this time that found the queue empty. False: there is none. */
static bool begin_idle(struct messages *messages, const struct side *from, struct matching *matching, int64_t before)
{
	for (size_t i = 0; i < matching->left.count && matching->left.items[i]->ts < before; i++) {
		int64_t ts = matching->left.items[i]->ts;

		if (!is_idle(messages, from, matching->left.items[i]))
			continue;
		join_window(messages, from, matching, ts - 1, position_at(&from->end->sent, ts), false);
		return true;
	}
	return false;
}

/* Joins the units of one name with the messages left for them. If the connection began in the trace, its queue was empty at the beginning. */
static void join_units(struct messages *messages, const struct side *from, const struct side *to, const char *name)
{
	struct matching matching = {0};
	bool known = !from->end->older;

	gather_units(messages, to, name, &matching);
	gather_left(messages, from, name, &matching);
	if (known)
		join_window(messages, from, &matching, from->end->since, 0, false);
	for (size_t i = 0; i < from->queued.count; i++)
		if (from->queued.items[i]->what == QUEUE_EMPTY) {
			int64_t ts = from->queued.items[i]->ts;

			known = known || begin_idle(messages, from, &matching, ts);
			join_window(messages, from, &matching, ts, position_at(&from->end->sent, ts), known);
			known = true;
		}
	free(matching.left.items);
	free(matching.units.items);
}

/* Joins the units that come in at the side, once for each name; if the sender is unknown, only adds them. */
static void join_side(struct messages *messages, const struct side *to)
{
	const struct end *end = other_end(to);
	const struct side *from = end && end->sent.count ? find_side(messages, end) : NULL;

	for (size_t i = 0; i < to->begun.count; i++) {
		const char *name = to->begun.items[i]->unit->name;
		size_t first = 0;

		while (strcmp(to->begun.items[first]->unit->name, name) != 0)
			first++;
		if (first < i)
			continue;
		if (from)
			join_units(messages, from, to, name);
		else
			for (size_t k = i; k < to->begun.count; k++)
				if (!strcmp(to->begun.items[k]->unit->name, name))
					take_unit(messages, to, to->begun.items[k]);
	}
}

/* --- messages of unknown places ----------------------------------------------------------------------------------- */

enum backlog { BACKLOG_NONE, BACKLOG_SOME, BACKLOG_UNKNOWN };

/* The messages left in a sender's queue since it was empty, and the calls that have sent since. */
struct queue {
	const struct side *side;
	enum backlog backlog;
	ARRAY(const struct queued *) left;
	size_t first, end; /* the calls: a range of indexes of the end's `sent` */
	size_t unsure;	   /* not 0: the one item in `left` stands for this number of messages, any of which may have been sent */
};

static void add_together(struct messages *messages, const struct end *end, uint64_t from, uint64_t to)
{
	struct side *side = find_side(messages, end);

	if (side)
		*ARRAY_ADD(&side->together) = (struct span_of_bytes){from, to};
}

/* Adds a message as the other end received it. The queue's calls from `first` on sent it: its bytes are the first to the last byte of these calls. */
static void receive(struct messages *messages, const struct queue *queue, const struct queued *left, size_t first, bool alone)
{
	const struct side *side = queue->side;
	int there = side->connection->end[0] == side->end;
	const struct end *end = side->connection->end[there];
	const struct moved *sent = side->end->sent.items;
	uint64_t from = first ? sent[first - 1].end : side->end->sent.before, to = sent[queue->end - 1].end;
	size_t before = COUNT_UNTIL(end->received.items, end->received.count, end, to - 1), begin = COUNT_UNTIL(end->received.items, end->received.count, end, from);
	struct message *message, *passed_on = left->request ? find_owned(messages, side->host, left->request) : NULL;

	if (passed_on)
		passed_on->last = later(passed_on->last, sent[queue->end - 1].ts);
	if (before == end->received.count)
		return;
	message = add_message(messages, end, side->connection->host[there], &end->received.items[before]);
	message->taken = end->received.items[begin].ts;
	message->start = arrival(end, side->end, from, message->taken);
	message->left = left->ts;
	message->sent = out_at(&sent[first]);
	message->bytes = alone && !queue->unsure ? to - from : 0;
	message->cause_host = side->host;
	message->cause = queue->unsure ? 0 : left->request;
	message->candidates = queue->unsure ? queue->unsure : 1;
}

/* The queue was empty behind the last call: messages left before that call were sent. Messages left since then stay. */
static void empty_queue(struct messages *messages, struct queue *queue)
{
	const struct moves *sent = &queue->side->end->sent;
	const struct connection *connection = queue->side->connection;
	int64_t last = queue->end ? sent->items[queue->end - 1].ts : INT64_MIN;
	size_t kept = 0;

	for (size_t i = 0; i < queue->left.count; i++) {
		size_t first = COUNT_UNTIL(sent->items, queue->end, ts, queue->left.items[i]->ts);

		first = first < queue->first ? queue->first : first;
		if (first == queue->end) {
			queue->left.items[kept++] = queue->left.items[i];
			continue;
		}
		receive(messages, queue, queue->left.items[i], first, i == 0 && (queue->left.count == 1 || queue->left.items[1]->ts > last));
		if (i == 0) {
			uint64_t from = first ? sent->items[first - 1].end : sent->before;

			add_together(messages, connection->end[0], from, sent->items[queue->end - 1].end);
			add_together(messages, connection->end[1], from, sent->items[queue->end - 1].end);
		}
	}
	queue->left.count = kept;
	queue->first = queue->end;
}

static void take_queued(struct messages *messages, struct queue *queue, const struct queued *queued)
{
	switch (queued->what) {
	case QUEUE_EMPTY:
		empty_queue(messages, queue);
		queue->backlog = BACKLOG_NONE;
		break;
	case QUEUE_LEFT:
		queue->backlog = BACKLOG_SOME;
		break;
	case QUEUE_MESSAGE:
		if (queue->backlog == BACKLOG_UNKNOWN && is_idle(messages, queue->side, queued))
			queue->backlog = BACKLOG_NONE;
		if (queue->backlog == BACKLOG_NONE)
			empty_queue(messages, queue);
		*ARRAY_ADD(&queue->left) = queued;
		break;
	}
}

/*
 * The trace ends. The messages left were sent if the thread that left them waited behind the last call: if that call had not sent all, an event
 * would have said so before the wait.
 */
static void end_queue(struct messages *messages, struct queue *queue)
{
	const struct turn_host *host = &messages->requests->hosts.items[queue->side->host];
	const struct moved *last;

	if (queue->end == queue->first || !queue->left.count)
		return;
	last = &queue->side->end->sent.items[queue->end - 1];
	if (queue->backlog == BACKLOG_NONE && turns_waited(host, queue->left.items[0]->tid, last->ts, known_until(host)) != TIME_NONE) {
		empty_queue(messages, queue);
	} else {
		queue->unsure = queue->left.count;
		queue->left.count = 1;
		empty_queue(messages, queue);
	}
}

/* Follows the queue of a side whose messages state files report, if the connection's other end is known. */
static void follow_queue(struct messages *messages, const struct side *side)
{
	struct queue queue = {.side = side, .backlog = side->end->older ? BACKLOG_UNKNOWN : BACKLOG_NONE};
	const struct moves *sent = &side->end->sent;
	bool any = false;

	for (size_t i = 0; i < side->queued.count; i++)
		any |= side->queued.items[i]->what == QUEUE_MESSAGE;
	if (!any || !side->connection)
		return;
	for (size_t i = 0; i < side->queued.count; i++) {
		size_t end = COUNT_UNTIL(sent->items, sent->count, ts, side->queued.items[i]->ts);

		queue.end = end > queue.end ? end : queue.end; /* in a damaged stream the times may go back */
		take_queued(messages, &queue, side->queued.items[i]);
	}
	queue.end = sent->count;
	end_queue(messages, &queue);
	free(queue.left.items);
}

static int by_place(const void *left, const void *right)
{
	const struct span_of_bytes *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

struct messages *messages_find(const struct requests *requests, const struct connections *connections)
{
	struct messages *messages = NEW(struct messages);
	struct side *side;
	bool any = false;
	size_t count;

	messages->requests = requests;
	for (size_t h = 0; h < requests->hosts.count; h++)
		any |= units_queued(requests->hosts.items[h].units, &count) && count;
	if (!any)
		return messages;
	for (size_t h = 0; h < requests->hosts.count; h++)
		find_descriptors(messages, (int)h);
	order_stretches(messages);
	for (const struct connection *connection = NULL; (connection = connections_next(connections, connection));)
		for (int i = 0; i < 2; i++)
			if ((side = find_side(messages, connection->end[i])))
				side->connection = connection;
	for (size_t h = 0; h < requests->hosts.count; h++)
		share_out(messages, (int)h);
	for (side = messages->sides; side; side = side->hh.next)
		join_side(messages, side);
	for (side = messages->sides; side; side = side->hh.next)
		follow_queue(messages, side);
	for (side = messages->sides; side; side = side->hh.next)
		if (side->together.count)
			qsort(side->together.items, side->together.count, sizeof(struct span_of_bytes), by_place);
	return messages;
}
