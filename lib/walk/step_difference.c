#include "walk/step_difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/command.h"
#include "base/fail.h"
#include "base/number.h"
#include "stream/stream.h"
#include "walk/intern.h"

/* A block. Texts are numbers; 0: none. Both logs have one list of texts, so equal numbers are equal texts. */
struct logged {
	uint32_t at, last, function, source, branch;
	uint32_t operand, variable, depends;
	uint32_t callee, result; /* the function that had returned just before, and its result */
	uint64_t length, byte;
};

struct step_log {
	char *file;
	struct intern *texts;
	struct stream *stream;
	ARRAY(struct logged) blocks;
	int64_t process;
	uint32_t why; /* why it ended */
	bool incomplete;
	uint32_t over, callee, result; /* for the next block; over: the function that step-log last stepped over */
	size_t called;		       /* the number of blocks at the last call */
};

enum { STUB_MOST = 16 /* bytes of a linker's stub, at most */ };

static uint32_t take_text(struct step_log *log, const struct fields *fields, const char *key)
{
	char *text = fields_copy(fields, key);
	uint32_t number = text ? intern_number(log->texts, text, strlen(text)) : 0;

	free(text);
	return number;
}

static int take_count(const struct fields *fields, const char *key, uint64_t *count)
{
	int64_t number = 0;

	if (fields_integer(fields, key, &number) < 0 || number < 0)
		return fail("%s= is no count", key);
	*count = (uint64_t)number;
	return 0;
}

static int take_block(struct step_log *log, const struct fields *fields)
{
	struct logged block = {.callee = log->callee, .result = log->result};

	block.at = take_text(log, fields, "at");
	block.last = take_text(log, fields, "last");
	block.function = take_text(log, fields, "function");
	block.source = take_text(log, fields, "source");
	block.branch = take_text(log, fields, "branch");
	block.operand = take_text(log, fields, "operand");
	block.variable = take_text(log, fields, "variable");
	block.depends = take_text(log, fields, "depends");
	if (!block.at || !block.last)
		return fail("a block needs at= and last=");
	if (take_count(fields, "length", &block.length) < 0 || take_count(fields, "byte", &block.byte) < 0)
		return -1;
	*ARRAY_ADD(&log->blocks) = block;
	log->callee = log->result = log->over = 0;
	return 0;
}

static uint64_t offset_of(const struct step_log *log, uint32_t place)
{
	const char *plus = strrchr(intern_at(log->texts, place, NULL), '+');

	return plus ? strtoull(plus + 1, NULL, 16) : 0;
}

/* Tells whether the block is a linker's stub, which leads to a library. Until the symbol is bound, a stub goes another way than later. */
static bool is_stub(const struct step_log *log, const struct logged *block)
{
	return !block->function && offset_of(log, block->last) - offset_of(log, block->at) < STUB_MOST;
}

static void take_over(struct step_log *log, const struct fields *fields)
{
	while (log->blocks.count > log->called && is_stub(log, &log->blocks.items[log->blocks.count - 1]))
		log->blocks.count--;
	log->over = take_text(log, fields, "function");
}

/* A return from the library function that was stepped over, or else from the function of the last block. */
static void take_return(struct step_log *log, const struct fields *fields)
{
	const struct logged *last = log->blocks.count ? &log->blocks.items[log->blocks.count - 1] : NULL;

	log->callee = log->over ? log->over : last ? last->function : 0;
	log->result = take_text(log, fields, "result");
	log->over = 0;
}

static int take(struct step_log *log, const struct fields *fields)
{
	if (fields_is(fields, "what", "enter"))
		return fields_integer(fields, "process", &log->process) < 0 ? -1 : 0;
	if (fields_is(fields, "what", "block"))
		return take_block(log, fields);
	if (fields_is(fields, "what", "call"))
		log->called = log->blocks.count;
	else if (fields_is(fields, "what", "over"))
		take_over(log, fields);
	else if (fields_is(fields, "what", "return"))
		take_return(log, fields);
	else if (fields_is(fields, "what", "end"))
		log->why = take_text(log, fields, "why");
	return 0;
}

static int see_step(void *context, const struct record *record)
{
	struct step_log *log = context;
	const struct fields *fields = stream_fields(log->stream, record);

	if (answer_interrupted())
		return fail("interrupted");
	if (!fields)
		return -1;
	return take(log, fields) < 0 ? stream_fail(log->stream, "%s", fail_text()) : STREAM_DROP;
}

static int read_log(struct step_log *log)
{
	struct handlers handlers = {.on = {[KIND_STEP] = see_step}, .only = ""};
	int status;

	log->stream = stream_open(&log->file, 1);
	if (!log->stream)
		return -1;
	status = stream_finish(log->stream, &handlers, log);
	if (status == EXIT_FAILED)
		return -1;
	log->incomplete = status == EXIT_INCOMPLETE;
	return log->blocks.count ? 0 : fail("'%s' has no steps, as step-log writes them", log->file);
}

/* --- what differs ------------------------------------------------------------------------------------------------------- */

static const char *text_of(const struct step_log *log, uint32_t number)
{
	return intern_at(log->texts, number, NULL);
}

static char *clean_of(const struct step_log *log, uint32_t number)
{
	const char *text = text_of(log, number);

	return clean_text(text, strlen(text));
}

static void set(json_t *object, const char *key, const struct step_log *log, uint32_t number)
{
	char *clean = clean_of(log, number);

	if (number)
		json_object_set_new(object, key, json_string(clean));
	free(clean);
}

/* "look, prog.c:12 (prog+0x1139)". The caller frees it. */
static char *place_words(const struct step_log *log, uint32_t function, uint32_t line, uint32_t at)
{
	char *text = memory_format("%s%s%s%s%s%s", text_of(log, function), function && line ? ", " : "", text_of(log, line),
				   function || line ? " (" : "", text_of(log, at), function || line ? ")" : "");
	char *clean = clean_text(text, strlen(text));

	free(text);
	return clean;
}

static void describe_common(struct describer *describer, const struct step_log *log, size_t common)
{
	const struct logged *last = common ? &log->blocks.items[common - 1] : NULL;
	json_t *object = json_pack("{s:I}", "common", (json_int_t)common);
	char *place;

	if (!last) {
		answer_line(describer->answer, object, "they begin with different blocks");
		return;
	}
	set(object, "function", log, last->function);
	set(object, "branch", log, last->branch);
	set(object, "last", log, last->last);
	place = place_words(log, last->function, last->branch, last->last);
	answer_line(describer->answer, object, "both run the same %zu block%s, up to the branch in %s", common, common == 1 ? "" : "s", place);
	free(place);
}

static void describe_next(struct describer *describer, const struct step_log *log, size_t common)
{
	char *file = clean_text(log->file, strlen(log->file)), *place, *why;
	json_t *object = json_pack("{s:s}", "then", file);
	const struct logged *next;

	if (common == log->blocks.count) {
		why = clean_of(log, log->why);
		set(object, "why", log, log->why);
		answer_line(describer->answer, object, "then %s: it ends%s%s", file, log->why ? ": " : "", why);
		free(why);
	} else {
		next = &log->blocks.items[common];
		set(object, "function", log, next->function);
		set(object, "source", log, next->source);
		set(object, "at", log, next->at);
		place = place_words(log, next->function, next->source, next->at);
		answer_line(describer->answer, object, "then %s: %s", file, place);
		free(place);
	}
	free(file);
}

static bool can_be_watched(const struct logged *block)
{
	return block->length && block->length <= 8 && !(block->length & (block->length - 1));
}

/* The option of trace-collect that watches the operand; NULL: it cannot be watched, or not be quoted for a shell. The caller frees it. */
static char *watch_option(const struct step_log *log, const struct logged *block)
{
	char *variable = clean_of(log, block->variable ? block->variable : block->operand), *option = NULL;
	bool watched = log->process && can_be_watched(block) && !strchr(variable, '\'');

	if (watched && block->byte)
		option = memory_format("--watch=%" PRId64 ":%s+%" PRIu64 ":%" PRIu64 ":rw", log->process, variable, block->byte, block->length);
	else if (watched)
		option = memory_format("--watch=%" PRId64 ":%s:%" PRIu64 ":rw", log->process, variable, block->length);
	free(variable);
	return option;
}

static void describe_operand(struct describer *describer, const struct step_log *log, const struct logged *block)
{
	char *variable = clean_of(log, block->variable), *address = clean_of(log, block->operand), *option = watch_option(log, block);
	json_t *object = json_pack("{s:s, s:I}", "decided", "memory", "length", (json_int_t)block->length);

	set(object, "operand", log, block->operand);
	set(object, "variable", log, block->variable);
	if (block->byte)
		json_object_set_new(object, "byte", json_integer((json_int_t)block->byte));
	if (option)
		json_object_set_new(object, "watch", json_string(option));
	answer_line(describer->answer, object, "that depends on %s, %" PRIu64 " byte%s at %s", block->variable ? variable : "no variable that has a name",
		    block->length, block->length == 1 ? "" : "s", address);
	if (option) {
		static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.+-=";
		const char *quote = option[strspn(option, plain)] ? "'" : ""; /* for the shell, as C++ names need it */

		answer_line(describer->answer, json_object(), "who writes it: trace-collect %s%s%s", quote, option, quote);
	}
	free(variable);
	free(address);
	free(option);
}

static void describe_result(struct describer *describer, const struct step_log *good, const struct logged *one, const struct step_log *bad, const struct logged *other)
{
	json_t *object = json_pack("{s:s}", "decided", "result");
	char *callee = clean_of(bad, other->callee), *first = clean_of(good, one->result), *second = clean_of(bad, other->result);

	set(object, "function", bad, other->callee);
	set(object, "result", good, one->result);
	set(object, "other", bad, other->result);
	answer_line(describer->answer, object, "that depends on what %s returned: %s, and %s", *callee ? callee : "a function", first, second);
	free(callee);
	free(first);
	free(second);
}

/* Says what the branch of this block depends on, after which the two logs part. */
static void describe_reason(struct describer *describer, const struct step_log *good, const struct step_log *bad, size_t number)
{
	const struct logged *one = &good->blocks.items[number], *other = &bad->blocks.items[number];
	char *depends;

	if (other->operand) {
		describe_operand(describer, bad, other);
	} else if (other->length) {
		answer_line(describer->answer, json_pack("{s:s, s:I}", "decided", "memory", "length", (json_int_t)other->length),
			    "that depends on %" PRIu64 " byte%s in memory, at an address that no register of the log has", other->length, other->length == 1 ? "" : "s");
	} else if (other->depends && !strcmp(text_of(bad, other->depends), "rax") && one->result && other->result) {
		describe_result(describer, good, one, bad, other);
	} else if (other->depends) {
		depends = clean_of(bad, other->depends);
		answer_line(describer->answer, json_pack("{s:s, s:s}", "decided", "register", "register", depends), "that depends on %s, as it was before that block",
			    depends);
		free(depends);
	} else {
		answer_line(describer->answer, json_pack("{s:s}", "decided", "unknown"), "nobody knows what that depends on");
	}
}

static bool is_same(const struct logged *one, const struct logged *other)
{
	return one->at == other->at && one->last == other->last;
}

static void describe_logs(struct describer *describer, const struct step_log *good, const struct step_log *bad)
{
	size_t least = good->blocks.count < bad->blocks.count ? good->blocks.count : bad->blocks.count, common = 0;

	while (common < least && is_same(&good->blocks.items[common], &bad->blocks.items[common]))
		common++;
	if (common == good->blocks.count && common == bad->blocks.count) {
		answer_line(describer->answer, json_pack("{s:I}", "same", (json_int_t)common), "the same %zu block%s, one after the other", common, common == 1 ? "" : "s");
		return;
	}
	describe_common(describer, good, common);
	describe_next(describer, good, common);
	describe_next(describer, bad, common);
	if (common && common < least)
		describe_reason(describer, good, bad, common - 1);
}

static void free_log(struct step_log *log)
{
	free(log->blocks.items);
}

int describe_steps(struct describer *describer, char *good, char *bad)
{
	struct intern texts = {0};
	struct step_log one = {.file = good, .texts = &texts}, other = {.file = bad, .texts = &texts};
	int status;

	intern_number(&texts, "", 0);
	status = read_log(&one) < 0 || read_log(&other) < 0 ? -1 : 0;
	if (status == 0)
		describe_logs(describer, &one, &other);
	describer->incomplete |= one.incomplete || other.incomplete;
	free_log(&one);
	free_log(&other);
	intern_free(&texts);
	return status;
}
