/*
 * suggestions: known names that resemble an unknown one: "; is it 'request_start'?"
 */
#ifndef BASE_SUGGESTIONS_H
#define BASE_SUGGESTIONS_H

enum { SUGGESTIONS_NAMES = 3, SUGGESTIONS_ROOM = 128 };

struct suggestions {
	const char *wanted; /* must outlive the struct */
	char names[SUGGESTIONS_NAMES][SUGGESTIONS_ROOM];
	int distance[SUGGESTIONS_NAMES]; /* ascending */
	int count;
};

struct suggestions suggestions_begin(const char *wanted);

/* Copies the name if it resembles the wanted one enough, and is among the SUGGESTIONS_NAMES nearest. */
void suggestions_offer(struct suggestions *suggestions, const char *name);

/* The same, but suggests `shown`, which may have a part that the wanted name lacks; `name` may then equal the wanted name. */
void suggestions_offer_as(struct suggestions *suggestions, const char *name, const char *shown);

/* The end of an error message; "" if no name resembles the wanted one. Valid until the next call. */
const char *suggestions_text(const struct suggestions *suggestions);

#endif
