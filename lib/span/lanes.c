#include "span/lanes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { ATTRIBUTES_MOST = 100000, NOT_ASKED = -1, NO_THREAD = 0 };

/* The form of paths that are lanes: "Threads/", a tid, "/Operation". */
struct shape {
	char *before, *behind;
};

struct stay { /* the time for which a lane had a value */
	int64_t from, to;
	const char *value;
};

struct lane { /* the values of one thread by one shape */
	struct lane_key {
		int32_t tid;
		uint32_t shape;
	} key;
	ARRAY(struct stay) stays;
	UT_hash_handle hh;
};

struct word {
	char *text;
	UT_hash_handle hh;
};

struct lanes {
	struct state_machine *machine;
	ARRAY(struct shape) shapes;
	ARRAY(int32_t) tids;	    /* by node: its lane's thread; NO_THREAD: the node is no lane; NOT_ASKED */
	ARRAY(uint32_t) shape_of; /* by node: its lane's shape */
	struct lane *lanes;
	struct word *words;
};

static int changed(void *context, uint32_t node, int64_t since, struct state_value before, int64_t ts, struct state_value now);
static int taken_back(void *context, uint32_t node, int64_t since, struct state_value before, int64_t from, int64_t ts);
static const struct state_sink sink = {changed, taken_back, false};

struct lanes *lanes_new(struct events *events)
{
	struct lanes *lanes = NEW(struct lanes);

	lanes->machine = state_machine_new(events, ATTRIBUTES_MOST);
	state_attributes_sink(state_machine_attributes(lanes->machine), &sink, lanes);
	return lanes;
}

void lanes_free(struct lanes *lanes)
{
	struct lane *lane, *next_lane;
	struct word *word, *next_word;

	if (!lanes)
		return;
	HASH_ITER(hh, lanes->lanes, lane, next_lane) {
		HASH_DEL(lanes->lanes, lane);
		free(lane->stays.items);
		free(lane);
	}
	HASH_ITER(hh, lanes->words, word, next_word) {
		HASH_DEL(lanes->words, word);
		free(word->text);
		free(word);
	}
	for (size_t i = 0; i < lanes->shapes.count; i++) {
		free(lanes->shapes.items[i].before);
		free(lanes->shapes.items[i].behind);
	}
	state_machine_free(lanes->machine);
	free(lanes->shapes.items);
	free(lanes->tids.items);
	free(lanes->shape_of.items);
	free(lanes);
}

/* --- which attributes are lanes ----------------------------------------------------------------------------------- */

/* The path's text with '*' for {tid}, which the caller frees; NULL: other parts of the path vary, too. */
static char *glob_of(const struct state_path *path)
{
	char *glob = path->absolute ? NULL : memory_format("%s", "");

	for (size_t i = 0; glob && i < path->components.count; i++) {
		const struct state_template *component = &path->components.items[i];
		const struct state_piece *piece = component->pieces.count == 1 ? &component->pieces.items[0] : NULL;
		bool known = piece && (piece->kind == PIECE_TID || piece->kind == PIECE_LITERAL);
		char *longer = known ? memory_format("%s%s%s", glob, i ? "/" : "", piece->kind == PIECE_TID ? "*" : piece->literal) : NULL;

		free(glob);
		glob = longer;
	}
	return glob;
}

static bool is_lane(const struct state_file *file, const char *path)
{
	for (size_t i = 0; i < file->rules.count; i++) {
		const struct state_rule *rule = file->rules.items[i];
		char *glob = rule->action != ACTION_ALARM && rule->path.of_thread ? glob_of(&rule->path) : NULL;
		bool same = glob && strcmp(glob, path) == 0;

		free(glob);
		if (same)
			return true;
	}
	return false;
}

void lanes_add(struct lanes *lanes, const struct state_file *file)
{
	state_machine_lend(lanes->machine, file);
	for (size_t i = 0; i < file->views.count; i++) {
		const char *path = file->views.items[i].path, *star = strchr(path, '*');

		if (strcmp(file->views.items[i].kind, "lanes") != 0 || !star || strchr(star + 1, '*') || !is_lane(file, path))
			continue;
		*ARRAY_ADD(&lanes->shapes) = (struct shape){memory_text(path, (size_t)(star - path)), memory_text(star + 1, strlen(star + 1))};
	}
}

/* The thread in a path such as "HOST/COMM.PID/Threads/17/Operation"; NO_THREAD: the path does not have this shape. */
static int32_t thread_of(const struct shape *shape, const char *path)
{
	const char *at = strchr(path, '/');
	size_t before = strlen(shape->before);
	char *end;
	long tid;

	at = at ? strchr(at + 1, '/') : NULL;
	if (!at || strncmp(at + 1, shape->before, before) != 0)
		return NO_THREAD;
	tid = strtol(at + 1 + before, &end, 10);
	return strcmp(end, shape->behind) == 0 && tid > 0 && tid <= INT32_MAX ? (int32_t)tid : NO_THREAD;
}

static int32_t ask(struct lanes *lanes, uint32_t node)
{
	char path[STATE_PATH_ROOM];

	while (lanes->tids.count <= node) {
		*ARRAY_ADD(&lanes->tids) = NOT_ASKED;
		*ARRAY_ADD(&lanes->shape_of) = 0;
	}
	if (lanes->tids.items[node] != NOT_ASKED)
		return lanes->tids.items[node];
	state_tree_path(state_machine_tree(lanes->machine), node, path);
	lanes->tids.items[node] = NO_THREAD;
	for (size_t i = 0; i < lanes->shapes.count && lanes->tids.items[node] == NO_THREAD; i++) {
		lanes->tids.items[node] = thread_of(&lanes->shapes.items[i], path);
		lanes->shape_of.items[node] = (uint32_t)i;
	}
	return lanes->tids.items[node];
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static struct lane *find_lane(const struct lanes *lanes, int32_t tid, uint32_t shape)
{
	struct lane_key key = {tid, shape};
	struct lane *lane;

	HASH_FIND(hh, lanes->lanes, &key, sizeof(key), lane);
	return lane;
}

static const char *keep(struct lanes *lanes, struct state_value value)
{
	char room[STATE_VALUE_ROOM];
	size_t length;
	const char *text = state_value_spell(value, room, &length);
	struct word *word;

	HASH_FIND(hh, lanes->words, text, length, word);
	if (word)
		return word->text;
	word = NEW(struct word);
	word->text = memory_text(text, length);
	HASH_ADD_KEYPTR(hh, lanes->words, word->text, length, word);
	return word->text;
}

static void stayed(struct lanes *lanes, uint32_t node, int64_t from, int64_t to, struct state_value value)
{
	struct lane *lane = find_lane(lanes, lanes->tids.items[node], lanes->shape_of.items[node]);

	if (from >= to)
		return;
	if (!lane) {
		lane = NEW(struct lane);
		lane->key = (struct lane_key){lanes->tids.items[node], lanes->shape_of.items[node]};
		HASH_ADD(hh, lanes->lanes, key, sizeof(lane->key), lane);
	}
	*ARRAY_ADD(&lane->stays) = (struct stay){from, to, keep(lanes, value)};
}

static int changed(void *context, uint32_t node, int64_t since, struct state_value before, int64_t ts, struct state_value now)
{
	(void)now;
	if (before.kind != STATE_NULL && ask(context, node) != NO_THREAD)
		stayed(context, node, since, ts, before);
	return 0;
}

/* Takes back the values from `from` on. */
static int taken_back(void *context, uint32_t node, int64_t since, struct state_value before, int64_t from, int64_t ts)
{
	struct lanes *lanes = context;
	struct lane *lane;

	(void)ts;
	if (ask(lanes, node) == NO_THREAD)
		return 0;
	lane = find_lane(lanes, lanes->tids.items[node], lanes->shape_of.items[node]);
	while (lane && lane->stays.count && lane->stays.items[lane->stays.count - 1].from >= from)
		lane->stays.count--;
	if (lane && lane->stays.count && lane->stays.items[lane->stays.count - 1].to > from)
		lane->stays.items[lane->stays.count - 1].to = from;
	if (before.kind != STATE_NULL)
		stayed(lanes, node, since, from, before);
	return 0;
}

bool lanes_reads(enum kind kind)
{
	return kind == KIND_STREAM || kind == KIND_TASK || kind == KIND_EVENT || kind == KIND_LOST || kind == KIND_TICK;
}

int lanes_record(struct lanes *lanes, const struct record *record, const struct fields *fields)
{
	return lanes->shapes.count ? state_machine_record(lanes->machine, record, fields) : 0;
}

static int still(void *context, uint32_t node, int64_t since, struct state_value value)
{
	struct lanes *lanes = context;
	int64_t from, to;

	if (state_machine_span(lanes->machine, &from, &to) && ask(lanes, node) != NO_THREAD)
		stayed(lanes, node, since, to, value);
	return 0;
}

int lanes_end(struct lanes *lanes)
{
	if (state_machine_finish(lanes->machine) < 0)
		return -1;
	return state_attributes_each(state_machine_attributes(lanes->machine), still, lanes);
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

/* Adds the stays in [from, to) of this shape's lane, and between them those of the shapes behind it. */
static void tell_shapes(const struct lanes *lanes, uint32_t shape, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities)
{
	const struct lane *lane;
	size_t next = 0;
	int64_t at = from;

	if (shape == lanes->shapes.count || from >= to)
		return;
	lane = find_lane(lanes, tid, shape);
	if (lane)
		next = COUNT_UNTIL(lane->stays.items, lane->stays.count, to, from);
	for (; lane && next < lane->stays.count && lane->stays.items[next].from < to; next++) {
		const struct stay *stay = &lane->stays.items[next];

		tell_shapes(lanes, shape + 1, tid, at, stay->from, activities);
		*ARRAY_ADD(&activities->items) = (struct thread_activity){later(stay->from, from), sooner(stay->to, to), stay->value, NULL};
		at = stay->to;
	}
	tell_shapes(lanes, shape + 1, tid, at, to, activities);
}

void lanes_tell(const struct lanes *lanes, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities)
{
	tell_shapes(lanes, 0, tid, from, to, activities);
}
