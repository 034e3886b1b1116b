/* What of a call is to be told, as users write it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "program/argument.h"

static void test_expressions(void)
{
	struct arguments arguments;
	const struct argument *one = arguments.items;

	assert(arguments_parse("r->url , n = @ns::all.list[ 12 ]:u16,%3:string,ret", &arguments) == 0);
	assert(arguments.count == 4);
	assert(!strcmp(one[0].label, "url") && one[0].base == ARGUMENT_PARAMETER && !strcmp(one[0].name, "r") && one[0].step_count == 1);
	assert(one[0].steps[0].kind == ARGUMENT_ARROW && !strcmp(one[0].steps[0].member, "url") && one[0].kind == ARGUMENT_BY_DWARF);
	assert(!strcmp(one[1].label, "n") && one[1].base == ARGUMENT_GLOBAL && !strcmp(one[1].name, "ns::all") && one[1].step_count == 2);
	assert(one[1].steps[1].kind == ARGUMENT_INDEX && one[1].steps[1].index == 12 && one[1].kind == ARGUMENT_UNSIGNED && one[1].size == 2);
	assert(!strcmp(one[2].label, "arg3") && one[2].base == ARGUMENT_NUMBERED && one[2].number == 3 && one[2].kind == ARGUMENT_STRING);
	assert(!strcmp(one[3].label, "ret") && one[3].base == ARGUMENT_RESULT);
	assert(arguments_parse("@ns::x", &arguments) == 0 && !strcmp(one[0].label, "x"));
	assert(arguments_parse("%                                                                                5", &arguments) == 0);
	assert(!strcmp(one[0].label, "arg5") && one[0].number == 5);
}

static void test_refusals(void)
{
	static const struct {
		const char *text;
		int column;
	} cases[] = {
		{"", 1}, {"1", 1}, {"a,", 3}, {"a b", 3}, {"a->", 4}, {"a[x]", 3}, {"a[1", 4}, {"%0", 2}, {"%65", 2}, {"a:", 3}, {"a:u7", 3},
		{"a,x->a", 3}, {"x=a,x=b", 5}, {"sp", 1}, {"x, common_pid", 4}, {"a[99999999]", 3}, {"@", 2}, {"a.b.c.d.e.f.g.h.i.j", 19},
		{"a(b)", 2}, {"a==b", 3}, {"__unknown=a", 1}, {"a,b,c,d,e,f,g,h,i,j,k,l,m", 25},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arguments arguments;
		char column[32];

		snprintf(column, sizeof(column), " at column %d", cases[i].column);
		assert(arguments_parse(cases[i].text, &arguments) < 0);
		if (!strstr(fail_text(), column))
			fprintf(stderr, "'%s': %s\n", cases[i].text, fail_text());
		assert(strstr(fail_text(), column));
	}
}

static void test_parentheses(void)
{
	static const struct {
		const char *text, *name, *arguments;
	} cases[] = {
		{"prog:f(a,b)", "prog:f", "a,b)"}, {"prog:f", "prog:f", NULL}, {"prog:A::operator()", "prog:A::operator()", NULL},
		{"prog:A::operator()(this->x)", "prog:A::operator()", "this->x)"}, {"prog:(anonymous namespace)::f", "prog:(anonymous namespace)::f", NULL},
		{"prog:(anonymous namespace)::f(n)", "prog:(anonymous namespace)::f", "n)"}, {"f)", "f)", NULL}, {"", "", NULL}, {"f((a))", "f", "(a))"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = strlen(cases[i].text);
		const char *in = arguments_in(cases[i].text, &length);

		assert(length == strlen(cases[i].name) && !in == !cases[i].arguments);
		assert(!in || !strcmp(in, cases[i].arguments));
	}
}

int main(void)
{
	test_expressions();
	test_refusals();
	test_parentheses();
	return 0;
}
