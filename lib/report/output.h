/*
 * output: the inside of a report, and the interface of its formats. Private to these.
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include "report/headline.h"
#include "report/report.h"

struct report {
	struct report_options options;
	const struct format *format;
	struct stream *stream;
	FILE *out; /* the report goes there */
	struct file_draft *draft; /* the file behind `out`; NULL: `out` is options.out */
	char *path; /* the draft's */
	struct model *model;
	struct headlines headlines;
	char *complaint;
	bool closed;
	void *state; /* the format's own */
};

struct format {
	const char *name;
	int (*begin)(struct report *report);
	int (*moment)(struct report *report, const struct moment *moment);
	int (*idle)(struct report *report);   /* about to wait for input; may be NULL */
	int (*totals)(struct report *report); /* the user asked for totals before the end; may be NULL */
	int (*end)(struct report *report, bool failed); /* `failed`: the input could not be read to its end */
	void (*free)(struct report *report);
	const char *file; /* the output is a folder, and the report a file of this name in it; NULL: the output is a file */
};

/* The forms of a report, the default first, and those of --table: `format_NAME` and `table_NAME`, each in a file of its own or of its family. */
#define REPORT_FORMATS(F) F(text) F(json) F(html)
#define TABLE_FORMATS(F) F(text) F(json) F(csv)

#define DECLARE_FORMAT(name) extern const struct format format_##name;
#define DECLARE_TABLE(name) extern const struct format table_##name;
REPORT_FORMATS(DECLARE_FORMAT)
TABLE_FORMATS(DECLARE_TABLE)
#undef DECLARE_FORMAT
#undef DECLARE_TABLE

/* Writes out what is printed so far. 0; -1 after fail(). */
int report_flush(struct report *report);

/* Copies a temporary file, or this part of it, to the output. 0; -1 after fail() if not all of it can be read or written. */
int report_append(struct report *report, FILE *body);
int report_append_part(struct report *report, FILE *body, long from, long to);

/* Keeps the first complaint. Takes over the text. */
void report_complain(struct report *report, char *text);

#endif
