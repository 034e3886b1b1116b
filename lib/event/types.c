#include "event/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "event/format.h"

struct type_entry {
	struct event_type type;
	char *name;
	UT_hash_handle hh;
};

struct symbol {
	uint64_t address, offset; /* in the function */
	char *name;
	UT_hash_handle hh;
};

struct types {
	struct symbol *symbols;
	struct type_entry *by_name;
	struct event_type **by_id;
	int ids, count;
	struct tep_handle *tep;
	bool printable; /* read print formats, too */
};

static struct tep_handle *new_handle(bool swapped)
{
	struct tep_handle *tep = tep_alloc();

	tep_set_loglevel(TEP_LOG_NONE); /* tailblame does without a print format that the library cannot read */
	tep_set_long_size(tep, sizeof(long));
	if (swapped)
		tep_set_file_bigendian(tep, tep_is_local_bigendian(tep) ? TEP_LITTLE_ENDIAN : TEP_BIG_ENDIAN);
	return tep;
}

/* --- symbols ------------------------------------------------------------------------------------------------------ */

static struct symbol *find_symbol(const struct types *types, uint64_t address)
{
	struct symbol *symbol;

	HASH_FIND(hh, types->symbols, &address, sizeof(address), symbol);
	return symbol;
}

/* The library calls this to print names of functions; sets *address to the address at which the function begins. */
static char *resolve(void *context, unsigned long long *address, char **module)
{
	const struct symbol *symbol = find_symbol(context, *address);

	*module = NULL;
	*address -= symbol ? symbol->offset : 0;
	return symbol ? symbol->name : NULL;
}

void types_symbol(struct types *types, uint64_t address, uint64_t offset, const char *name)
{
	struct symbol *symbol = find_symbol(types, address);

	if (symbol) {
		free(symbol->name);
	} else {
		symbol = NEW(struct symbol);
		symbol->address = address;
		HASH_ADD(hh, types->symbols, address, sizeof(address), symbol);
	}
	symbol->offset = offset;
	symbol->name = memory_text(name, strlen(name));
}

size_t types_spell_symbol(const struct types *types, uint64_t address, char *text, size_t room)
{
	const struct symbol *symbol = types->symbols ? find_symbol(types, address) : NULL;
	int length;

	if (!symbol)
		return 0;
	length = snprintf(text, room, symbol->offset ? "%s+0x%llx" : "%s", symbol->name, (unsigned long long)symbol->offset);
	return (size_t)length < room ? (size_t)length : room - 1;
}

static void forget_symbols(struct types *types)
{
	struct symbol *symbol, *next;

	HASH_ITER(hh, types->symbols, symbol, next) {
		HASH_DEL(types->symbols, symbol);
		free(symbol->name);
		free(symbol);
	}
}

static struct tep_handle *handle_of(struct types *types, bool swapped)
{
	if (!types->tep) {
		types->tep = new_handle(swapped);
		tep_set_function_resolver(types->tep, resolve, types);
	}
	return types->tep;
}

void types_printk(struct types *types, uint64_t address, const char *format)
{
	if (types->printable && types->tep && format_is_printk(format))
		tep_register_print_string(types->tep, format, address);
}

/* --- types -------------------------------------------------------------------------------------------------------- */

struct types *types_new(void)
{
	return NEW(struct types);
}

static void free_fields(struct event_field *field)
{
	while (field) {
		struct event_field *next = field->next;

		free((char *)field->name);
		free(field);
		field = next;
	}
}

void types_free(struct types *types)
{
	struct type_entry *entry, *next;

	HASH_ITER(hh, types->by_name, entry, next) {
		HASH_DEL(types->by_name, entry);
		free_fields(entry->type.fields);
		free(entry->name);
		free(entry);
	}
	tep_free(types->tep);
	forget_symbols(types);
	free(types->by_id);
	free(types);
}

struct event_type *types_named(struct types *types, const char *name, size_t length)
{
	struct type_entry *entry;

	HASH_FIND(hh, types->by_name, name, length, entry);
	if (!entry) {
		entry = NEW(struct type_entry);
		entry->name = memory_text(name, length);
		entry->type.name = entry->name;
		entry->type.index = types->count++;
		entry->type.types = types;
		HASH_ADD_KEYPTR(hh, types->by_name, entry->name, length, entry);
	}
	return &entry->type;
}

struct event_type *types_numbered(const struct types *types, int id)
{
	return id < types->ids ? types->by_id[id] : NULL;
}

static void number_type(struct types *types, struct event_type *type, int id)
{
	if (id >= types->ids) {
		types->by_id = memory_grow(types->by_id, (size_t)id + 1, sizeof(*types->by_id));
		memset(types->by_id + types->ids, 0, (size_t)(id + 1 - types->ids) * sizeof(*types->by_id));
		types->ids = id + 1;
	}
	types->by_id[id] = type;
}

/* Finds the bit that tells whether the field is unknown, if it has one. */
static void find_unknown(struct event_field *field, struct tep_event *format, const struct tep_format_field *found)
{
	enum { BITS = 64 };
	struct tep_format_field *unknown = tep_find_field(format, EVENT_UNKNOWN), *before = format->format.fields;

	field->unknown_at = field->unknown_bit = 0;
	while (before && before != found && before != unknown && field->unknown_bit < BITS - 1) {
		before = before->next;
		field->unknown_bit++;
	}
	if (unknown && before == found && unknown->size == sizeof(uint64_t))
		field->unknown_at = (uint16_t)unknown->offset;
}

void field_resolve(struct event_field *field)
{
	struct tep_event *format = field->type->format;
	struct tep_format_field *found = format ? tep_find_any_field(format, field->name) : NULL;

	/* A dynamic field is a 32-bit word; with another size, the format is wrong. */
	field->resolved = found && (!(found->flags & TEP_FIELD_IS_DYNAMIC) || found->size == sizeof(uint32_t));
	if (!field->resolved)
		return;
	field->offset = (uint16_t)found->offset;
	field->size = (uint16_t)found->size;
	field->is_signed = found->flags & TEP_FIELD_IS_SIGNED;
	field->is_string = found->flags & TEP_FIELD_IS_STRING;
	field->is_dynamic = found->flags & TEP_FIELD_IS_DYNAMIC;
	field->spelling = format_spelling(found);
	field->format = found;
	find_unknown(field, format, found);
}

int types_learn(struct types *types, const char *body, size_t length, bool swapped)
{
	const char *text = memchr(body, '\0', length);
	struct tep_event *format;
	struct event_type *type;
	char *name;

	if (!text)
		return fail("a format record has no system");
	text++;
	format = format_read(handle_of(types, swapped), body, text, length - (size_t)(text - body), types->printable);
	if (!format)
		return -1;
	name = memory_format("%s:%s", body, format->name);
	type = types_named(types, name, strlen(name));
	free(name);
	type->format = format;
	number_type(types, type, format->id);
	for (struct event_field *field = type->fields; field; field = field->next)
		field_resolve(field);
	return 0;
}

void types_printable(struct types *types)
{
	types->printable = true;
}

void types_forget(struct types *types)
{
	for (struct type_entry *entry = types->by_name; entry; entry = entry->hh.next) {
		entry->type.format = NULL;
		for (struct event_field *field = entry->type.fields; field; field = field->next)
			field->resolved = false;
	}
	if (types->ids)
		memset(types->by_id, 0, (size_t)types->ids * sizeof(*types->by_id));
	tep_free(types->tep);
	types->tep = NULL;
	forget_symbols(types);
}
