/*
 * What a broken process that looks names up answers to a collector with root's rights: the input is one byte, which says what is asked, and the
 * answers, each behind its length in two bytes.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "program/argument.h"
#include "program/ends.h"
#include "program/lookup.h"
#include "program/lookup_program.h"
#include "program/lookup_message.h"
#include "program/lookup_process.h"
#include "program/opener.h"
#include "program/symbol.h"
#include "support/fuzz.h"

static struct {
	const uint8_t *data;
	size_t size;
} answers;

/* Stands in the place of that of program/lookup_process.c. */
_Noreturn void lookup_serve(int socket)
{
	const struct lookup_answer confined = {.kind = ANSWER_DONE};
	struct lookup_question question;

	if (recv(socket, &question, sizeof(question), 0) < 0 || question.kind != ASK_CONFINED)
		_exit(1);
	lookup_send(socket, &confined, sizeof(confined), NULL, 0, -1, 0);
	while (answers.size >= sizeof(uint16_t)) {
		uint16_t length;

		memcpy(&length, answers.data, sizeof(length));
		answers.data += sizeof(length);
		answers.size -= sizeof(length);
		if (length > answers.size)
			length = (uint16_t)answers.size;
		lookup_send(socket, answers.data, length, NULL, 0, -1, 0);
		answers.data += length;
		answers.size -= length;
	}
	shutdown(socket, SHUT_WR);
	while (recv(socket, &(char){0}, 1, 0) > 0)
		;
	_exit(0);
}

static void must_be_clean(const char *text)
{
	for (; *text; text++)
		fuzz_must((unsigned char)*text >= ' ' && *text != 0x7f);
}

/* Any will do: the answers are made up. */
#define SOME_FILE "/proc/self/exe"

static struct opener_file some_file(void)
{
	struct opener_file file;

	fuzz_must(opener_find(SOME_FILE, &file) == 0);
	return file;
}

static void ask_place(struct lookup *lookup)
{
	const struct opener_file found = some_file();
	struct lookup_file *file = lookup_add(lookup, &found, "/usr/bin/program");
	struct lookup_place place;

	for (int i = 0; i < 3; i++) {
		lookup_place(lookup, file, 1, &place);
		fuzz_must(place.count >= 0 && place.count <= IMAGE_FUNCTIONS);
		fuzz_must(place.step.base < STEP_REGISTERS);
		for (int n = 0; n < place.count; n++) {
			must_be_clean(place.functions[n]);
			free(place.functions[n]);
		}
	}
	lookup_forget(lookup, file);
}

static void ask_build_id(struct lookup *lookup)
{
	const struct opener_file found = some_file();
	unsigned char id[CODE_BUILD_ID];

	fuzz_must(lookup_build_id(lookup, &found, SOME_FILE, id) <= CODE_BUILD_ID);
	close(found.place);
}

static void ask_offset(struct lookup *lookup)
{
	uint64_t offset;

	lookup_offset(lookup, SOME_FILE, "function", &offset);
}

static void ask_instruction(struct lookup *lookup)
{
	uint64_t at;

	lookup_instruction(lookup, "/dev/null", "function", 4096, 4, &at);
}

static void ask_matching(struct lookup *lookup)
{
	struct symbol_names names = {0};

	lookup_matching(lookup, SOME_FILE, "f*", &names);
	for (size_t i = 0; i < names.count; i++) {
		must_be_clean(names.items[i]);
		free(names.items[i]);
	}
	free(names.items);
}

static void ask_traits(struct lookup *lookup)
{
	char *text = memory_new(17, 1);
	unsigned traits;
	int length = lookup_traits(lookup, SOME_FILE, &traits, text, 16);

	fuzz_must(length <= 16 && (length < 0 || text[length] == '\0'));
	free(text);
	lookup_traits(lookup, SOME_FILE, &traits, NULL, 0);
}

static void ask_ends(struct lookup *lookup)
{
	struct ends ends;
	uint64_t sum = 0;

	if (lookup_ends(lookup, SOME_FILE, "function", 1, true, &ends) < 0)
		return;
	for (size_t i = 0; i < ends.count; i++)
		sum += ends.exits[i];
	fuzz_must(ends.count || sum == 0);
	free(ends.exits);
}

static void ask_switches(struct lookup *lookup)
{
	struct ends_switch found[ENDS_SWITCHES];
	size_t count = lookup_switches(lookup, SOME_FILE, found);

	fuzz_must(count <= ENDS_SWITCHES);
	for (size_t i = 0; i < count; i++)
		fuzz_must(!strpbrk(found[i].to, " :\n/"));
}

static void ask_arguments(struct lookup *lookup)
{
	struct argument_found found[ARGUMENTS_MAX];
	int count = lookup_arguments(lookup, "/dev/null", "function", 1, true, "a,b", found);

	fuzz_must(count <= ARGUMENTS_MAX);
	for (int i = 0; i < count; i++)
		fuzz_must(argument_is_sane(&found[i]));
}

static void ask_arguments_leniently(struct lookup *lookup)
{
	struct argument_found found[ARGUMENTS_MAX];
	char *why = NULL;
	int count = lookup_arguments_leniently(lookup, "/dev/null", "function", 1, "%1->a:u64,%2->b:string", "7.0\tfunction.%1=x x.a=1", found, &why);

	fuzz_must(count == -1 || count == 2);
	for (int i = 0; i < count; i++)
		fuzz_must(argument_is_sane(&found[i]));
	free(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const questions[])(struct lookup *lookup) = {ask_place,  ask_build_id, ask_offset,   ask_matching,
								    ask_traits, ask_ends,     ask_switches, ask_arguments, ask_instruction, ask_arguments_leniently};
	struct lookup *lookup;

	if (size == 0)
		return 0;
	answers.data = data + 1;
	answers.size = size - 1;
	lookup = lookup_new(NULL);
	questions[*data % (sizeof(questions) / sizeof(questions[0]))](lookup);
	lookup_free(lookup);
	return 0;
}
