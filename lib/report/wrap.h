/*
 * wrap: lines of a certain width.
 */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* The text behind the lead, broken at spaces; further lines are indented like the first. */
void wrap_text(FILE *out, size_t width, const char *lead, const char *text);

#endif
