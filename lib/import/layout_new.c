/* The first half of layout: from a print format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/number.h"
#include "import/layout.h"

static void free_piece(struct piece *piece)
{
	for (size_t i = 0; i < piece->names.count; i++)
		free(piece->names.items[i].name);
	free(piece->names.items);
	free(piece->before);
	free(piece->field);
	free(piece->delimiter);
}

void layout_free(struct layout *layout)
{
	for (size_t i = 0; layout && i < layout->pieces.count; i++)
		free_piece(&layout->pieces.items[i]);
	if (!layout)
		return;
	free(layout->pieces.items);
	free(layout->after);
	free(layout);
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static const struct tep_print_arg *without_casts(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

static uint64_t calculate(char op, bool doubled, uint64_t left, uint64_t right, bool *known)
{
	switch (op) {
	case '+': return left + right;
	case '-': return left - right;
	case '*': return left * right;
	case '|': return left | right;
	case '&': return left & right;
	case '<': return doubled && right < 64 ? left << right : 0;
	case '>': return doubled && right < 64 ? left >> right : 0;
	default: *known = false; return 0;
	}
}

/* "8", "0x40", "1UL"; false: the name of a constant. */
static bool read_constant(const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 0);
	return end > text && end[strspn(end, "uUlL")] == '\0';
}

static uint64_t value_of(const struct tep_print_arg *arg, bool *known)
{
	uint64_t value = 0;

	arg = without_casts(arg);
	if (arg && arg->type == TEP_PRINT_ATOM && read_constant(arg->atom.atom, &value))
		return value;
	if (arg && arg->type == TEP_PRINT_OP && arg->op.left && arg->op.right) {
		uint64_t left = value_of(arg->op.left, known);

		return calculate(*arg->op.op, arg->op.op[1] == *arg->op.op, left, value_of(arg->op.right, known), known);
	}
	*known = false;
	return 0;
}

static void set_field(struct piece *piece, const char *name)
{
	if (!piece->field)
		piece->field = memory_text(name, strlen(name));
}

/* A field, or a part of one: REC->x, REC->x >> 20, REC->x & 0xff, REC->x[2]. */
static bool take_field(struct piece *piece, const struct tep_print_arg *arg)
{
	bool known = true;

	arg = without_casts(arg);
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_FIELD) {
		set_field(piece, arg->field.name);
		return true;
	}
	if (arg->type == TEP_PRINT_STRING || arg->type == TEP_PRINT_BSTRING) {
		set_field(piece, arg->string.string);
		return true;
	}
	if (arg->type != TEP_PRINT_OP || !take_field(piece, arg->op.left))
		return false;
	if (strcmp(arg->op.op, "[") == 0)
		piece->element = (int)(value_of(arg->op.right, &known) & 0xff);
	else if (strcmp(arg->op.op, ">>") == 0)
		piece->shift += (int)(value_of(arg->op.right, &known) & 63);
	else if (strcmp(arg->op.op, "&") == 0)
		value_of(arg->op.right, &known);
	else
		return false;
	piece->is_part |= strcmp(arg->op.op, "[") != 0;
	return known;
}

static void add_name(struct piece *piece, const char *name, uint64_t number, bool known)
{
	*ARRAY_ADD(&piece->names) = (struct piece_name){memory_text(name, strlen(name)), number, known};
}

static void add_names(struct piece *piece, const struct tep_print_flag_sym *names)
{
	for (; names; names = names->next) {
		uint64_t number;
		bool known = read_constant(names->value, &number);

		add_name(piece, names->str, number, known);
	}
}

static bool take_flags(struct piece *piece, const struct tep_print_arg *arg)
{
	bool flags = arg->type == TEP_PRINT_FLAGS;
	const char *delimiter = flags && arg->flags.delim ? arg->flags.delim : "|";

	if (!take_field(piece, flags ? arg->flags.field : arg->symbol.field))
		return false;
	piece->meaning = PIECE_NAMES;
	if (flags)
		piece->delimiter = memory_text(delimiter, strlen(delimiter));
	add_names(piece, flags ? arg->flags.flags : arg->symbol.symbols);
	return true;
}

/* REC->ret ? "handled" : "unhandled"; x & 0x100 ? "+" : ""; x ? __print_flags(x, ...) : "R" */
static bool take_choice(struct piece *piece, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *condition = without_casts(arg->op.left), *yes, *no;
	bool known = true;
	uint64_t mask = 1;

	if (!arg->op.right || arg->op.right->type != TEP_PRINT_OP || strcmp(arg->op.right->op.op, ":") != 0)
		return false;
	yes = without_casts(arg->op.right->op.left);
	no = without_casts(arg->op.right->op.right);
	if (!yes || !no || no->type != TEP_PRINT_ATOM)
		return false;
	if (yes->type == TEP_PRINT_FLAGS || yes->type == TEP_PRINT_SYMBOL) {
		add_name(piece, no->atom.atom, 0, true);
		return take_flags(piece, yes);
	}
	if (condition && condition->type == TEP_PRINT_OP && strcmp(condition->op.op, "&") == 0)
		mask = value_of(condition->op.right, &known);
	if (yes->type != TEP_PRINT_ATOM || !take_field(piece, condition) || !known || piece->shift)
		return false;
	piece->meaning = PIECE_NAMES;
	add_name(piece, yes->atom.atom, mask, true);
	add_name(piece, no->atom.atom, 0, true);
	return true;
}

static bool take_argument(struct piece *piece, const struct tep_print_arg *arg, char conversion)
{
	arg = without_casts(arg);
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_FLAGS || arg->type == TEP_PRINT_SYMBOL)
		return take_flags(piece, arg);
	if (arg->type == TEP_PRINT_OP && strcmp(arg->op.op, "?") == 0)
		return take_choice(piece, arg);
	piece->meaning = conversion == 's' ? PIECE_TEXT : PIECE_NUMBER;
	return take_field(piece, arg);
}

/* --- the format --------------------------------------------------------------------------------------------------- */

/* Behind a '%': flags, width, length, and the letter; "%pS" and its like print what is no number. */
static const char *read_conversion(struct piece *piece, const char *at, char *letter)
{
	at += strspn(at, "-+ #0123456789.*hlLzjtq");
	*letter = *at;
	piece->hexadecimal = *at == 'x' || *at == 'X' || *at == 'p';
	piece->pointer = *at == 'p';
	if (*at == 'p' && at[1] && strchr("sSfFBdDIiUM", at[1])) {
		*letter = 's';
		at++;
		while ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z'))
			at++;
		return at;
	}
	return *at ? at + 1 : at;
}

/* Copies up to the next conversion, "%%" and "\n" undone. */
static const char *read_literal(const char *at, char **literal)
{
	char *text = memory_text(at, strlen(at));
	size_t length = 0;

	while (*at && !(at[0] == '%' && at[1] != '%')) {
		bool escaped = at[0] == '\\' && at[1];

		at += at[0] == '%' || escaped;
		text[length++] = escaped && (*at == 'n' || *at == 't') ? ' ' : *at;
		at++;
	}
	text[length] = '\0';
	*literal = text;
	return at;
}

static struct layout *turn_around(const struct tep_event *event)
{
	struct layout *layout = NEW(struct layout);
	const struct tep_print_arg *arg = event->print_fmt.args;
	const char *at = event->print_fmt.format;
	char *literal;

	for (at = read_literal(at, &literal); *at; at = read_literal(at, &literal)) {
		struct piece *piece = ARRAY_ADD(&layout->pieces);
		char letter;

		*piece = (struct piece){.before = literal, .element = -1};
		at = read_conversion(piece, at + 1, &letter);
		if (!arg || !take_argument(piece, arg, letter)) {
			piece->meaning = PIECE_NOTHING;
			piece->shift = 0;
		}
		arg = arg ? arg->next : NULL;
	}
	for (size_t length = strlen(literal); length > 0 && literal[length - 1] == ' ';)
		literal[--length] = '\0'; /* blanks at the end of a line do not survive */
	layout->after = literal;
	return layout;
}

/* What a format file has before its print format: libtraceevent looks up the fields that the latter names. */
static void write_head(FILE *file, const char *format)
{
	static const char marks[2][8] = {"REC->", "__get_"};

	fprintf(file, "name: event\nID: 1\nformat:\n\tfield:int x;\toffset:0;\tsize:4;\tsigned:1;\n\n");
	for (int i = 0; i < 2; i++)
		for (const char *at = format; (at = strstr(at, marks[i]));) {
			int length;

			at += i == 0 ? strlen(marks[i]) : strcspn(at, "(") + (strchr(at, '(') != NULL);
			length = (int)strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
			fprintf(file, "\tfield:int %.*s;\toffset:0;\tsize:4;\tsigned:1;\n", length, at);
		}
	fprintf(file, "\tfield:int y;\toffset:0;\tsize:4;\tsigned:1;\n\nprint fmt: %s\n", format);
}

struct layout *layout_new(const char *format)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	struct layout *layout = NULL;
	size_t length;
	char *text;
	FILE *file = open_memstream(&text, &length);

	write_head(file, format);
	fclose(file);
	tep_set_loglevel(TEP_LOG_NONE);
	if (tep_parse_format(tep, &event, text, length, "any") == 0 && event && event->print_fmt.format)
		layout = turn_around(event);
	tep_free(tep);
	free(text);
	return layout;
}
