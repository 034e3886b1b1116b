/*
 * answer: the output of a command of graph-walk: lines of text, up to a limit; or in JSON an object for each command: {"command": "back",
 * "answer": [{...}, ...], "more": 3}.
 *
 *	answer = answer_new(stdout, false, 20)
 *	answer_begin(answer, "back", 1)			keeps one line free for the end
 *	answer_line(answer, object, "%s waits", name)	prints the words as text, or the object as JSON; takes over the object
 *	answer_last(answer, object, "%s", ...)		likewise, even if the limit is reached
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

/* Tells whether there is no room for another line; answer_more() counts lines that the caller did not make because of that. */
bool answer_is_full(const struct answer *answer);
void answer_more(struct answer *answer, uint64_t count);

/* A line that is printed even if the limit is reached. */
void answer_last(struct answer *answer, json_t *object, const char *format, ...) __attribute__((format(printf, 3, 4)));
void answer_end(struct answer *answer);

/* Ends the current answer where it is; a signal handler may call it. answer_interrupted() tells whether it was called since that answer began. */
void answer_interrupt(void);
bool answer_interrupted(void);

/* A duration for people, valid until the fourth call from now; and for programs, in seconds. */
const char *answer_duration(int64_t ns);
json_t *answer_seconds(int64_t ns);

#endif
