/*
 * method: how limits are made from a baseline of values. Each method is one entry of the table in method.c.
 */
#ifndef CHART_METHOD_H
#define CHART_METHOD_H

#include <stddef.h>
#include <stdint.h>

/* Of one chart and key. Values are seconds for a latency, whatever the samples are in otherwise. */
struct limits {
	double center, lcl, ucl;
	uint64_t n;	    /* values that they were made from */
	const char *method; /* its name, from the table */
};

struct method {
	const char *name;
	const char *help;
	size_t least; /* fewest values that it makes sense of; the table's functions are never called with less */
	void (*limits)(const double *values, size_t count, struct limits *limits);
};

/* By name; NULL after fail(), which tells the names there are. */
const struct method *method_find(const char *name);

/* The baseline as it is wished for, checked: -1 after fail() where the method cannot work with so few. */
int method_check_baseline(const struct method *method, uint64_t baseline);

/* Limits from the values in the order they came. 0; -1 after fail() where they are too few. */
int method_limits(const struct method *method, const double *values, size_t count, struct limits *limits);

#endif
