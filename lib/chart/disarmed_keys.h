/*
 * disarmed_keys: of a chart with `arm` lines, the keys whose starts do not count now: a thread that runs cannot begin to wait for a CPU.
 *
 * Unless events are lost, there is at most one such key for each CPU. So the set is emptied when it gets large, which arms all keys.
 */
#ifndef CHART_DISARMED_KEYS_H
#define CHART_DISARMED_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "chart/chart.h"

struct disarmed_keys;

struct disarmed_keys *disarmed_keys_new(void);
void disarmed_keys_free(struct disarmed_keys *keys);
void disarmed_keys_add(struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX]);
void disarmed_keys_remove(struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX]);
bool disarmed_keys_has(const struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX]);
void disarmed_keys_clear(struct disarmed_keys *keys);

#endif
