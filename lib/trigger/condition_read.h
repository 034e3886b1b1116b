/*
 * condition_read: reads the words behind IF into a condition. Private to lib/trigger.
 */
#ifndef TRIGGER_CONDITION_READ_H
#define TRIGGER_CONDITION_READ_H

#include "trigger/trigger.h"
#include "trigger/script.h"

/* Sets trigger->condition, values and scope. `var` is the name that ON gave to what the trigger looks at. 0; -1 after fail(). */
int trigger_condition_read(struct trigger *trigger, struct script *script, const struct word *var);

/* Reads a number with its unit as ns. 0; -1 after fail(). */
int trigger_time_read(struct script *script, int64_t *ns);

/* Tells whether the current word is a unit of time; sets *scale to its ns. */
bool trigger_unit(const struct script *script, double *scale);

/* The value of a word that is a number; infinite if it is too large. */
double trigger_number(const struct word *word);

/* The time of a number with this unit. 0; -1 after fail(): it is too long. */
int trigger_time(const struct script *script, const struct word *number, double scale, int64_t *ns);

#endif
