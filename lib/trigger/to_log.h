/*
 * to_log: the clause LOG of a trigger, and the keys activity=, methods= and to_log= of its `trigger` record. They tell the rest of the pipe what to
 * log after the trigger has fired.
 */
#ifndef TRIGGER_TO_LOG_H
#define TRIGGER_TO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum metric {
	METRIC_ARGS = 1, METRIC_RET_VALUE = 2, METRIC_EXCEPTION_NAME = 4, METRIC_LATENCY = 8, METRIC_STACK = 16, METRIC_CPU = 32
};

#define TO_LOG_ALL UINT64_MAX

struct to_log {
	bool activity;	  /* windows of requests, for their graphs */
	uint64_t methods; /* how many of the most blamed methods; TO_LOG_ALL: all; 0: none */
	unsigned metrics; /* of each call: bits of enum metric */
};

/* The default of LOG (the paper's figure 2). */
#define TO_LOG_DEFAULT ((struct to_log){.activity = true, .methods = 5, .metrics = METRIC_ARGS | METRIC_RET_VALUE})

/* The name of a metric by number: "args" is number 0. NULL: there are no more. */
const char *metric_name(size_t number);

struct line;
void to_log_spell(const struct to_log *log, struct line *line);

/* Reads the keys of a `trigger` record. Keys that the record lacks, as older records do, have their defaults. Unknown metrics are ignored. */
struct fields;
struct to_log to_log_read(const struct fields *fields);

#endif
