#include "import/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { PIECES_MAX = 64, ELEMENTS_MAX = 16 };

/* The text of each conversion. */
struct match {
	const char *at[PIECES_MAX];
	size_t length[PIECES_MAX];
	int tries; /* left before it is given up: texts that match in very many ways are not meant to */
	const char *optional; /* characters of a literal that may be missing */
	bool rest; /* there may be more text, behind a blank */
	bool part; /* the text may leave the layout before a name */
	size_t count; /* of pieces that the text has */
	size_t unread; /* how much of it */
};

/* How much of the text is a number. */
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
 * How much of the text is the literal; -1: it does not begin with it. All brackets may be missing, and all parentheses, but for what
 * a layout begins with: some tools that read ftrace text stumble over them, so others leave them out.
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

static bool match_from(const struct layout *layout, size_t i, const char *text, size_t length, struct match *match);

/* Behind piece i the layout goes on with a name, and the text with another one, or it has ended. */
static bool leaves_here(const struct layout *layout, size_t i, const char *text, size_t length)
{
	const char *behind = i + 1 < layout->pieces.count ? layout->pieces.items[i + 1].before : layout->after;
	bool ended = skip(text, length, " )]") == length;

	return layout_begins_named(behind, strlen(behind)) && (ended || layout_begins_named(text, length));
}

/* The literal behind piece i stands at the end of `text` of this length, and all behind it matches too. */
static bool ends_here(const struct layout *layout, size_t i, const char *text, size_t taken, size_t length, struct match *match)
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

/* One of the names. */
static bool match_names(const struct layout *layout, size_t i, const char *text, size_t length, struct match *match)
{
	const struct piece *piece = &layout->pieces.items[i];
	size_t taken;

	for (size_t k = 0; k < piece->names.count; k++) {
		const char *name = piece->names.items[k].name;

		if (starts_with(text, length, name) && ends_here(layout, i, text, strlen(name), length, match))
			return true;
	}
	taken = length > 2 && text[0] == '0' && text[1] == 'x' ? number_length(piece, text, length) : 0;
	return taken && ends_here(layout, i, text, taken, length, match); /* how a number without a name is printed */
}

/* Whether so much of a text may be a function's name: "foo+0x1/0x20 [module]". */
static bool may_be_name(const char *text, size_t taken, size_t length)
{
	return taken == 0 || taken == length || text[taken - 1] != ' ' || text[taken] == '[';
}

/* A text may hold anything, so it ends where all that follows fits; the shortest such text is taken. */
static bool match_text(const struct layout *layout, size_t i, const char *text, size_t length, struct match *match)
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

static bool match_from(const struct layout *layout, size_t i, const char *text, size_t length, struct match *match)
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
		if (taken > 0) /* or it is filled up to a width */
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

/* "A|B|0x40"; false: one of them is not known. */
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

/* The elements of an array: 0x1,0x2,0x3, as the stream spells them. */
static void write_array(const struct layout *layout, const struct match *match, size_t first, struct line *line)
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

/* A device is printed as its two parts, of which the upper is moved by this. */
enum { MINOR_BITS = 20 };

static void write_device(struct line *line, const char *field, uint64_t dev)
{
	char text[2 * NUMBER_ROOM];
	int length = snprintf(text, sizeof(text), "%llu:%llu", (unsigned long long)(dev >> MINOR_BITS),
			      (unsigned long long)(dev & ((1U << MINOR_BITS) - 1)));

	line_bytes(line, field, text, (size_t)length);
}

/* A field of which the text gives parts, here and further on: all of them that are numbers, put together. */
static void write_parts(const struct layout *layout, const struct match *match, size_t first, struct line *line)
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

static void write_piece(const struct layout *layout, const struct match *match, size_t i, struct line *line)
{
	const struct piece *piece = &layout->pieces.items[i];

	if (piece->element >= 0)
		write_array(layout, match, i, line);
	else if (piece->meaning == PIECE_TEXT)
		line_bytes(line, piece->field, match->at[i], match->length[i]);
	else if (piece->meaning == PIECE_NUMBER && !piece->is_part)
		layout_number(line, piece->field, match->at[i], match->length[i], piece->hexadecimal);
	else
		write_parts(layout, match, i, line);
}

static void write_pieces(const struct layout *layout, const struct match *match, struct line *line)
{
	for (size_t i = 0; i < match->count; i++) {
		bool seen = layout->pieces.items[i].meaning == PIECE_NOTHING;

		for (size_t k = 0; k < i && !seen; k++)
			seen = same_field(&layout->pieces.items[i], &layout->pieces.items[k]);
		if (!seen)
			write_piece(layout, match, i, line);
	}
}

static bool matches(const struct layout *layout, const char *text, size_t length, struct match *match)
{
	static const char *const missing[2][2] = {{"[]()", "[]"}, {"()", ""}};

	match->tries = 10000;
	match->optional = missing[memchr(text, '[', length) != NULL][memchr(text, '(', length) != NULL];
	return layout->pieces.count <= PIECES_MAX && match_from(layout, 0, text, length, match);
}

long layout_read(const struct layout *layout, enum layout_fit fit, const char *text, size_t length, struct line *line)
{
	struct match match = {.rest = fit == LAYOUT_BEGIN, .part = fit == LAYOUT_PART};

	if (!matches(layout, text, length, &match))
		return -1;
	write_pieces(layout, &match, line);
	return (long)(fit == LAYOUT_WHOLE ? length : length - match.unread);
}

void layout_number(struct line *line, const char *field, const char *text, size_t length, bool hexadecimal)
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
