#include "program/variable.h"

#include <string.h>

#include <dwarf.h>

#include "program/argument.h"
#include "program/die.h"

enum { SEEN_MAX = 1 << 20, NAMESPACES_MAX = 8 };

/* Searches the parent and its namespaces; `name` may contain scopes. */
static bool find_beneath(Dwarf_Die *parent, const char *name, int depth, int *seen, Dwarf_Die *found)
{
	const char *colon = strstr(name, "::");
	Dwarf_Attribute location;
	Dwarf_Die die;

	if (depth == NAMESPACES_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *called = tag == DW_TAG_variable || tag == DW_TAG_namespace ? die_name(&die) : NULL;

		if (tag == DW_TAG_namespace && colon && called && strlen(called) == (size_t)(colon - name) &&
		    !strncmp(called, name, (size_t)(colon - name)) && find_beneath(&die, colon + 2, depth + 1, seen, found))
			return true;
		if (tag == DW_TAG_variable && called && !strcmp(called, depth ? name : colon ? colon + 2 : name) &&
		    dwarf_attr(&die, DW_AT_location, &location)) {
			*found = die;
			return true;
		}
	} while ((*seen)++ < SEEN_MAX && dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool variable_find(Dwfl_Module *module, Dwarf_Die *unit, const char *name, int *seen, Dwarf_Die *found)
{
	Dwarf_Addr bias;

	if (unit && find_beneath(unit, name, 0, seen, found))
		return true;
	unit = NULL;
	while (module && (unit = dwfl_module_nextcu(module, unit, &bias)))
		if (find_beneath(unit, name, 0, seen, found))
			return true;
	return false;
}

bool variable_symbol(Dwfl_Module *module, const char *name, uint64_t *address)
{
	int symbols = dwfl_module_getsymtab(module);

	for (int i = 0; i < symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr at;
		const char *called = dwfl_module_getsym_info(module, i, &symbol, &at, NULL, NULL, NULL);

		if (called && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF &&
		    strncmp(called, name, ARGUMENT_WORD) == 0) {
			*address = symbol.st_value;
			return true;
		}
	}
	return false;
}
