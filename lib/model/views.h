/*
 * views: the data of the pictures that state files ask for (`view` records): attributes over time, alarms with the states before them, and the
 * slowest request, with its spans in all processes and hosts. A part of the model.
 *
 *	views_take(views, kind, fields)		each `view`, `state`, `span`, `graph` and `signal` record
 *	views_over(views)			at the end of the input
 *	for (i = 0; (view = views_view(views, i)); i++) ...
 *
 * A view holds at most VIEW_MARKS marks. If more come, marks of one attribute that are within `nearest` of each other are joined: different states
 * become VIEW_SEVERAL, numbers the largest of them. Values from before the view's record are not drawn. Texts are clean (model/display.h).
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
	int64_t from, to; /* ns; of a number, both are the time at which it came */
	int64_t number;	  /* of a state, the index of its value in the view's `values` */
};

struct view_row { /* of an attribute */
	char *path;
	ARRAY(struct view_mark) marks;
	uint64_t changes; /* number of marks before any were joined */
	bool open;	  /* the last mark has no end yet */
};

struct view {
	enum view_kind kind;
	char *glob, *title;
	ARRAY(struct view_row *) rows;
	ARRAY(char *) values; /* distinct values of states; item VIEW_SEVERAL is "several" */
	size_t marks;
	int64_t nearest; /* ns; 0: no marks were joined */
};

struct view_alarm {
	int64_t ts;
	char *text, *who;		 /* who: "redis-server/1234"; "": unknown */
	ARRAY(char *) before; /* "PATH: VALUE", the newest last */
};

/* A span of the slowest request. */
struct view_span {
	char *id, *parent, *name;
	size_t row, caller; /* row: index of its process in `rows`; caller: index of its parent; SIZE_MAX: none */
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

int views_take(struct views *views, enum kind kind, const struct fields *fields); /* takes a record; 0; -1 after fail() */
void views_over(struct views *views);

const struct view *views_view(const struct views *views, size_t index); /* a view of attributes; NULL: there are no more */
const struct view_alarm *views_alarm(const struct views *views, size_t index); /* one of the first VIEW_ALARMS alarms; NULL: there are no more */
uint64_t views_alarms(const struct views *views); /* number of all alarms */
const struct view_flow *views_flow(const struct views *views, uint64_t *requests); /* NULL: there are no spans; requests: number of trees */

#endif
