/* Paths and rankings in words: who a node of a graph is about, and what it did. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/words.h"

#define CALLS_MAX 1e9

/* The text with "7:0" as "loop0" wherever it stands as a word. */
static char *with_device_names(const struct model *model, const char *text)
{
	char device[64], name[64];
	char *words = NULL;
	size_t size = 0, length;
	FILE *out = open_memstream(&words, &size);
	uint64_t dev;

	while (*text) {
		length = strcspn(text, " ");
		length -= length > 0 && text[length - 1] == ':'; /* "bfq of 7:0: held back" */
		if (length > 2 && length < sizeof(device) && isdigit((unsigned char)*text) &&
		    strspn(text, "0123456789:") >= length && device_parse(text, length, &dev) == 0) {
			snprintf(device, sizeof(device), "%.*s", (int)length, text);
			fputs(model_device_name(model, device, name, sizeof(name)), out);
		} else {
			fwrite(text, 1, length, out);
		}
		text += length;
		length = strspn(text, " :");
		fwrite(text, 1, length, out);
		text += length;
	}
	fclose(out);
	return words;
}

/* Where the name of who ends: "reader: running". It may hold ": " itself. NULL: the name is not of that form. */
static const char *end_of_who(const struct model *model, const char *name, int32_t tid)
{
	const char *comm = tid > 0 ? events_comm(model->events, tid) : "";
	size_t length = strlen(comm);

	if (length > 0 && !strncmp(name, comm, length) && !strncmp(name + length, ": ", 2))
		return name + length;
	return strstr(name, ": ");
}

static bool is_thread(enum node_what what)
{
	return what == WHAT_RUN || what == WHAT_RUNNABLE || what == WHAT_WAIT;
}

char *words_owner(const struct model *model, const struct graph *graph, int32_t index)
{
	const struct node *node = &graph->nodes.items[index];
	const char *end = end_of_who(model, node->name, node->tid);
	const char *of = strstr(node->name, " of ");
	char *name, *who, *words;
	size_t length;

	if ((node->what == WHAT_QUEUE || node->what == WHAT_SERVICE) && of) {
		length = strcspn(of + 4, " ");
		length -= length > 0 && of[4 + length - 1] == ':';
		name = memory_text(of + 4, length);
		who = with_device_names(model, name);
	} else {
		name = memory_text(node->name, end ? (size_t)(end - node->name) : strlen(node->name));
		who = is_thread(node->what) ? words_thread(name, node->tid) : memory_format("%s", name);
	}
	words = words_clean(who);
	free(name);
	free(who);
	return words;
}

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* How many different threads, other than `self`, the edges of a kind come from; `*sources`: how many edges. */
static uint64_t others_behind(const struct graph *graph, int32_t index, enum edge_kind kind, uint64_t *sources)
{
	size_t count, i, n = 0;
	const struct edge *edges = graph_arriving(graph, index, &count);
	int32_t *tids = memory_new(count + 1, sizeof(*tids));
	int32_t self = graph->nodes.items[index].tid, tid;
	uint64_t others = 0;

	*sources = 0;
	for (i = 0; i < count; i++) {
		if (edges[i].kind != kind)
			continue;
		++*sources;
		tid = graph->nodes.items[edges[i].from].tid;
		if (tid != self)
			tids[n++] = tid;
	}
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (i = 0; i < n; i++)
		others += tids[i] != 0 && (i == 0 || tids[i] != tids[i - 1]);
	free(tids);
	return others;
}

/* The target's own request needs no name. */
static bool is_targets_own(const struct graph *graph, const struct node *node)
{
	return graph->target != NODE_NONE && graph->nodes.items[graph->target].tid == node->tid;
}

/* The label says which queue: "queued in bfq of loop0", or the device's own: "behind others in loop0". */
static char *say_queue(const struct model *model, const struct graph *graph, int32_t index)
{
	static const char scheduled[] = "queued in ", behind[] = "behind others in ", held[] = "held back ";
	const struct node *node = &graph->nodes.items[index];
	const char *in = strstr(node->label, scheduled), *of = in ? strstr(in, " of ") : NULL;
	const char *own = strstr(node->label, behind), *what = strstr(node->name, held);
	bool named = what && !is_targets_own(graph, node);

	(void)model;
	what = named ? what + strlen(held) : "";
	if (own)
		return memory_format("%s%sin the queue of %s itself", what, named ? " " : "", own + strlen(behind));
	if (!of)
		return memory_format("%s", node->name);
	in += strlen(scheduled);
	return memory_format("%s%sin the %.*s queue of %s", what, named ? " " : "", (int)(of - in), in, of + 4);
}

static char *say_service(const struct model *model, const struct graph *graph, int32_t index)
{
	const struct node *node = &graph->nodes.items[index];
	char *device, *words;

	if (!is_targets_own(graph, node) || !strstr(node->name, " of "))
		return memory_format("%s", node->name);
	device = words_owner(model, graph, index);
	words = memory_format("in service at %s", device);
	free(device);
	return words;
}

/* Most runs are just that, perhaps in a function or at a low frequency; some are for others or for a purpose, and their names say so. */
static char *say_run(const struct model *model, const struct graph *graph, int32_t index)
{
	static const char plain[] = ": running";
	const char *name = graph->nodes.items[index].name;
	const char *end = end_of_who(model, name, graph->nodes.items[index].tid);
	size_t tail = sizeof(plain) - 1;
	char *owner, *words;

	if (!end || strncmp(end, plain, tail) != 0 ||
	    (end[tail] && strncmp(end + tail, " in ", 4) != 0 && strncmp(end + tail, " at ", 4) != 0))
		return memory_format("%s", name);
	owner = words_owner(model, graph, index);
	words = memory_format("%s running%s", owner, end + tail);
	free(owner);
	return words;
}

static char *say_waiting(const struct model *model, const struct graph *graph, int32_t index)
{
	char *owner = words_owner(model, graph, index), *words = memory_format("%s waiting for a CPU", owner);

	free(owner);
	return words;
}

/* "timer: nanosleep of victim", or "timer: packet to victim", and perhaps " in retry", the function */
static char *say_timer(const struct model *model, const struct graph *graph, int32_t index)
{
	static const char packet[] = "timer: packet to ";
	const char *name = graph->nodes.items[index].name, *of, *in;
	int who, call;

	(void)model;
	if (!strncmp(name, packet, sizeof(packet) - 1)) {
		name += sizeof(packet) - 1;
		in = strstr(name, " in ");
		return memory_format("%.*s waiting for a packet that a timer sent", in ? (int)(in - name) : (int)strlen(name), name);
	}
	if (strncmp(name, "timer: ", 7) || !(of = strstr(name + 7, " of ")))
		return memory_format("%s", name);
	in = strstr(of + 4, " in ");
	who = in ? (int)(in - of - 4) : (int)strlen(of + 4);
	name += strlen("timer: ");
	call = !strncmp(name, "sleep ", 6) ? 0 : (int)(of - name); /* "sleep": the call is not known */
	return memory_format("%.*s asleep%s%.*s%s%s (timer)", who, of + 4, call ? " in " : "", call, name,
			     in ? ", called by " : "", in ? in + 4 : "");
}

/* "softirq NET_RX: outside event for client": what came by the network, and perhaps had to be sent again, nobody here sent. */
static char *say_softirq(const struct model *model, const struct graph *graph, int32_t index)
{
	static const char packet[] = "softirq NET_RX: outside event for ";
	const char *name = graph->nodes.items[index].name;

	(void)model;
	if (strncmp(name, packet, sizeof(packet) - 1))
		return memory_format("%s", name);
	return memory_format("%s waiting for the network (softirq NET_RX)", name + sizeof(packet) - 1);
}

/* "unknown: futex of victim" */
static char *say_sleep(const struct node *node, bool over)
{
	static const char unknown[] = "unknown: ";
	const char *what = node->name + sizeof(unknown) - 1, *of = strstr(node->name, " of ");
	bool broken = !strncmp(node->label, "until ", 6); /* its end was that of the thread */

	if (strncmp(node->name, unknown, sizeof(unknown) - 1) || !of || node->tid != 0)
		return memory_format("%s", node->name);
	return memory_format("%s %sasleep in %.*s%s%s", of + 4, over ? "" : "still ", (int)(of - what), what,
			     !over ? "" : broken ? " " : ", woken by somebody unknown", over && broken ? node->label : "");
}

static char *say_unknown(const struct model *model, const struct graph *graph, int32_t index)
{
	(void)model;
	return say_sleep(&graph->nodes.items[index], true);
}

/* Nobody has woken it yet, perhaps nobody will. */
static char *say_asleep(const struct model *model, const struct graph *graph, int32_t index)
{
	(void)model;
	return say_sleep(&graph->nodes.items[index], false);
}

static char *say_name(const struct model *model, const struct graph *graph, int32_t index)
{
	(void)model;
	return memory_format("%s", graph->nodes.items[index].name);
}

char *words_node(const struct model *model, const struct graph *graph, int32_t index, bool open)
{
	typedef char *node_words(const struct model *model, const struct graph *graph, int32_t index);
	static node_words *const say[WHATS] = {
		[WHAT_RUN] = say_run,     [WHAT_RUNNABLE] = say_waiting, [WHAT_TIMER] = say_timer,
		[WHAT_QUEUE] = say_queue, [WHAT_SERVICE] = say_service,	 [WHAT_SOFTIRQ] = say_softirq,
		[WHAT_UNKNOWN] = say_unknown,
	};
	const struct node *node = &graph->nodes.items[index];
	node_words *own = open && node->what == WHAT_UNKNOWN && node->end >= graph->to ? say_asleep : say[node->what];
	char *raw = (own ? own : say_name)(model, graph, index);
	char *named = with_device_names(model, raw), *words = words_clean(named);

	free(raw);
	free(named);
	return words;
}

/* " while 9,412 requests of 319 others were served" */
static char *say_served(const struct graph *graph, int32_t index)
{
	uint64_t requests, others = others_behind(graph, index, EDGE_QUEUE, &requests);
	char *served, *whose, *words;

	if (requests == 0)
		return memory_format("%s", "");
	served = words_count(requests, "request");
	whose = words_count(others, "other");
	words = memory_format(" while %s%s%s %s served", served, others ? " of " : "", others ? whose : "",
			      requests == 1 ? "was" : "were");
	free(served);
	free(whose);
	return words;
}

/* The label says of a slow run at which frequency, and who waited for it in which function, where stacks were collected. */
static char *say_pace(const struct graph *graph, int32_t index)
{
	const struct node *node = &graph->nodes.items[index];
	static const char begin[] = ", at ", unit[] = " MHz";
	const char *awaited = strstr(node->label, ", awaited by "), *at = strstr(node->label, begin), *end;
	char *all, *words;

	at = at && strstr(node->name, ": running at a low frequency") ? at + sizeof(begin) - 1 : NULL;
	end = at;
	for (const char *next = at; next && (next = strstr(next, unit)); end = next)
		next += sizeof(unit) - 1;
	all = memory_format("%s%.*s%s", at ? ", " : "", (int)(end - at), at ? at : "", awaited ? awaited : "");
	words = words_clean(all);
	free(all);
	return words;
}

char *words_meanwhile(const struct graph *graph, int32_t index)
{
	switch (graph->nodes.items[index].what) {
	case WHAT_QUEUE:
		return say_served(graph, index);
	case WHAT_RUN:
		return say_pace(graph, index);
	default:
		return memory_format("%s", "");
	}
}

/* "318 threads", "318 threads of 2 processes"; "2 processes" where each has one. */
static char *say_crowd(uint64_t threads, uint64_t processes)
{
	char *crowd = words_count(threads, "thread"), number[NUMBER_ROOM], *words;

	if (processes < 2)
		return crowd;
	number_human_count(number, processes);
	words = memory_format("%s%s%s processes", processes == threads ? "" : crowd, processes == threads ? "" : " of ", number);
	free(crowd);
	return words;
}

/* "find: runnable": who could have run is not the one to blame, so it is said that nobody is known who is. Takes the name. */
static char *say_nobody(char *name)
{
	static const char runnable[] = ": runnable";
	size_t length = strlen(name), end = sizeof(runnable) - 1;
	char *words;

	if (length < end || strcmp(name + length - end, runnable) != 0)
		return name;
	words = memory_format("%.*s: waiting for a CPU that nobody known held", (int)(length - end), name);
	free(name);
	return words;
}

char *words_culprit(const struct model *model, const char *name, uint64_t threads, uint64_t processes)
{
	char *named = say_nobody(with_device_names(model, name)), *count, *words;
	const char *end = strstr(named, ": ");

	if (threads < 2 || !end)
		return named;
	count = say_crowd(threads, processes);
	words = memory_format("%.*s (%s)%s", (int)(end - named), named, count, end);
	free(count);
	free(named);
	return words;
}

char *words_score(const struct culprit *culprit)
{
	long calls = culprit->score > 0 ? lround(fmin(1 / culprit->score, CALLS_MAX)) - 1 : 0;
	char *count, *words;

	if (!culprit->timeless)
		return words_seconds(culprit->score);
	if (calls == 0)
		return memory_format("threw");
	count = words_count((uint64_t)calls, "call");
	words = memory_format("%s up", count);
	free(count);
	return words;
}
