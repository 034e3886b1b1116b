/*
 * figure: charts, drawn by gnuplot from the scripts in charts/. Data go to gnuplot in files of a private directory,
 * one column a value; no text from the stream is ever part of a command.
 */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stddef.h>

#include "report/model.h"

/*
 * Each returns what is to be shown, which the caller frees: an <svg> element, or lines of text; NULL where there is
 * nothing to draw, or where it could not be drawn: then *complaint says why (the caller frees it).
 */
char *figure_control(const struct model *model, const struct track *track, char **complaint);
char *figure_path(const struct story *story, char **complaint);
char *figure_blame(const struct verdict *verdicts, size_t count, char **complaint);

/* The tracks worth a chart, those with the most signals first: at most `room`, and one at least where there is one. */
size_t figure_tracks(const struct model *model, const struct track **list, size_t room);

/* Control charts of the tracks with the most signals, in so many columns of plain text. */
char *figure_plot(const struct model *model, size_t columns, char **complaint);

#endif
