#include "report/json_put.h"

#include <math.h>
#include <stdlib.h>

#include "report/words.h"

void json_put_text(json_t *object, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(object, key, json_string(text));
}

void json_put_real(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

void json_put_count(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

void json_put_seconds(json_t *object, const char *key, int64_t ns)
{
	json_put_real(object, key, ns / 1e9);
}

void json_put_words(json_t *object, const char *key, char *words)
{
	json_put_text(object, key, words);
	free(words);
}

void json_put_identity(json_t *object, const char *key, const struct identity *identity)
{
	json_t *process;

	if (!identity || !identity->pid)
		return;
	process = json_object();
	json_put_count(process, "pid", (uint64_t)identity->pid);
	json_put_text(process, "program", identity->program);
	json_put_text(process, "cgroup", identity->cgroup);
	json_object_set_new(object, key, process);
}

void json_put_deed(json_t *object, const char *key, const struct deed *deed)
{
	struct line line = {0};
	struct fields fields;
	json_t *keys;

	if (deed->kind == DEED_TEXT)
		return;
	keys = json_object();
	line_begin(&line, "deed");
	deed_spell(deed, &line);
	if (fields_parse(&fields, line.text, line.length) < 0)
		fields.count = 0;
	for (int i = 0; i < fields.count; i++) {
		const struct field *field = &fields.item[i];
		char *name = memory_text(field->key, field->key_length), *raw = memory_new(field->value_length + 1, 1), *clean;

		field_text(field, raw, field->value_length + 1);
		clean = words_clean(raw);
		json_put_text(keys, name, clean);
		free(clean);
		free(raw);
		free(name);
	}
	json_object_set_new(object, key, keys);
	line_free(&line);
}
