#include "program/scopes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "base/memory.h"
#include "program/demangle.h"
#include "program/die.h"

enum {
	DEPTH_MAX = 64,	   /* of nested scopes; nobody writes more */
	SEEN_MAX = 1 << 20 /* entries visited on the way to an address; a malicious file may nest an entry in itself, twice */
};

/* The unit (of one source file) that has the address. */
static Dwarf_Die *unit_of(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
	Dwarf_Aranges *ranges;
	size_t count;

	if (unit || (dwfl_module_getdwarf(module, bias) &&
		     dwarf_getaranges(dwfl_module_getdwarf(module, bias), &ranges, &count) == 0 && count > 0))
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias))) /* clang writes no table of address ranges */
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
}

/* The name of a scope, as libiberty writes it for scopes without a name; NULL: the scope adds nothing to names. */
static const char *scope_name(Dwarf_Die *scope)
{
	const char *name = die_name(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		return name ? name : "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return name ? name : "{lambda}";
	case DW_TAG_subprogram:
		return name;
	default:
		return NULL;
	}
}

/* "cache::Shelf::get": the scopes in which the function was declared, and its name. Stops at DEMANGLED_MAX. */
static char *qualified(const Dwarf_Die *function, const char *name)
{
	char *whole = memory_text(name, strnlen(name, DEMANGLED_MAX));
	Dwarf_Die origin = die_origin(function), *scopes = NULL;
	int count = dwarf_getscopes_die(&origin, &scopes);

	for (int i = 1; i < count && strlen(whole) < DEMANGLED_MAX; i++) {
		const char *outer = scope_name(&scopes[i]);
		char *inner = whole;

		if (!outer)
			continue;
		whole = memory_format("%.*s::%s", DEMANGLED_MAX, outer, inner);
		free(inner);
	}
	free(scopes);
	return whole;
}

static char *name_of(Dwarf_Die *function)
{
	const char *name = die_symbol(function);
	char *plain = name ? demangle(name) : NULL;

	if (plain)
		return plain;
	name = die_name(function);
	return name && *name ? qualified(function, name) : NULL;
}

/*
 * Tells whether a programmer wrote this inlined function: it is neither made up by the compiler nor a wrapper marked as artificial, such as
 * glibc's of read() with _FORTIFY_SOURCE. GCC marks a lambda's operator() as artificial, too.
 */
static bool is_written(Dwarf_Die *die)
{
	const char *name;

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
		return false;
	name = die_is_artificial(die) ? die_name(die) : NULL;
	return !die_is_artificial(die) || (name && strcmp(name, "operator()") == 0);
}

/* Tells whether functions may lie in this entry, though it has no addresses of its own. */
static bool holds_functions(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static bool is_scope(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

struct search {
	Dwarf_Addr address;
	int seen;
	ARRAY(Dwarf_Die) found;
};

/*
 * Adds the scopes beneath this one that hold the address, outer before inner. (dwarf_getscopes() also needs the unit in which an inlined
 * function was written; with link-time optimisation that is another unit, and it finds nothing.)
 */
static bool find_scopes(struct search *search, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		if (is_scope(&die) && dwarf_haspc(&die, search->address) > 0) {
			*ARRAY_ADD(&search->found) = die;
			find_scopes(search, &die, depth + 1);
			return true;
		}
		if (holds_functions(&die) && find_scopes(search, &die, depth + 1))
			return true;
	} while (search->seen++ < SEEN_MAX && dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool scopes_function(Dwfl_Module *module, uint64_t address, Dwarf_Die *function, Dwarf_Die *unit, Dwarf_Addr *bias)
{
	Dwarf_Die *found = unit_of(module, address, bias);
	struct search search = {.address = found ? address - *bias : 0};
	size_t i;

	if (!found)
		return false;
	*unit = *found;
	find_scopes(&search, found, 0);
	for (i = search.found.count; i > 0 && dwarf_tag(&search.found.items[i - 1]) != DW_TAG_subprogram; i--)
		;
	if (i > 0)
		*function = search.found.items[i - 1];
	free(search.found.items);
	return i > 0;
}

int scopes_functions(Dwfl_Module *module, uint64_t address, char *symbol, char **names, int room)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_of(module, address, &bias);
	struct search search = {.address = unit ? address - bias : 0};
	Dwarf_Die *scopes;
	int found = 0;
	size_t i;

	if (unit)
		find_scopes(&search, unit, 0);
	scopes = search.found.items;
	for (i = search.found.count; i > 0 && dwarf_tag(&scopes[i - 1]) != DW_TAG_subprogram; i--) {
		Dwarf_Die *scope = &scopes[i - 1];
		char *name = is_written(scope) && found < room - 1 ? name_of(scope) : NULL;

		if (name)
			names[found++] = name;
	}
	names[found] = symbol || i == 0 ? symbol : name_of(&scopes[i - 1]);
	free(scopes);
	return found + (names[found] != NULL);
}
