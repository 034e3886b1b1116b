#include "event/format.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/fail.h"
#include "base/memory.h"

enum { DECLARATION_MAX = 256, FIELDS_MOST = 256 };

/* Reads a number of at most 16 bits between `before` and `behind`; moves *at past `behind`. */
static bool read_number(const char **at, const char *before, const char *behind, uint32_t *value)
{
	size_t length = strlen(before);
	char *end;

	if (strncmp(*at, before, length) != 0 || (*at)[length] < '0' || (*at)[length] > '9')
		return false;
	*value = (uint32_t)strtoul(*at + length, &end, 10);
	length = strlen(behind);
	if (end - *at > 32 || *value > UINT16_MAX || strncmp(end, behind, length) != 0)
		return false;
	*at = end + length;
	return true;
}

/* Tells whether a line is TAB field:DECLARATION;TAB offset:N;TAB size:N; and, except in old kernels, TAB signed:N; */
static bool is_field(const char *at)
{
	/* An array's length may be a sum: "char func[30+1]". */
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ []*()\"+-/<>&|,.";
	uint32_t offset, size, is_signed;
	size_t length;

	if (strncmp(at, "\tfield:", 7) != 0)
		return false;
	at += 7;
	length = strspn(at, allowed);
	if (length == 0 || length > DECLARATION_MAX)
		return false;
	at += length;
	return read_number(&at, ";\toffset:", ";", &offset) && read_number(&at, "\tsize:", ";", &size) &&
	       offset + size <= UINT16_MAX && (*at == '\n' || (read_number(&at, "\tsigned:", ";", &is_signed) && *at == '\n'));
}

static bool is_name(const char *at)
{
	size_t length = strcspn(at, "\n");

	return strncmp(at, "name: ", 6) == 0 && length > 6 && length < DECLARATION_MAX && strcspn(at + 6, " \t:;") >= length - 6;
}

/* Tells whether every line before the print format has the kernel's syntax. */
static bool is_kernels(const char *text)
{
	uint32_t id;
	int fields = 0;

	if (!is_name(text))
		return false;
	text = strchr(text, '\n') + 1;
	if (!read_number(&text, "ID: ", "\nformat:\n", &id))
		return false;
	for (; strncmp(text, "print fmt:", 10) != 0; text = strchr(text, '\n') + 1)
		if (*text != '\n' && (++fields > FIELDS_MOST || !is_field(text)))
			return false;
	return fields > 0;
}

/* The length of an operator to which the library gives a priority; 0: there is none. */
static size_t operator_length(const char *at)
{
	static const char *const operators[] = {"==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "!", "~", "*", "/",
						"%",  "+",  "-",  "<",	">",  "&",  "^",  "|",	"?", ":"};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (strncmp(at, operators[i], strlen(operators[i])) == 0)
			return strlen(operators[i]);
	return 0;
}

/* The length of a word, or of a string with its quotes; 0: it is neither, or has no end. */
static size_t item_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	if (*at != '"' && *at != '\'')
		return length;
	for (length = 1; at[length] && at[length] != *at; length++)
		if (at[length] == '\\' && at[length + 1])
			length++;
	return at[length] ? length + 1 : 0;
}

/* Tells whether the text of a format has a field of this name. */
static bool has_field(const char *text, const char *name, size_t length)
{
	for (const char *at = text; length > 0 && (at = strstr(at, "\tfield:")); at++) {
		size_t end = strcspn(at, ";[");

		if (end > length && memcmp(at + end - length, name, length) == 0 && strchr(" *", at[end - length - 1]))
			return true;
	}
	return false;
}

/*
 * Tells whether the library can read the print format of an event safely. The library follows NULL pointers in two cases: at an operator to which it
 * gives no priority, such as '=' or '{', in an argument with a condition or an index; and at a field that the event lacks. It recurses for
 * parentheses and operators, so their number is bounded.
 */
static bool is_print_format(const char *text, const char *at)
{
	enum { DEPTH_MOST = 62, OPERATORS_MOST = 4096 };
	uint64_t risky = 0; /* a bit for each open parenthesis, the innermost last: its argument has a condition or an index */
	int depth = 0, indexes = 0, operators = 0;
	bool record = false;
	size_t length;

	for (; *at; at += length) {
		length = item_length(at);
		if (length > 0) {
			record = length == 3 && strncmp(at, "REC", length) == 0;
			continue;
		}
		length = 1;
		if (isspace((unsigned char)*at)) {
			continue;
		} else if (*at == '(') {
			risky <<= 1;
			depth++;
		} else if (*at == ')') { /* "(REC)->" is read, too */
			risky >>= 1;
			if (--depth < 0)
				return false;
			continue;
		} else if (*at == ',') {
			risky &= ~UINT64_C(1);
		} else if (record && strncmp(at, "->", 2) == 0) {
			length = 2 + item_length(at + 2);
			if (!has_field(text, at + 2, length - 2))
				return false;
		} else {
			bool ends_index = *at == ']' && indexes-- > 0;

			length = operator_length(at);
			if (length == 0 && risky & 1 && !ends_index)
				return false;
			indexes += *at == '[';
			risky |= *at == '?' || *at == '[';
			length = length ? length : 1;
			operators++;
		}
		record = false;
		if (depth > DEPTH_MOST || operators > OPERATORS_MOST)
			return false;
	}
	return true;
}

/*
 * The library takes every array of bytes as text that ends at its first zero. The kernel's filters take u8 and s8 as numbers.
 * They take unsigned char as text, but events keep addresses and the like in it.
 */
static bool is_text(const struct tep_format_field *field)
{
	return strstr(field->type, "char") && !strstr(field->type, "unsigned char");
}

/* The format of a kernel stack declares and prints eight entries; the payload holds as many as the stack has. */
static void put_stack_right(struct tep_event *event)
{
	struct tep_format_field *caller = tep_find_field(event, "caller");

	if (caller && strcmp(event->system, "ftrace") == 0 && strcmp(event->name, "kernel_stack") == 0) {
		caller->size = 0;
		event->flags |= TEP_EVENT_FL_FAILED;
	}
}

static bool has_word(const char *type, const char *word)
{
	const char *at = strstr(type, word);

	return at && (at == type || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
	       !(isalnum((unsigned char)at[strlen(word)]) || at[strlen(word)] == '_');
}

/* The element size of an array without a length; 0: unknown. The library itself knows u8 to s64 and char. */
static unsigned element_size(const struct tep_format_field *field)
{
	static const struct {
		const char *word;
		unsigned size; /* 0: the size of a long */
	} words[] = {
		{"long long", 8}, {"long", 0}, {"size_t", 0}, {"cpumask_t", 0}, {"short", 2}, {"int", 4}, {"unsigned", 4}, {"pid_t", 4},
	};
	static const char *const digits[] = {"64", "32", "16"}; /* as in __le32 and uint32_t */

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has_word(field->type, words[i].word))
			return words[i].size ? words[i].size : (unsigned)tep_get_long_size(field->event->tep);
	for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++)
		if (strstr(field->type, digits[i]))
			return 8u >> i;
	return 0;
}

static void put_right(struct tep_event *event)
{
	for (struct tep_format_field *field = event->format.fields; field; field = field->next) {
		if (field->flags & TEP_FIELD_IS_STRING && !is_text(field))
			field->flags &= ~(unsigned long)TEP_FIELD_IS_STRING;
		if (field->elementsize == 0)
			field->elementsize = element_size(field);
	}
	put_stack_right(event);
}

struct tep_event *format_read(struct tep_handle *tep, const char *system, const char *text, size_t length, bool whole)
{
	static const char empty[] = "\nprint fmt: \"\"\n";
	size_t behind = strlen("\nprint fmt:");
	const char *end = memmem(text, length, empty, behind);
	size_t begins = end ? (size_t)(end - text) : 0;
	char *fields = memory_format("%.*s%s", (int)begins, text, empty);
	char *print = memory_text(end ? end + behind : "", end ? length - begins - behind : 0);
	bool sound = !memchr(text, '\0', begins) && is_kernels(fields);
	bool prints = whole && end && !memchr(end, '\0', length - begins) && is_print_format(fields, print);
	struct tep_event *event = NULL;

	if (sound && prints)
		tep_parse_format(tep, &event, text, (unsigned long)length, system);
	else if (sound && tep_parse_format(tep, &event, fields, strlen(fields), system) != 0)
		event = NULL;
	if (event && whole && !prints)
		event->flags |= TEP_EVENT_FL_FAILED;
	free(print);
	free(fields);
	if (event)
		put_right(event);
	else
		fail("cannot read the format of an event of system '%.32s'", system);
	return event;
}

enum event_spelling format_spelling(const struct tep_format_field *field)
{
	if (field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) || !format_is_number((size_t)field->size))
		return SPELL_TEXT;
	if (strcmp(field->type, "dev_t") == 0)
		return SPELL_DEVICE;
	if (field->flags & TEP_FIELD_IS_POINTER)
		return SPELL_ADDRESS;
	return field->flags & TEP_FIELD_IS_SIGNED ? SPELL_SIGNED : SPELL_UNSIGNED;
}

bool format_is_number(size_t length)
{
	return length == 1 || length == 2 || length == 4 || length == 8;
}

/*
 * An array without a length, such as "char buf[]", extends to the end of the payload. A dynamic field is a 32-bit word: length in
 * the upper half, offset in the lower.
 */
bool format_locate(const struct tep_format_field *field, const struct event *event, uint32_t *offset, uint32_t *length)
{
	uint32_t word;

	*offset = (uint32_t)field->offset;
	*length = (uint32_t)field->size;
	if (*offset > event->size || *length > event->size - *offset)
		return false;
	if (!(field->flags & TEP_FIELD_IS_DYNAMIC)) {
		if (*length == 0 && field->flags & TEP_FIELD_IS_ARRAY)
			*length = event->size - *offset;
		return true;
	}
	if (*length != sizeof(word))
		return false;
	word = (uint32_t)tep_read_number(field->event->tep, event->payload + *offset, sizeof(word));
	*offset = (word & 0xffff) + (field->flags & TEP_FIELD_IS_RELATIVE ? *offset + *length : 0);
	*length = word >> 16;
	return *offset <= event->size && *length <= event->size - *offset;
}

/* --- what a payload would make the library do ----------------------------------------------------------------------- */

/* Elements of an array that is printed, and a width: real print formats have far less. */
enum { ELEMENTS_MOST = 4096, WIDTH_MOST = 128 };

static const struct tep_format_field *field_of(const struct event *event, const struct tep_print_arg *arg)
{
	return arg->type == TEP_PRINT_FIELD ? tep_find_any_field(event->type->format, arg->field.name) : arg->dynarray.field;
}

static bool number_of_field(const struct event *event, const struct tep_format_field *field, uint64_t *number)
{
	uint32_t offset, length;

	if (!field || field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) || !format_locate(field, event, &offset, &length) ||
	    !format_is_number(length))
		return false;
	*number = tep_read_number(field->event->tep, event->payload + offset, (int)length);
	return true;
}

static bool compute(const char *op, uint64_t left, uint64_t right, uint64_t *number)
{
	if (op[1] && strcmp(op, ">>") != 0)
		return false;
	switch (*op) {
	case '+':
		*number = left + right;
		return true;
	case '-':
		*number = left - right;
		return true;
	case '*':
		*number = left * right;
		return true;
	case '/':
		*number = right ? left / right : 0;
		return right != 0;
	case '>':
		*number = right < 64 ? left >> right : 0;
		return op[1] && right < 64;
	default:
		return false;
	}
}

/* Tells whether a cast to the type may keep only the lowest 8 or 16 bits of a number. It keeps 32 bits otherwise. */
static bool is_narrow(const char *type)
{
	return strstr(type, "char") || strstr(type, "short") || strstr(type, "8") || strstr(type, "16");
}

/* The number that an argument has in this event, as the library computes it; false: it may be any. */
static bool number_of(const struct event *event, const struct tep_print_arg *arg, uint64_t *number)
{
	uint64_t left, right;
	uint32_t offset, length;

	switch (arg->type) {
	case TEP_PRINT_ATOM:
		*number = strtoull(arg->atom.atom, NULL, 0);
		return true;
	case TEP_PRINT_FIELD:
		return number_of_field(event, field_of(event, arg), number);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		if (!(arg->dynarray.field->flags & TEP_FIELD_IS_DYNAMIC) || !format_locate(arg->dynarray.field, event, &offset, &length))
			return false;
		*number = length;
		return true;
	case TEP_PRINT_TYPE:
		return number_of(event, arg->typecast.item, number) && *number <= (is_narrow(arg->typecast.type) ? UINT8_MAX : UINT32_MAX);
	case TEP_PRINT_OP:
		return arg->op.left && arg->op.right && number_of(event, arg->op.left, &left) && number_of(event, arg->op.right, &right) &&
		       compute(arg->op.op, left, right, number);
	default:
		return false;
	}
}

static bool is_at_most(const struct event *event, const struct tep_print_arg *arg, uint64_t most)
{
	uint64_t number;

	return arg && number_of(event, arg, &number) && number <= most;
}

static bool is_array_arg(const struct tep_print_arg *arg)
{
	return arg->type == TEP_PRINT_FIELD || arg->type == TEP_PRINT_DYNAMIC_ARRAY;
}

/* Tells whether an index leads at most UINT16_MAX bytes beyond the array's beginning. */
static bool is_index(const struct event *event, const struct tep_print_arg *array, const struct tep_print_arg *index)
{
	const struct tep_format_field *field;

	while (array && array->type == TEP_PRINT_TYPE)
		array = array->typecast.item;
	if (!array || !is_array_arg(array))
		return false;
	field = field_of(event, array);
	return field && is_at_most(event, index, UINT16_MAX / (field->elementsize ? field->elementsize : sizeof(uint64_t)));
}

/* Tells whether the argument divides by no zero, and has no index or count that leads behind the payload. */
static bool is_sound(const struct event *event, const struct tep_print_arg *arg)
{
	uint64_t divisor;

	if (!arg)
		return true;
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		return is_sound(event, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return is_sound(event, arg->symbol.field);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return is_array_arg(arg->hex.field) && is_at_most(event, arg->hex.size, ELEMENTS_MOST);
	case TEP_PRINT_INT_ARRAY:
		return is_array_arg(arg->int_array.field) && is_at_most(event, arg->int_array.count, ELEMENTS_MOST) &&
		       is_sound(event, arg->int_array.el_size);
	case TEP_PRINT_TYPE:
		return is_sound(event, arg->typecast.item);
	case TEP_PRINT_OP:
		if (strcmp(arg->op.op, "[") == 0 && !is_index(event, arg->op.left, arg->op.right))
			return false;
		if (strchr("/%", *arg->op.op) && !(arg->op.right && number_of(event, arg->op.right, &divisor) && divisor != 0))
			return false;
		return is_sound(event, arg->op.left) && is_sound(event, arg->op.right);
	default:
		return true;
	}
}

/* Tells whether no width or precision in the format, or in the arguments that it takes for one, is too large. */
static bool are_widths_small(const struct event *event, const char *at, const struct tep_print_arg *arg)
{
	for (; *at; at++) {
		if (*at == '\\') {
			if (!*++at) /* the library would read on behind the end */
				return false;
			continue;
		}
		if (*at != '%' || *++at == '%')
			continue;
		for (; *at && strchr("#hlLzZ.-+*0123456789", *at); at++) {
			if (isdigit((unsigned char)*at) && isdigit((unsigned char)at[1]) && strtoul(at, NULL, 10) > WIDTH_MOST)
				return false;
			if (*at == '*' && !is_at_most(event, arg, WIDTH_MOST))
				return false;
			if (*at == '*')
				arg = arg->next;
		}
		if (!*at)
			return false;
		if (arg && strchr("pcdiouxXs", *at))
			arg = arg->next;
	}
	return true;
}

bool format_prints(const struct event *event)
{
	const struct tep_event *format = event->type->format;

	if (!are_widths_small(event, format->print_fmt.format, format->print_fmt.args))
		return false;
	for (const struct tep_print_arg *arg = format->print_fmt.args; arg; arg = arg->next)
		if (!is_sound(event, arg))
			return false;
	return true;
}

bool format_is_printk(const char *text)
{
	return are_widths_small(NULL, text, NULL);
}
