#include "program/symbol.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/suggestions.h"
#include "program/argument.h"
#include "program/coroutine.h"
#include "program/demangle.h"

/*
 * How well a symbol matches the name. An exported function may have older versions beside the default one, and local functions of several
 * source files may share a name. A copy is what the compiler made of a function for some of its callers.
 */
enum rank { RANK_NONE, RANK_COPY, RANK_LOCAL, RANK_OLD_VERSION, RANK_GLOBAL };

/* The result of a search for a function, or a variable, among all symbols. */
struct search {
	const char *function;
	bool variable;
	const char *part; /* symbols that do not contain this need not be demangled */
	bool suggest;	  /* look for similar names too, which takes long */
	enum rank rank; /* rank of the best match so far */
	int type;	/* symbol type of the best match */
	bool several;	/* several symbols share the best rank */
	uint64_t value, size;
	size_t functions;
	struct suggestions suggestions;
};

/* Symbols of a .symtab may carry their version: memcpy@@GLIBC_2.14 is the default one, memcpy@GLIBC_2.2.5 is old. */
static enum rank rank_of(const struct search *search, const GElf_Sym *symbol, const char *name, bool old)
{
	size_t length = strlen(search->function);

	if (strncmp(name, search->function, length) != 0 || (name[length] != '\0' && name[length] != '@'))
		return RANK_NONE;
	if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
		return RANK_LOCAL;
	old |= name[length] == '@' && name[length + 1] != '@';
	return old ? RANK_OLD_VERSION : RANK_GLOBAL;
}

/* Called for every symbol of a file, in the file's order. `old`: the symbol is not the default version of its name. */
typedef void symbol_taker(void *context, const GElf_Sym *symbol, const char *name, bool old);

/* A part that the compiler cut out of a function does not count, because the function does not begin there, though its plain name is the same. */
static enum rank rank_of_plain(const struct search *search, const GElf_Sym *symbol, const char *name, const char *plain)
{
	if (!plain || strcmp(plain, search->function) != 0 || strstr(name, ".cold") || strstr(name, ".part."))
		return RANK_NONE;
	if (strstr(name, ".constprop.") || strstr(name, ".isra."))
		return RANK_COPY;
	return GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? RANK_LOCAL : RANK_GLOBAL;
}

static bool is_sought(const struct search *search, int type)
{
	return search->variable ? type == STT_OBJECT || type == STT_TLS : type == STT_FUNC || type == STT_GNU_IFUNC;
}

static void search_symbol(void *context, const GElf_Sym *symbol, const char *name, bool old)
{
	struct search *search = context;
	int type = GELF_ST_TYPE(symbol->st_info);
	enum rank rank;
	char *plain;

	if (!is_sought(search, type) || symbol->st_shndx == SHN_UNDEF || !name || !*name)
		return;
	search->functions++;
	rank = rank_of(search, symbol, name, old);
	plain = rank == RANK_NONE && strstr(name, search->part) ? demangle(name) : NULL;
	if (rank == RANK_NONE)
		rank = rank_of_plain(search, symbol, name, plain);
	if (rank == RANK_NONE) {
		if (search->suggest)
			suggestions_offer(&search->suggestions, plain ? plain : name);
	} else if (rank > search->rank) {
		search->rank = rank;
		search->several = false;
		search->type = type;
		search->value = symbol->st_value;
		search->size = symbol->st_size;
	} else if (rank == search->rank && symbol->st_value != search->value) {
		search->several = true;
	}
	free(plain);
}

/* The identifier at the end of a name. The mangled symbol contains it unchanged, except for operators and names in std. "": there is none. */
static const char *last_identifier(const char *function)
{
	const char *at = function + strlen(function);

	if (strncmp(function, "std::", 5) == 0 || strstr(function, "operator"))
		return at;
	while (at > function && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
		at--;
	return at;
}

/* The table of symbol versions for .dynsym; NULL: there is none. */
static Elf_Data *versions_of(Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (type == SHT_DYNSYM && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_versym)
			return elf_getdata(section, NULL);
	}
	return NULL;
}

enum { VERSION_HIDDEN = 0x8000 };

static void walk_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, symbol_taker *take, void *context)
{
	Elf_Data *data = elf_getdata(section, NULL), *versions = versions_of(elf, header->sh_type);

	for (size_t i = 0; data && i < header->sh_size / header->sh_entsize; i++) {
		GElf_Versym version = 0;
		GElf_Sym symbol;

		if (versions)
			gelf_getversym(versions, (int)i, &version);
		if (gelf_getsym(data, (int)i, &symbol))
			take(context, &symbol, elf_strptr(elf, header->sh_link, symbol.st_name),
			     version & VERSION_HIDDEN);
	}
}

static void walk_symbols(Elf *elf, symbol_taker *take, void *context)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_entsize > 0 &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			walk_table(elf, section, &header, take, context);
	}
}

/* A symbol's value is a link-time address; the kernel wants the offset in the file. */
static int file_offset(Elf *elf, const char *path, uint64_t address, uint64_t *offset)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return fail("cannot read the segments of '%s': %s", path, elf_errmsg(-1));
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
			*offset = address - segment.p_vaddr + segment.p_offset;
			return 0;
		}
	}
	return fail("address 0x%llx is in no segment of '%s'", (unsigned long long)address, path);
}

static struct search search_begin(const char *name, bool variable)
{
	return (struct search){.function = name, .variable = variable, .part = last_identifier(name), .suggestions = suggestions_begin(name)};
}

/* -1 after fail(): it is no ELF file, or names no functions or variables at all. */
static int search_all(Elf *elf, const char *path, struct search *search)
{
	if (elf_kind(elf) != ELF_K_ELF)
		return fail("'%s' is no program or shared library (ELF)", path);
	walk_symbols(elf, search_symbol, search);
	if (search->rank == RANK_NONE || search->type == STT_GNU_IFUNC) {
		search->suggest = true;
		search->part = "";
		walk_symbols(elf, search_symbol, search);
	}
	return search->functions ? 0 : fail("'%s' names no %s: it was stripped", path, search->variable ? "variables" : "functions");
}

static int search_elf(Elf *elf, const char *path, const char *function, uint64_t *offset)
{
	struct search search = search_begin(function, false);

	if (search_all(elf, path, &search) < 0)
		return -1;
	if (search.type == STT_GNU_IFUNC)
		return fail("'%s' in '%s' is an indirect function: which one runs is chosen at run time%s", function,
			    path, suggestions_text(&search.suggestions));
	if (search.rank == RANK_NONE)
		return fail("no function '%s' in '%s'%s", function, path, suggestions_text(&search.suggestions));
	if (search.several)
		return fail("there are several functions '%s' in '%s'; those of C++ can be told by their symbols", function,
			    path);
	return file_offset(elf, path, search.value, offset);
}

/* The link-time address of the page where the first segment begins. */
static uint64_t first_page(Elf *elf)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	GElf_Phdr segment;
	size_t count = 0;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			return segment.p_vaddr / page * page;
	return 0;
}

static int search_variable(Elf *elf, const char *path, const char *variable, uint64_t *address, uint64_t *size)
{
	struct search search = search_begin(variable, true);

	if (search_all(elf, path, &search) < 0)
		return -1;
	if (search.rank == RANK_NONE)
		return fail("no variable '%s' in '%s'%s", variable, path, suggestions_text(&search.suggestions));
	if (search.type == STT_TLS)
		return fail("each thread has its own '%s' of '%s'", variable, path);
	if (search.several)
		return fail("there are several variables '%s' in '%s'; those of C++ can be told by their symbols", variable, path);
	*address = search.value - first_page(elf);
	*size = search.size;
	return 0;
}

static Elf *open_elf(int fd, const char *path)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		fail("cannot read '%s': %s", path, elf_errmsg(-1));
	return elf;
}

int symbol_offset(int fd, const char *path, const char *function, uint64_t *offset)
{
	Elf *elf = open_elf(fd, path);
	int status = elf ? search_elf(elf, path, function, offset) : -1;

	elf_end(elf);
	return status;
}

int symbol_variable(int fd, const char *path, const char *variable, uint64_t *address, uint64_t *size)
{
	Elf *elf = open_elf(fd, path);
	int status = elf ? search_variable(elf, path, variable, address, size) : -1;

	elf_end(elf);
	return status;
}

/* A matching function, and its address. */
struct match {
	char *name;
	char *symbol; /* its symbol if that differs from `name`; else NULL */
	uint64_t value;
	bool ambiguous; /* another function has the same symbol */
};

struct matching {
	const char *pattern;
	ARRAY(struct match) found;
};

/* False for functions that the compiler and the C library put into every program, and for parts into which a compiler cuts functions. */
static bool is_own(const char *name)
{
	static const char *const others[] = {"deregister_tm_clones", "register_tm_clones", "frame_dummy"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return false;
	return *name && !strpbrk(name, ".@");
}

/* Names that begin with one of these prefixes match only if the pattern begins with it, too. */
static bool is_matched(const char *pattern, const char *name)
{
	static const char *const others[] = {"_", "std::", "void std::", "bool std::"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name, others[i], strlen(others[i])) && strncmp(pattern, others[i], strlen(others[i])) != 0)
			return false;
	return fnmatch(pattern, name, 0) == 0;
}

/* Tells whether a C++ or Rust name behind "BINARY:" would be misread: "{lambda()#1}::operator void (*)()" would be read as a name with arguments. */
static bool is_misleading(const char *plain)
{
	size_t length = strlen(plain);
	char *text = memory_format("x:%s", plain);
	bool misleads = arguments_in(plain, &length) || symbol_colon(text) != text + 1;

	free(text);
	return misleads;
}

static void match_symbol(void *context, const GElf_Sym *symbol, const char *name, bool old)
{
	struct matching *matching = context;
	bool actors = strcmp(matching->pattern, COROUTINE_ACTORS) == 0;
	const char *called;
	char *plain;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF || old || !name || (!actors && !is_own(name)))
		return;
	plain = actors ? NULL : demangle(name);
	if (is_matched(matching->pattern, name) || (plain && is_matched(matching->pattern, plain))) {
		called = plain && !is_misleading(plain) ? plain : name;
		*ARRAY_ADD(&matching->found) = (struct match){memory_text(called, strlen(called)), plain ? memory_text(name, strlen(name)) : NULL, symbol->st_value, false};
	}
	free(plain);
}

static int compare_matches(const void *left, const void *right)
{
	const struct match *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->value > b->value) - (a->value < b->value);
}

static void free_match(struct match *match)
{
	free(match->name);
	free(match->symbol);
}

/* Tells whether another function has the same symbol, as copies do that Rust makes for several parts of a program. */
static bool is_ambiguous(const struct match *found, size_t count, size_t index)
{
	for (size_t i = 0; i < count; i++)
		if (found[i].value != found[index].value && found[i].symbol && strcmp(found[i].symbol, found[index].symbol) == 0)
			return true;
	return false;
}

/*
 * Keeps one function of each address, under its symbol, unless another function has that symbol. Marks ambiguous ones first, because
 * keeping a function moves its symbol.
 */
static size_t keep_symbols(struct match *found, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		found[i].ambiguous = found[i].symbol && is_ambiguous(found, count, i);
	for (size_t i = 0; i < count; i++) {
		if ((kept > 0 && found[kept - 1].value == found[i].value) || !found[i].symbol || found[i].ambiguous) {
			free_match(&found[i]);
			continue;
		}
		free(found[i].name);
		found[kept++] = (struct match){.name = found[i].symbol, .value = found[i].value};
	}
	return kept;
}

/*
 * A name in both symbol tables counts once. If several functions share a name, C++ functions are kept under their symbols; others are
 * dropped, because the name does not say which is meant.
 */
static size_t keep_single(struct match *found, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && !strcmp(found[i].name, found[next].name);)
			next++;
		if (found[next - 1].value != found[i].value) {
			size_t symbols = keep_symbols(found + i, next - i);

			memmove(found + kept, found + i, symbols * sizeof(*found));
			kept += symbols;
			continue;
		}
		for (size_t other = i + 1; other < next; other++)
			free_match(&found[other]);
		free(found[i].symbol);
		found[kept++] = (struct match){.name = found[i].name, .value = found[i].value};
	}
	return kept;
}

int symbol_matching(int fd, const char *path, const char *pattern, struct symbol_names *names)
{
	struct matching matching = {.pattern = pattern};
	Elf *elf = open_elf(fd, path);
	size_t count;

	if (!elf)
		return -1;
	walk_symbols(elf, match_symbol, &matching);
	elf_end(elf);
	if (matching.found.count)
		qsort(matching.found.items, matching.found.count, sizeof(struct match), compare_matches);
	count = keep_single(matching.found.items, matching.found.count);
	for (size_t i = 0; i < count; i++)
		*ARRAY_ADD(names) = matching.found.items[i].name;
	free(matching.found.items);
	return count ? 0 : fail("no function in '%s' matches '%s'", path, pattern);
}
