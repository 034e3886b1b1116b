#include "program/argument_list.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <dwarf.h>

#include "program/argument_type.h"
#include "program/die.h"
#include "program/scopes.h"

enum { PARAMETERS_MAX = 256, MEMBERS_MAX = 1024, EXPRESSION_ROOM = 3 * ARGUMENT_WORD + 8 };

struct list {
	const struct argument_question *question;
	char *text;
	size_t length;
	int count, most;
	int seen; /* members visited so far */
};

static const char result[] = "ret"; /* a parameter of this name cannot be told by it */

/* Appends an expression if a call can show it and arguments_parse() accepts it behind those before. */
static void offer(struct list *list, const char *expression)
{
	struct arguments all;
	struct argument_found found;
	size_t before = list->length;

	if (list->count == list->most)
		return;
	list->length += (size_t)snprintf(list->text + before, ARGUMENT_LIST_ROOM - before, "%s%s", before ? "," : "", expression);
	if (list->length < ARGUMENT_LIST_ROOM && arguments_parse(list->text, &all) == 0 && all.count == list->count + 1 &&
	    argument_find(list->question, &all.items[list->count], &found) == 0) {
		list->count++;
		return;
	}
	list->text[before] = '\0';
	list->length = before;
}

static bool is_word(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return length > 0 && length < ARGUMENT_WORD / 2 && !isdigit((unsigned char)*name);
}

static void offer_members(struct list *list, const char *parameter, const char *arrow, Dwarf_Die *type)
{
	char expression[EXPRESSION_ROOM];
	Dwarf_Die die;

	if (dwarf_child(type, &die) != 0)
		return;
	do {
		const char *name = dwarf_tag(&die) == DW_TAG_member ? die_name(&die) : NULL;

		if (!is_word(name))
			continue;
		snprintf(expression, sizeof(expression), "%s_%s=%s%s%s", parameter, name, parameter, arrow, name);
		offer(list, expression);
	} while (list->seen++ < MEMBERS_MAX && list->count < list->most && dwarf_siblingof(&die, &die) == 0);
}

/* Offers the members that a parameter points to, or consists of. */
static void offer_behind(struct list *list, const char *parameter, Dwarf_Die *type)
{
	char expression[EXPRESSION_ROOM];
	Dwarf_Die peeled, pointed, definition;
	struct type_text text;
	const char *arrow = ".";
	bool is_pointer;

	if (type_peel(type, &peeled) && type_is_reference(&peeled) && type_of(&peeled, &pointed))
		*type = pointed; /* there are no references to references, but DWARF may claim that one refers to itself */
	if (!type_peel(type, &peeled) || type_is_reference(&peeled))
		return;
	is_pointer = dwarf_tag(&peeled) == DW_TAG_pointer_type;
	if (is_pointer) {
		if (!type_of(&peeled, &pointed) || type_is_char(&pointed) || !type_peel(&pointed, &peeled))
			return;
		arrow = "->";
		snprintf(expression, sizeof(expression), "%s_0=%s[0]", parameter, parameter);
		offer(list, expression);
	}
	if (type_is_text(&peeled, &text))
		return;
	if (type_is_declared(&peeled) && type_define(list->question->module, &peeled, &list->seen, &definition))
		peeled = definition;
	offer_members(list, parameter, arrow, &peeled);
}

typedef void offerer(struct list *list, const char *name, Dwarf_Die *type);

static void offer_itself(struct list *list, const char *name, Dwarf_Die *type)
{
	(void)type;
	offer(list, name);
}

static void visit(struct list *list, Dwarf_Die *function, offerer *offer_it)
{
	Dwarf_Die die, type;
	int seen = 0;

	if (dwarf_child(function, &die) != 0)
		return;
	do {
		const char *name = dwarf_tag(&die) == DW_TAG_formal_parameter ? die_name(&die) : NULL;

		if (is_word(name) && strcmp(name, result) != 0 && type_of(&die, &type))
			offer_it(list, name, &type);
	} while (++seen < PARAMETERS_MAX && dwarf_siblingof(&die, &die) == 0);
}

int argument_list(const struct argument_question *question, char text[ARGUMENT_LIST_ROOM])
{
	struct list list = {.question = question, .text = text, .most = ARGUMENTS_MAX - 1};
	Dwarf_Die function, unit;
	Dwarf_Addr bias = 0;

	*text = '\0';
	if (!question->module || !scopes_function(question->module, question->address, &function, &unit, &bias))
		return -1;
	visit(&list, &function, offer_itself);
	visit(&list, &function, offer_behind);
	list.most = ARGUMENTS_MAX;
	offer(&list, result);
	return list.count;
}
