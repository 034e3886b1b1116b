/*
 * sample: one measured value and what a signal says about it.
 */
#ifndef CHART_SAMPLE_H
#define CHART_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "chart/chart.h"

struct series;
struct reading;

enum { SAMPLE_SHOW_ROOM = 64 };

struct sample {
	struct series *series; /* of its chart and key */
	double value;	       /* seconds for a latency */
	int64_t start, end;    /* ns of the trace clock; of a value without start both are its time */
	int32_t tid;	       /* who waited; -1: not known */
	bool open;	       /* not over yet: the value is its age */
	bool by_hand;	       /* from a `sample` record: the value need not be a time */
	const struct reading *keys; /* the start's key fields, key_count of them; their values in `key` */
	int key_count;
	int64_t key[CHART_KEYS_MAX];
	char show[SAMPLE_SHOW_ROOM]; /* the start's show fields, as " name=value" ready for a line */
};

#endif
