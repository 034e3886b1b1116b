#include "program/argument_type.h"

#include <stdio.h>
#include <string.h>

#include <dwarf.h>

#include "base/suggestions.h"
#include "program/die.h"

enum { PEELS_MAX = 32, WORD = 8, MEMBERS_MAX = 1 << 14, NESTED_MAX = 8, FIELDS_MAX = 256, ELEMENTS_MAX = 1 << 24, FAR = 1 << 30 };

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* Goes on to the definition if the type has one in a type unit of its own. */
static void go_to_unit(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die unit;

	if (dwarf_attr(type, DW_AT_signature, &attribute) && dwarf_formref_die(&attribute, &unit))
		*type = unit;
}

bool type_peel(const Dwarf_Die *type, Dwarf_Die *peeled)
{
	*peeled = *type;
	for (int i = 0; i < PEELS_MAX; i++) {
		Dwarf_Die next;

		switch (dwarf_tag(peeled)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!type_of(peeled, &next))
				return false;
			*peeled = next;
			break;
		default:
			go_to_unit(peeled);
			return dwarf_tag(peeled) > 0;
		}
	}
	return false;
}

static bool read_number(Dwarf_Die *die, unsigned name, int64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword value;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formsdata(&attribute, &value) != 0)
		return false;
	*number = value;
	return true;
}

bool type_is_near(int64_t distance)
{
	return distance >= -FAR && distance <= FAR;
}

static bool read_distance(Dwarf_Die *die, unsigned name, int64_t *distance)
{
	return read_number(die, name, distance) && type_is_near(*distance);
}

/* The number of elements, over all dimensions; 0: not known. */
static int64_t count_elements(Dwarf_Die *array, int *dimensions)
{
	int64_t elements = 1, bound;
	Dwarf_Die die;

	*dimensions = 0;
	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		++*dimensions;
		if (read_number(&die, DW_AT_count, &bound))
			bound--;
		else if (!read_number(&die, DW_AT_upper_bound, &bound))
			return 0;
		if (bound < 0 || bound >= ELEMENTS_MAX || elements > ELEMENTS_MAX)
			return 0;
		elements *= bound + 1;
	} while (*dimensions < NESTED_MAX && dwarf_siblingof(&die, &die) == 0);
	return elements;
}

bool type_is_matrix(Dwarf_Die *type)
{
	int dimensions;

	count_elements(type, &dimensions);
	return dimensions != 1;
}

static int64_t size_within(Dwarf_Die *type, int depth)
{
	Dwarf_Die peeled, element;
	int64_t size = 0;
	int dimensions;

	if (depth == NESTED_MAX || !type_peel(type, &peeled))
		return 0;
	if (read_number(&peeled, DW_AT_byte_size, &size))
		return size > 0 && type_is_near(size) ? size : 0;
	if (dwarf_tag(&peeled) == DW_TAG_array_type && type_of(&peeled, &element)) {
		int64_t count = count_elements(&peeled, &dimensions);

		size = size_within(&element, depth + 1);
		return count <= FAR && type_is_near(size * count) ? size * count : 0;
	}
	return dwarf_tag(&peeled) == DW_TAG_pointer_type || type_is_reference(&peeled) ? WORD : 0;
}

int64_t type_size(Dwarf_Die *type)
{
	return size_within(type, 0);
}

bool type_is_reference(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static bool is_struct(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool type_is_declared(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	bool declared = false;

	return dwarf_attr(type, DW_AT_declaration, &attribute) && dwarf_formflag(&attribute, &declared) == 0 && declared;
}

const char *type_refusal(Dwarf_Die *type)
{
	if (is_struct(type))
		return type_is_declared(type) ? "its type is not defined in the program" : "it is a struct: name a member of it";
	if (dwarf_tag(type) == DW_TAG_array_type)
		return "it is an array: name an element of it, [N]";
	if (dwarf_tag(type) == DW_TAG_base_type)
		return "it is a floating-point number, or larger than 64 bits; :x64 tells its bits where they are in memory";
	return "it is neither a number nor text";
}

/* --- numbers and text ---------------------------------------------------------------------------------------------------- */

static int64_t encoding_of(Dwarf_Die *type)
{
	int64_t encoding = 0;

	return dwarf_tag(type) == DW_TAG_base_type && read_number(type, DW_AT_encoding, &encoding) ? encoding : 0;
}

/* The char of C and C++, which on some machines has no sign. */
bool type_is_char(Dwarf_Die *type)
{
	Dwarf_Die peeled;
	const char *name;

	if (!type_peel(type, &peeled) || dwarf_tag(&peeled) != DW_TAG_base_type)
		return false;
	name = die_name(&peeled);
	return name && strcmp(name, "char") == 0 && type_size(&peeled) == 1;
}

static bool form_of(Dwarf_Die *type, enum argument_form *form)
{
	Dwarf_Die under, peeled;

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_unspecified_type:
		*form = ARGUMENT_FORM_HEX;
		return true;
	case DW_TAG_enumeration_type:
		*form = ARGUMENT_FORM_UNSIGNED; /* GCC makes an enumeration unsigned unless a value is less than zero; then the underlying type
						   tells */
		return !type_of(type, &under) || !type_peel(&under, &peeled) || dwarf_tag(&peeled) != DW_TAG_base_type || form_of(&peeled, form);
	default:
		break;
	}
	switch (encoding_of(type)) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		*form = ARGUMENT_FORM_SIGNED;
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
		*form = ARGUMENT_FORM_UNSIGNED;
		return true;
	default:
		return false;
	}
}

static bool is_width(int64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool type_is_number(Dwarf_Die *type, struct type_number *number)
{
	int64_t size = type_size(type);

	if (!is_width(size) || !form_of(type, &number->form))
		return false;
	number->size = (unsigned)size;
	return true;
}

/* Finds the offset of a member, or of a member `inner` of that member. */
static bool member_at(Dwarf_Die *type, const char *outer, const char *inner, int64_t *offset)
{
	struct type_member member;
	Dwarf_Die peeled;

	if (!type_find_member(type, outer, &member))
		return false;
	*offset = member.offset;
	if (!inner)
		return true;
	if (!type_peel(&member.type, &peeled) || !type_find_member(&peeled, inner, &member))
		return false;
	*offset += member.offset;
	return true;
}

bool type_is_text(Dwarf_Die *type, struct type_text *text)
{
	static const struct {
		const char *begin, *data, *inner, *length;
	} classes[] = {
		{"basic_string<char,", "_M_dataplus", "_M_p", "_M_string_length"}, /* libstdc++ */
		{"basic_string_view<char,", "_M_str", NULL, "_M_len"},
		{"&str", "data_ptr", NULL, "length"}, /* Rust */
	};
	const char *name = is_struct(type) ? die_name(type) : NULL;

	for (size_t i = 0; name && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strncmp(name, classes[i].begin, strlen(classes[i].begin)) == 0) {
			text->counted = member_at(type, classes[i].length, NULL, &text->length);
			return member_at(type, classes[i].data, classes[i].inner, &text->data);
		}
	return false;
}

/* --- members --------------------------------------------------------------------------------------------------------------- */

struct member_search {
	const char *name;
	struct type_member *found;
	struct suggestions suggestions;
	int seen;
};

/* Reads where a bit-field is: bits are counted from the lowest, as on little-endian machines. */
static bool read_bits(Dwarf_Die *die, int64_t base, struct type_member *member)
{
	int64_t first, count, size = type_size(&member->type), within;

	if (!read_number(die, DW_AT_bit_size, &count))
		return true;
	if (!read_number(die, DW_AT_data_bit_offset, &first) || count < 1 || count > 64 || first < 0 || !is_width(size))
		return false;
	within = first % (8 * size);
	if (within + count > 8 * size) {
		size = WORD;
		within = first % (8 * size);
	}
	if (within + count > 8 * size)
		return false;
	member->offset = base;
	member->bits = (struct type_bits){(first - within) / 8, (uint8_t)size, (uint8_t)within, (uint8_t)count};
	return true;
}

static bool find_within(struct member_search *search, Dwarf_Die *type, int64_t base, int depth);

/* 1: this is the member; 0: it is another one; -1: it is the member, but its place is not known. */
static int look_at(struct member_search *search, Dwarf_Die *die, int64_t base, int depth)
{
	int tag = dwarf_tag(die);
	const char *name = tag == DW_TAG_member ? die_name(die) : NULL;
	int64_t offset = 0;
	Dwarf_Attribute place;
	Dwarf_Die type, peeled;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(die, &type))
		return 0;
	if (dwarf_attr(die, DW_AT_data_member_location, &place) && !read_distance(die, DW_AT_data_member_location, &offset))
		return name && strcmp(name, search->name) == 0 ? -1 : 0; /* a member of a virtual base */
	if (name && *name) {
		suggestions_offer(&search->suggestions, name);
		if (strcmp(name, search->name) != 0)
			return 0;
		search->found->offset = base + offset;
		search->found->type = type;
		return read_bits(die, base, search->found) ? 1 : -1;
	}
	return type_peel(&type, &peeled) && find_within(search, &peeled, base + offset, depth + 1);
}

static bool find_within(struct member_search *search, Dwarf_Die *type, int64_t base, int depth)
{
	Dwarf_Die die;

	if (depth == NESTED_MAX || !is_struct(type) || dwarf_child(type, &die) != 0)
		return false;
	do {
		int found = look_at(search, &die, base, depth);

		if (found)
			return found > 0;
	} while (search->seen++ < MEMBERS_MAX && dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool type_find_member(Dwarf_Die *type, const char *name, struct type_member *member)
{
	struct member_search search = {.name = name, .found = member, .suggestions = suggestions_begin(name)};

	*member = (struct type_member){0};
	if (find_within(&search, type, 0, 0))
		return true;
	snprintf(member->suggestions, sizeof(member->suggestions), "%s", suggestions_text(&search.suggestions));
	return false;
}

static bool find_definition(Dwarf_Die *parent, const char *name, int tag, int depth, int *seen, Dwarf_Die *definition)
{
	enum { SEEN_MAX = 1 << 20 };
	Dwarf_Die die;

	if (depth == NESTED_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int here = dwarf_tag(&die);
		const char *called = here == tag && !type_is_declared(&die) ? die_name(&die) : NULL;

		if (called && strcmp(called, name) == 0) {
			*definition = die;
			return true;
		}
		if (here == DW_TAG_namespace && find_definition(&die, name, tag, depth + 1, seen, definition))
			return true;
	} while ((*seen)++ < SEEN_MAX && dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool type_define(Dwfl_Module *module, Dwarf_Die *declared, int *seen, Dwarf_Die *definition)
{
	const char *name = die_name(declared);
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while (name && module && (unit = dwfl_module_nextcu(module, unit, &bias)))
		if (find_definition(unit, name, dwarf_tag(declared), 0, seen, definition))
			return true;
	return false;
}

/* --- how it is passed ------------------------------------------------------------------------------------------------------ */

struct class_search {
	struct type_class class;
	int seen;
};

static void mark(struct class_search *search, int64_t offset, int64_t size, uint8_t part)
{
	if (size <= 0 || offset < 0 || offset % size || offset + size > 2 * WORD)
		search->class.unknown = true;
	else if (part == CLASS_INTEGER)
		search->class.part[offset / WORD] = CLASS_INTEGER;
}

static void classify_at(struct class_search *search, Dwarf_Die *type, int64_t offset, int depth);

static void classify_members(struct class_search *search, Dwarf_Die *type, int64_t offset, int depth)
{
	Dwarf_Die die, inner;
	Dwarf_Attribute bits;

	if (dwarf_child(type, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		int64_t at = 0;

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (dwarf_attr(&die, DW_AT_external, &bits) || dwarf_attr(&die, DW_AT_declaration, &bits))
			continue; /* a static member */
		if (dwarf_attr(&die, DW_AT_bit_size, &bits) || !type_of(&die, &inner) ||
		    (!read_distance(&die, DW_AT_data_member_location, &at) && dwarf_tag(type) != DW_TAG_union_type))
			search->class.unknown = true;
		else
			classify_at(search, &inner, offset + at, depth + 1);
	} while (!search->class.unknown && search->seen++ < MEMBERS_MAX && dwarf_siblingof(&die, &die) == 0);
}

static void classify_elements(struct class_search *search, Dwarf_Die *type, int64_t offset, int depth)
{
	int64_t size, count;
	Dwarf_Die element;
	int dimensions;

	count = count_elements(type, &dimensions);
	size = type_of(type, &element) ? type_size(&element) : 0;
	if (size <= 0 || count <= 0 || count > 2 * WORD)
		search->class.unknown = true;
	for (int64_t i = 0; !search->class.unknown && i < count; i++)
		classify_at(search, &element, offset + i * size, depth + 1);
}

static void classify_at(struct class_search *search, Dwarf_Die *type, int64_t offset, int depth)
{
	struct type_number number;
	Dwarf_Die peeled;

	if (depth == NESTED_MAX || search->seen++ > MEMBERS_MAX || !type_peel(type, &peeled))
		search->class.unknown = true;
	else if (is_struct(&peeled))
		classify_members(search, &peeled, offset, depth);
	else if (dwarf_tag(&peeled) == DW_TAG_array_type)
		classify_elements(search, &peeled, offset, depth);
	else if (type_is_reference(&peeled) || type_is_number(&peeled, &number))
		mark(search, offset, type_size(&peeled), CLASS_INTEGER);
	else if (encoding_of(&peeled) == DW_ATE_float && type_size(&peeled) <= WORD)
		mark(search, offset, type_size(&peeled), CLASS_VECTOR);
	else
		search->class.unknown = true; /* long double, complex numbers, 128 bits */
}

static bool is_of_c(Dwarf_Die *type)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(type, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

/* Tells whether the type, or a type that it is made of, has functions: one of them may define how it is copied. */
static bool has_functions(Dwarf_Die *type, int depth, int *seen)
{
	Dwarf_Die die, inner, peeled;

	if (depth == NESTED_MAX || !type_peel(type, &peeled))
		return true;
	if (dwarf_tag(&peeled) == DW_TAG_array_type)
		return !type_of(&peeled, &inner) || has_functions(&inner, depth + 1, seen);
	if (!is_struct(&peeled) || dwarf_child(&peeled, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (++*seen > FIELDS_MAX || tag == DW_TAG_subprogram || tag == DW_TAG_GNU_template_parameter_pack)
			return true;
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && (!type_of(&die, &inner) || has_functions(&inner, depth + 1, seen)))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Some compilers record how a class is passed in DWARF 5; without that, a class that has no functions is copied as in C. */
static enum type_passing passing_of(Dwarf_Die *type)
{
	int64_t convention = 0;
	int seen = 0;

	if (read_number(type, DW_AT_calling_convention, &convention) &&
	    (convention == DW_CC_pass_by_reference || convention == DW_CC_pass_by_value))
		return convention == DW_CC_pass_by_value ? PASSED_BY_VALUE : PASSED_BY_REFERENCE;
	return is_of_c(type) || !has_functions(type, 0, &seen) ? PASSED_BY_VALUE : PASSED_UNTOLD;
}

/* Tells whether the type may be aligned to more than eight bytes, and so leave a gap before it on the stack. */
static bool is_wide(Dwarf_Die *type, int depth, int *seen)
{
	Dwarf_Attribute alignment;
	Dwarf_Die die, inner, peeled;

	if (depth == NESTED_MAX || !type_peel(type, &peeled) || dwarf_attr(&peeled, DW_AT_alignment, &alignment))
		return true;
	if (dwarf_tag(&peeled) == DW_TAG_array_type)
		return !type_of(&peeled, &inner) || is_wide(&inner, depth + 1, seen);
	if (!is_struct(&peeled))
		return type_size(&peeled) > WORD;
	if (dwarf_child(&peeled, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (++*seen > FIELDS_MAX || dwarf_attr(&die, DW_AT_alignment, &alignment) || !type_of(&die, &inner) || is_wide(&inner, depth + 1, seen))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

struct type_class type_classify(Dwarf_Die *type, enum type_passing passing)
{
	static const struct type_class unknown = {.unknown = true}, address = {.by_reference = true, .count = 1};
	struct class_search search = {.class = {.part = {CLASS_VECTOR, CLASS_VECTOR}}};
	Dwarf_Die peeled;
	int64_t size;
	int seen = 0;

	if (!type_peel(type, &peeled))
		return unknown;
	size = type_size(&peeled);
	if (is_struct(&peeled)) {
		if (passing == PASSED_UNTOLD)
			passing = passing_of(&peeled);
		if (passing == PASSED_BY_REFERENCE)
			return address;
		if (size > 2 * WORD && passing == PASSED_UNTOLD)
			return (struct type_class){.unknown = true, .on_stack = true};
		if (passing == PASSED_UNTOLD || size <= 0)
			return unknown;
		if (size > 2 * WORD)
			return (struct type_class){.unknown = is_wide(&peeled, 0, &seen), .on_stack = true, .size = size};
	}
	if (size <= 0 || size > 2 * WORD)
		return unknown;
	classify_at(&search, &peeled, 0, 0);
	search.class.count = size > WORD ? 2 : 1;
	return search.class.unknown ? unknown : search.class;
}
