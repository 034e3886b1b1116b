/* Names of functions: where they begin in BINARY:FUNCTION, and how they are written in C++ and Rust. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/demangle.h"
#include "program/symbol.h"

static void test_colon(void)
{
	static const struct {
		const char *text, *function;
	} cases[] = {
	    {"prog:request", ":request"},	   {"func:prog:request", ":request"}, {"./a:b/prog:f", ":f"},
	    {"prog:cache::Shelf::get", ":cache::Shelf::get"}, {"prog:::top", NULL}, {"prog", NULL}, {"", NULL}, {"a::b", NULL},
	    {"prog:", ":"}, {"./a:S::text[abi:cxx11]", ":S::text[abi:cxx11]"}, {"./a:drop::{shim:vtable#0}", ":drop::{shim:vtable#0}"},
	    {"./a:[[:lower:]]*", ":[[:lower:]]*"}, {"./a]:x]}", ":x]}"}, {"./{a:x", ":x"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *colon = symbol_colon(cases[i].text);

		assert(!colon == !cases[i].function);
		assert(!colon || !strcmp(colon, cases[i].function));
	}
}

static void test_place(void)
{
	static const struct {
		const char *text;
		size_t name;
		uint64_t offset;
	} cases[] = {
		{"f+16", 1, 16}, {"f+0x1f", 1, 31}, {"A::operator+", 0, 0}, {"A::operator++", 0, 0}, {"f", 0, 0}, {"f+x", 0, 0}, {"f+1x", 0, 0},
		{"+1", 0, 0}, {"A::operator+ +2", 13, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t offset = 0;

		assert(symbol_place(cases[i].text, &offset) == cases[i].name);
		assert(!cases[i].name || offset == cases[i].offset);
	}
}

static void test_demangle(void)
{
	static const struct {
		const char *symbol, *name;
	} cases[] = {
	    {"_ZN5cache5Shelf3getEi", "cache::Shelf::get"},
	    {"_ZN5cache5ShelfIdE3getEv", "cache::Shelf<double>::get"},
	    {"_RNvC6_123foo3bar", "123foo::bar"},
	    {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
	    {"main", NULL},
	    {"_Zebra", NULL},
	    {"_ZN", NULL},
	    {"_Report", NULL},
	    {"", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = demangle(cases[i].symbol);

		assert(!name == !cases[i].name);
		assert(!name || !strcmp(name, cases[i].name));
		free(name);
	}
}

/* Each argument of the template is the one before, twice. */
static void test_doubled(void)
{
	char symbol[600] = "_Z1fI1AIiiE", *name;

	for (int i = 0; i < 36; i++) {
		char part = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		sprintf(symbol + strlen(symbol), "S%c_IS%c_S%c_E", part, part, part);
	}
	strcat(symbol, "Evv");
	name = demangle(symbol);
	assert(strlen(name) == DEMANGLED_MAX && !strncmp(name, "f<A<int, int>, ", 15) && !strcmp(name + DEMANGLED_MAX - 3, "..."));
	free(name);
}

int main(void)
{
	test_colon();
	test_place();
	test_demangle();
	test_doubled();
	return 0;
}
