/*
 * figure: charts, drawn by gnuplot from the scripts in charts/. Data go to gnuplot in files of a private directory,
 * one column a value; no text from the stream is ever part of a command.
 */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stddef.h>

#include "model/model.h"

/*
 * Each returns a picture, which the caller frees: an <svg> element, or lines of text. NULL: there is nothing to draw, or it could not be
 * drawn: then *complaint says why (the caller frees it).
 */
char *figure_control(const struct model *model, const struct track *track, char **complaint);
char *figure_path(const char *data, char **complaint); /* what figure_path_data() returned */
char *figure_blame(const struct verdict *verdicts, size_t count, char **complaint);

/* All runs, with a row for each node; *longest gets the seconds of the longest run, the height of a row. And the values that tell runs apart. */
char *figure_runs(const struct contrast *contrast, double *longest, char **complaint);
char *figure_values(const struct contrast *contrast, char **complaint);

/*
 * The data of a path's picture, which may outlive its story: rows of threads and devices, their pieces, waits as pale bars, wake-ups as
 * arrows. And the picture in letters, `width` columns wide. The caller frees both. NULL: there is no path.
 */
char *figure_path_data(const struct story *story);
char *figure_path_text(const struct story *story, size_t width);
extern const char figure_path_legend[]; /* explains the letters */

/* Lists the tracks worth a chart, those with the most signals first: at most `room`, and one without signals if no track has any. */
size_t figure_tracks(const struct model *model, const struct track **list, size_t room);

/* Control charts of the tracks with the most signals, in plain text of this many columns. */
char *figure_plot(const struct model *model, size_t columns, char **complaint);

#endif
