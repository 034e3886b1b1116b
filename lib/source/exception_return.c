#include "source/exception_return.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "program/lookup_program.h"
#include "program/symbol.h"
#include "source/argument_record.h"

/* The names of such events are EVENT, the function, and the condition; no stream has these events. */
#define EVENT "exception:"

/* The parts of a condition, within its text. */
struct compared {
	const char *type, *sign, *number;
	size_t type_length, sign_length;
};

/* The parts of the user's text. */
struct wanted {
	char *binary, *function;
	const char *condition;
	struct compared compared;
};

static void wanted_free(struct wanted *wanted)
{
	free(wanted->binary);
	free(wanted->function);
}

/* Tells whether the text is a number: the kernel would take for 0 what it cannot read. */
static bool is_number(const char *text)
{
	int64_t number;

	return number_integer(text, strlen(text), &number) == 0;
}

static int read_condition(const char *text, struct compared *compared)
{
	static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};

	compared->type = text;
	compared->type_length = strcspn(text, "<>=!");
	compared->sign = text + compared->type_length;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]) && !compared->sign_length; i++)
		if (strncmp(compared->sign, signs[i], strlen(signs[i])) == 0)
			compared->sign_length = strlen(signs[i]);
	compared->number = compared->sign + compared->sign_length;
	if (!compared->sign_length || !is_number(compared->number))
		return fail("'%s' is no condition of a result, such as <0, ==0 or s32!=-1", text);
	return 0;
}

/* The last colon precedes the condition. The first colon behind the path's last slash precedes the function, whose name may have more colons. */
static int read_wanted(const char *text, struct wanted *wanted)
{
	const char *last = strrchr(text, ':'), *slash = last ? memrchr(text, '/', (size_t)(last - text)) : NULL;
	const char *colon = strchr(slash ? slash : text, ':');

	if (!last || !colon || colon == text || colon + 1 >= last)
		return fail("'return:%s' needs a program, a function and a condition: return:./server:query:<0", text);
	wanted->binary = memory_text(text, (size_t)(colon - text));
	wanted->function = memory_text(colon + 1, (size_t)(last - colon - 1));
	wanted->condition = last + 1;
	return read_condition(last + 1, &wanted->compared);
}

static const char *type_of(const struct argument_found *found)
{
	static const char *const types[][9] = {{[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"}, {[1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64"}};
	const char *type = found->form > ARGUMENT_FORM_HEX || found->bits || found->size > 8 ? NULL : types[found->form == ARGUMENT_FORM_SIGNED][found->size];

	return type ? type : "u64"; /* of a text it is the address */
}

/* The result with its type: "ret:s32". The caller frees it; NULL after fail(). */
static char *find_result(struct lookup *lookup, const struct wanted *wanted, const char *path, bool *is_signed)
{
	struct argument_found found[ARGUMENTS_MAX] = {0};
	uint64_t offset;
	char *text = wanted->compared.type_length ? memory_format("ret:%.*s", (int)wanted->compared.type_length, wanted->compared.type)
						  : memory_text("ret", strlen("ret"));
	struct arguments arguments;

	if (lookup_offset(lookup, path, wanted->function, &offset) < 0 || arguments_parse(text, &arguments) < 0 ||
	    lookup_arguments(lookup, path, wanted->function, offset, true, text, found) < 0) {
		free(text);
		return NULL;
	}
	free(text);
	*is_signed = found[0].form == ARGUMENT_FORM_SIGNED;
	return memory_format("ret:%s", type_of(&found[0]));
}

static int probe_wanted(struct lookup *lookup, struct probes *probes, struct selection *selection, const struct wanted *wanted)
{
	const struct compared *compared = &wanted->compared;
	char *path = symbol_binary(wanted->binary), *event, *result;
	size_t before = selection_count(selection);
	bool is_signed = false;
	struct selected *selected;
	int status;

	result = path ? find_result(lookup, wanted, path, &is_signed) : NULL;
	free(path);
	if (!result)
		return -1;
	event = memory_format(EVENT "%s:%s%s", wanted->function, strchr(result, ':') + 1, compared->sign);
	status = !is_signed && *compared->number == '-' ? fail("what '%s' returns has no sign", wanted->function)
							: probes_function(probes, wanted->binary, wanted->function, result, NULL, event);
	free(event);
	free(result);
	if (status != 0)
		return -1;
	if (selection_count(selection) == before)
		return fail("'%s' is asked for twice", wanted->condition);
	selected = selection_at(selection, selection_count(selection) - 1);
	selected->filter = memory_format("a0 %.*s %s && told == 1", (int)compared->sign_length, compared->sign, compared->number);
	return 0;
}

int exception_return_probe(struct lookup *lookup, struct probes *probes, struct selection *selection, const char *text)
{
	struct wanted wanted = {0};
	int status = read_wanted(text, &wanted);

	if (status == 0)
		status = probe_wanted(lookup, probes, selection, &wanted);
	wanted_free(&wanted);
	return status;
}

char *exception_return_name(const struct selected *selected, const char *payload, size_t size, char **function)
{
	const char *text = selected->event + strlen(EVENT), *type = strrchr(text, ':');
	int unused = 64 - atoi(type + 2); /* "s32" */
	uint64_t value;

	if (!argument_record_number(selected->arguments, 0, payload, size, &value))
		return NULL;
	*function = memory_text(text, (size_t)(type - text));
	if (type[1] == 's')
		return memory_format("%s=%" PRId64, *function, (int64_t)(value << unused) >> unused);
	return memory_format("%s=%" PRIu64, *function, value);
}
