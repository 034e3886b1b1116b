/* Print formats turned around: what a text says of its event's fields, and what it does not. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "import/print_layout.h"

/* The fields that a text has by a print format; "no": it has another layout. */
static const char *fields_of(const char *format, const char *text)
{
	static struct line line;
	struct print_layout *layout = print_layout_new(format);

	assert(layout);
	line_begin(&line, "x");
	if (print_layout_read(layout, LAYOUT_WHOLE, text, strlen(text), &line) < 0)
		line_begin(&line, "no");
	print_layout_free(layout);
	return line.text;
}

/* The fields that a text has of a layout which it fits so far, and how much of it is left. */
static const char *some_of(enum layout_fit fit, const char *format, const char *text)
{
	static struct line line;
	struct print_layout *layout = print_layout_new(format);
	long read;

	assert(layout);
	line_begin(&line, "x");
	read = print_layout_read(layout, fit, text, strlen(text), &line);
	line_unsigned(&line, "left", strlen(text) - (size_t)(read < 0 ? 0 : read));
	print_layout_free(layout);
	return line.text;
}

static const char *guess_of(const char *text)
{
	static struct line line;

	line_begin(&line, "x");
	print_layout_guess(text, strlen(text), false, &line);
	return line.text;
}

static void expect(const char *got, const char *wanted)
{
	if (strcmp(got, wanted) != 0)
		fprintf(stderr, "got    %s\nwanted %s\n", got, wanted);
	assert(strcmp(got, wanted) == 0);
}

static void check_numbers(void)
{
	expect(fields_of("\"a=%d b=%03d c=%lx d=%p\", REC->a, REC->b, REC->c, REC->d", "a=-5 b=007 c=ff d=00000000dead"),
	       "x a=-5 b=7 c=0xff d=0xdead");
	expect(fields_of("\"%d%%\", REC->a", "5%"), "x a=5");
	expect(fields_of("\"a=%d\", REC->a", "a=x"), "no");
	expect(fields_of("\"a=%d\", REC->a", "a=5 b=6"), "no");
	expect(fields_of("\"p=%p q\", REC->p", "p=(null) q"), "x p=(null)");
	expect(fields_of("\"(%lx, %lx)\", REC->args[0], REC->args[1]", "(3, 7ffe)"), "x args=0x3,0x7ffe");
}

static void check_texts(void)
{
	expect(fields_of("\"comm=%s pid=%d\", REC->comm, REC->pid", "comm=a pid=b c pid=12"), "x comm=\"a pid=b c\" pid=12");
	expect(fields_of("\"[%s]\", REC->comm", "[x [y]]"), "x comm=\"x [y]\"");
	expect(fields_of("\"%s\", __get_str(name)", ""), "x name=\"\"");
	expect(fields_of("\"f=%ps g=%pS\", REC->f, REC->g", "f=do_exit g=do_fork+0x12/0x40"), "x f=do_exit g=do_fork+0x12/0x40");
}

static void check_names(void)
{
	static const char flags[] = "\"s=%s%s n=%d\", (REC->s & 7) ? __print_flags(REC->s & 7, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
				    "REC->s & (7 + 1) ? \"+\" : \"\", REC->n";

	expect(fields_of(flags, "s=S n=1"), "x s=1 n=1");
	expect(fields_of(flags, "s=S|D n=1"), "x s=3 n=1");
	expect(fields_of(flags, "s=R+ n=1"), "x s=8 n=1");
	expect(fields_of(flags, "s=R n=1"), "x s=0 n=1");
	expect(fields_of("\"%s\", __print_symbolic(REC->v, { 3, \"NET_RX\" }, { 9, \"RCU\" })", "RCU"), "x v=9");
	expect(fields_of("\"%s\", __print_symbolic(REC->v, { 3, \"NET_RX\" }, { 9, \"RCU\" })", "0x7"), "x v=7");
	expect(fields_of("\"ret=%s\", REC->ret ? \"handled\" : \"unhandled\"", "ret=unhandled"), "x ret=0");
}

/* Parts are put together; what cannot be known is left out, but a name stays a name. */
static void check_parts(void)
{
	expect(fields_of("\"%d,%d\", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1)))", "8,17"),
	       "x dev=8:17");
	expect(fields_of("\"%d %ld\", REC->a, (long)REC->b - REC->c", "1 2"), "x a=1");
	expect(fields_of("\"%d\", REC->a >> 3", "2"), "x");
	expect(fields_of("\"%s a=%d\", __print_symbolic(REC->v & 3, { NO_SUCH, \"no\" }), REC->a", "no a=1"), "x v=no a=1");
}

static void check_beginnings(void)
{
	expect(some_of(LAYOUT_BEGIN, "\"a=%d\", REC->a", "a=5 b=6"), "x a=5 left=4");
	expect(some_of(LAYOUT_BEGIN, "\"a=%d\", REC->a", "a=5"), "x a=5 left=0");
	expect(some_of(LAYOUT_BEGIN, "\"a=%d\", REC->a", "a=5,b=6"), "x left=7");
	expect(some_of(LAYOUT_BEGIN, "\"[%s]\", REC->comm", "[dd] 0"), "x comm=dd left=2");
}

/* Only before a name: numbers that follow one another mean something else in another layout. */
static void check_partings(void)
{
	static const char dirty[] = "\"bdi %s: p=%p q=%d wb=%d\", REC->bdi, REC->p, REC->q, REC->wb";
	static const char io[] = "\"%d,%d %s %u [%s]\", REC->dev >> 20, REC->dev & 0xfffff, REC->rwbs, REC->bytes, REC->comm";
	static const char timer[] = "\"t=%p [n=%d] a=%d\", REC->t, REC->n, REC->a";

	expect(some_of(LAYOUT_PART, dirty, "bdi 8:0: p=00ab q=1 bdi=2"), "x bdi=8:0 p=0xab q=1 left=6");
	expect(some_of(LAYOUT_PART, dirty, "bdi 8:0: p=0012 "), "x bdi=8:0 p=0x12 left=1");
	expect(some_of(LAYOUT_PART, dirty, "bdi 8:0: q=1 wb=2"), "x left=17");
	expect(some_of(LAYOUT_PART, dirty, "bdi 8:0: p=0012 and more"), "x left=24");
	expect(some_of(LAYOUT_PART, timer, "t=00ab [n=5] c=1"), "x t=0xab n=5 left=5");
	expect(some_of(LAYOUT_PART, timer, "t=00ab [n=5]"), "x t=0xab n=5 left=1");
	expect(some_of(LAYOUT_PART, timer, "t=00ab"), "x t=0xab left=0");
	expect(some_of(LAYOUT_PART, io, "8,0 R"), "x left=5");
	expect(some_of(LAYOUT_PART, io, "8,0 a=1"), "x left=7");
}

/* Numbers and names are filled up with blanks; a layout's first parenthesis is there, others may be left out. */
static void check_blanks(void)
{
	static const char names[] = "\"#%u of %s\", REC->a, __print_symbolic(REC->b, { 1, \"one\" }, { 2, \"two\" })";

	expect(fields_of(names, "#7     of    two"), "x a=7 b=2");
	expect(fields_of("\"(%ps)\", REC->f", "a=1"), "no");
	expect(fields_of("\"a (%d) b=%d\", REC->a, REC->b", "a 1 b=2"), "x a=1 b=2");
	expect(fields_of("\"(%ps)\", REC->f", "(f+0x1 [m])"), "x f=\"f+0x1 [m]\"");
	expect(fields_of("\"(%ps)\", REC->f", "(f+0x1) b=(2)"), "no");
	expect(fields_of("\"a [%s]\", REC->a", "a b"), "x a=b");
	expect(fields_of("\"a [%s]\", REC->a", "a [b] c"), "no");
}

static void check_guesses(void)
{
	expect(guess_of("a=0x10 (16) b=0x10 (x) c=D ==> d=2"), "x a=16 b=\"0x10 (x)\" c=D d=2");
	expect(guess_of("a=1 b=two words c=0x3"), "x a=1 b=\"two words\" c=0x3");
	expect(guess_of("fd: 0x00000003, buf: 0x7ffe"), "x fd=0x3 buf=0x7ffe");
	expect(guess_of("a == b"), "x");
	expect(guess_of("nothing at all"), "x");
}

int main(void)
{
	check_numbers();
	check_texts();
	check_names();
	check_parts();
	check_beginnings();
	check_partings();
	check_blanks();
	check_guesses();
	return 0;
}
