#include "program/members.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "base/fail.h"
#include "base/memory.h"

enum { OFFSET_MAX = 1 << 24 };

static const struct {
	const char *name;
	unsigned size;
	bool has_sign;
} numbers[] = {{"u8", 1, false}, {"u16", 2, false}, {"u32", 4, false}, {"u64", 8, false},
	       {"s8", 1, true},	 {"s16", 2, true},  {"s32", 4, true},  {"s64", 8, true}};

bool members_number(const struct members_type *type, unsigned *size, bool *has_sign)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strlen(numbers[i].name) == type->length && strncmp(numbers[i].name, type->name, type->length) == 0) {
			*size = numbers[i].size;
			*has_sign = numbers[i].has_sign;
			return true;
		}
	return false;
}

/* The length of a C identifier; 0: the text does not begin with one. */
static size_t name_length(const char *text)
{
	size_t length = 0;

	if (isdigit((unsigned char)*text))
		return 0;
	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

/* A word, cut into its parts. */
struct word {
	const char *of, *member;
	size_t of_length, member_length;
	bool base; /* the word is about an argument or result of a function: there is no offset */
	int64_t offset;
	struct members_type type;
};

/* Returns the length of the word; 0: it is malformed. */
static size_t read_word(const char *text, struct word *word)
{
	const char *at = text + name_length(text);
	char *end;

	*word = (struct word){.of = text, .of_length = (size_t)(at - text)};
	if (at == text || *at++ != '.')
		return 0;
	word->member = at;
	word->base = *at == '%' || strncmp(at, "ret=", strlen("ret=")) == 0;
	at += *at == '%' ? 1 + strspn(at + 1, "0123456789") : name_length(at);
	word->member_length = (size_t)(at - word->member);
	if (word->member_length == (*word->member == '%') || *at++ != '=')
		return 0;
	if (!word->base) {
		if (!isdigit((unsigned char)*at))
			return 0;
		word->offset = strtoll(at, &end, 10);
		if (end - at > 9 || word->offset > OFFSET_MAX)
			return 0;
		at = end;
	}
	if (word->base || *at == ':') {
		at += !word->base;
		word->type = (struct members_type){at, name_length(at)};
		at += word->type.length;
		if (word->type.length == 0)
			return 0;
	}
	return *at && !isspace((unsigned char)*at) ? 0 : (size_t)(at - text);
}

static bool is(const char *text, size_t length, const char *wanted, size_t wanted_length)
{
	return length == wanted_length && memcmp(text, wanted, length) == 0;
}

/* Reads the next word; false: there is none, or it is malformed. */
static bool next(const char **at, struct word *word)
{
	size_t length;

	*at += strspn(*at, " \t\r\n");
	length = **at ? read_word(*at, word) : 0;
	*at += length;
	return length > 0;
}

int members_check(const char *members, const char **wrong)
{
	const char *at = members;
	struct word word;

	while (next(&at, &word)) {
	}
	if (!*at)
		return 0;
	*wrong = at;
	return fail("'%.*s' is neither FUNCTION.%%N=TYPE nor TYPE.MEMBER=OFFSET[:TYPE]", (int)strcspn(at, " \t"), at);
}

bool members_base(const char *members, const char *function, const char *base, struct members_type *type)
{
	struct word word;

	while (next(&members, &word))
		if (word.base && is(word.of, word.of_length, function, strlen(function)) &&
		    is(word.member, word.member_length, base, strlen(base))) {
			*type = word.type;
			return true;
		}
	return false;
}

bool members_find(const char *members, const struct members_type *of, const char *member, int64_t *offset, struct members_type *type)
{
	struct word word;

	while (next(&members, &word))
		if (!word.base && is(word.of, word.of_length, of->name, of->length) &&
		    is(word.member, word.member_length, member, strlen(member))) {
			*offset = word.offset;
			*type = word.type;
			return true;
		}
	return false;
}

static bool has_string(const Elf_Data *data, const char *text, size_t length)
{
	const char *bytes = data->d_buf, *end = bytes + data->d_size;

	for (const char *at = bytes; (at = memmem(at, (size_t)(end - at), text, length)); at++)
		if (at == bytes || at[-1] == '\0')
			return true;
	return false;
}

static bool has_constant(Elf *elf, const char *text, size_t length)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || length == 0 || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		Elf_Data *data = NULL;

		if (!name || strncmp(name, ".rodata", strlen(".rodata")) != 0 || header.sh_type == SHT_NOBITS)
			continue;
		while ((data = elf_getdata(section, data)))
			if (data->d_buf && has_string(data, text, length))
				return true;
	}
	return false;
}

char *members_choose(const char *lines, Elf *elf)
{
	char *chosen = NULL;
	bool found = false;

	for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t text = strcspn(at, "\t\n"), end = strcspn(at, "\n");
		char *before = chosen;

		if (end == 0)
			found = false;
		if (found || at[text] != '\t' || !has_constant(elf, at, text))
			continue;
		found = true;
		chosen = memory_format("%s%s%.*s", before ? before : "", before ? " " : "", (int)(end - text - 1), at + text + 1);
		free(before);
	}
	return chosen;
}
