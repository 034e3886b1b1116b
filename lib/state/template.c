#include "state/template.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { NEST_MAX = 8, TEXT_ROOM = 4 * STATE_TEXT_MAX };

struct text {
	char bytes[TEXT_ROOM];
	size_t length;
};

/* Reading */

struct reader {
	struct event_type *type;
	const char *at;
	int nested;
	bool of_thread;
};

static int read_path(struct reader *reader, struct state_path *path, const char *ends);

static void add_literal(struct state_template *template, const char *text, size_t length)
{
	if (length > 0)
		*ARRAY_ADD(&template->pieces) = (struct state_piece){.kind = PIECE_LITERAL, .literal = memory_text(text, length)};
}

/* A {tid} within [PATH] does not count as of_thread: {[Threads/{tid}/Fd]} is a descriptor, and a node named by it is not the thread's. */
static int read_attribute(struct reader *reader, struct state_piece *piece)
{
	bool of_thread = reader->of_thread;

	if (++reader->nested > NEST_MAX)
		return fail("more than %d [PATH] within each other", NEST_MAX);
	reader->at++;
	piece->kind = PIECE_ATTRIBUTE;
	piece->path = NEW(struct state_path);
	if (read_path(reader, piece->path, "]") < 0)
		return -1;
	if (*reader->at != ']')
		return fail("']' is missing");
	reader->at++;
	reader->nested--;
	reader->of_thread = of_thread;
	return 0;
}

static void name_piece(struct reader *reader, struct state_piece *piece, const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum state_piece_kind kind;
	} known[] = {{"tid", PIECE_TID}, {"comm", PIECE_COMM}, {"cpu", PIECE_CPU}, {"host", PIECE_HOST}};
	char *copy = memory_text(name, length);

	piece->kind = PIECE_FIELD;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(copy, known[i].name))
			piece->kind = known[i].kind;
	reader->of_thread |= piece->kind == PIECE_TID;
	piece->field = piece->kind == PIECE_TID ? NULL : event_type_field(reader->type, copy);
	free(copy);
}

static int read_piece(struct reader *reader, struct state_piece *piece)
{
	reader->at++;
	if (*reader->at == '[') {
		if (read_attribute(reader, piece) < 0)
			return -1;
	} else {
		size_t length = 0;

		while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')
			length++;
		if (length == 0)
			return fail("a field's name, tid or [PATH] is missing");
		name_piece(reader, piece, reader->at, length);
		reader->at += length;
	}
	if (*reader->at != '}')
		return fail("'}' is missing");
	reader->at++;
	return 0;
}

/* Reads up to one of the bytes in `ends`, or the end of the text. */
static int read_template(struct reader *reader, struct state_template *template, const char *ends)
{
	while (*reader->at && !strchr(ends, *reader->at)) {
		size_t length = strcspn(reader->at, "{}");
		size_t until = strcspn(reader->at, ends);

		length = length < until ? length : until;
		add_literal(template, reader->at, length);
		reader->at += length;
		if (*reader->at == '}')
			return fail("'}' without '{'");
		if (*reader->at == '{') {
			struct state_piece *piece = ARRAY_ADD(&template->pieces);

			*piece = (struct state_piece){.kind = PIECE_LITERAL};
			if (read_piece(reader, piece) < 0)
				return -1;
		}
	}
	return 0;
}

static int read_path(struct reader *reader, struct state_path *path, const char *ends)
{
	char stops[3] = {'/', *ends, '\0'};

	path->absolute = *reader->at == '/';
	reader->at += path->absolute;
	for (;;) {
		struct state_template *component = ARRAY_ADD(&path->components);

		*component = (struct state_template){0};
		if (read_template(reader, component, stops) < 0)
			return -1;
		if (component->pieces.count == 0)
			return fail("a component of a path is empty");
		if (path->components.count > STATE_DEPTH_MAX)
			return fail("a path has more than %d components", STATE_DEPTH_MAX);
		if (*reader->at != '/')
			return 0;
		reader->at++;
	}
}

int state_template_read(struct state_template *template, struct event_type *type, const char *text, const char **at)
{
	struct reader reader = {.type = type, .at = text};
	int status = read_template(&reader, template, "");

	*at = reader.at;
	return status;
}

int state_path_read(struct state_path *path, struct event_type *type, const char *text, const char **at)
{
	struct reader reader = {.type = type, .at = text};
	int status = read_path(&reader, path, "");

	path->of_thread = reader.of_thread;
	*at = reader.at;
	return status;
}

void state_template_free(struct state_template *template)
{
	for (size_t i = 0; i < template->pieces.count; i++) {
		struct state_piece *piece = &template->pieces.items[i];

		free(piece->literal);
		if (piece->path)
			state_path_free(piece->path);
		free(piece->path);
	}
	ARRAY_FREE(&template->pieces);
}

void state_path_free(struct state_path *path)
{
	for (size_t i = 0; i < path->components.count; i++)
		state_template_free(&path->components.items[i]);
	ARRAY_FREE(&path->components);
}

/* Making text of an event */

static void add(struct text *text, const char *bytes, size_t length)
{
	size_t room = sizeof(text->bytes) - text->length;

	length = length < room ? length : room;
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static bool add_field(struct text *text, const struct state_piece *piece, const struct state_scene *scene)
{
	char spelled[TEXT_ROOM];
	size_t length;

	if (!event_has(scene->event, piece->field))
		return false;
	length = event_spell_field(scene->event, piece->field, spelled, sizeof(spelled));
	add(text, spelled, length < sizeof(spelled) ? length : sizeof(spelled) - 1);
	return true;
}

static bool add_number(struct text *text, int64_t number)
{
	char room[STATE_VALUE_ROOM];
	size_t length;
	const char *spelled = state_value_spell(state_value_number(number), room, &length);

	add(text, spelled, length);
	return true;
}

static enum state_path_outcome walk(const struct state_path *path, const struct state_scene *scene, bool make, uint32_t *node);

static bool add_attribute(struct text *text, const struct state_path *path, const struct state_scene *scene)
{
	char room[STATE_VALUE_ROOM];
	struct state_value value;
	const char *spelled;
	uint32_t node;
	size_t length;

	if (walk(path, scene, false, &node) != PATH_FOUND)
		return false;
	value = state_attributes_value(scene->attributes, node);
	if (value.kind == STATE_NULL)
		return false;
	spelled = state_value_spell(value, room, &length);
	add(text, spelled, length);
	return true;
}

/* Adds the name of the node HOST. False: the scene has no node. */
static bool add_host(struct text *text, const struct state_scene *scene)
{
	const char *name = scene->home == STATE_NO_NODE ? NULL : state_tree_name(scene->tree, state_tree_parent(scene->tree, scene->home));

	if (name)
		add(text, name, strlen(name));
	return name != NULL;
}

static bool add_piece(struct text *text, const struct state_piece *piece, const struct state_scene *scene)
{
	const char *comm;

	switch (piece->kind) {
	case PIECE_LITERAL:
		add(text, piece->literal, strlen(piece->literal));
		return true;
	case PIECE_TID:
		return add_number(text, scene->event->tid);
	case PIECE_CPU:
		return add_field(text, piece, scene) || add_number(text, scene->event->cpu);
	case PIECE_COMM:
		comm = events_comm(scene->events, scene->event->tid);
		if (!add_field(text, piece, scene))
			add(text, comm, strlen(comm));
		return true;
	case PIECE_HOST:
		return add_field(text, piece, scene) || add_host(text, scene);
	case PIECE_ATTRIBUTE:
		return add_attribute(text, piece->path, scene);
	default:
		return add_field(text, piece, scene);
	}
}

/* The text of a component without braces. NULL: it has some. */
static const char *literal(const struct state_template *template)
{
	return template->pieces.count == 1 ? template->pieces.items->literal : NULL;
}

struct state_value state_template_value(const struct state_template *template, const struct state_scene *scene)
{
	struct text text = {.length = 0};

	if (template->pieces.count == 1 && template->pieces.items->kind == PIECE_FIELD && event_has(scene->event, template->pieces.items->field)) {
		int64_t number;
		enum event_spelling spelling = event_read_number(scene->event, template->pieces.items->field, &number);

		if (spelling == SPELL_SIGNED || (spelling == SPELL_UNSIGNED && number >= 0))
			return state_value_number(number);
	}
	for (size_t i = 0; i < template->pieces.count; i++)
		if (!add_piece(&text, &template->pieces.items[i], scene))
			return (struct state_value){0};
	return state_value_read(scene->texts, text.bytes, text.length);
}

/* One component of a path. False: it is null. */
static bool make_component(const struct state_template *template, const struct state_scene *scene, struct text *component)
{
	for (size_t i = 0; i < template->pieces.count; i++) {
		const struct state_piece *piece = &template->pieces.items[i];
		struct text text = {.length = 0};

		if (!add_piece(&text, piece, scene))
			return false;
		if (piece->kind == PIECE_LITERAL) {
			add(component, text.bytes, text.length);
			continue;
		}
		component->length += state_tree_component(text.bytes, text.length < STATE_TEXT_MAX ? text.length : STATE_TEXT_MAX,
							  component->bytes + component->length, sizeof(component->bytes) - component->length);
	}
	return true;
}

/* Tells whether the component is {host} as the scene's host, which has a node already. */
static bool is_host(const struct state_template *template, const struct state_scene *scene)
{
	return scene->home != STATE_NO_NODE && template->pieces.count == 1 && template->pieces.items->kind == PIECE_HOST &&
	       !event_has(scene->event, template->pieces.items->field);
}

static enum state_path_outcome walk(const struct state_path *path, const struct state_scene *scene, bool make, uint32_t *node)
{
	*node = path->absolute ? 0 : scene->home;
	for (size_t i = 0; i < path->components.count; i++) {
		const struct state_template *template = &path->components.items[i];
		const char *name = literal(template);
		struct text component;
		size_t length;

		if (i == 0 && path->absolute && is_host(template, scene)) {
			*node = state_tree_parent(scene->tree, scene->home);
			continue;
		}
		if (name) {
			length = strlen(name);
		} else {
			component.length = 0;
			if (!make_component(template, scene, &component))
				return PATH_NULL;
			name = component.bytes;
			length = component.length;
		}
		*node = make ? state_tree_get(scene->tree, *node, name, length) : state_tree_find(scene->tree, *node, name, length);
		if (*node == STATE_NO_NODE)
			return make ? PATH_TOO_DEEP : PATH_NONE;
	}
	return PATH_FOUND;
}

enum state_path_outcome state_path_make(const struct state_path *path, const struct state_scene *scene, uint32_t *node)
{
	return walk(path, scene, true, node);
}
