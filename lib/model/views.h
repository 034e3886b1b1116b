/*
 * views: the pictures that state files ask for (`view` records): attributes over time, alarms with the states before them, and the request
 * that took longest, over processes and hosts. A part of the model.
 *
 *	views_take(views, kind, fields)		each `view`, `state`, `span`, `graph` and `signal` record
 *	views_over(views)			at the end of the input
 *	for (i = 0; (view = views_view(views, i)); i++) ...
 *
 * A view holds at most VIEW_MARKS marks. If more come, those of one attribute that are nearer to each other than `nearest` become one: states
 * VIEW_SEVERAL, numbers the largest of them. Values from before the view's record are not drawn. Texts are fit to print.
 */
#ifndef MODEL_VIEWS_H
#define MODEL_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "stream/fields.h"
#include "stream/record.h"

enum { VIEW_MARKS = 20000, VIEW_SEVERAL = 0, VIEW_BEFORE = 8 /* states told with an alarm */, VIEW_ALARMS = 20 };

enum view_kind { VIEW_LANES, VIEW_FLOW, VIEW_VOLUME, VIEW_RATE, VIEW_KINDS };

struct view_mark {
	int64_t from, to; /* ns; of a number both are when it came */
	int64_t number;	  /* of states: of the value, in the view's list */
};

struct view_row { /* of an attribute */
	char *path;
	ARRAY(struct view_mark) marks;
	uint64_t changes; /* marks before any became one */
	bool open;	  /* the last mark has no end yet */
};

struct view {
	enum view_kind kind;
	char *glob, *title;
	ARRAY(struct view_row *) rows;
	ARRAY(char *) values; /* of states; the first is VIEW_SEVERAL */
	size_t marks;
	int64_t nearest; /* 0: all marks are as they came */
};

struct view_alarm {
	int64_t ts;
	char *text, *who;		 /* who: "redis-server/1234"; "" if not known */
	ARRAY(char *) before; /* "PATH: VALUE", the newest last */
};

/* A span of the request that took longest; `row`: its process, in rows. */
struct view_span {
	char *id, *parent, *name;
	size_t row, caller; /* caller: the number of its parent; SIZE_MAX: none */
	int64_t from, to;
};

struct view_flow {
	const char *title;
	ARRAY(struct view_span) spans;
	ARRAY(char *) rows; /* "service on host" */
	int64_t from, to;
};

struct views;

struct views *views_new(void);
void views_free(struct views *views);

int views_take(struct views *views, enum kind kind, const struct fields *fields); /* 0; -1 after fail() */
void views_over(struct views *views);

const struct view *views_view(const struct views *views, size_t index); /* of attributes; NULL: there are no more */
const struct view_alarm *views_alarm(const struct views *views, size_t index); /* the first ones */
uint64_t views_alarms(const struct views *views);
const struct view_flow *views_flow(const struct views *views, uint64_t *requests); /* NULL: there are no spans; requests: how many trees */

#endif
