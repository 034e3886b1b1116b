/*
 * condition_read: the words behind IF, read into a condition. Private to lib/trigger.
 */
#ifndef TRIGGER_CONDITION_READ_H
#define TRIGGER_CONDITION_READ_H

#include "trigger/trigger.h"
#include "trigger/script.h"

/* `var` is the name that ON gave to what it looks at. Sets trigger->condition, values and scope. 0; -1 after fail(). */
int trigger_condition_read(struct trigger *trigger, struct script *script, const struct word *var);

/* Reads a number with its unit, ns. 0; -1 after fail(). */
int trigger_time_read(struct script *script, int64_t *ns);

/* Tells whether the present word is a unit of time; sets *scale to its ns. */
bool trigger_unit(const struct script *script, double *scale);

/* The number of a word that is one; infinite where it is too large for any. */
double trigger_number(const struct word *word);

/* The time of a number with this unit. 0; -1 after fail(): it is too long. */
int trigger_time(const struct script *script, const struct word *number, double scale, int64_t *ns);

#endif
