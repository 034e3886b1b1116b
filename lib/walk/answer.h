/*
 * answer: the output of a command of graph-walk: lines of text, up to a limit; or as JSON an object a command, {"command": "back",
 * "answer": [{...}, ...], "more": 3}.
 *
 *	answer = answer_new(stdout, false, 20)
 *	answer_begin(answer, "back", 1)			one line is to be kept free for the end
 *	answer_line(answer, object, "%s waits", name)	as text the words, as JSON the object, which it takes over
 *	answer_last(answer, object, "%s", ...)		a line that is printed whatever came before
 *	answer_end(answer)
 *	answer_free(answer)
 */
#ifndef WALK_ANSWER_H
#define WALK_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct answer;

struct answer *answer_new(FILE *out, bool as_json, uint64_t most);
void answer_free(struct answer *answer);

void answer_begin(struct answer *answer, const char *command, uint64_t kept);
void answer_line(struct answer *answer, json_t *object, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Tells whether there is no room for another line; counts lines that were not made for that reason. */
bool answer_is_full(const struct answer *answer);
void answer_more(struct answer *answer, uint64_t count);

/* A line that is printed whatever came before. */
void answer_last(struct answer *answer, json_t *object, const char *format, ...) __attribute__((format(printf, 3, 4)));
void answer_end(struct answer *answer);

/* A signal's handler may call it: the answer under way ends where it is. Tells whether it was called since that answer began. */
void answer_interrupt(void);
bool answer_interrupted(void);

/* Texts for people, and the same for programs: seconds. Valid until the fourth call from now. */
const char *answer_duration(int64_t ns);
json_t *answer_seconds(int64_t ns);

#endif
