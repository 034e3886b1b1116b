#include "walk/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "walk/node_name.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

enum { GOES_ON = 8 }; /* how many events behind the last common one the answer has */

static const struct segment *segment_of(const struct segment_ref *side)
{
	return segment_at(side->whole, side->segment);
}

static char *name_of(const struct describer *describer, const struct segment_ref *side)
{
	char *name = node_name(side->whole, side->segment), *text = memory_format("%s%s", side->whole == describer->whole ? "" : NODE_NORMAL, name);

	free(name);
	return text;
}

static char *clean_word(const struct whole *whole, uint32_t word)
{
	const char *text = whole_text(whole, word);

	return clean_text(text, strlen(text));
}

static void describe_times(struct describer *describer, const struct segment_ref *side)
{
	struct describer of = {.whole = side->whole};
	const struct segment *segment = segment_of(side);
	int64_t wait = segment->end - segment->wait_from;
	char *name = name_of(describer, side), *in = wait_name(side->whole, segment->identity), *stack;
	json_t *object = json_pack("{s:s}", "node", name);

	json_object_set_new(object, "wait", answer_seconds(wait));
	json_object_set_new(object, "run", answer_seconds(segment->run));
	json_object_set_new(object, "runnable", answer_seconds(segment->runnable));
	describe_wait(&of, object, segment->identity);
	if (segment->has_ret)
		json_object_set_new(object, "ret", json_integer(segment->ret));
	answer_line(describer->answer, object, "%s  waits %s in %s, runs %s, could run %s", name, answer_duration(wait), in,
		    answer_duration(segment->run), answer_duration(segment->runnable));
	if (segment->stack) {
		stack = clean_word(side->whole, segment->stack);
		answer_line(describer->answer, json_pack("{s:s, s:s}", "node", name, "stack", stack), "%s  waits in %s", name, stack);
		free(stack);
	}
	free(name);
	free(in);
}

/* The segment's count of this counter; 0: none. */
static uint64_t count_in(const struct segment_ref *side, const char *counter)
{
	size_t count;
	const struct whole_count *counts = whole_counts_of(&side->whole->counters, side->segment, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(whole_text(side->whole, counts[i].word), counter))
			return counts[i].count;
	return 0;
}

/* Says the counters of `one`, each with the count of `other`. With `missing`, only those that `other` lacks, and the two counts swapped. */
static void describe_counters(struct describer *describer, const struct segment_ref *one, const struct segment_ref *other, bool missing)
{
	size_t count;
	const struct whole_count *counts = whole_counts_of(&one->whole->counters, one->segment, &count);

	for (size_t i = 0; i < count; i++) {
		const char *counter = whole_text(one->whole, counts[i].word);
		uint64_t there = count_in(other, counter), first = missing ? there : counts[i].count, second = missing ? counts[i].count : there;
		char *clean;

		if (missing && there)
			continue;
		clean = clean_word(one->whole, counts[i].word);
		answer_line(describer->answer, json_pack("{s:s, s:I, s:I}", "counter", clean, "one", (json_int_t)first, "other", (json_int_t)second),
			    "%s: %" PRIu64 ", and %" PRIu64, clean, first, second);
		free(clean);
	}
}

/* The length of the call's name in a word: 8 in "recvfrom -11". */
static size_t call_length(const char *text)
{
	const char *space = strrchr(text, ' ');

	return space ? (size_t)(space - text) : strlen(text);
}

/* The results of a call in a segment, "-11 or more than 0", fit to print; NULL: the call was not made, or did not return. The caller frees it. */
static char *results_of(const struct segment_ref *side, const char *call, size_t length)
{
	size_t count;
	uint32_t *words = whole_by_text(side->whole, segment_of(side)->results, &count);
	char *text = NULL, *longer, *clean;

	for (size_t i = 0; i < count; i++) {
		const char *word = whole_text(side->whole, words[i]), *result = word + call_length(word);

		if (call_length(word) != length || strncmp(word, call, length) != 0)
			continue;
		result += *result == ' ';
		clean = clean_text(result, strlen(result));
		longer = memory_format("%s%s%s", text ? text : "", text ? " or " : "", strcmp(clean, "more") ? clean : "more than 0");
		free(clean);
		free(text);
		text = longer;
	}
	free(words);
	return text;
}

static void describe_results(struct describer *describer, const struct segment_ref *one, const struct segment_ref *other)
{
	size_t count, told_length = 0;
	uint32_t *words = whole_by_text(one->whole, segment_of(one)->results, &count);
	const char *told = "";

	for (size_t i = 0; i < count; i++) {
		const char *call = whole_text(one->whole, words[i]);
		size_t length = call_length(call);
		char *here, *there, *clean;

		if (length == told_length && !strncmp(call, told, length))
			continue;
		told = call;
		told_length = length;
		here = results_of(one, call, length);
		there = results_of(other, call, length);
		if (here && there && strcmp(here, there) != 0) {
			clean = clean_text(call, length);
			answer_line(describer->answer, json_pack("{s:s, s:s, s:s}", "call", clean, "result", here, "other", there),
				    "%s returned %s, and %s", clean, here, there);
			free(clean);
		}
		free(here);
		free(there);
	}
	free(words);
}

/* If both waited in the same system call, and it returned different numbers, says these. */
static void describe_return(struct describer *describer, const struct segment_ref *one, const struct segment_ref *other)
{
	const struct segment *a = segment_of(one), *b = segment_of(other);
	const char *call = whole_text(one->whole, whole_identity_at(one->whole, a->identity).syscall);
	char *in;

	if (!a->has_ret || !b->has_ret || a->ret == b->ret || strcmp(call, whole_text(other->whole, whole_identity_at(other->whole, b->identity).syscall)) != 0)
		return;
	in = wait_name(one->whole, a->identity);
	answer_line(describer->answer, json_pack("{s:I, s:I}", "result", (json_int_t)a->ret, "other", (json_int_t)b->ret), "%s returned %lld, and %lld", in,
		    (long long)a->ret, (long long)b->ret);
	free(in);
}

static bool same_event(const struct segment_ref *one, const char *event, const struct segment_ref *other, const char *another)
{
	char *text, *same;
	bool equal;

	if (one->whole == other->whole)
		return !strcmp(event, another);
	text = normal_stream_text(event);
	same = normal_stream_text(another);
	equal = !strcmp(text, same);
	free(text);
	free(same);
	return equal;
}

struct course { /* what happened in a segment, in order */
	const struct segment_ref *side;
	uint32_t *words;
	size_t count;
};

static const char *event_at(const struct course *course, size_t i)
{
	return whole_text(course->side->whole, course->words[i]);
}

/* Leaves out a first "woken=" event: the end of the wait before a segment is not part of what the segment did. */
static struct course course_of(const struct segment_ref *side)
{
	static const char woken[] = "woken=";
	struct course course = {side, memory_new(SEQUENCE_MOST, sizeof(*course.words)), 0};

	course.count = whole_sequence_at(side->whole, segment_of(side)->sequence, course.words);
	if (course.count && !strncmp(event_at(&course, 0), woken, strlen(woken)))
		memmove(course.words, course.words + 1, --course.count * sizeof(*course.words));
	return course;
}

static void describe_course(struct describer *describer, const struct course *course, size_t from)
{
	char *name = name_of(describer, course->side), *text = memory_text("", 0), *longer, *clean;
	json_t *events = json_array();
	size_t left;

	for (size_t i = from; i < course->count && i < from + GOES_ON; i++) {
		clean = clean_word(course->side->whole, course->words[i]);
		json_array_append_new(events, json_string(clean));
		longer = memory_format("%s  %s", text, clean);
		free(text);
		free(clean);
		text = longer;
	}
	left = course->count > from + GOES_ON ? course->count - from - GOES_ON : 0;
	if (from == course->count)
		answer_line(describer->answer, json_pack("{s:s, s:o}", "then", name, "events", events), "then %s: nothing", name);
	else if (left)
		answer_line(describer->answer, json_pack("{s:s, s:o, s:I}", "then", name, "events", events, "more", (json_int_t)left), "then %s:%s ... %zu more",
			    name, text, left);
	else
		answer_line(describer->answer, json_pack("{s:s, s:o}", "then", name, "events", events), "then %s:%s", name, text);
	free(name);
	free(text);
}

/* Says the last common event, and how each segment goes on. */
static void describe_sequences(struct describer *describer, const struct segment_ref *one, const struct segment_ref *other)
{
	struct course a = course_of(one), b = course_of(other);
	size_t common = 0;
	char *last;

	while (common < a.count && common < b.count && same_event(one, event_at(&a, common), other, event_at(&b, common)))
		common++;
	last = common ? clean_word(one->whole, a.words[common - 1]) : memory_text("", 0);
	if (!a.count || !b.count)
		; /* nothing happened in one of them, or the order is not known */
	else if (common == a.count && common == b.count)
		answer_line(describer->answer, json_pack("{s:I}", "same", (json_int_t)common), "the same %zu events, in the same order", common);
	else if (common)
		answer_line(describer->answer, json_pack("{s:I, s:s}", "common", (json_int_t)common, "last", last), "both begin with %zu event%s, the last %s", common,
			    common == 1 ? "" : "s", last);
	else
		answer_line(describer->answer, json_pack("{s:i}", "common", 0), "they begin with different events");
	if (a.count && b.count && (common < a.count || common < b.count)) {
		describe_course(describer, &a, common);
		describe_course(describer, &b, common);
	}
	free(last);
	free(a.words);
	free(b.words);
}

static bool has_event(const struct segment_ref *side, const struct segment_ref *of, const char *event)
{
	size_t count;
	const uint32_t *words = whole_members(side->whole, segment_of(side)->set, &count);

	for (size_t i = 0; i < count; i++)
		if (same_event(side, whole_text(side->whole, words[i]), of, event))
			return true;
	return false;
}

/* Says the events of `one` that `other` does not have. */
static void describe_only(struct describer *describer, const struct segment_ref *one, const struct segment_ref *other)
{
	size_t count;
	uint32_t *words = whole_by_text(one->whole, segment_of(one)->set, &count);
	char *name = name_of(describer, one), *clean;

	for (size_t i = 0; i < count; i++) {
		if (has_event(other, one, whole_text(one->whole, words[i])))
			continue;
		clean = clean_word(one->whole, words[i]);
		answer_line(describer->answer, json_pack("{s:s, s:s}", "only", name, "event", clean), "only %s: %s", name, clean);
		free(clean);
	}
	free(words);
	free(name);
}

void describe_difference(struct describer *describer, struct segment_ref one, struct segment_ref other)
{
	describe_times(describer, &one);
	describe_times(describer, &other);
	describe_counters(describer, &one, &other, false);
	describe_counters(describer, &other, &one, true);
	describe_return(describer, &one, &other);
	describe_results(describer, &one, &other);
	describe_sequences(describer, &one, &other);
	describe_only(describer, &one, &other);
	describe_only(describer, &other, &one);
}
