#include "model/views.h"

#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "model/clock.h"
#include "model/display.h"
#include "state/glob.h"

enum { PATHS_MAX = 1 << 16, ROWS_MAX = 4096, VALUES_MAX = 1024, VIEWS_MAX = 64, PICTURE = 4096 /* parts of a view's time that can be told apart */ };

struct watched { /* a path, and its rows in the views */
	char *path;
	size_t views; /* number of views that have been asked for a row */
	struct view_row *rows[VIEWS_MAX]; /* by view; NULL: the view does not have the path */
	UT_hash_handle hh;
};

struct changed {
	const struct watched *of;
	char *words;
};

struct views {
	ARRAY(struct view *) items;
	struct watched *paths;
	ARRAY(struct changed) before; /* the newest last */
	ARRAY(struct view_alarm) alarms;
	uint64_t alarms_seen;
	char *flow_title;
	struct view_flow tree, slowest;
	uint64_t trees;
	int64_t last; /* the latest time of a state */
};

static void view_free(struct view *view)
{
	for (size_t i = 0; i < view->rows.count; i++) {
		free(view->rows.items[i]->path);
		free(view->rows.items[i]->marks.items);
		free(view->rows.items[i]);
	}
	for (size_t i = 0; i < view->values.count; i++)
		free(view->values.items[i]);
	free(view->rows.items);
	free(view->values.items);
	free(view->glob);
	free(view->title);
	free(view);
}

static void flow_clear(struct view_flow *flow)
{
	for (size_t i = 0; i < flow->spans.count; i++) {
		free(flow->spans.items[i].id);
		free(flow->spans.items[i].parent);
		free(flow->spans.items[i].name);
	}
	for (size_t i = 0; i < flow->rows.count; i++)
		free(flow->rows.items[i]);
	free(flow->spans.items);
	free(flow->rows.items);
	*flow = (struct view_flow){.from = INT64_MAX, .to = INT64_MIN};
}

struct views *views_new(void)
{
	struct views *views = NEW(struct views);

	views->last = INT64_MIN;
	flow_clear(&views->tree);
	flow_clear(&views->slowest);
	return views;
}

void views_free(struct views *views)
{
	struct watched *watched, *next;

	HASH_ITER(hh, views->paths, watched, next) {
		HASH_DEL(views->paths, watched);
		free(watched->path);
		free(watched);
	}
	for (size_t i = 0; i < views->items.count; i++)
		view_free(views->items.items[i]);
	for (size_t i = 0; i < views->before.count; i++)
		free(views->before.items[i].words);
	for (size_t i = 0; i < views->alarms.count; i++) {
		for (size_t k = 0; k < views->alarms.items[i].before.count; k++)
			free(views->alarms.items[i].before.items[k]);
		free(views->alarms.items[i].before.items);
		free(views->alarms.items[i].text);
		free(views->alarms.items[i].who);
	}
	flow_clear(&views->tree);
	flow_clear(&views->slowest);
	free(views->items.items);
	free(views->before.items);
	free(views->alarms.items);
	free(views->flow_title);
	free(views);
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

/* Tells whether the view exists, because a further stream may bring it again. */
static bool has_view(const struct views *views, enum view_kind kind, const char *glob)
{
	for (size_t i = 0; i < views->items.count; i++)
		if (views->items.items[i]->kind == kind && !strcmp(views->items.items[i]->glob, glob))
			return true;
	return false;
}

static int take_view(struct views *views, const struct fields *fields)
{
	static const char *const kinds[VIEW_KINDS] = {"lanes", "flow", "volume", "rate"};
	char *glob, *title;
	int kind = 0;
	struct view *view;

	while (kind < VIEW_KINDS && !fields_is(fields, "kind", kinds[kind]))
		kind++;
	if (kind == VIEW_KINDS)
		return 0; /* a kind of a later version */
	glob = display_field(fields, "path");
	title = display_field(fields, "title");
	if (kind == VIEW_FLOW && !views->flow_title && *title)
		views->flow_title = memory_text(title, strlen(title));
	if (kind == VIEW_FLOW || views->items.count == VIEWS_MAX || has_view(views, (enum view_kind)kind, glob)) {
		free(glob);
		free(title);
		return 0;
	}
	view = NEW(struct view);
	view->kind = (enum view_kind)kind;
	view->glob = glob;
	view->title = title;
	*ARRAY_ADD(&view->values) = memory_text("several", strlen("several"));
	*ARRAY_ADD(&views->items) = view;
	return 0;
}

static struct view_row *new_row(struct view *view, const char *path)
{
	struct view_row *row;

	if (view->rows.count == ROWS_MAX || !glob_matches(view->glob, path))
		return NULL;
	row = NEW(struct view_row);
	row->path = memory_text(path, strlen(path));
	return *ARRAY_ADD(&view->rows) = row;
}

/* Finds or makes a watched path; takes over the text. NULL: there are too many. */
static struct watched *watched_of(struct views *views, char *path)
{
	struct watched *watched;

	HASH_FIND_STR(views->paths, path, watched);
	if (watched || HASH_COUNT(views->paths) == PATHS_MAX) {
		free(path);
	} else {
		watched = NEW(struct watched);
		watched->path = path;
		HASH_ADD_KEYPTR(hh, views->paths, watched->path, strlen(watched->path), watched);
	}
	for (; watched && watched->views < views->items.count; watched->views++) /* a further stream may bring more views */
		watched->rows[watched->views] = new_row(views->items.items[watched->views], watched->path);
	return watched;
}

static bool is_states(const struct view *view)
{
	return view->kind == VIEW_LANES;
}

/* Joins a mark to the one before, if they are near and short together. An open mark stays alone. Tells whether it was joined. */
static bool join(const struct view *view, struct view_mark *before, const struct view_mark *mark, bool open)
{
	if (open || (uint64_t)mark->to - (uint64_t)before->from > (uint64_t)view->nearest)
		return false;
	before->to = mark->to;
	if (!is_states(view))
		before->number = mark->number > before->number ? mark->number : before->number;
	else if (before->number != mark->number)
		before->number = VIEW_SEVERAL;
	return true;
}

static void thin_row(struct view *view, struct view_row *row)
{
	size_t kept = 0;

	for (size_t i = 0; i < row->marks.count; i++) {
		const struct view_mark mark = row->marks.items[i];

		if (kept == 0 || !join(view, &row->marks.items[kept - 1], &mark, row->open && i + 1 == row->marks.count))
			row->marks.items[kept++] = mark;
	}
	view->marks -= row->marks.count - kept;
	row->marks.count = kept;
}

/* Makes room: joins marks that a picture could not tell apart; while that is not enough, joins marks twice as far apart. */
static void thin(struct view *view)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < view->rows.count; i++) {
		const struct view_row *row = view->rows.items[i];

		if (row->marks.count == 0)
			continue;
		first = row->marks.items[0].from < first ? row->marks.items[0].from : first;
		last = row->marks.items[row->marks.count - 1].from > last ? row->marks.items[row->marks.count - 1].from : last;
	}
	while (view->marks > VIEW_MARKS / 2 && view->nearest < INT64_MAX / 4) {
		view->nearest = view->nearest ? 2 * view->nearest : (last - first) / PICTURE + 1;
		for (size_t i = 0; i < view->rows.count; i++)
			thin_row(view, view->rows.items[i]);
		if (view->nearest > last - first)
			return;
	}
}

static int64_t value_of(struct view *view, const char *text)
{
	for (size_t i = 1; i < view->values.count; i++)
		if (!strcmp(view->values.items[i], text))
			return (int64_t)i;
	if (view->values.count == VALUES_MAX)
		return VIEW_SEVERAL;
	*ARRAY_ADD(&view->values) = memory_text(text, strlen(text));
	return (int64_t)view->values.count - 1;
}

/* Ends the open mark at `at`, and takes back marks that began later. */
static void end_mark(struct view *view, struct view_row *row, int64_t at)
{
	while (row->marks.count > 0 && row->marks.items[row->marks.count - 1].from > at) {
		row->marks.count--;
		view->marks--;
		row->open = false;
	}
	if (row->marks.count > 0 && is_states(view) && (row->open || row->marks.items[row->marks.count - 1].to > at))
		row->marks.items[row->marks.count - 1].to = at;
	row->open = false;
}

static void add_mark(struct view *view, struct view_row *row, int64_t ts, int64_t number)
{
	if (view->marks >= VIEW_MARKS)
		thin(view);
	if (view->marks >= VIEW_MARKS) /* there are more attributes than marks */
		return;
	*ARRAY_ADD(&row->marks) = (struct view_mark){ts, ts, number};
	row->changes++;
	view->marks++;
	row->open = is_states(view);
}

static void see_value(struct view *view, struct view_row *row, int64_t ts, int64_t since, const char *value)
{
	char *end;
	int64_t number;

	end_mark(view, row, since);
	if (!value)
		return;
	if (is_states(view)) {
		add_mark(view, row, ts, value_of(view, value));
		return;
	}
	number = strtoll(value, &end, 10);
	if (*value && !*end)
		add_mark(view, row, ts, number);
}

/* Notes a change for later alarms: keeps the last change of each of the VIEW_BEFORE attributes that changed last. */
static void note_before(struct views *views, const struct watched *watched, const char *value)
{
	size_t i = 0;

	while (i < views->before.count && views->before.items[i].of != watched)
		i++;
	if (i == VIEW_BEFORE)
		i = 0;
	if (i < views->before.count) {
		free(views->before.items[i].words);
		ARRAY_REMOVE(&views->before, i, 1);
	}
	*ARRAY_ADD(&views->before) = (struct changed){watched, memory_format("%s: %s", watched->path, value ? value : "nothing")};
}

static int take_state(struct views *views, const struct fields *fields)
{
	int64_t ts, since;
	struct watched *watched;
	char *value;
	bool seen = false;
	int found = time_read(fields, "ts", &ts), taken_back = time_read(fields, "since", &since);

	if (found != 1 || taken_back < 0)
		return found == 0 ? fail("a state record needs ts= as a time") : -1;
	if (views->items.count == 0)
		return 0;
	views->last = ts > views->last ? ts : views->last;
	watched = watched_of(views, display_field(fields, "path"));
	value = fields_find(fields, "value") ? display_field(fields, "value") : NULL;
	for (size_t i = 0; watched && i < views->items.count; i++) {
		if (!watched->rows[i])
			continue;
		see_value(views->items.items[i], watched->rows[i], ts, taken_back ? since : ts, value);
		seen |= is_states(views->items.items[i]);
	}
	if (seen)
		note_before(views, watched, value);
	free(value);
	return 0;
}

/* --- alarms ------------------------------------------------------------------------------------------------------- */

static int take_signal(struct views *views, const struct fields *fields)
{
	struct view_alarm alarm = {0};
	int64_t tid = -1;
	char *comm;

	if (!fields_is(fields, "rules", "state"))
		return 0;
	views->alarms_seen++;
	if (views->alarms.count == VIEW_ALARMS)
		return 0;
	if (time_read(fields, "ts", &alarm.ts) < 1)
		return fail("a signal record needs ts= as a time");
	if (fields_integer(fields, "tid", &tid) < 0)
		return -1;
	comm = display_field(fields, "comm");
	alarm.text = display_field(fields, "text");
	alarm.who = tid >= 0 ? memory_format("%s/%lld", *comm ? comm : "thread", (long long)tid) : memory_format("%s", "");
	free(comm);
	for (size_t i = 0; i < views->before.count; i++) {
		const char *words = views->before.items[i].words;

		*ARRAY_ADD(&alarm.before) = memory_text(words, strlen(words));
	}
	*ARRAY_ADD(&views->alarms) = alarm;
	return 0;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static size_t row_of(struct view_flow *flow, char *name)
{
	for (size_t i = 0; i < flow->rows.count; i++)
		if (!strcmp(flow->rows.items[i], name)) {
			free(name);
			return i;
		}
	*ARRAY_ADD(&flow->rows) = name;
	return flow->rows.count - 1;
}

static int take_span(struct views *views, const struct fields *fields)
{
	struct view_flow *tree = &views->tree;
	struct view_span span = {0};
	char *service, *host;

	if (time_read(fields, "start", &span.from) != 1 || time_read(fields, "ts", &span.to) != 1)
		return fail("a span record needs start= and ts= as times");
	if (tree->spans.count == VIEW_MARKS)
		return 0;
	service = display_field(fields, "service");
	host = display_field(fields, "host");
	span.to = span.to > span.from ? span.to : span.from;
	span.id = display_field(fields, "id");
	span.parent = display_field(fields, "parent");
	span.name = display_field(fields, "name");
	span.caller = SIZE_MAX;
	span.row = row_of(tree, memory_format("%s%s%s", *service ? service : "unknown", *host ? " on " : "", host));
	free(service);
	free(host);
	tree->from = span.from < tree->from ? span.from : tree->from;
	tree->to = span.to > tree->to ? span.to : tree->to;
	*ARRAY_ADD(&tree->spans) = span;
	return 0;
}

static bool is_slower(const struct view_flow *a, const struct view_flow *b)
{
	return b->spans.count == 0 || (uint64_t)a->to - (uint64_t)a->from > (uint64_t)b->to - (uint64_t)b->from;
}

/* Ends a tree at its `graph` record, which follows its spans; keeps the tree if it is the slowest so far. */
static void end_tree(struct views *views)
{
	struct view_flow slower;

	if (views->tree.spans.count == 0)
		return;
	views->trees++;
	if (is_slower(&views->tree, &views->slowest)) {
		slower = views->tree;
		views->tree = views->slowest;
		views->slowest = slower;
	}
	flow_clear(&views->tree);
}

struct by_id {
	const char *id;
	size_t number;
	UT_hash_handle hh;
};

static void find_callers(struct view_flow *flow)
{
	struct by_id *ids = NULL, *all = memory_new(flow->spans.count + 1, sizeof(*all)), *found;

	for (size_t i = 0; i < flow->spans.count; i++) {
		const char *id = flow->spans.items[i].id;

		all[i] = (struct by_id){.id = id, .number = i};
		HASH_FIND_STR(ids, id, found);
		if (!found)
			HASH_ADD_KEYPTR(hh, ids, all[i].id, strlen(id), &all[i]);
	}
	for (size_t i = 0; i < flow->spans.count; i++) {
		HASH_FIND_STR(ids, flow->spans.items[i].parent, found);
		if (*flow->spans.items[i].parent && found && found->number != i)
			flow->spans.items[i].caller = found->number;
	}
	HASH_CLEAR(hh, ids);
	free(all);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

int views_take(struct views *views, enum kind kind, const struct fields *fields)
{
	switch (kind) {
	case KIND_VIEW:
		return take_view(views, fields);
	case KIND_STATE:
		return take_state(views, fields);
	case KIND_SIGNAL:
		return take_signal(views, fields);
	case KIND_SPAN:
		return take_span(views, fields);
	default: /* a graph */
		end_tree(views);
		return 0;
	}
}

void views_over(struct views *views)
{
	end_tree(views);
	views->slowest.title = views->flow_title;
	find_callers(&views->slowest);
	for (size_t i = 0; i < views->items.count; i++)
		for (size_t k = 0; k < views->items.items[i]->rows.count; k++) {
			struct view_row *row = views->items.items[i]->rows.items[k];

			if (row->open)
				row->marks.items[row->marks.count - 1].to = views->last;
		}
}

const struct view *views_view(const struct views *views, size_t index)
{
	return index < views->items.count ? views->items.items[index] : NULL;
}

const struct view_alarm *views_alarm(const struct views *views, size_t index)
{
	return index < views->alarms.count ? &views->alarms.items[index] : NULL;
}

uint64_t views_alarms(const struct views *views)
{
	return views->alarms_seen;
}

const struct view_flow *views_flow(const struct views *views, uint64_t *requests)
{
	*requests = views->trees;
	return views->slowest.spans.count ? &views->slowest : NULL;
}
