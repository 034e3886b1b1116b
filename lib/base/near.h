/*
 * near: suggests known names that resemble an unknown one: "; is it 'request_start'?"
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

enum { NEAR_NAMES = 3, NEAR_ROOM = 128 };

struct near {
	const char *wanted; /* must stay */
	char names[NEAR_NAMES][NEAR_ROOM];
	int distance[NEAR_NAMES]; /* ascending */
	int count;
};

struct near near_begin(const char *wanted);

/* Copies the name if it is near enough, and among the NEAR_NAMES nearest. */
void near_offer(struct near *near, const char *name);

/* The same, but suggests `shown`, which may have a part that the wanted name lacks; `name` may then equal the wanted name. */
void near_offer_as(struct near *near, const char *name, const char *shown);

/* The end of an error message; "" if no name is near. Valid until the next call. */
const char *near_text(const struct near *near);

#endif
