#include "program/die.h"

#include <dwarf.h>

#include "program/text_bounds.h"

enum { ORIGINS_MAX = 16 }; /* in a chain, the bound that libdw uses elsewhere; compilers make two */

/* The text may be in this file, or in the one that several debug files share. */
static const char *text_of(Dwarf_Attribute *attribute)
{
	const char *text = dwarf_formstring(attribute);
	Dwarf *file = text ? dwarf_cu_getdwarf(attribute->cu) : NULL, *shared = file ? dwarf_getalt(file) : NULL;
	struct text_bounds bounds = {0};

	if (file && text_ends(&bounds, dwarf_getelf(file), text))
		return text;
	return shared && text_ends(&bounds, dwarf_getelf(shared), text) ? text : NULL;
}

static const char *text_at(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? text_of(&attribute) : NULL;
}

const char *die_name(Dwarf_Die *die)
{
	return text_at(die, DW_AT_name);
}

const char *die_symbol(Dwarf_Die *die)
{
	return text_at(die, DW_AT_linkage_name);
}

bool die_is_artificial(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	bool artificial = false;

	if (dwarf_attr_integrate(die, DW_AT_artificial, &attribute))
		dwarf_formflag(&attribute, &artificial);
	return artificial;
}

Dwarf_Die die_origin(const Dwarf_Die *die)
{
	Dwarf_Die origin = *die, next;
	Dwarf_Attribute attribute;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if ((!dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) && !dwarf_attr(&origin, DW_AT_specification, &attribute)) ||
		    !dwarf_formref_die(&attribute, &next))
			break;
		origin = next;
	}
	return origin;
}
