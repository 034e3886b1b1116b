#include "import/print_layout.h"

#include <ctype.h>
#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* The meaning of a conversion's text. */
enum piece_meaning {
	PIECE_NOTHING, /* unknown: passed over */
	PIECE_TEXT,
	PIECE_NUMBER,
	PIECE_NAMES, /* a number, printed as names */
};

struct piece_name {
	char *name;
	uint64_t number;
	bool known; /* false: the format names a kernel constant, so the number is unknown */
};

struct piece {
	char *before; /* literal text before the conversion */
	enum piece_meaning meaning;
	char *field;
	bool hexadecimal;
	bool pointer;
	int shift;	/* the printed number is shifted left by this */
	bool is_part;	/* the printed number is a part of the field's number */
	int element;	/* index in an array; -1: the field is no array */
	char *delimiter; /* between names that are flags; NULL: one name only */
	ARRAY(struct piece_name) names;
};

struct print_layout {
	ARRAY(struct piece) pieces;
	char *after; /* literal, behind the last piece */
};

/* --- from a print format -------------------------------------------------------------------------------------------- */

static void free_piece(struct piece *piece)
{
	for (size_t i = 0; i < piece->names.count; i++)
		free(piece->names.items[i].name);
	free(piece->names.items);
	free(piece->before);
	free(piece->field);
	free(piece->delimiter);
}

void print_layout_free(struct print_layout *layout)
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

/* Reads "8", "0x40" or "1UL". False: the text is the name of a constant. */
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

/* Takes a field, or a part of one: REC->x, REC->x >> 20, REC->x & 0xff, REC->x[2]. */
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

/* Takes a choice such as REC->ret ? "handled" : "unhandled"; x & 0x100 ? "+" : ""; x ? __print_flags(x, ...) : "R". */
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

/* Reads a conversion behind its '%': flags, width, length, letter. "%pS" and the like print no number: their letter is 's'. Returns what follows. */
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

/* Copies the text up to the next conversion, with "%%" and "\n" unescaped. Returns what follows. */
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

static struct print_layout *turn_around(const struct tep_event *event)
{
	struct print_layout *layout = NEW(struct print_layout);
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

/* Writes a format file around the print format: libtraceevent looks up the fields that the print format names. */
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

struct print_layout *print_layout_new(const char *format)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	struct print_layout *layout = NULL;
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

/* --- from text -------------------------------------------------------------------------------------------------------- */

enum { PIECES_MAX = 64, ELEMENTS_MAX = 16 };

/* The text of each conversion. */
struct match {
	const char *at[PIECES_MAX];
	size_t length[PIECES_MAX];
	int tries; /* attempts left; a text that takes more of them counts as no match */
	const char *optional; /* characters of a literal that may be missing */
	bool rest; /* more text may follow, behind a blank */
	bool part; /* the text may leave the layout before a name */
	size_t count; /* of pieces that the text has */
	size_t unread; /* bytes of text behind the match */
};

/* The length of the number that the text begins with. */
static size_t number_length(const struct piece *piece, const char *text, size_t length)
{
	size_t at = 0;

	if (at < length && text[at] == '-')
		at++;
	if (length - at > 2 && text[at] == '0' && text[at + 1] == 'x')
		at += 2;
	else if (!piece->hexadecimal)
		while (at < length && isdigit((unsigned char)text[at]))
			at++;
	if (piece->hexadecimal || (at > 0 && text[at - 1] == 'x'))
		while (at < length && isxdigit((unsigned char)text[at]))
			at++;
	return at;
}

static bool starts_with(const char *text, size_t length, const char *literal)
{
	size_t size = strlen(literal);

	return size <= length && memcmp(text, literal, size) == 0;
}

/*
 * The length of the literal at the beginning of the text; -1: the text does not begin with it. Some tools leave out all brackets or all
 * parentheses, because other tools that read ftrace text stumble over them; so characters in `optional` may be missing.
 */
static long literal_length(const char *optional, const char *text, size_t length, const char *literal)
{
	size_t at = 0;

	for (; *literal; literal++) {
		if (at < length && text[at] == *literal)
			at++;
		else if (!strchr(optional, *literal))
			return -1;
	}
	return (long)at;
}

static size_t skip(const char *text, size_t length, const char *these)
{
	size_t at = 0;

	while (at < length && strchr(these, text[at]))
		at++;
	return at;
}

static size_t skip_blanks(const char *text, size_t length)
{
	return skip(text, length, " ");
}

static bool match_from(const struct print_layout *layout, size_t i, const char *text, size_t length, struct match *match);

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Tells whether a name begins at `at`, at the beginning of a word, with '=' or ": " behind it. Returns where its value begins;
 * 0: there is no such name.
 */
static size_t name_at(const char *text, size_t length, size_t at, size_t *name)
{
	size_t end = at;

	if (at > 0 && !strchr(" ,([{", text[at - 1]))
		return 0;
	if (at >= length || isdigit((unsigned char)text[at]))
		return 0;
	while (end < length && is_name(text[end]))
		end++;
	*name = end - at;
	if (*name == 0 || end >= length)
		return 0;
	if (text[end] == '=' && !(end + 1 < length && strchr("=>", text[end + 1])))
		return end + 1;
	return text[end] == ':' && end + 1 < length && text[end + 1] == ' ' ? end + 2 : 0;
}

/* Tells whether a name=value begins there, perhaps after blanks and brackets. */
static bool begins_named(const char *text, size_t length)
{
	size_t at = 0, name;

	while (at < length && strchr(" ,()[]{}", text[at]))
		at++;
	return name_at(text + at, length - at, 0, &name) > 0;
}

/* Tells whether the text leaves the layout behind piece i: the layout goes on with a name, but the text ends, or goes on with another name. */
static bool leaves_here(const struct print_layout *layout, size_t i, const char *text, size_t length)
{
	const char *behind = i + 1 < layout->pieces.count ? layout->pieces.items[i + 1].before : layout->after;
	bool ended = skip(text, length, " )]") == length;

	return begins_named(behind, strlen(behind)) && (ended || begins_named(text, length));
}

/* Takes `taken` bytes of the text for piece i. True: the rest of the layout matches the text behind them, or the text leaves the layout there. */
static bool ends_here(const struct print_layout *layout, size_t i, const char *text, size_t taken, size_t length, struct match *match)
{
	match->at[i] = text;
	match->length[i] = taken;
	if (--match->tries <= 0)
		return false;
	if (match_from(layout, i + 1, text + taken, length - taken, match))
		return true;
	if (!match->part || !leaves_here(layout, i, text + taken, length - taken))
		return false;
	match->count = i + 1;
	match->unread = length - taken;
	return true;
}

/* Matches one of the piece's names, or a number in hexadecimal, as which a value without a name is printed. */
static bool match_names(const struct print_layout *layout, size_t i, const char *text, size_t length, struct match *match)
{
	const struct piece *piece = &layout->pieces.items[i];
	size_t taken;

	for (size_t k = 0; k < piece->names.count; k++) {
		const char *name = piece->names.items[k].name;

		if (starts_with(text, length, name) && ends_here(layout, i, text, strlen(name), length, match))
			return true;
	}
	taken = length > 2 && text[0] == '0' && text[1] == 'x' ? number_length(piece, text, length) : 0;
	return taken && ends_here(layout, i, text, taken, length, match);
}

/* Tells whether the first `taken` bytes of a text may be a function's name: "foo+0x1/0x20 [module]". */
static bool may_be_name(const char *text, size_t taken, size_t length)
{
	return taken == 0 || taken == length || text[taken - 1] != ' ' || text[taken] == '[';
}

/* A text may hold any characters: takes the shortest one behind which the rest of the layout matches. */
static bool match_text(const struct print_layout *layout, size_t i, const char *text, size_t length, struct match *match)
{
	const struct piece *piece = &layout->pieces.items[i];
	bool last = i + 1 == layout->pieces.count;
	const char *behind = last ? layout->after : layout->pieces.items[i + 1].before;

	if (last && !*behind)
		return ends_here(layout, i, text, length, length, match);
	for (size_t taken = 0; taken <= length && (!piece->pointer || may_be_name(text, taken, length)); taken++)
		if (literal_length(match->optional, text + taken, length - taken, behind) >= 0 &&
		    ends_here(layout, i, text, taken, length, match))
			return true;
	return false;
}

static bool match_from(const struct print_layout *layout, size_t i, const char *text, size_t length, struct match *match)
{
	const struct piece *piece = &layout->pieces.items[i];
	const char *before = i < layout->pieces.count ? piece->before : layout->after;
	long skipped = literal_length(i == 0 && *before == '(' ? "" : match->optional, text, length, before);
	size_t blanks, taken;

	if (skipped < 0)
		return false;
	text += skipped;
	length -= (size_t)skipped;
	if (i == layout->pieces.count) {
		match->count = i;
		match->unread = length;
		return skip_blanks(text, length) == length || (match->rest && text[0] == ' ');
	}
	if (piece->meaning == PIECE_NUMBER) {
		blanks = skip_blanks(text, length);
		taken = number_length(piece, text + blanks, length - blanks);
		text += blanks;
		length -= blanks;
		blanks = skip_blanks(text + taken, length - taken);
		if (taken > 0) /* blanks may pad the number to a width */
			return ends_here(layout, i, text, taken, length, match) ||
			       (blanks > 1 && match_from(layout, i + 1, text + taken + blanks - 1, length - taken - blanks + 1, match));
		return piece->pointer && match_text(layout, i, text, length, match); /* (null), (____ptrval____) */
	}
	if (piece->meaning == PIECE_NAMES && !piece->delimiter) {
		blanks = skip_blanks(text, length);
		return match_names(layout, i, text, length, match) ||
		       (blanks && match_names(layout, i, text + blanks, length - blanks, match));
	}
	return match_text(layout, i, text, length, match);
}

/* --- from texts to fields ----------------------------------------------------------------------------------------- */

static bool read_number(const char *text, size_t length, bool hexadecimal, uint64_t *number)
{
	char digits[32], *end;

	if (length == 0 || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	*number = strtoull(digits, &end, hexadecimal || strncmp(digits, "0x", 2) == 0 ? 16 : 10);
	return *end == '\0';
}

static bool number_of_name(const struct piece *piece, const char *name, size_t length, uint64_t *number)
{
	for (size_t i = 0; i < piece->names.count; i++) {
		const struct piece_name *known = &piece->names.items[i];

		if (strlen(known->name) == length && memcmp(known->name, name, length) == 0) {
			*number = known->number;
			return known->known;
		}
	}
	return length > 2 && name[0] == '0' && name[1] == 'x' && read_number(name, length, true, number);
}

/* Reads "A|B|0x40". False: one of the names is unknown. */
static bool number_of_names(const struct piece *piece, const char *text, size_t length, uint64_t *sum)
{
	size_t step = piece->delimiter ? strlen(piece->delimiter) : 0;

	*sum = 0;
	if (length == 0 && number_of_name(piece, "", 0, sum))
		return true;
	while (length > 0) {
		const char *end = step ? memmem(text, length, piece->delimiter, step) : NULL;
		size_t size = end ? (size_t)(end - text) : length;
		uint64_t number;

		if (!number_of_name(piece, text, size, &number))
			return false;
		*sum |= number;
		size += end ? step : 0;
		text += size;
		length -= size;
	}
	return true;
}

static bool number_at(const struct piece *piece, const struct match *match, size_t i, uint64_t *number)
{
	if (piece->meaning == PIECE_NAMES)
		return number_of_names(piece, match->at[i], match->length[i], number);
	return piece->meaning == PIECE_NUMBER && read_number(match->at[i], match->length[i], piece->hexadecimal, number);
}

static bool same_field(const struct piece *one, const struct piece *other)
{
	return one->field && other->field && other->meaning != PIECE_NOTHING && strcmp(one->field, other->field) == 0;
}

/* Writes the elements of an array as the stream spells them: 0x1,0x2,0x3. */
static void write_array(const struct print_layout *layout, const struct match *match, size_t first, struct line *line)
{
	const struct piece *piece = &layout->pieces.items[first];
	char text[ELEMENTS_MAX * 20] = "";
	size_t length = 0;
	int element = 0;

	for (size_t i = first; i < match->count && element < ELEMENTS_MAX; i++) {
		uint64_t number;

		if (!same_field(piece, &layout->pieces.items[i]) || layout->pieces.items[i].element != element ||
		    !number_at(&layout->pieces.items[i], match, i, &number))
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s0x%llx", element ? "," : "",
					   (unsigned long long)number);
		element++;
	}
	line_bytes(line, piece->field, text, length);
}

/* A device number is printed as two parts, major and minor; the major part is shifted by this. */
enum { MINOR_BITS = 20 };

static void write_device(struct line *line, const char *field, uint64_t dev)
{
	char text[2 * NUMBER_ROOM];
	int length = snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)(dev >> MINOR_BITS),
			      (unsigned long long)(dev & ((1U << MINOR_BITS) - 1)));

	line_bytes(line, field, text, (size_t)length);
}

/* Joins the parts of a field's number, which stand in piece `first` and later ones. */
static void write_parts(const struct print_layout *layout, const struct match *match, size_t first, struct line *line)
{
	const struct piece *piece = &layout->pieces.items[first];
	bool device = false;
	uint64_t sum = 0;
	int parts = 0;

	for (size_t i = first; i < match->count; i++) {
		const struct piece *part = &layout->pieces.items[i];
		uint64_t number;

		if (!same_field(piece, part))
			continue;
		if (!number_at(part, match, i, &number)) {
			if (part->meaning == PIECE_NAMES && i == first && !part->shift)
				line_bytes(line, piece->field, match->at[i], match->length[i]);
			return;
		}
		device |= part->shift == MINOR_BITS && part->meaning == PIECE_NUMBER;
		sum |= number << part->shift;
		parts++;
	}
	if (device)
		write_device(line, piece->field, sum);
	else if (parts > 1 || piece->meaning == PIECE_NAMES)
		line_unsigned(line, piece->field, sum);
}

static void write_piece(const struct print_layout *layout, const struct match *match, size_t i, struct line *line)
{
	const struct piece *piece = &layout->pieces.items[i];

	if (piece->element >= 0)
		write_array(layout, match, i, line);
	else if (piece->meaning == PIECE_TEXT)
		line_bytes(line, piece->field, match->at[i], match->length[i]);
	else if (piece->meaning == PIECE_NUMBER && !piece->is_part)
		print_layout_number(line, piece->field, match->at[i], match->length[i], piece->hexadecimal);
	else
		write_parts(layout, match, i, line);
}

static void write_pieces(const struct print_layout *layout, const struct match *match, struct line *line)
{
	for (size_t i = 0; i < match->count; i++) {
		bool seen = layout->pieces.items[i].meaning == PIECE_NOTHING;

		for (size_t k = 0; k < i && !seen; k++)
			seen = same_field(&layout->pieces.items[i], &layout->pieces.items[k]);
		if (!seen)
			write_piece(layout, match, i, line);
	}
}

static bool matches(const struct print_layout *layout, const char *text, size_t length, struct match *match)
{
	static const char *const missing[2][2] = {{"[]()", "[]"}, {"()", ""}};

	match->tries = 10000;
	match->optional = missing[memchr(text, '[', length) != NULL][memchr(text, '(', length) != NULL];
	return layout->pieces.count <= PIECES_MAX && match_from(layout, 0, text, length, match);
}

long print_layout_read(const struct print_layout *layout, enum layout_fit fit, const char *text, size_t length, struct line *line)
{
	struct match match = {.rest = fit == LAYOUT_BEGIN, .part = fit == LAYOUT_PART};

	if (!matches(layout, text, length, &match))
		return -1;
	write_pieces(layout, &match, line);
	return (long)(fit == LAYOUT_WHOLE ? length : length - match.unread);
}

void print_layout_number(struct line *line, const char *field, const char *text, size_t length, bool hexadecimal)
{
	uint64_t number;
	bool negative = length > 1 && text[0] == '-';
	bool marked = length > 2 && text[0] == '0' && text[1] == 'x';

	if (!read_number(text + negative, length - negative, hexadecimal, &number)) {
		line_bytes(line, field, text, length);
	} else if (hexadecimal || marked) {
		char spelled[24];

		line_bytes(line, field, spelled, (size_t)snprintf(spelled, sizeof(spelled), "0x%llx", (unsigned long long)number));
	} else if (negative) {
		line_integer(line, field, (int64_t)-number);
	} else {
		line_unsigned(line, field, number);
	}
}

/* --- without a layout: name=value and name: value -------------------------------------------------------------------- */

/* Where the value ends: before the next name and the characters that separate the two. */
static size_t value_end(const char *text, size_t length, size_t at)
{
	size_t name, end = at;

	while (end < length && !name_at(text, length, end, &name))
		end++;
	while (end > at && end < length && strchr(" ,([{", text[end - 1]))
		end--;
	while (end > at && (text[end - 1] == ' ' || text[end - 1] == ','))
		end--;
	if (end - at > 4 && memcmp(text + end - 4, " ==>", 4) == 0)
		end -= 4;
	return end;
}

static bool is_number(const char *text, size_t length)
{
	size_t at = length > 1 && text[0] == '-';
	bool marked = length > at + 2 && text[at] == '0' && text[at + 1] == 'x';

	for (at += marked ? 2 : 0; at < length; at++)
		if (marked ? !isxdigit((unsigned char)text[at]) : !isdigit((unsigned char)text[at]))
			return false;
	return length > 0;
}

/* The kernel's option `fields` prints numbers as "0x7b (123)": keeps only the second. */
static void take_number_of_both(const char *text, size_t *at, size_t *length)
{
	const char *open = memmem(text + *at, *length, " (", 2);
	size_t before = open ? (size_t)(open - text) - *at : 0;

	if (before < 3 || memcmp(text + *at, "0x", 2) != 0 || text[*at + *length - 1] != ')' || !is_number(text + *at, before) ||
	    !is_number(open + 2, *length - before - 3))
		return;
	*at += before + 2;
	*length -= before + 3;
}

int print_layout_guess(const char *text, size_t length, bool hexadecimal, struct line *line)
{
	size_t at = 0, name, value;
	int found = 0;

	while (at < length) {
		size_t end, size;
		char field[64];

		value = name_at(text, length, at, &name);
		if (!value || name >= sizeof(field)) {
			at++;
			continue;
		}
		memcpy(field, text + at, name);
		field[name] = '\0';
		end = value_end(text, length, value);
		size = end - value;
		take_number_of_both(text, &value, &size);
		if (hexadecimal || is_number(text + value, size))
			print_layout_number(line, field, text + value, size, hexadecimal);
		else
			line_bytes(line, field, text + value, size);
		found++;
		at = end > value ? end : value;
	}
	return found;
}
