/*
 * figure_view: pictures of views (model/views.h). As in figure.h, the caller frees the picture and the complaint.
 */
#ifndef REPORT_FIGURE_VIEW_H
#define REPORT_FIGURE_VIEW_H

#include "model/views.h"

/* Draws the attributes with the most changes; sets their number, and the time at which the picture begins. NULL: there is nothing to draw. */
char *figure_view(const struct views *views, const struct view *view, size_t *rows, int64_t *from, char **complaint);

char *figure_flow(const struct view_flow *flow, char **complaint);

#endif
