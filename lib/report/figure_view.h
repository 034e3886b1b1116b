/*
 * figure_view: pictures of views (model/views.h), as figure.h makes pictures: the caller frees them, and the complaint.
 */
#ifndef REPORT_FIGURE_VIEW_H
#define REPORT_FIGURE_VIEW_H

#include "model/views.h"

/* Of the attributes with the most changes; sets how many those are, and the time at which the picture begins. NULL: nothing to draw. */
char *figure_view(const struct views *views, const struct view *view, size_t *rows, int64_t *from, char **complaint);

char *figure_flow(const struct view_flow *flow, char **complaint);

#endif
