#include "base/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct near near_begin(const char *wanted)
{
	return (struct near){.wanted = wanted};
}

static int least(int a, int b, int c)
{
	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* The number of letters to insert, remove or change (Levenshtein); both texts are shorter than NEAR_ROOM. */
static int edit_distance(const char *a, const char *b)
{
	int row[NEAR_ROOM], columns = (int)strlen(b);

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

/* If an offered name equals the wanted one, drop the others. */
static bool is_of_interest(struct near *near, int found)
{
	bool exact = near->count > 0 && near->distance[0] == 0;

	if (found == 0 && !exact)
		near->count = 0;
	return found == 0 || !exact;
}

void near_offer_as(struct near *near, const char *name, const char *shown)
{
	size_t length = strlen(near->wanted), other = strlen(name);
	int limit = 1 + (int)length / 3, found, at;

	if (length >= NEAR_ROOM || other >= NEAR_ROOM || other == 0 || strlen(shown) >= NEAR_ROOM)
		return;
	found = distance(near->wanted, name);
	if (found > limit || !is_of_interest(near, found))
		return;
	for (at = 0; at < near->count; at++) {
		if (strcmp(near->names[at], shown) == 0)
			return;
	}
	for (at = near->count; at > 0 && near->distance[at - 1] > found; at--) {
		if (at < NEAR_NAMES) {
			strcpy(near->names[at], near->names[at - 1]);
			near->distance[at] = near->distance[at - 1];
		}
	}
	if (at == NEAR_NAMES)
		return;
	strcpy(near->names[at], shown);
	near->distance[at] = found;
	if (near->count < NEAR_NAMES)
		near->count++;
}

void near_offer(struct near *near, const char *name)
{
	near_offer_as(near, name, name);
}

const char *near_text(const struct near *near)
{
	static char text[NEAR_NAMES * (NEAR_ROOM + 8) + 16];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < near->count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s'%s'",
					   i == 0 ? "; is it " : i == near->count - 1 ? " or " : ", ", near->names[i]);
	if (length)
		snprintf(text + length, sizeof(text) - length, "?");
	return text;
}
