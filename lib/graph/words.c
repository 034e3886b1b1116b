#include "graph/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const char *or_else(const char *text, const char *none)
{
	return text ? text : none;
}

/* "irq virtio1", "softirq NET_RX". */
static char *interrupt(const struct deed *deed)
{
	return deed->irq ? memory_format("irq %s", deed->irq) : memory_format("softirq %s", or_else(deed->softirq, "?"));
}

char *words_reason(const struct deed *deed)
{
	if (deed->lock)
		return memory_format("kernel %s", deed->lock);
	if (deed->purpose && strcmp(deed->purpose, "page") == 0)
		return memory_format("page fault%s%s", deed->syscall ? " in " : "", or_else(deed->syscall, ""));
	if (deed->purpose && strcmp(deed->purpose, "memory") == 0)
		return memory_format("memory reclaim");
	if (!deed->syscall)
		return NULL;
	return memory_format("%s%s%s", deed->syscall, deed->object ? " " : "", or_else(deed->object, ""));
}

/* "futex of victim" */
static char *reason_of(const struct deed *deed, const char *none, const char *who)
{
	char *reason = words_reason(deed), *words = memory_format("%s of %s", or_else(reason, none), or_else(who, "?"));

	free(reason);
	return words;
}

/* Who did it: the pipe's own part in a moment is told so. */
static char *doer_of(const struct deed *deed)
{
	return deed->pipe ? memory_format("this pipe (%s)", or_else(deed->who, "?")) : memory_format("%s", or_else(deed->who, "?"));
}

/* --- names: an actor, and what it did ---------------------------------------------------------------------------------- */

static char *actor_of(const struct deed *deed)
{
	switch (deed->kind) {
	case DEED_HOLD_CPU:
		return deed->irq || deed->softirq ? interrupt(deed) : doer_of(deed);
	case DEED_INTERRUPT:
	case DEED_OUTSIDE:
	case DEED_HOUSEKEEPING:
	case DEED_QUEUE_WORK:
		return interrupt(deed);
	case DEED_DELIVER:
		return memory_format("softirq");
	case DEED_SLEEP:
	case DEED_ALARM:
	case DEED_PACKET:
	case DEED_TIMER_WORK:
		return memory_format("timer");
	case DEED_THROTTLE_CPU:
		return memory_format("cpu throttled");
	case DEED_THROTTLE_IO:
		return memory_format("io throttled");
	case DEED_THROTTLE_DIRTY:
		return memory_format("dirty throttled");
	case DEED_HOLD_BACK:
		return memory_format("%s of %s", or_else(deed->scheduler, "queue"), or_else(deed->dev, "?"));
	case DEED_BEHIND:
		return memory_format("queue of %s", or_else(deed->dev, "?"));
	case DEED_SERVICE:
		return memory_format("%s", or_else(deed->who, "unknown"));
	case DEED_UNKNOWN:
	case DEED_UNKNOWN_WORK:
	case DEED_UNSEEN:
	case DEED_LOST:
	case DEED_GAP:
	case DEED_BEFORE_DATA:
	case DEED_CIRCLE:
	case DEED_NOT_IN_DATA:
		return memory_format("unknown");
	default:
		return doer_of(deed);
	}
}

static char *hold_cpu(const struct deed *deed)
{
	char cpu[NUMBER_ROOM + 1] = "";

	if (deed->cpu != CPU_NONE)
		snprintf(cpu, sizeof(cpu), "%" PRId32 " ", deed->cpu);
	if (!deed->whom)
		return memory_format("on CPU %swhile others were runnable", cpu);
	return memory_format("on CPU %swhile %s was runnable", cpu, deed->whom);
}

static char *bare_act_of(const struct deed *deed)
{
	const char *who = or_else(deed->who, "?"), *whom = or_else(deed->whom, "?");

	switch (deed->kind) {
	case DEED_RUN:
		return memory_format("running%s", deed->pace ? " at a low frequency" : "");
	case DEED_SERVE:
		return memory_format("running for %s", whom);
	case DEED_WORK:
	case DEED_QUEUE_WORK:
	case DEED_TIMER_WORK:
	case DEED_UNKNOWN_WORK:
		return memory_format("work on %s", or_else(deed->queue, "?"));
	case DEED_RECLAIM:
		return memory_format("reclaiming memory%s", deed->purpose ? " of a control group" : "");
	case DEED_SPIN:
		return memory_format("spinning for a kernel lock");
	case DEED_DIE:
		return memory_format("killed by the OOM killer");
	case DEED_HOLD_CPU:
		return hold_cpu(deed);
	case DEED_READY:
		return memory_format("runnable");
	case DEED_WAIT:
		return memory_format("waiting");
	case DEED_INTERRUPT:
		return memory_format("interrupting %s", whom);
	case DEED_SLEEP:
		return reason_of(deed, "sleep", who);
	case DEED_ALARM:
		return memory_format("armed by %s for %s", who, whom);
	case DEED_PACKET:
		return memory_format("packet to %s", whom);
	case DEED_OUTSIDE:
		return memory_format("outside event for %s", whom);
	case DEED_HOUSEKEEPING:
	case DEED_UNKNOWN:
		return reason_of(deed, "wait", whom);
	case DEED_DELIVER:
		return memory_format("on its way to %s", whom);
	case DEED_THROTTLE_CPU:
	case DEED_THROTTLE_IO:
	case DEED_THROTTLE_DIRTY:
		return memory_format("%s", whom);
	case DEED_HOLD_BACK:
	case DEED_BEHIND:
		return memory_format("held back %s by %s", or_else(deed->request, "request"), or_else(deed->whom, "unknown"));
	case DEED_SERVICE:
		return memory_format("%s of %s in service", or_else(deed->request, "request"), or_else(deed->dev, "?"));
	case DEED_UNSEEN:
		return memory_format("state of %s", whom);
	case DEED_LOST:
		return memory_format("events were lost");
	case DEED_GAP:
		return memory_format("gap in the data");
	case DEED_BEFORE_DATA:
		return memory_format("began before the data");
	case DEED_CIRCLE:
		return memory_format("waits in a circle");
	case DEED_NOT_IN_DATA:
		return memory_format("not in the data");
	default:
		return memory_format("%s", "");
	}
}

/* Takes the text. */
static char *append(char *text, const char *between, const char *more)
{
	char *both;

	if (!more)
		return text;
	both = memory_format("%s%s%s", text, between, more);
	free(text);
	return both;
}

static char *act_of(const struct deed *deed)
{
	return append(bare_act_of(deed), " in ", deed->function);
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

char *words_blame(const struct deed *deed, const char *crowd)
{
	const char *open = *crowd ? " (" : "", *close = *crowd ? ")" : "";
	char *actor, *act, *words;

	if (deed->kind == DEED_TEXT)
		return memory_format("%s%s%s%s", or_else(deed->text, ""), open, crowd, close);
	actor = actor_of(deed);
	/* A thread that could have run is not the one to blame: so nobody is known who is. */
	act = deed->kind == DEED_READY ? memory_format("waiting for a CPU that nobody known held") : act_of(deed);
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

/* ", from fetch < serve < main", of "fetch;serve;main" */
static char *append_stack(char *words, const struct node *node)
{
	const char *frames = node->stack;

	for (const char *between = ", from "; frames && *frames; between = " < ") {
		size_t length = strcspn(frames, ";");
		char *frame = memory_text(frames, length);

		words = append(words, between, frame);
		free(frame);
		frames += length + (frames[length] == ';');
	}
	return words;
}

static char *append_awaited(char *words, const struct deed_detail *detail)
{
	if (!detail->asker || !detail->asker_function)
		return words;
	words = append(words, ", awaited by ", detail->asker);
	return append(words, " in ", detail->asker_function);
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
	return append_awaited(append_stack(words, node), detail);
}

static char *label_ready(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);

	return append(append_cpu(own_thread(node), " waiting for CPU ", detail->cpu), "", began_of(detail));
}

static char *label_wait(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);
	char *thread = own_thread(node), *reason = words_reason(node->deed);
	char *words = memory_format("%s in %s%s", thread, or_else(reason, "sleep"), began_of(detail));

	free(thread);
	free(reason);
	return append(append_stack(words, node), ", in the kernel ", detail->kernel);
}

static char *label_thread(const struct node *node)
{
	return append(own_thread(node), "", began_of(detail_of(node)));
}

/* "10 ms in 100 ms of /group" */
static char *quota_words(const struct deed_detail *detail)
{
	char quota[NUMBER_ROOM], period[NUMBER_ROOM];

	number_human_duration(quota, detail->quota);
	number_human_duration(period, detail->period);
	return memory_format(" by the quota, %s in %s of %s", quota, period, or_else(detail->group, "?"));
}

static char *label_throttled(const struct node *node)
{
	const struct deed_detail *detail = detail_of(node);
	char *why = detail->group ? quota_words(detail) : memory_format(", which was idle");
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
		return memory_format("%s", detail_of(node)->until ? "until its end" : node->deed->name);
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
	switch (deed->kind) {
	case DEED_RUN:
	case DEED_SERVE:
	case DEED_WORK:
	case DEED_RECLAIM:
	case DEED_SPIN:
	case DEED_DIE:
	case DEED_READY:
	case DEED_WAIT:
		return true;
	default:
		return deed->kind == DEED_HOLD_CPU && deed->who;
	}
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
	char *words = memory_format("%s", ""), *pace;

	if (node->deed->pace) {
		pace = append_pace(memory_format("%s", ""), detail);
		words = append(words, *pace ? ", " : "", *pace ? pace + strlen(at) : NULL);
		free(pace);
	}
	return append_awaited(words, detail);
}

/* Takes the texts but for the name. */
static struct sentence sentence(char *subject, const char *joint, char *predicate, bool of_row, const char *about)
{
	return (struct sentence){subject, predicate, memory_format("%s", or_else(about, "")), joint, of_row};
}

static struct sentence without_subject(char *predicate)
{
	return sentence(memory_format("%s", ""), "", predicate, false, NULL);
}

/* Of the actor, as in the name. */
static struct sentence plain(const struct node *node)
{
	return sentence(actor_of(node->deed), ": ", act_of(node->deed), true, NULL);
}

/* Of the thread of the row. */
static struct sentence of_thread(const struct node *node, char *predicate)
{
	return sentence(words_row(node), " ", predicate, true, node->deed->who);
}

/* Of the thread that waited, with its name alone. */
static struct sentence of_waiter(const char *name, char *predicate)
{
	return sentence(memory_format("%s", or_else(name, "?")), " ", predicate, false, name);
}

/* "asleep in nanosleep, called by retry (timer)"; without the call where that is not known */
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
	const char *end = open ? "" : detail_of(node)->until ? " until its end" : ", woken by somebody unknown";
	char *words = memory_format("%sasleep in %s%s%s%s", open ? "still " : "", or_else(reason, "wait"),
				    deed->function ? ", called by " : "", or_else(deed->function, ""), end);

	free(reason);
	return of_waiter(deed->whom, words);
}

/* "in the bfq queue of loop0", after "read by victim " where it is another's */
static struct sentence queued(const struct node *node, bool own)
{
	const struct deed *deed = node->deed;
	char *whose = own ? memory_format("%s", "")
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
		return without_subject(memory_format("in service at %s", disk_of(node)));
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
		return of_thread(node, memory_format("waiting for a CPU"));
	case DEED_SLEEP:
		return sleeper(node);
	case DEED_PACKET:
		return of_waiter(deed->whom, memory_format("waiting for a packet that a timer sent"));
	case DEED_OUTSIDE:
		if (deed->softirq && strcmp(deed->softirq, "NET_RX") == 0)
			return of_waiter(deed->whom, memory_format("waiting for the network (softirq NET_RX)"));
		return plain(node);
	case DEED_UNKNOWN:
		return unknown(node, view & VIEW_OPEN);
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
