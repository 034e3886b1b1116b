/*
 * canvas: gnuplot at work: a private directory of data files, a script of charts/, and what it draws.
 *
 *	struct canvas *canvas = canvas_open();
 *	FILE *file = canvas_file(canvas, "rows"); ... fclose(file);
 *	char *svg = canvas_draw(canvas, "charts/path.gp", "rows=3");
 *	canvas_close(canvas);
 *
 * No text from outside may be among the settings: gnuplot executes them. Text goes into the files, by canvas_text().
 */
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include <stddef.h>
#include <stdio.h>

struct canvas;

struct canvas *canvas_open(void); /* NULL after fail() */

/* A new data file, which canvas_file_close() ends. NULL after fail(). */
FILE *canvas_file(struct canvas *canvas, const char *name);
int canvas_file_close(FILE *file); /* 0; -1 after fail(): it does not hold all that was written */

/* A text as one column of a data file, shortened to so many columns. */
void canvas_text(FILE *file, const char *text, size_t columns);

/* Runs the script with these settings; returns what it wrote, which the caller frees. NULL after fail(). */
char *canvas_draw(struct canvas *canvas, const char *script, const char *settings);

/* Removes the directory and all in it. NULL is allowed. */
void canvas_close(struct canvas *canvas);

#endif
