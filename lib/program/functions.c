#include "program/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "program/text_bounds.h"

struct function {
	uint64_t address, size;
	const char *name;
	int rank; /* rank among the names of one address */
};

enum { NESTED = 8 }; /* how many preceding functions to check: a function may lie within another one */

static const int ranks[] = {[STB_LOCAL] = 0, [STB_GLOBAL] = 2, [STB_WEAK] = 1};

static int compare(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	int order = (a->address > b->address) - (a->address < b->address);

	if (order == 0)
		order = b->rank - a->rank;
	if (order == 0) /* "pthread_cond_wait" rather than "__pthread_cond_wait" */
		order = (int)strspn(a->name, "_") - (int)strspn(b->name, "_");
	return order ? order : strcmp(a->name, b->name);
}

void functions_read(struct functions *functions, Dwfl_Module *module)
{
	int symbols = dwfl_module_getsymtab(module);
	ARRAY(struct function) found = {0};
	struct text_bounds bounds = {0};
	size_t kept = 0;

	for (int i = 0; i < symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		Elf *elf = NULL;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, &elf, NULL);
		int type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);

		if (name && symbol.st_size && symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
		    text_ends(&bounds, elf, name) && *name)
			*ARRAY_ADD(&found) =
			    (struct function){address, symbol.st_size, name, binding <= STB_WEAK ? ranks[binding] : 1};
	}
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), compare);
	for (size_t i = 0; i < found.count; i++)
		if (kept == 0 || found.items[kept - 1].address != found.items[i].address)
			found.items[kept++] = found.items[i];
	*functions = (struct functions){found.items, kept};
}

const char *functions_find(const struct functions *functions, uint64_t address, uint64_t *start)
{
	size_t low = COUNT_UNTIL(functions->items, functions->count, address, address);

	for (int i = 0; i < NESTED && low > 0; i++) {
		const struct function *function = &functions->items[--low];

		if (address - function->address < function->size) {
			*start = function->address;
			return function->name;
		}
	}
	return NULL;
}

void functions_free(struct functions *functions)
{
	free(functions->items);
	*functions = (struct functions){0};
}
