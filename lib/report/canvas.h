/*
 * canvas: runs gnuplot: a private folder of data files, a script of charts/, and the picture that it draws. Private to lib/report.
 *
 *	canvas = canvas_open(&complaint)
 *	file = canvas_file(canvas, "points"); ...; canvas_file_close(file)		each
 *	return canvas_drawn(canvas, "charts/x.gp", settings, &complaint)		or canvas_undrawn() after fail()
 *
 * Settings of a script must not contain text from outside: gnuplot executes them. Text goes into the data files, by canvas_text().
 */
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include <stddef.h>
#include <stdio.h>

struct canvas;

struct canvas *canvas_open(char **complaint); /* NULL: *complaint says why */
void canvas_close(struct canvas *canvas);

/* Opens a new data file; canvas_file_close() closes it. NULL after fail(). */
FILE *canvas_file(struct canvas *canvas, const char *name);
int canvas_file_close(FILE *file); /* 0; -1 after fail(): not all data were written */

/* Writes a text as one column of a data file, cut to `columns` characters. */
void canvas_text(FILE *file, const char *text, size_t columns);

/*
 * Draws the picture, closes the canvas, and frees `settings`. Returns an <svg> element, or lines of text; NULL: *complaint says why. The caller
 * frees both.
 */
char *canvas_drawn(struct canvas *canvas, const char *script, char *settings, char **complaint);

/* Closes the canvas, and makes a complaint of the last fail(). Returns NULL. */
char *canvas_undrawn(struct canvas *canvas, char **complaint);

/* The unit that suits a time: s, ms, us, ns are units 0 to 3, as the scripts know them. */
int canvas_unit(double seconds);
double canvas_in_unit(double seconds, int unit);

#endif
