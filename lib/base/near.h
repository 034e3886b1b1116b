/*
 * near: names that look like one that was not found: "; is it 'request_start'?"
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

/* Takes the name (copied) if it is among the nearest, and near enough to be what was meant. */
void near_offer(struct near *near, const char *name);

/* The same, told as `shown`: what was wanted may lack a part of it, and then even be the very name. */
void near_offer_as(struct near *near, const char *name, const char *shown);

/* A tail for an error message, "" where nothing was near. The text stays until the next call. */
const char *near_text(const struct near *near);

#endif
