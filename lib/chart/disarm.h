/*
 * disarm: the keys whose starts do not count just now, for charts with `arm` lines: a thread that runs cannot begin to wait
 * for a CPU. There are never more than the machine has CPUs, unless events were lost; so it is emptied when it gets
 * large, which is as if the keys were armed.
 */
#ifndef CHART_DISARM_H
#define CHART_DISARM_H

#include <stdbool.h>
#include <stdint.h>

#include "chart/chart.h"

struct disarmed;

struct disarmed *disarmed_new(void);
void disarmed_free(struct disarmed *disarmed);
void disarmed_add(struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX]);
void disarmed_remove(struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX]);
bool disarmed_has(const struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX]);
void disarmed_clear(struct disarmed *disarmed);

#endif
