#include "base/suggestions.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct suggestions suggestions_begin(const char *wanted)
{
	return (struct suggestions){.wanted = wanted};
}

static int least(int a, int b, int c)
{
	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* The number of letters to insert, remove or change (Levenshtein); both texts are shorter than SUGGESTIONS_ROOM. */
static int edit_distance(const char *a, const char *b)
{
	int row[SUGGESTIONS_ROOM], columns = (int)strlen(b);

	for (int j = 0; j <= columns; j++)
		row[j] = j;
	for (int i = 1; a[i - 1]; i++) {
		int diagonal = row[0];

		row[0] = i;
		for (int j = 1; j <= columns; j++) {
			int above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[columns];
}

/* A name that contains the other counts as one letter off: `request` for `handle_request`. */
static int distance(const char *wanted, const char *name)
{
	if (strcmp(wanted, name) == 0)
		return 0;
	if (strlen(wanted) >= 3 && strstr(name, wanted))
		return 1;
	return edit_distance(wanted, name);
}

/* Once an offered name equals the wanted one, only such names are of interest: drops the others. */
static bool is_of_interest(struct suggestions *suggestions, int found)
{
	bool exact = suggestions->count > 0 && suggestions->distance[0] == 0;

	if (found == 0 && !exact)
		suggestions->count = 0;
	return found == 0 || !exact;
}

void suggestions_offer_as(struct suggestions *suggestions, const char *name, const char *shown)
{
	size_t length = strlen(suggestions->wanted), other = strlen(name);
	int limit = 1 + (int)length / 3, found, at;

	if (length >= SUGGESTIONS_ROOM || other >= SUGGESTIONS_ROOM || other == 0 || strlen(shown) >= SUGGESTIONS_ROOM)
		return;
	found = distance(suggestions->wanted, name);
	if (found > limit || !is_of_interest(suggestions, found))
		return;
	for (at = 0; at < suggestions->count; at++) {
		if (strcmp(suggestions->names[at], shown) == 0)
			return;
	}
	for (at = suggestions->count; at > 0 && suggestions->distance[at - 1] > found; at--) {
		if (at < SUGGESTIONS_NAMES) {
			strcpy(suggestions->names[at], suggestions->names[at - 1]);
			suggestions->distance[at] = suggestions->distance[at - 1];
		}
	}
	if (at == SUGGESTIONS_NAMES)
		return;
	strcpy(suggestions->names[at], shown);
	suggestions->distance[at] = found;
	if (suggestions->count < SUGGESTIONS_NAMES)
		suggestions->count++;
}

void suggestions_offer(struct suggestions *suggestions, const char *name)
{
	suggestions_offer_as(suggestions, name, name);
}

const char *suggestions_text(const struct suggestions *suggestions)
{
	static char text[SUGGESTIONS_NAMES * (SUGGESTIONS_ROOM + 8) + 16];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < suggestions->count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s'%s'",
					   i == 0 ? "; is it " : i == suggestions->count - 1 ? " or " : ", ", suggestions->names[i]);
	if (length)
		snprintf(text + length, sizeof(text) - length, "?");
	return text;
}
