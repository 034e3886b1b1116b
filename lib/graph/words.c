#include "graph/words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const char *or_else(const char *text, const char *none)
{
	return text ? text : none;
}

/* The kernel's names of its soft interrupts, and plain words for them. */
static const struct {
	const char *name, *words;
} softirqs[] = {
	{"HI", "urgent tasklets"}, {"TIMER", "timers"}, {"NET_TX", "sending of packets"}, {"NET_RX", "receiving of packets"},
	{"BLOCK", "ends of block requests"}, {"IRQ_POLL", "polling of disks"}, {"TASKLET", "tasklets"}, {"SCHED", "balancing of CPUs"},
	{"HRTIMER", "timers"}, {"RCU", "deferred work"},
};

/* "irq virtio1", "the kernel's deferred work (softirq RCU)". */
static char *interrupt(const struct deed *deed)
{
	if (deed->irq)
		return memory_format("irq %s", deed->irq);
	for (size_t i = 0; deed->softirq && i < sizeof(softirqs) / sizeof(*softirqs); i++)
		if (strcmp(deed->softirq, softirqs[i].name) == 0)
			return memory_format("the kernel's %s (softirq %s)", softirqs[i].words, deed->softirq);
	return memory_format("softirq %s", or_else(deed->softirq, "?"));
}

static bool is_purpose(const struct deed *deed, const char *purpose)
{
	return deed->purpose && strcmp(deed->purpose, purpose) == 0;
}

char *words_reason(const struct deed *deed)
{
	if (deed->lock)
		return memory_format("kernel %s", deed->lock);
	if (is_purpose(deed, "page"))
		return memory_format("page fault%s%s", deed->syscall ? " in " : "", or_else(deed->syscall, ""));
	if (is_purpose(deed, "memory"))
		return memory_format("memory reclaim");
	if (is_purpose(deed, "stop"))
		return memory_format("stop by a signal");
	if (is_purpose(deed, "tracer"))
		return memory_format("stop by a tracer");
	if (!deed->syscall)
		return NULL;
	return memory_format("%s%s%s", deed->syscall, deed->object ? " " : "", or_else(deed->object, ""));
}

/* The thread that did it; a thread of the pipe that recorded it is "this pipe (NAME)". */
static char *doer_of(const struct deed *deed)
{
	return deed->pipe ? memory_format("this pipe (%s)", or_else(deed->who, "?")) : memory_format("%s", or_else(deed->who, "?"));
}

/* Frees the text, and returns it with `between` and `more` behind it. If `more` is NULL, returns the text itself. */
static char *append(char *text, const char *between, const char *more)
{
	char *both;

	if (!more)
		return text;
	both = memory_format("%s%s%s", text, between, more);
	free(text);
	return both;
}

/* --- names: an actor, and what it did ---------------------------------------------------------------------------------- */

static char *hold_cpu(const struct deed *deed)
{
	char cpu[NUMBER_ROOM + 1] = "";

	if (deed->cpu != CPU_NONE)
		snprintf(cpu, sizeof(cpu), "%" PRId32 " ", deed->cpu);
	return memory_format("on CPU %s%s%s%swhile %s %s runnable", cpu, deed->function ? "in " : "", or_else(deed->function, ""),
			     deed->function ? " " : "", or_else(deed->whom, "others"), deed->whom ? "was" : "were");
}

/* "victim by the quota of /batch, used up by hog" */
static char *kept_off(const struct deed *deed)
{
	return memory_format("%s%s%s%s%s", or_else(deed->whom, "?"), deed->group ? " by the quota of " : "", or_else(deed->group, ""),
			     deed->who ? ", used up by " : "", or_else(deed->who, ""));
}

static char *holder(const struct deed *deed)
{
	return deed->irq || deed->softirq ? interrupt(deed) : doer_of(deed);
}

static char *server(const struct deed *deed)
{
	return deed->who ? doer_of(deed) : memory_format("unknown");
}

/* "what victim did in futex is not in the data" */
static char *missing(const struct deed *deed)
{
	if (!deed->whom && !deed->syscall)
		return memory_format("not in the data");
	return memory_format("what %s did%s%s is not in the data", or_else(deed->whom, "the thread"), deed->syscall ? " in " : "",
			     or_else(deed->syscall, ""));
}

/*
 * Each deed in words: who or what acts, and what it does. "{key:else}" becomes the key's text, or "else" if the deed lacks the key.
 * "{key?words}" becomes "words" if the deed has the key, or nothing. The key "reason" is words_reason().
 */
static const struct {
	const char *actor, *act; /* no actor: doer_of() */
	char *(*make_actor)(const struct deed *deed), *(*make_act)(const struct deed *deed);
} deed_words[DEEDS] = {
	[DEED_TEXT] = {.act = ""},
	[DEED_RUN] = {.act = "running{pace? at a low frequency}{whom? for }{whom:}"},
	[DEED_SERVE] = {.act = "running for {whom:?}"},
	[DEED_WORK] = {.act = "work on {queue:?}"},
	[DEED_RECLAIM] = {.act = "reclaiming memory{for? of a control group}"},
	[DEED_SPIN] = {.act = "spinning for a kernel lock"},
	[DEED_DIE] = {.act = "killed by the OOM killer"},
	[DEED_CRASH] = {.act = "dying of {for:a signal}"},
	[DEED_HOLD_CPU] = {.make_actor = holder, .make_act = hold_cpu},
	[DEED_READY] = {.act = "runnable{for? while an idle CPU woke up}"},
	[DEED_WAIT] = {.act = "waiting"},
	[DEED_INTERRUPT] = {.make_actor = interrupt, .act = "interrupting {whom:?}"},
	[DEED_SLEEP] = {"timer", "{reason:sleep} of {who:?}{whom? for }{whom:}"},
	[DEED_ALARM] = {"timer", "armed by {who:?} for {whom:?}"},
	[DEED_PACKET] = {"timer", "{for:packet} to {whom:?}"},
	[DEED_OUTSIDE] = {.make_actor = interrupt, .act = "outside event for {whom:?}"},
	[DEED_HOUSEKEEPING] = {.make_actor = interrupt, .act = "{reason:wait} of {whom:?}"},
	[DEED_DELIVER] = {"softirq", "on its way to {whom:?}"},
	[DEED_UNKNOWN] = {"unknown", "{reason:wait} of {whom:?}"},
	[DEED_POLL] = {"unknown", "holder of {file:what}{file?, which} {whom:?} polls by {syscall:?}"},
	[DEED_HOLD_LOCK] = {.act = "holding the lock of {file:a file} that {whom:?} wants"},
	[DEED_STOP] = {.act = "stopped by a {for:signal}"},
	[DEED_QUEUE_WORK] = {.make_actor = interrupt, .act = "work on {queue:?}"},
	[DEED_TIMER_WORK] = {"timer", "work on {queue:?}"},
	[DEED_UNKNOWN_WORK] = {"unknown", "work on {queue:?}"},
	[DEED_THROTTLE_CPU] = {.actor = "cpu throttled", .make_act = kept_off},
	[DEED_THROTTLE_IO] = {"io throttled", "{whom:?}"},
	[DEED_THROTTLE_DIRTY] = {"dirty throttled", "{whom:?}"},
	[DEED_HOLD_BACK] = {"{scheduler:queue} of {dev:?}", "held back {request:request} by {whom:unknown}"},
	[DEED_BEHIND] = {"queue of {dev:?}", "held back {request:request} by {whom:unknown}"},
	[DEED_SERVICE] = {.make_actor = server, .act = "{request:request} of {dev:?} in service"},
	[DEED_UNSEEN] = {"unknown", "state of {whom:?}"},
	[DEED_LOST] = {"unknown", "events were lost"},
	[DEED_GAP] = {"unknown", "gap in the data"},
	[DEED_BEFORE_DATA] = {"unknown", "began before the data"},
	[DEED_CIRCLE] = {"unknown", "waits in a circle"},
	[DEED_NOT_IN_DATA] = {.actor = "unknown", .make_act = missing},
};

/* The text of a key in braces; NULL: the deed lacks it. The caller frees it. */
static char *key_text(const struct deed *deed, const char *key, size_t length)
{
	static const struct {
		const char *name;
		size_t offset;
	} keys[] = {
		{"who", offsetof(struct deed, who)},	     {"whom", offsetof(struct deed, whom)},
		{"queue", offsetof(struct deed, queue)},     {"for", offsetof(struct deed, purpose)},
		{"syscall", offsetof(struct deed, syscall)}, {"pace", offsetof(struct deed, pace)},  {"file", offsetof(struct deed, file)},	     {"request", offsetof(struct deed, request)},
		{"dev", offsetof(struct deed, dev)},	     {"scheduler", offsetof(struct deed, scheduler)},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strlen(keys[i].name) == length && !memcmp(keys[i].name, key, length)) {
			const char *text = *(const char *const *)((const char *)deed + keys[i].offset);

			return text ? memory_text(text, strlen(text)) : NULL;
		}
	return words_reason(deed);
}

/* The text that replaces one pair of braces, with "queue:?" or "pace? at ..." in it. */
static char *fill_one(const struct deed *deed, const char *slot, size_t length)
{
	size_t key = strcspn(slot, ":?");
	bool asks = slot[key] == '?';
	char *text = key_text(deed, slot, key);
	bool is_there = text != NULL;

	if (is_there && !asks)
		return text;
	free(text);
	return asks && !is_there ? memory_format("%s", "") : memory_text(slot + key + 1, length - key - 1);
}

static char *fill(const struct deed *deed, const char *template)
{
	char *words = memory_format("%s", ""), *more;

	while (*template) {
		size_t plain = strcspn(template, "{"), slot = template[plain] ? strcspn(template + plain, "}") : 0;

		more = memory_text(template, plain);
		words = append(words, "", more);
		free(more);
		template += plain;
		if (!slot)
			continue;
		more = fill_one(deed, template + 1, slot - 1);
		words = append(words, "", more);
		free(more);
		template += slot + 1;
	}
	return words;
}

static char *actor_of(const struct deed *deed);
static char *act_of(const struct deed *deed);

static char *doubted(const struct deed *deed)
{
	struct deed certain = *deed;
	char *actor, *act, *words;
	bool known;

	certain.doubt = NULL;
	actor = actor_of(&certain);
	act = act_of(&certain);
	known = strcmp(actor, "unknown") != 0;
	words = memory_format("%s%s%s, which may have ended unseen", known ? actor : "", known ? ": " : "", act);
	free(actor);
	free(act);
	return words;
}

static char *actor_of(const struct deed *deed)
{
	if (deed->doubt)
		return memory_format("unknown");
	if (deed_words[deed->kind].make_actor)
		return deed_words[deed->kind].make_actor(deed);
	return deed_words[deed->kind].actor ? fill(deed, deed_words[deed->kind].actor) : doer_of(deed);
}

static char *act_of(const struct deed *deed)
{
	char *act;

	assert(deed_words[deed->kind].act || deed_words[deed->kind].make_act); /* each kind has a row */
	act = deed->doubt ? doubted(deed) : deed_words[deed->kind].make_act ? deed_words[deed->kind].make_act(deed) : fill(deed, deed_words[deed->kind].act);

	return deed->doubt || deed->kind == DEED_HOLD_CPU ? act : append(act, " in ", deed->function);
}

char *words_name(const struct deed *deed)
{
	char *actor, *act, *words;

	if (deed->kind == DEED_TEXT)
		return memory_format("%s", or_else(deed->text, ""));
	actor = actor_of(deed);
	act = act_of(deed);
	words = memory_format("%s: %s", actor, act);
	free(actor);
	free(act);
	return words;
}

/* The ready thread itself is not to blame: the idle CPU is, or the unknown thread that held the CPU. */
static char *ready(const struct deed *deed)
{
	return memory_format("waiting for %s", deed->purpose ? "an idle CPU to wake up" : "a CPU that an unknown thread held");
}

char *words_act(const struct deed *deed)
{
	if (deed->kind == DEED_TEXT)
		return NULL;
	return deed->kind == DEED_READY ? ready(deed) : act_of(deed);
}

char *words_blame(const struct deed *deed, const char *crowd)
{
	const char *open = *crowd ? " (" : "", *close = *crowd ? ")" : "";
	char *actor, *act, *words;

	if (deed->kind == DEED_TEXT)
		return memory_format("%s%s%s%s", or_else(deed->text, ""), open, crowd, close);
	actor = actor_of(deed);
	act = words_act(deed);
	words = memory_format("%s%s%s%s: %s", actor, open, crowd, close, act);
	free(actor);
	free(act);
	return words;
}

/* --- labels: one node among those of its deed -------------------------------------------------------------------------- */

static const struct deed_detail *detail_of(const struct node *node)
{
	static const struct deed_detail none = {.cpu = CPU_NONE, .sector = NO_SECTOR};

	return node->detail ? node->detail : &none;
}

static const char *disk_of(const struct node *node)
{
	return or_else(detail_of(node)->disk, or_else(node->deed->dev, "?"));
}

/* The node's own thread: "kworker/0:1/11". */
static char *own_thread(const struct node *node)
{
	const char *name = or_else(words_own_name(node), "?");

	return node->tid ? memory_format("%s/%" PRId32, name, node->tid) : memory_format("%s", name);
}

/* ", at 576 of 1804 MHz, limited to 600 MHz" */
static char *append_pace(char *words, const struct deed_detail *detail)
{
	char *pace;

	if (!detail->khz)
		return words;
	pace = memory_format(", at %.0f of %.0f MHz", detail->khz / 1e3, detail->khz_most / 1e3);
	words = append(words, "", pace);
	free(pace);
	if (!detail->khz_limit)
		return words;
	pace = memory_format(", limited to %.0f MHz", detail->khz_limit / 1e3);
	words = append(words, "", pace);
	free(pace);
	return words;
}

/* ", from fetch < serve < main", made of the stack "fetch;serve;main" */
static char *append_stack(char *words, const char *first, const struct node *node)
{
	const char *frames = node->stack;

	for (const char *between = first; frames && *frames; between = " < ") {
		size_t length = strcspn(frames, ";");
		char *frame = memory_text(frames, length);

		words = append(words, between, frame);
		free(frame);
		frames += length + (frames[length] == ';');
	}
	return words;
}

char *words_samples(uint64_t samples, uint64_t in_function)
{
	if (!samples)
		return memory_format("%s", "");
	return memory_format("%.0f %% of %" PRIu64 " samples", 100.0 * (double)in_function / (double)samples, samples);
}

static bool is_yield(const char *name, size_t length)
{
	static const char yields[] = "syscalls_sys_enter_sched_yield";

	return length == strlen(yields) && memcmp(name, yields, length) == 0;
}

/* Turns "page_faults:1203" into "1,203 page faults". */
static char *counter_words(const char *counter, size_t length, int64_t counted)
{
	size_t name = strcspn(counter, ":,");
	uint64_t count = name < length ? strtoull(counter + name + 1, NULL, 10) : 0;
	char number[NUMBER_ROOM], *words, *text;

	number_human_count(number, count);
	if (is_yield(counter, name))
		return counted > 0 && (double)count * 1e9 / (double)counted >= YIELDS ? memory_format("yielding (%s yields)", number)
										      : memory_format("%s yields", number);
	text = memory_text(counter, name < length ? name : length);
	for (char *c = text; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	words = memory_format("%s %s", number, text);
	free(text);
	return words;
}

char *words_counters(const char *counters, int64_t counted)
{
	char *words = memory_format("%s", ""), *more;

	for (const char *at = counters ? counters : ""; *at;) {
		size_t length = strcspn(at, ",");

		more = counter_words(at, length, counted);
		words = append(words, *words ? ", " : "", more);
		free(more);
		at += length + (at[length] == ',');
	}
	return words;
}

static char *append_counters(char *words, const struct deed_detail *detail)
{
	char *counters = words_counters(detail->counters, detail->counted);

	words = append(words, *counters ? ", " : "", counters);
	free(counters);
	return words;
}

/* ", 97 % of 60 samples in draw < main" */
static char *append_samples(char *words, const struct node *node)
{
	char *samples = words_samples(detail_of(node)->samples, detail_of(node)->in_function);

	words = append(append(words, ", ", samples), " in ", node->stack ? "" : node->deed->function);
	free(samples);
	return append_stack(words, "", node);
}

static char *append_awaited(char *words, const struct deed_detail *detail)
{
	if (!detail->asker || !detail->asker_function)
		return words;
	words = append(words, ", awaited by ", detail->asker);
	return append(words, " in ", detail->asker_function);
}

static char *append_kernel(char *words, const struct deed_detail *detail)
{
	return append(words, ", in the kernel ", detail->kernel);
}

static const char *began_of(const struct deed_detail *detail)
{
	return detail->began ? ", began before the data" : "";
}

static char *append_cpu(char *words, const char *between, int32_t cpu)
{
	char number[NUMBER_ROOM];

	snprintf(number, sizeof(number), "%" PRId32, cpu);
	return append(words, between, cpu == CPU_NONE ? NULL : number);
}

static char *label_run(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);
	int32_t cpu = node->deed->kind == DEED_HOLD_CPU ? node->deed->cpu : detail->cpu;
	char *words = append_cpu(own_thread(node), " on CPU ", cpu);

	words = append(append_pace(words, detail), "", began_of(detail));
	words = detail->samples ? append_samples(words, node) : append_stack(words, ", from ", node);
	return append_awaited(append_counters(append_kernel(words, detail), detail), detail);
}

static char *label_ready(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);

	return append(append_cpu(own_thread(node), " waiting for CPU ", detail->cpu), "", began_of(detail));
}

char *words_queue(const struct node *wait)
{
	const struct deed_detail *detail = detail_of(wait);

	if (!detail->others)
		return NULL;
	return memory_format("behind %" PRIu32 " others%s%s", detail->others, detail->crowd ? ", mostly " : "", or_else(detail->crowd, ""));
}

static char *label_wait(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);
	char *thread = own_thread(node), *reason = words_reason(node->deed), *queue = words_queue(node);
	char *words = append(memory_format("%s in %s%s", thread, or_else(reason, "sleep"), began_of(detail)), ", ", queue);

	free(thread);
	free(reason);
	free(queue);
	return append_kernel(append_stack(words, ", from ", node), detail);
}

/* What broke a wait off. */
static const char *until(const struct node *node)
{
	return strcmp(detail_of(node)->until, "signal") == 0 ? "until a signal broke it off" : "until its end";
}

static char *label_thread(const struct node *node)
{
	return append(own_thread(node), "", began_of(detail_of(node)));
}

/* "10 ms in 100 ms of /group" */
static char *quota_words(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);
	char quota[NUMBER_ROOM], period[NUMBER_ROOM];

	number_human_duration(quota, detail->quota);
	number_human_duration(period, detail->period);
	return memory_format(" by the quota, %s in %s of %s", quota, period, or_else(node->deed->group, "?"));
}

static char *label_throttled(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);
	char *why = node->deed->group ? quota_words(node) : memory_format(", which was idle");
	char *words = append(append_cpu(own_thread(node), " kept off CPU ", detail->cpu), "", why);

	free(why);
	return words;
}

static char *label_service(const struct node *node)
{
	const struct deed *deed = node->deed;
	uint64_t sector = detail_of(node)->sector;
	char place[NUMBER_ROOM + 8] = "", *who = deed->who ? own_thread(node) : memory_format("unknown"), *words;

	if (sector != NO_SECTOR)
		snprintf(place, sizeof(place), " sector %" PRIu64, sector);
	words = memory_format("%s of %s%s by %s", or_else(deed->request, "request"), disk_of(node), place, who);
	free(who);
	return words;
}

static char *label_hold_back(const struct node *node)
{
	if (node->deed->scheduler)
		return memory_format("queued in %s of %s", node->deed->scheduler, disk_of(node));
	return memory_format("queued before %s", disk_of(node));
}

static char *every(const struct node *node)
{
	char period[NUMBER_ROOM];

	number_human_duration(period, detail_of(node)->period);
	return memory_format("every %s", period);
}

char *words_label(const struct node *node)
{
	switch (node->deed->kind) {
	case DEED_TEXT:
		return memory_format("%s", or_else(node->label, node->deed->name));
	case DEED_RUN:
	case DEED_SERVE:
	case DEED_WORK:
	case DEED_RECLAIM:
	case DEED_SPIN:
	case DEED_DIE:
	case DEED_CRASH:
		return label_run(node);
	case DEED_HOLD_CPU:
		return node->deed->who ? label_run(node) : memory_format("%s", node->deed->name);
	case DEED_READY:
		return label_ready(node);
	case DEED_WAIT:
		return label_wait(node);
	case DEED_INTERRUPT:
	case DEED_UNSEEN:
	case DEED_LOST:
		return label_thread(node);
	case DEED_UNKNOWN:
		return memory_format("%s", detail_of(node)->until ? until(node) : node->deed->name);
	case DEED_POLL:
		return every(node);
	case DEED_THROTTLE_CPU:
		return label_throttled(node);
	case DEED_THROTTLE_DIRTY:
		return memory_format("until %s keeps up with what is written", disk_of(node));
	case DEED_HOLD_BACK:
		return label_hold_back(node);
	case DEED_BEHIND:
		return memory_format("behind others in %s", disk_of(node));
	case DEED_SERVICE:
		return label_service(node);
	default:
		return memory_format("%s", node->deed->name);
	}
}

/* --- rows and sentences: the nodes of a path --------------------------------------------------------------------------- */

char *words_thread(const char *name, int32_t tid)
{
	if (tid == 0)
		return memory_format("%s", name);
	if (!*name || strcmp(name, "?") == 0)
		return memory_format("thread %" PRId32, tid);
	return memory_format("%s/%" PRId32, name, tid);
}

const char *words_own_name(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);

	return detail->thread ? detail->thread : node->deed->who ? node->deed->who : node->deed->whom;
}

static bool is_threads(const struct deed *deed)
{
	return deed_is(deed->kind, DEED_BY_THREAD) || (deed->kind == DEED_HOLD_CPU && deed->who);
}

static char *row_of(const struct node *node, int32_t tid)
{
	switch (node->deed->kind) {
	case DEED_TEXT:
		return memory_format("%s", node->deed->name);
	case DEED_SERVICE:
	case DEED_HOLD_BACK:
	case DEED_BEHIND:
		return memory_format("%s", disk_of(node));
	default:
		return is_threads(node->deed) ? words_thread(or_else(node->deed->who, "?"), tid) : actor_of(node->deed);
	}
}

char *words_row(const struct node *node)
{
	return row_of(node, node->who_tid);
}

char *words_row_name(const struct node *node)
{
	return row_of(node, 0);
}

char *words_circumstance(const struct node *node)
{
	static const char at[] = ", at ";
	const struct deed_detail *detail = detail_of(node);
	char *words = memory_format("%s", ""), *pace, *samples;

	if (node->deed->pace) {
		pace = append_pace(memory_format("%s", ""), detail);
		words = append(words, *pace ? ", " : "", *pace ? pace + strlen(at) : NULL);
		free(pace);
	}
	samples = words_samples(detail->samples, detail->in_function);
	words = append(words, *samples ? ", " : "", samples);
	free(samples);
	if (node->deed->kind == DEED_RUN)
		words = append_kernel(words, detail);
	return append_awaited(append_counters(words, detail), detail);
}

/* Takes ownership of subject and predicate; copies `about`. */
static struct sentence sentence(char *subject, const char *joint, char *predicate, bool of_row, const char *about)
{
	return (struct sentence){subject, predicate, memory_format("%s", or_else(about, "")), joint, of_row};
}

static struct sentence without_subject(char *predicate)
{
	return sentence(memory_format("%s", ""), "", predicate, false, NULL);
}

/* The deed's actor is the subject, as in words_name(). */
static struct sentence plain(const struct node *node)
{
	char *actor = actor_of(node->deed);
	bool is_thread = node->deed->who && strcmp(actor, node->deed->who) == 0;

	return sentence(actor, ": ", act_of(node->deed), true, is_thread ? actor : NULL);
}

/* The thread of the node's row is the subject. */
static struct sentence of_thread(const struct node *node, char *predicate)
{
	return sentence(words_row(node), " ", predicate, true, node->deed->who);
}

/* The thread that waited is the subject, by its name alone. */
static struct sentence of_waiter(const char *name, char *predicate)
{
	return sentence(memory_format("%s", or_else(name, "?")), " ", predicate, false, name);
}

/* "asleep in nanosleep, called by retry (timer)", as far as system call and function are known */
static struct sentence sleeper(const struct node *node)
{
	const struct deed *deed = node->deed;
	char *reason = words_reason(deed);
	char *words = memory_format("asleep%s%s%s%s (timer)", reason ? " in " : "", or_else(reason, ""),
				    deed->function ? ", called by " : "", or_else(deed->function, ""));

	free(reason);
	return of_waiter(deed->who, words);
}

static struct sentence unknown(const struct node *node, bool open)
{
	const struct deed *deed = node->deed;
	char *reason = words_reason(deed);
	const char *end = open ? "" : detail_of(node)->until ? until(node) : "woken by somebody unknown";
	char *words = memory_format("%sasleep in %s%s%s%s%s", open ? "still " : "", or_else(reason, "wait"),
				    deed->function ? ", called by " : "", or_else(deed->function, ""), open ? "" : detail_of(node)->until ? " " : ", ", end);

	free(reason);
	return of_waiter(deed->whom, words);
}

static struct sentence stopped(const struct node *node, bool open)
{
	char *act = act_of(node->deed), *words = memory_format("%s%s", open ? "still " : "", act);

	free(act);
	return of_waiter(node->deed->who, words);
}

static struct sentence poller(const struct node *node)
{
	const char *file = node->deed->file;
	char *often = every(node), *words = memory_format("polls %s%sby %s %s; who holds it is unknown", or_else(file, ""), file ? " " : "",
							  or_else(node->deed->syscall, "?"), often);

	free(often);
	return of_waiter(node->deed->whom, words);
}

/* What the thread's own request is for, if it moves a page from or to swap: "page coming back from swap, "; else "". */
static const char *errand_of(const struct deed *deed)
{
	if (deed->request && strcmp(deed->request, "swap-in") == 0)
		return "page coming back from swap, ";
	return deed->request && strcmp(deed->request, "swap-out") == 0 ? "page going out to swap, " : "";
}

/* "in the bfq queue of loop0", for the request of another thread with "read by victim " before it */
static struct sentence queued(const struct node *node, bool own)
{
	const struct deed *deed = node->deed;
	char *whose = own ? memory_format("%s", errand_of(deed))
			  : memory_format("%s by %s ", or_else(deed->request, "request"), or_else(deed->whom, "unknown"));
	char *words;

	if (deed->kind == DEED_BEHIND)
		words = memory_format("%sin the queue of %s itself", whose, disk_of(node));
	else if (deed->scheduler)
		words = memory_format("%sin the %s queue of %s", whose, deed->scheduler, disk_of(node));
	else
		words = memory_format("%squeued before %s", whose, disk_of(node));
	free(whose);
	return without_subject(words);
}

static struct sentence served(const struct node *node, bool own)
{
	const struct deed *deed = node->deed;

	if (own)
		return without_subject(memory_format("%sin service at %s", errand_of(deed), disk_of(node)));
	return sentence(memory_format("%s", or_else(deed->who, "unknown")), ": ",
			memory_format("%s of %s in service", or_else(deed->request, "request"), disk_of(node)), false, NULL);
}

struct sentence words_sentence(const struct node *node, int view)
{
	const struct deed *deed = node->deed;

	switch (deed->kind) {
	case DEED_TEXT:
		return sentence(memory_format("%s", deed->name), "", memory_format("%s", ""), true, NULL);
	case DEED_RUN:
		return of_thread(node, act_of(deed));
	case DEED_READY:
		return of_thread(node, memory_format("waiting for %s", deed->purpose ? "an idle CPU to wake up" : "a CPU"));
	case DEED_SLEEP:
		return sleeper(node);
	case DEED_PACKET:
		return of_waiter(deed->whom, memory_format("waiting for a %s", deed->purpose ? deed->purpose : "packet that a timer sent"));
	case DEED_OUTSIDE:
		if (deed->softirq && strcmp(deed->softirq, "NET_RX") == 0)
			return of_waiter(deed->whom, memory_format("waiting for the network (softirq NET_RX)"));
		return plain(node);
	case DEED_UNKNOWN:
		return unknown(node, view & VIEW_OPEN);
	case DEED_STOP:
		return stopped(node, view & VIEW_OPEN);
	case DEED_NOT_IN_DATA:
		return without_subject(missing(deed));
	case DEED_POLL:
		return poller(node);
	case DEED_HOLD_BACK:
	case DEED_BEHIND:
		return queued(node, view & VIEW_OWN);
	case DEED_SERVICE:
		return served(node, view & VIEW_OWN);
	default:
		return plain(node);
	}
}

void sentence_free(struct sentence *sentence)
{
	free(sentence->subject);
	free(sentence->predicate);
	free(sentence->about);
}

char *sentence_words(const struct sentence *sentence)
{
	return memory_format("%s%s%s", sentence->subject, sentence->joint, sentence->predicate);
}
