#include "log/probe_cost.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/fail.h"
#include "base/now.h"
#include "base/number.h"
#include "log/function_ranking.h"
#include "program/sampler.h"
#include "program/stacks.h"
#include "source/clock.h"
#include "source/instance.h"
#include "source/selection.h"
#include "stream/stream.h"

/* --- the price of a hit ------------------------------------------------------------------------------------------------------- */

enum price { PRICE_ENTRY, PRICE_STEPPED, PRICE_RETURN, PRICE_VALUES, PRICE_STACK, PRICES };

/* In ns, as measured on one machine; PRICE_VALUES is the price of VALUES values. */
enum { VALUES = 6 };
static const int64_t usual_prices[PRICES] = {[PRICE_ENTRY] = 1000, [PRICE_STEPPED] = 11000, [PRICE_RETURN] = 1400, [PRICE_VALUES] = 900, [PRICE_STACK] = 2600};

/*
 * Measuring takes five probes. Turning each on or off waits until all CPUs have passed through the kernel, and holds a lock meanwhile that
 * the end of another logging waits for.
 */
struct probe_prices {
	atomic_bool measured;
	int64_t ns[PRICES];
};

struct probe_prices *probe_prices_new(void)
{
	struct probe_prices *prices = mmap(NULL, sizeof(*prices), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (prices == MAP_FAILED)
		return NULL;
	return prices;
}

/* Functions to be probed: one begins with an instruction that the kernel emulates, one with an instruction that it must single-step. */
#if defined(__x86_64__)
__asm__(".text\n"
	"probe_sample_emulated: nop\n\tret\n"
	"probe_sample_stepped: mov %rdi, %rax\n\tret\n"
	"probe_sample_returning: nop\n\tret\n"
	"probe_sample_telling: nop\n\tret\n"
	"probe_sample_stacked: nop\n\tret\n");
#define ARGUMENT "%di"
#elif defined(__aarch64__)
__asm__(".text\n"
	"probe_sample_emulated: nop\n\tret\n"
	"probe_sample_stepped: eor x1, x0, x0\n\tret\n"
	"probe_sample_returning: nop\n\tret\n"
	"probe_sample_telling: nop\n\tret\n"
	"probe_sample_stacked: nop\n\tret\n");
#define ARGUMENT "%x0"
#endif
typedef void probed(const void *);
extern probed probe_sample_emulated, probe_sample_stepped, probe_sample_returning, probe_sample_telling, probe_sample_stacked;

typedef struct tracefs_dynevent *probe_maker(const char *system, const char *event, const char *file, unsigned long long offset, const char *arguments);

#define NUMBER_AND_TEXT(n) "n" n "=+0(" ARGUMENT "):u64 s" n "=+8(" ARGUMENT "):string "
static const struct {
	probed *function;
	probe_maker *make;
	const char *arguments;
} samples[PRICES] = {
	[PRICE_ENTRY] = {probe_sample_emulated, tracefs_uprobe_alloc, NULL},
	[PRICE_STEPPED] = {probe_sample_stepped, tracefs_uprobe_alloc, NULL},
	[PRICE_RETURN] = {probe_sample_returning, tracefs_uretprobe_alloc, NULL},
	[PRICE_STACK] = {probe_sample_stacked, tracefs_uprobe_alloc, NULL},
	[PRICE_VALUES] = {probe_sample_telling, tracefs_uprobe_alloc, NUMBER_AND_TEXT("1") NUMBER_AND_TEXT("2") NUMBER_AND_TEXT("3")},
};

/* Finds the file and the offset of a function; false: not found. */
static bool find_place(probed *function, char path[4096], unsigned long long *offset)
{
	unsigned long long from, to, at;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4352];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4095[^\n]", &from, &to, &at, path) == 4 && (uintptr_t)function >= from && (uintptr_t)function < to) {
			*offset = (uintptr_t)function - from + at;
			found = true;
		}
	if (maps)
		fclose(maps);
	return found;
}

/* The shortest of several measurements, per call. Empties the sampler's ring buffers, if there are any, in between. */
static int64_t time_calls(probed *volatile function, struct sampler *sampler)
{
	enum { TIMES = 5, CALLS = 100 };
	static const char told[] = "8 bytes.and a text";
	struct sampled_record record;
	struct timespec from, to;
	int64_t least = INT64_MAX, taken;

	for (int i = 0; i < TIMES; i++) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (int n = 0; n < CALLS; n++)
			function(told);
		clock_gettime(CLOCK_MONOTONIC, &to);
		taken = (to.tv_sec - from.tv_sec) * NSEC_PER_SEC + to.tv_nsec - from.tv_nsec;
		least = taken < least ? taken : least;
		while (sampler && sampler_next(sampler, INT64_MAX, &record) > 0)
			;
	}
	return least / CALLS;
}

/* Makes the probe of a price. The caller frees the event, which holds the probe. NULL: it cannot be made. */
static struct tracefs_dynevent *place_sample(struct tracefs_instance *instance, enum price price)
{
	unsigned long long offset;
	char path[4096], name[32];
	struct tracefs_dynevent *probe;

	snprintf(name, sizeof(name), "price%d_%d", price, getpid());
	if (!find_place(samples[price].function, path, &offset))
		return NULL;
	probe = samples[price].make(instance_probe_group(), name, path, offset, samples[price].arguments);
	if (!probe || tracefs_dynevent_create(probe) < 0) {
		tracefs_dynevent_free(probe);
		return NULL;
	}
	if (price != PRICE_STACK) /* the kernel does not let ftrace and perf use one uprobe event at once */
		tracefs_event_enable(instance, instance_probe_group(), name);
	return probe;
}

/* The cost of a stack sample at the probe of this event. 0: this kernel or machine has no such sample. */
static int64_t measure_stack(struct tracefs_dynevent *probe, int64_t bare)
{
	const struct counters none = {0};
	const struct sampler_wanted wanted = {.clock = CLOCK_MONOTONIC, .counters = &none};
	char *name = NULL, *id = NULL;
	struct sampler sampler;
	int64_t price = 0;
	int length;

	if (tracefs_dynevent_info(probe, NULL, &name, NULL, NULL, NULL) != TRACEFS_DYNEVENT_UNKNOWN)
		id = tracefs_event_file_read(NULL, instance_probe_group(), name, "id", &length);
	if (id && sampler_open(&sampler, &wanted) == 0 && sampler_see_calls(&sampler, CLOCK_MONOTONIC, strtoull(id, NULL, 10)) == 0 &&
	    sampler_start(&sampler) == 0)
		price = time_calls(samples[PRICE_STACK].function, &sampler) - bare;
	if (id)
		sampler_close(&sampler);
	free(name);
	free(id);
	return price;
}

static void measure_all(int64_t prices[PRICES], struct tracefs_instance *instance)
{
	struct tracefs_dynevent *probes[PRICES];
	int64_t bare = time_calls(probe_sample_emulated, NULL);
	bool all = true;

	for (int i = 0; i < PRICES; i++)
		all = (probes[i] = place_sample(instance, i)) && all;
	tracefs_trace_on(instance);
	for (int i = 0; i < PRICES && all; i++)
		prices[i] = i == PRICE_STACK ? measure_stack(probes[i], bare) : time_calls(samples[i].function, NULL) - bare;
	tracefs_trace_off(instance);
	/* the probes go away with the instance: the kernel turns no probe off while a thread of any program is in a function with a return probe */
	for (int i = 0; i < PRICES; i++)
		tracefs_dynevent_free(probes[i]);
	tracefs_instance_file_clear(instance, "trace");
	if (!all)
		return;
	prices[PRICE_RETURN] -= prices[PRICE_ENTRY]; /* a call with a return probe also hits the entry */
	prices[PRICE_VALUES] -= prices[PRICE_ENTRY];
}

/* --- functions ---------------------------------------------------------------------------------------------------------------- */

struct probed_event {
	char *event;
	unsigned values;
	const struct selected *selected; /* NULL: not found yet */
	uint64_t hits;		 /* hits at the last look */
	double cost;		 /* cost between the last two looks, ns */
};

struct probed_function {
	char *name;
	struct probed_event events[2];
	double spent; /* cost since the start, ns */
	size_t rank;  /* rank among those that probe_cost_keep() named, from 1; 0: not named */
	bool kept, off;
};

struct probe_cost {
	double limit;
	bool stacks; /* each call has a stack sample */
	prober_say *say;
	int64_t prices[PRICES];
	struct probe_prices *shared; /* NULL: prices are not shared */
	ARRAY(struct probed_function) functions;
	bool keeps;	 /* probe_cost_keep() was called since the last look; most, trigger: its arguments */
	uint64_t most;
	char *trigger;
	bool begun;
	int64_t since, looked; /* CLOCK_MONOTONIC: the start, and the last look */
	double left;	 /* what may still be spent, ns */
};

struct probe_cost *probe_cost_new(double limit, prober_say *say, struct probe_prices *prices)
{
	struct probe_cost *cost = NEW(struct probe_cost);

	cost->limit = limit;
	cost->say = say;
	cost->shared = prices;
	memcpy(cost->prices, usual_prices, sizeof(usual_prices));
	return cost;
}

void probe_cost_measure(struct probe_cost *cost, struct tracefs_instance *instance)
{
	int64_t prices[PRICES];

	if (cost->shared && atomic_load(&cost->shared->measured)) {
		memcpy(cost->prices, cost->shared->ns, sizeof(cost->prices));
		return;
	}
	memcpy(prices, usual_prices, sizeof(prices));
	measure_all(prices, instance);
	for (int i = 0; i < PRICES; i++)
		if (prices[i] > 0) /* otherwise other work disturbed the measurement */
			cost->prices[i] = prices[i];
	if (cost->shared) {
		memcpy(cost->shared->ns, cost->prices, sizeof(cost->prices));
		atomic_store(&cost->shared->measured, true);
	}
}

void probe_cost_want_stacks(struct probe_cost *cost)
{
	cost->stacks = true;
}

void probe_cost_add(struct probe_cost *cost, const char *name, const char *start, unsigned start_values, const char *end, unsigned end_values)
{
	*ARRAY_ADD(&cost->functions) = (struct probed_function){
		.name = memory_text(name, strlen(name)),
		.events = {{.event = memory_text(start, strlen(start)), .values = start_values}, {.event = memory_text(end, strlen(end)), .values = end_values}},
	};
}

void probe_cost_keep(struct probe_cost *cost, const char *trigger, uint64_t most, char *const *names, size_t count)
{
	for (size_t i = 0; i < cost->functions.count; i++) {
		cost->functions.items[i].rank = 0;
		for (size_t k = 0; k < count && !cost->functions.items[i].rank; k++)
			cost->functions.items[i].rank = strcmp(cost->functions.items[i].name, names[k]) == 0 ? k + 1 : 0;
	}
	free(cost->trigger);
	cost->trigger = memory_text(trigger, strlen(trigger));
	cost->most = most;
	cost->keeps = true;
}

/* --- looks -------------------------------------------------------------------------------------------------------------------- */

static const struct selected *selected_of(const struct selection *selection, const char *event)
{
	const struct selected *selected;

	for (size_t i = 0; (selected = selection_at(selection, i)); i++)
		if (strcmp(selected->event, event) == 0)
			return selected;
	return NULL;
}

static double price_of(const struct probe_cost *cost, const struct probed_event *event, bool is_end)
{
	enum price kind = event->selected->stepped ? PRICE_STEPPED : is_end ? PRICE_RETURN : PRICE_ENTRY;

	return (double)cost->prices[kind] + (double)cost->prices[PRICE_VALUES] / VALUES * event->values + (cost->stacks && !is_end ? (double)cost->prices[PRICE_STACK] : 0);
}

/* Reads a line of the profile: "  /path/of/a file name hits". One event may have several probes, at the ends of a function. */
static void count_line(struct probe_cost *cost, char *line, uint64_t *hits)
{
	char *last = strrchr(line, ' '), *name;
	uint64_t count = last ? strtoull(last, NULL, 10) : 0;

	while (last && last > line && last[-1] == ' ')
		last--;
	if (!last)
		return;
	*last = '\0';
	name = strrchr(line, ' ');
	for (size_t i = 0; name && i < 2 * cost->functions.count; i++) {
		const struct probed_event *event = &cost->functions.items[i / 2].events[i % 2];

		if (event->selected && strcmp(event->selected->name, name + 1) == 0)
			hits[i] += count;
	}
}

/* Computes the cost of each event since the last look. False: the profile cannot be read. */
static bool count_hits(struct probe_cost *cost)
{
	int length;
	char *text = tracefs_instance_file_read(NULL, "uprobe_profile", &length), *rest = text, *line;
	uint64_t *hits = memory_new(2 * cost->functions.count + 1, sizeof(*hits));

	while (text && (line = strsep(&rest, "\n")))
		count_line(cost, line, hits);
	for (size_t i = 0; text && i < 2 * cost->functions.count; i++) {
		struct probed_event *event = &cost->functions.items[i / 2].events[i % 2];

		if (!event->selected)
			continue;
		event->cost = hits[i] > event->hits ? (double)(hits[i] - event->hits) * price_of(cost, event, i % 2) : 0;
		event->hits = hits[i];
	}
	free(hits);
	free(text);
	return text != NULL;
}

static double cost_of(const struct probed_function *function)
{
	return function->events[0].cost + function->events[1].cost;
}

static int switch_off(struct probed_function *function, const struct cost_subject *subject)
{
	function->off = true;
	for (int i = 1; i >= 0; i--) {
		const struct selected *selected = function->events[i].selected;

		if (selected && selected->sampled)
			stacks_forget_calls(subject->stacks, selected->sample);
		if (selected && tracefs_event_file_write(subject->instance, selected->system, selected->name, "enable", "0") < 0)
			return fail_errno("cannot turn off the probes of '%s'", function->name);
	}
	return 0;
}

static size_t count_on(const struct probe_cost *cost)
{
	size_t on = 0;

	for (size_t i = 0; i < cost->functions.count; i++)
		on += !cost->functions.items[i].off;
	return on;
}

static enum cost_verdict drop_others(struct probe_cost *cost, const struct cost_subject *subject)
{
	for (size_t i = 0; i < cost->functions.count; i++) {
		struct probed_function *function = &cost->functions.items[i];

		if (!function->kept && !function->off && switch_off(function, subject) < 0)
			return COST_FAILED;
	}
	return count_on(cost) ? COST_SHED : COST_END;
}

static int write_shed(const struct probe_cost *cost, const struct probed_function *function, const struct cost_subject *subject, double all, double span)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_SHED));
	line_time(&line, "ts", clock_now(subject->clock));
	line_text(&line, "what", "function");
	line_text(&line, "name", function->name);
	line_double(&line, "cost", all / span);
	line_double(&line, "share", cost_of(function) / span);
	line_double(&line, "limit", cost->limit);
	status = stream_write_line(subject->stream, &line);
	line_free(&line);
	return status;
}

/* Turns off a function for its cost. `span`: the time of all CPUs since the last look. -1 after fail(). */
static int shed(struct probe_cost *cost, struct probed_function *function, const struct cost_subject *subject, double all, double span)
{
	cost->say("calls of %s cost %.2g %% of all CPUs' time, of %.2g %% in all, and %g %% are allowed (--budget): it is logged no more%s", function->name,
		  100 * cost_of(function) / span, 100 * all / span, 100 * cost->limit, count_on(cost) == 1 ? ", and nothing else is left" : "");
	return switch_off(function, subject) < 0 || write_shed(cost, function, subject, all, span) < 0 ? -1 : 0;
}

static enum cost_verdict drop_costliest(struct probe_cost *cost, const struct cost_subject *subject, double all, double span)
{
	struct probed_function *most = NULL;

	for (size_t i = 0; i < cost->functions.count; i++)
		if (!cost->functions.items[i].off && (!most || cost_of(&cost->functions.items[i]) > cost_of(most)))
			most = &cost->functions.items[i];
	if (!most)
		return COST_END;
	if (shed(cost, most, subject, all, span) < 0)
		return COST_FAILED;
	cost->left = cost->limit * (double)NSEC_PER_SEC * (double)sysconf(_SC_NPROCESSORS_ONLN);
	return count_on(cost) ? COST_SHED : COST_END;
}

static struct probed_function *with_rank(struct probe_cost *cost, size_t rank)
{
	for (size_t i = 0; i < cost->functions.count; i++)
		if (cost->functions.items[i].rank == rank && !cost->functions.items[i].off)
			return &cost->functions.items[i];
	return NULL;
}

/* `age`: the time of all CPUs since the start. */
static enum cost_verdict keep_best(struct probe_cost *cost, const struct cost_subject *subject, double all, double span, double age)
{
	struct line names = {0};
	uint64_t kept = 0;

	cost->keeps = false;
	for (size_t i = 0; i < cost->functions.count; i++)
		cost->functions.items[i].kept = false;
	line_append(&names, "", 0);
	for (size_t rank = 1; rank <= cost->functions.count && kept < cost->most; rank++) {
		struct probed_function *function = with_rank(cost, rank);

		if (!function)
			continue;
		function->kept = cost_of(function) <= cost->limit * span && function->spent <= cost->limit * age;
		if (!function->kept && shed(cost, function, subject, all, span) < 0) {
			line_free(&names);
			return COST_FAILED;
		}
		if (!function->kept)
			continue;
		if (kept++)
			line_append(&names, ", ", 2);
		line_append(&names, function->name, strlen(function->name));
	}
	if (kept)
		cost->say("trigger '%s': the most blamed of the methods in %d requests are logged from now on: %s", cost->trigger,
			  FUNCTION_RANKING_REQUESTS, names.text);
	else
		cost->say("trigger '%s': nothing is logged from now on: each of the most blamed methods costs more than --budget allows", cost->trigger);
	line_free(&names);
	cost->left = cost->limit * (double)NSEC_PER_SEC * (double)sysconf(_SC_NPROCESSORS_ONLN);
	return drop_others(cost, subject);
}

static void begin(struct probe_cost *cost, const struct cost_subject *subject, double cpus)
{
	for (size_t i = 0; i < 2 * cost->functions.count; i++) {
		struct probed_event *event = &cost->functions.items[i / 2].events[i % 2];

		event->selected = selected_of(subject->selection, event->event);
	}
	count_hits(cost);
	cost->begun = true;
	cost->left = cost->limit * (double)NSEC_PER_SEC * cpus;
}

enum cost_verdict probe_cost_check(void *context, const struct cost_subject *subject, int64_t until)
{
	static const int64_t period = NSEC_PER_SEC / 5;
	struct probe_cost *cost = context;
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), all = 0, span, most = cost->limit * (double)NSEC_PER_SEC * cpus;
	int64_t now = now_by(CLOCK_MONOTONIC);

	(void)until;
	if (!cost->begun) {
		begin(cost, subject, cpus);
		cost->since = cost->looked = now;
	}
	if (now - cost->looked < period || (!count_hits(cost) && !cost->keeps))
		return COST_FINE;
	span = (double)(now - cost->looked) * cpus;
	cost->looked = now;
	for (size_t i = 0; i < cost->functions.count; i++) {
		cost->functions.items[i].spent += cost_of(&cost->functions.items[i]);
		all += cost->functions.items[i].off ? 0 : cost_of(&cost->functions.items[i]);
	}
	if (cost->keeps)
		return keep_best(cost, subject, all, span, (double)(now - cost->since) * cpus);
	cost->left += cost->limit * span - all;
	if (cost->left > most)
		cost->left = most;
	return cost->left < 0 ? drop_costliest(cost, subject, all, span) : COST_FINE;
}
