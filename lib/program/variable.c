#include "program/variable.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "program/argument.h"
#include "program/die.h"

enum { SEEN_MAX = 1 << 20, NAMESPACES_MAX = 8 };

/* Cuts the last part off a name of this length, "scope::name". False: it is another part. */
static bool cut_part(const char *name, size_t *length, const char *part)
{
	size_t size = strlen(part);

	if (size > *length || strncmp(name + *length - size, part, size) != 0)
		return false;
	*length -= size;
	if (*length < 2 || strncmp(name + *length - 2, "::", 2) != 0)
		return *length == 0;
	*length -= 2;
	return true;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Tells whether the variable has this name. Scopes that the name does not have are outer ones, and any. */
static bool is_called(Dwarf_Die *variable, const char *name)
{
	const char *called = die_name(variable);
	size_t length = strlen(name);
	Dwarf_Die origin, *scopes = NULL;
	int count;

	if (!called || !cut_part(name, &length, called))
		return false;
	origin = die_origin(variable);
	count = length ? dwarf_getscopes_die(&origin, &scopes) : 0;
	for (int i = 1; i < count && length > 0; i++) {
		const char *scope = is_scope(dwarf_tag(&scopes[i])) ? die_name(&scopes[i]) : NULL;

		if (scope && !cut_part(name, &length, scope))
			break;
	}
	free(scopes);
	return length == 0;
}

/* Searches the parent, and the namespaces in it that `inner`, the rest of the name, begins with. */
static bool find_beneath(Dwarf_Die *parent, const char *name, const char *inner, int depth, int *seen, Dwarf_Die *found)
{
	const char *colon = strstr(inner, "::");
	Dwarf_Attribute location;
	Dwarf_Die die;

	if (depth == NAMESPACES_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *called = tag == DW_TAG_namespace && colon ? die_name(&die) : NULL;

		if (called && strlen(called) == (size_t)(colon - inner) && !strncmp(called, inner, (size_t)(colon - inner)) &&
		    find_beneath(&die, name, colon + 2, depth + 1, seen, found))
			return true;
		if (tag == DW_TAG_variable && dwarf_attr(&die, DW_AT_location, &location) && is_called(&die, name)) {
			*found = die;
			return true;
		}
	} while ((*seen)++ < SEEN_MAX && dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool variable_find(Dwfl_Module *module, Dwarf_Die *unit, const char *name, int *seen, Dwarf_Die *found)
{
	Dwarf_Addr bias;

	if (unit && find_beneath(unit, name, name, 0, seen, found))
		return true;
	unit = NULL;
	while (module && (unit = dwfl_module_nextcu(module, unit, &bias)))
		if (find_beneath(unit, name, name, 0, seen, found))
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
