/*
 * disarm: for charts with `arm` lines, the set of keys whose starts do not count now: a thread that runs cannot begin to wait
 * for a CPU. Unless events are lost, it has at most one key for each CPU. So it is emptied when it gets large, which arms all keys.
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
