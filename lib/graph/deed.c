#include "graph/deed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/words.h"

#define DEED_NAME(NUMBER, name, traits) name,
static const char *const kind_names[DEEDS] = {DEED_KINDS(DEED_NAME)};
#undef DEED_NAME

/* A field of a struct, and the key that spells it in a record. */
struct key {
	const char *name;
	enum { KEY_TEXT, KEY_FLAG, KEY_CPU, KEY_COUNT, KEY_SECTOR, KEY_TIME, KEY_NO_RECORD } type;
	size_t offset;
};

#define DEED_KEY(name, type, field) {name, type, offsetof(struct deed, field)}
#define DETAIL_KEY(name, type, field) {name, type, offsetof(struct deed_detail, field)}

static const struct key deed_keys[] = {
	DEED_KEY("text", KEY_NO_RECORD, text),	    DEED_KEY("who", KEY_TEXT, who),
	DEED_KEY("pool", KEY_FLAG, pool),	    DEED_KEY("pipe", KEY_FLAG, pipe),
	DEED_KEY("whom", KEY_TEXT, whom),
	DEED_KEY("irq", KEY_TEXT, irq),		    DEED_KEY("softirq", KEY_TEXT, softirq),
	DEED_KEY("syscall", KEY_TEXT, syscall),	    DEED_KEY("object", KEY_TEXT, object),
	DEED_KEY("lock", KEY_TEXT, lock),	    DEED_KEY("for", KEY_TEXT, purpose),
	DEED_KEY("queue", KEY_TEXT, queue),	    DEED_KEY("request", KEY_TEXT, request),
	DEED_KEY("dev", KEY_TEXT, dev),		    DEED_KEY("scheduler", KEY_TEXT, scheduler),
	DEED_KEY("file", KEY_TEXT, file),
	DEED_KEY("group", KEY_TEXT, group),	    DEED_KEY("pace", KEY_TEXT, pace),	    DEED_KEY("doubt", KEY_TEXT, doubt),
	DEED_KEY("function", KEY_TEXT, function),
};

static const struct key detail_keys[] = {
	DETAIL_KEY("cpu", KEY_CPU, cpu),	    DETAIL_KEY("khz", KEY_COUNT, khz),
	DETAIL_KEY("khz_most", KEY_COUNT, khz_most),  DETAIL_KEY("khz_limit", KEY_COUNT, khz_limit),
	DETAIL_KEY("others", KEY_COUNT, others),   DETAIL_KEY("crowd", KEY_TEXT, crowd),
	DETAIL_KEY("disk", KEY_TEXT, disk),	    DETAIL_KEY("sector", KEY_SECTOR, sector),
	DETAIL_KEY("quota", KEY_TIME, quota),
	DETAIL_KEY("period", KEY_TIME, period),	    DETAIL_KEY("thread", KEY_TEXT, thread),
	DETAIL_KEY("kernel", KEY_TEXT, kernel),	    DETAIL_KEY("asker", KEY_TEXT, asker),
	DETAIL_KEY("asker_function", KEY_TEXT, asker_function),
	DETAIL_KEY("samples", KEY_COUNT, samples),  DETAIL_KEY("in_function", KEY_COUNT, in_function),
	DETAIL_KEY("counters", KEY_TEXT, counters), DETAIL_KEY("counted", KEY_TIME, counted),
	DETAIL_KEY("began", KEY_TEXT, began),	    DETAIL_KEY("until", KEY_TEXT, until),
};

enum {
	DEED_KEYS = sizeof(deed_keys) / sizeof(*deed_keys),
	DETAIL_KEYS = sizeof(detail_keys) / sizeof(*detail_keys),
};

_Static_assert(DEED_KEYS <= 32 && DETAIL_KEYS <= 32, "struct initials has a bit for each");

static const char **text_at(const struct key *key, const void *base)
{
	return key->type == KEY_TEXT || key->type == KEY_NO_RECORD ? (const char **)((char *)base + key->offset) : NULL;
}

/* --- copies ------------------------------------------------------------------------------------------------------------ */

/* The size of all texts with their terminating zeros. */
static size_t texts_size(const struct key *keys, size_t count, const void *base)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++) {
		const char **text = text_at(&keys[i], base);

		if (text && *text)
			size += strlen(*text) + 1;
	}
	return size;
}

/*
 * Writes the texts one behind the other. With `tagged`, a byte before each tells which text follows, so that the bytes are the same only if
 * all texts are. If there is a `copy` of the struct, its pointers are set to the texts written. Returns the end.
 */
static char *write_texts(const struct key *keys, size_t count, const void *base, void *copy, char *to, bool tagged)
{
	for (size_t i = 0; i < count; i++) {
		const char **text = text_at(&keys[i], base);
		size_t size;

		if (!text || !*text)
			continue;
		if (tagged)
			*to++ = (char)(i + 1);
		size = strlen(*text) + 1;
		memcpy(to, *text, size);
		if (copy)
			*text_at(&keys[i], copy) = to;
		to += size;
	}
	return to;
}

enum { KEY_HEAD = 3 + sizeof(int32_t) };

static size_t key_room(const struct deed *deed)
{
	return KEY_HEAD + DEED_KEYS + texts_size(deed_keys, DEED_KEYS, deed);
}

/* All fields as bytes, at most key_room() of them. Returns the end. */
static char *write_key(const struct deed *deed, struct deed *copy, char *to)
{
	*to++ = (char)deed->kind;
	*to++ = (char)deed->pool;
	*to++ = (char)deed->pipe;
	memcpy(to, &deed->cpu, sizeof(deed->cpu));
	return write_texts(deed_keys, DEED_KEYS, deed, copy, to + sizeof(deed->cpu), true);
}

size_t deed_key(const struct deed *deed, char *key, size_t room)
{
	return key_room(deed) > room ? 0 : (size_t)(write_key(deed, NULL, key) - key);
}

static bool is_told(const struct key *key, const void *base)
{
	const void *at = (const char *)base + key->offset;

	switch (key->type) {
	case KEY_TEXT:
		return *(const char *const *)at;
	case KEY_FLAG:
		return *(const bool *)at;
	case KEY_CPU:
		return *(const int32_t *)at != CPU_NONE;
	case KEY_COUNT:
		return *(const uint32_t *)at;
	case KEY_SECTOR:
		return *(const uint64_t *)at != NO_SECTOR;
	case KEY_TIME:
		return *(const int64_t *)at;
	case KEY_NO_RECORD:
		break;
	}
	return false;
}

static void spell_key(const struct key *key, const void *base, struct line *line)
{
	const void *at = (const char *)base + key->offset;

	if (!is_told(key, base))
		return;
	switch (key->type) {
	case KEY_TEXT:
		line_text(line, key->name, *(const char *const *)at);
		break;
	case KEY_FLAG:
		line_text(line, key->name, "yes");
		break;
	case KEY_CPU:
		line_integer(line, key->name, *(const int32_t *)at);
		break;
	case KEY_COUNT:
		line_unsigned(line, key->name, *(const uint32_t *)at);
		break;
	case KEY_SECTOR:
		line_unsigned(line, key->name, *(const uint64_t *)at);
		break;
	case KEY_TIME:
		line_time(line, key->name, *(const int64_t *)at);
		break;
	case KEY_NO_RECORD:
		break;
	}
}

/* Spells the keys of the deed: " deed=run who=xz". */
static void spell_deed(const struct deed *deed, struct line *line)
{
	if (deed->kind == DEED_TEXT)
		return;
	line_text(line, "deed", kind_names[deed->kind]);
	for (size_t i = 0; i < DEED_KEYS; i++)
		spell_key(&deed_keys[i], deed, line);
	if (deed->cpu != CPU_NONE)
		line_integer(line, "cpu", deed->cpu);
}

struct deed *deed_copy(const struct deed *deed)
{
	size_t room = key_room(deed), name_size;
	char *name = words_name(deed), *end;
	struct line spelled = {0};
	struct deed *copy;

	line_begin(&spelled, "");
	spell_deed(deed, &spelled);
	name_size = strlen(name) + 1;
	copy = memory_new(1, sizeof(*copy) + room + name_size + spelled.length + 1);
	*copy = *deed;
	copy->key = (char *)(copy + 1);
	end = write_key(deed, copy, (char *)(copy + 1));
	copy->key_length = (size_t)(end - copy->key);
	copy->name = memcpy(end, name, name_size);
	copy->spelled = memcpy(end + name_size, spelled.text ? spelled.text : "", spelled.length + 1);
	copy->family = NULL;
	line_free(&spelled);
	free(name);
	return copy;
}

struct deed *deed_text_copy(const char *text)
{
	return deed_copy(&(struct deed){.kind = DEED_TEXT, .cpu = CPU_NONE, .text = text});
}

static bool says_nothing(const struct deed_detail *detail)
{
	for (size_t i = 0; i < DETAIL_KEYS; i++)
		if (is_told(&detail_keys[i], detail))
			return false;
	return true;
}

struct deed_detail *deed_detail_copy(const struct deed_detail *detail)
{
	struct deed_detail *copy;

	if (says_nothing(detail))
		return NULL;
	copy = memory_new(1, sizeof(*copy) + texts_size(detail_keys, DETAIL_KEYS, detail));
	*copy = *detail;
	write_texts(detail_keys, DETAIL_KEYS, detail, copy, (char *)(copy + 1), false);
	return copy;
}

bool deed_equal(const struct deed *a, const struct deed *b)
{
	return a == b || (a->key_length == b->key_length && memcmp(a->key, b->key, a->key_length) == 0);
}

int deed_compare(const struct deed *a, const struct deed *b)
{
	int order = a == b ? 0 : strcmp(a->name, b->name);

	if (order || deed_equal(a, b))
		return order;
	if (a->key_length != b->key_length)
		return a->key_length < b->key_length ? -1 : 1;
	return memcmp(a->key, b->key, a->key_length);
}

/* --- records ----------------------------------------------------------------------------------------------------------- */

void deed_spell(const struct deed *deed, struct line *line)
{
	line_append(line, deed->spelled, strlen(deed->spelled));
}

void deed_detail_spell(const struct deed_detail *detail, struct line *line)
{
	for (size_t i = 0; i < DETAIL_KEYS; i++)
		spell_key(&detail_keys[i], detail, line);
}

/* For each letter the keys that begin with it, as bits: bit i is the key at index i of the table. */
struct initials {
	uint32_t of[26];
};

static struct initials initials_of(const struct key *keys, size_t count)
{
	struct initials initials = {0};

	for (size_t i = 0; i < count; i++)
		if (keys[i].type != KEY_NO_RECORD)
			initials.of[keys[i].name[0] - 'a'] |= UINT32_C(1) << i;
	return initials;
}

static const struct key *find_key(const struct key *keys, const struct initials *initials, const struct field *field)
{
	unsigned letter = (unsigned)(unsigned char)field->key[0] - 'a';

	for (uint32_t left = letter < 26 ? initials->of[letter] : 0; left; left &= left - 1) {
		const struct key *key = &keys[__builtin_ctz(left)];

		if (strncmp(key->name, field->key, field->key_length) == 0 && !key->name[field->key_length])
			return key;
	}
	return NULL;
}

/* Reads a number of at most `most`. */
static bool read_unsigned(const struct fields *fields, const char *key, uint64_t most, uint64_t *value)
{
	return fields_unsigned(fields, key, value) == 1 && *value <= most;
}

/* Reads the field into the struct. A text is copied to *texts, which moves behind it. Of several fields with one key, the first counts. */
static void read_key(const struct fields *fields, const struct field *field, const struct key *key, void *base, char **texts)
{
	void *at = (char *)base + key->offset;
	uint64_t number = 0;
	int64_t time = 0;

	switch (key->type) {
	case KEY_TEXT:
		if (*(char **)at)
			break;
		*(char **)at = *texts;
		*texts += field_text(field, *texts, field->value_length + 1) + 1;
		break;
	case KEY_FLAG:
		*(bool *)at = fields_is(fields, key->name, "yes");
		break;
	case KEY_CPU:
		if (read_unsigned(fields, key->name, INT32_MAX, &number))
			*(int32_t *)at = (int32_t)number;
		break;
	case KEY_COUNT:
		if (read_unsigned(fields, key->name, UINT32_MAX, &number))
			*(uint32_t *)at = (uint32_t)number;
		break;
	case KEY_SECTOR:
		if (read_unsigned(fields, key->name, NO_SECTOR, &number))
			*(uint64_t *)at = number;
		break;
	case KEY_TIME:
		if (fields_time(fields, key->name, &time) == 1)
			*(int64_t *)at = time;
		break;
	case KEY_NO_RECORD:
		break;
	}
}

static enum deed_kind read_kind(const struct fields *fields)
{
	char name[32];

	if (!fields_text(fields, "deed", name, sizeof(name)))
		return DEED_TEXT;
	for (enum deed_kind kind = DEED_TEXT + 1; kind < DEEDS; kind++)
		if (strcmp(kind_names[kind], name) == 0)
			return kind;
	return DEED_TEXT;
}

/* Makes room for all texts of the record, with their terminating zeros. */
static char *texts_room(struct deed_record *record, const struct fields *fields)
{
	size_t size = 1;

	for (int i = 0; i < fields->count; i++)
		size += fields->item[i].value_length + 1;
	record->more = size > sizeof(record->texts) ? memory_new(size, 1) : NULL;
	return record->more ? record->more : record->texts;
}

bool deed_record_read(struct deed_record *record, const struct fields *fields)
{
	static struct initials of_deeds, of_details;
	uint64_t cpu;
	char *texts;

	if (!of_deeds.of['w' - 'a']) {
		of_deeds = initials_of(deed_keys, DEED_KEYS);
		of_details = initials_of(detail_keys, DETAIL_KEYS);
	}
	record->deed = (struct deed){.kind = read_kind(fields), .cpu = CPU_NONE};
	record->detail = DEED_DETAIL_NONE;
	record->more = NULL;
	record->names_tids = false;
	if (record->deed.kind == DEED_TEXT)
		return false;
	texts = texts_room(record, fields);
	for (int i = 0; i < fields->count; i++) {
		const struct field *field = &fields->item[i];
		const struct key *key = find_key(deed_keys, &of_deeds, field);

		if (key)
			read_key(fields, field, key, &record->deed, &texts);
		else if ((key = find_key(detail_keys, &of_details, field)))
			read_key(fields, field, key, &record->detail, &texts);
		else
			record->names_tids |= field->key_length >= 7 && memcmp(field->key, "who", 3) == 0;
	}
	if (record->deed.kind == DEED_HOLD_CPU && read_unsigned(fields, "cpu", INT32_MAX, &cpu)) {
		record->deed.cpu = (int32_t)cpu;
		record->detail.cpu = CPU_NONE;
	}
	return true;
}

void deed_record_free(struct deed_record *record)
{
	free(record->more);
}

struct deed *deed_read(const struct fields *fields)
{
	struct deed_record record;
	struct deed *copy = deed_record_read(&record, fields) ? deed_copy(&record.deed) : NULL;

	deed_record_free(&record);
	return copy;
}
