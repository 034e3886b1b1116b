#include "program/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "program/code_file.h"
#include "program/lookup.h"

struct code {
	char *path, *name; /* the name is the path's end */
	struct lookup *lookup;
	struct lookup_file *file; /* NULL: it is missing */
	bool mapped;
};

struct code *code_open(struct lookup *lookup, const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		       const struct code_identity *identity)
{
	static const char deleted[] = " (deleted)";
	struct code *code = NEW(struct code);
	size_t length = strlen(path), tail = sizeof(deleted) - 1;
	struct opener_file file;
	char *slash;

	if (length > tail && strcmp(path + length - tail, deleted) == 0)
		length -= tail;
	code->lookup = lookup;
	code->path = memory_text(path, length);
	slash = strrchr(code->path, '/');
	code->name = slash ? slash + 1 : code->path;
	if (*path == '/' && code_file_find(lookup, code->path, processes, others, start, end, identity, &file))
		code->file = lookup_add(lookup, &file, code->path);
	return code;
}

void code_free(struct code *code)
{
	if (code->file)
		lookup_forget(code->lookup, code->file);
	free(code->path);
	free(code);
}

bool code_is_missing(const struct code *code)
{
	return !code->file;
}

const char *code_name(const struct code *code)
{
	return code->name;
}

void code_mark(struct code *code, bool mapped)
{
	code->mapped = mapped;
}

bool code_is_mapped(const struct code *code)
{
	return code->mapped;
}

void code_look(struct code *code, uint64_t offset, struct lookup_place *place)
{
	*place = (struct lookup_place){0};
	if (code->file)
		lookup_place(code->lookup, code->file, offset, place);
}
