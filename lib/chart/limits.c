#include "chart/limits.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/policy.h"
#include "chart/method.h"
#include "stream/fields.h"

struct page {
	char *name; /* chart, or chart, newline, key */
	char *chart, *key;
	struct limits limits;
	int line; /* of the file that it came from */
	char *kernel, *build; /* that the limits were learnt with; NULL: not known */
	bool outdated; /* another build runs now */
	UT_hash_handle hh;
};

struct limits_book {
	struct page *pages;
	char *kernel; /* that runs now; NULL: not known */
	char *complaint;
	uint64_t outdated; /* how often an outdated page was asked for */
	const struct page *example; /* one of these */
};

struct limits_book *limits_book_new(void)
{
	return NEW(struct limits_book);
}

void limits_book_free(struct limits_book *book)
{
	struct page *page;

	while (book && (page = book->pages)) {
		HASH_DEL(book->pages, page);
		free(page->name);
		free(page->chart);
		free(page->key);
		free(page->kernel);
		free(page->build);
		free(page);
	}
	if (book) {
		free(book->kernel);
		free(book->complaint);
	}
	free(book);
}

static char *page_name(const char *chart, const char *key)
{
	return key ? memory_format("%s\n%s", chart, key) : memory_format("%s", chart);
}

static struct page *find_page(const struct limits_book *book, const char *chart, const char *key)
{
	char *name = page_name(chart, key);
	struct page *page;

	HASH_FIND_STR(book->pages, name, page);
	free(name);
	return page;
}

static char *copy(const char *text)
{
	return text ? memory_text(text, strlen(text)) : NULL;
}

static void replace(char **place, const char *text)
{
	free(*place);
	*place = copy(text);
}

static bool differ(const char *then, const char *now)
{
	return then && now && strcmp(then, now) != 0;
}

void limits_book_kernel(struct limits_book *book, const char *kernel)
{
	replace(&book->kernel, kernel);
}

void limits_book_build(struct limits_book *book, const char *chart, const char *build)
{
	for (struct page *page = book->pages; page; page = page->hh.next)
		if (!strcmp(page->chart, chart))
			page->outdated = differ(page->build, build);
}

const struct limits *limits_book_find(struct limits_book *book, const char *chart, const char *key)
{
	struct page *page = find_page(book, chart, key);

	if (!page || (!page->outdated && !differ(page->kernel, book->kernel)))
		return page ? &page->limits : NULL;
	book->outdated++;
	book->example = page;
	return NULL;
}

const char *limits_book_outdated(struct limits_book *book)
{
	const struct page *page = book->example;

	if (!page)
		return NULL;
	free(book->complaint);
	if (page->outdated)
		book->complaint = memory_format("%llu limits were learnt anew, such as those of %s: the program is of another build",
						(unsigned long long)book->outdated, page->chart);
	else
		book->complaint = memory_format("%llu limits were learnt anew, such as those of %s: they are of kernel %s, and this is %s",
						(unsigned long long)book->outdated, page->chart, page->kernel, book->kernel);
	return book->complaint;
}

/* Limits that were learnt now are of what runs now. */
void limits_book_set(struct limits_book *book, const char *chart, const char *key, const struct limits *limits, const char *build)
{
	struct page *page = find_page(book, chart, key);

	if (!page) {
		page = NEW(struct page);
		page->name = page_name(chart, key);
		page->chart = memory_text(chart, strlen(chart));
		page->key = key ? memory_text(key, strlen(key)) : NULL;
		HASH_ADD_KEYPTR(hh, book->pages, page->name, strlen(page->name), page);
	}
	page->limits = *limits;
	page->outdated = false;
	replace(&page->kernel, book->kernel);
	replace(&page->build, build);
}

/* If a method that this version does not know made the limits, they are used all the same. */
static const char *name_of_method(const struct fields *fields)
{
	const struct method *method;

	for (size_t i = 0; (method = method_at(i)); i++) {
		if (fields_is(fields, "method", method->name))
			return method->name;
		if (method->name_of_few && fields_is(fields, "method", method->name_of_few))
			return method->name_of_few;
	}
	return "file";
}

static int read_number(const struct fields *fields, const char *key, double *value)
{
	int status = fields_double(fields, key, value);

	return status == 0 ? fail("%s= is missing", key) : status;
}

/* The tail of method pot: all of it or nothing. */
static int read_tail(const struct fields *fields, struct tail_fit *tail)
{
	if (!fields_find(fields, "threshold"))
		return 0;
	if (read_number(fields, "threshold", &tail->threshold) < 0 || read_number(fields, "share", &tail->share) < 0 ||
	    read_number(fields, "shape", &tail->shape) < 0 || read_number(fields, "scale", &tail->scale) < 0 ||
	    read_number(fields, "largest", &tail->largest) < 0 || fields_unsigned(fields, "n", &tail->count) < 0)
		return -1;
	if (!(tail->share > 0 && tail->share <= 1 && tail->shape >= 0 && tail->scale >= 0))
		return fail("share= must be above 0 and at most 1, shape= and scale= not negative");
	return 0;
}

static int read_unit(const struct fields *fields, struct limits *limits)
{
	static const char *const units[] = {"number", "share", "per_n", "per_second"};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (fields_is(fields, "unit", units[i]))
			limits->unit = units[i];
	return fields_find(fields, "unit") && !limits->unit ? fail("unit= is none of number, share, per_n, per_second") : 0;
}

static int read_axis(const struct fields *fields, struct limits *limits)
{
	if (fields_is(fields, "axis", "log") || fields_is(fields, "axis", "linear"))
		limits->axis = fields_is(fields, "axis", "log") ? "log" : "linear";
	else if (fields_find(fields, "axis"))
		return fail("axis= is neither log nor linear");
	return fields_unsigned(fields, "subgroup", &limits->subgroup);
}

static int read_page(struct limits_book *book, const char *text, size_t length, int number)
{
	struct fields fields;
	struct limits limits = {0};
	struct page *page;
	char *chart, *key;

	if (fields_parse(&fields, text, length) < 0)
		return -1;
	if (kind_of(fields.kind, fields.kind_length) != KIND_LIMITS)
		return fail("not a limits record");
	if (read_number(&fields, "center", &limits.center) < 0 || read_number(&fields, "lcl", &limits.lcl) < 0 ||
	    read_number(&fields, "ucl", &limits.ucl) < 0 || fields_unsigned(&fields, "n", &limits.n) < 0)
		return -1;
	if (fields_double(&fields, "sigma", &limits.sigma) < 0 || fields_double(&fields, "dispersion", &limits.dispersion) < 0 ||
	    read_tail(&fields, &limits.tail) < 0 || read_axis(&fields, &limits) < 0 || read_unit(&fields, &limits) < 0)
		return -1;
	if (!(limits.lcl <= limits.center && limits.center <= limits.ucl))
		return fail("the limits are not in order: lcl, center, ucl");
	chart = fields_copy(&fields, "chart");
	if (!chart || !*chart) {
		free(chart);
		return fail("chart= is missing");
	}
	key = fields_copy(&fields, "key");
	limits.method = name_of_method(&fields);
	limits_book_set(book, chart, key, &limits, NULL);
	page = find_page(book, chart, key);
	page->line = number;
	free(page->kernel);
	page->kernel = fields_copy(&fields, "kernel");
	free(page->build);
	page->build = fields_copy(&fields, "build");
	free(key);
	free(chart);
	return 0;
}

static int read_pages(struct limits_book *book, const char *path, const char *text, size_t size)
{
	const char *end = text + size;

	for (int number = 1; text < end; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text), blank = 0;

		while (blank < length && strchr(" \t\r", text[blank]) && text[blank])
			blank++;
		if (blank < length && text[blank] != '#' && read_page(book, text + blank, length - blank, number) < 0)
			return fail("%s:%d: %s", path, number, fail_text());
		if (!newline && length > 0)
			return fail("%s:%d: the last line has no end, so the file may be cut", path, number);
		text += length + 1;
	}
	return 0;
}

struct limits_book *limits_book_read(const char *path)
{
	size_t size = 0;
	char *text = file_read(path, &size);
	struct limits_book *book = text ? limits_book_new() : NULL;

	if (book && read_pages(book, path, text, size) < 0) {
		limits_book_free(book);
		book = NULL;
	}
	free(text);
	return book;
}

/* Says how these limits differ from what is asked for; NULL: they do not, as far as is known. The caller frees it. */
static char *mismatch(const struct limits *limits, const struct policy *how)
{
	const char *name = limits->method, *own = how->method->name, *axis = how->scale == SCALE_LOG ? "log" : "linear";
	int length = (int)strcspn(name, ":");
	const struct method *method;

	if (!strcmp(name, "file"))
		return NULL;
	if ((size_t)length != strlen(own) || strncmp(name, own, (size_t)length)) {
		method = method_find(name);
		if (method && method->plots->rates && !how->method->plots->rates)
			return NULL;
		return memory_format("of method %.*s, not %s: say --method=%.*s", length, name, own, length, name);
	}
	if (limits->axis && strcmp(limits->axis, axis))
		return memory_format("on a %s scale: say --scale=%s", limits->axis, limits->axis);
	if (how->method->plots->groups && limits->subgroup && limits->subgroup != how->subgroup)
		return memory_format("of subgroups of %llu: say --subgroup=%llu", (unsigned long long)limits->subgroup,
				     (unsigned long long)limits->subgroup);
	return NULL;
}

int limits_book_check(const struct limits_book *book, const struct policy *how, const char *path)
{
	for (const struct page *page = book->pages; page; page = page->hh.next) {
		char *wrong = mismatch(&page->limits, how);

		if (wrong)
			fail("%s:%d: these limits are %s, or learn anew", path, page->line, wrong);
		free(wrong);
		if (wrong)
			return -1;
	}
	return 0;
}

void limits_line(struct line *line, int64_t ts, const char *chart, const char *key, const struct limits *limits)
{
	line_begin(line, kind_name(KIND_LIMITS));
	line_time(line, "ts", ts);
	line_text(line, "chart", chart);
	if (key)
		line_text(line, "key", key);
	line_double(line, "center", limits->center);
	line_double(line, "lcl", limits->lcl);
	line_double(line, "ucl", limits->ucl);
	line_unsigned(line, "n", limits->n);
	line_text(line, "method", limits->method);
	if (limits->unit)
		line_text(line, "unit", limits->unit);
	line_double(line, "sigma", limits->sigma);
	if (limits->axis)
		line_text(line, "axis", limits->axis);
	if (limits->subgroup)
		line_unsigned(line, "subgroup", limits->subgroup);
	if (limits->dispersion > 1)
		line_double(line, "dispersion", limits->dispersion);
	if (!limits->tail.count)
		return;
	line_double(line, "threshold", limits->tail.threshold);
	line_double(line, "share", limits->tail.share);
	line_double(line, "shape", limits->tail.shape);
	line_double(line, "scale", limits->tail.scale);
	line_double(line, "largest", limits->tail.largest);
}

int limits_book_save(const struct limits_book *book, struct file_draft *draft)
{
	struct line line = {0};
	const struct page *page;

	for (page = book->pages; page; page = page->hh.next) {
		limits_line(&line, 0, page->chart, page->key, &page->limits);
		if (page->kernel)
			line_text(&line, "kernel", page->kernel);
		if (page->build)
			line_text(&line, "build", page->build);
		fprintf(file_draft_stream(draft), "%s\n", line.text);
	}
	line_free(&line);
	return file_draft_keep(draft);
}
