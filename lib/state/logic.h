/*
 * logic: the conditions of state files and of `state-query when`: == != < <= > >=, && || !, and parentheses.
 *
 * A comparison with null is false, != too; only the word null asks for it: [P] == null, [P] != null. A number never equals a text; < and > of
 * the two are false, != is true. Texts are compared by their bytes. An operand in quotes is a text: a number beside it is compared as the text
 * that spells it.
 *
 * The caller reads all operands that are no number, text or null: a field of an event, an attribute, a pattern of attributes.
 */
#ifndef STATE_LOGIC_H
#define STATE_LOGIC_H

#include "event/condition.h"
#include "state/value.h"

/*
 * Reads an operand at *at and sets *at behind it. Returns its number, from 0, by which state_logic_holds() asks for it; -1 after fail().
 */
typedef int state_operand_read(void *context, const char **at);

struct state_logic;

/* NULL after fail(); *at is then where in the text it is wrong. */
struct state_logic *state_logic_read(const char *text, state_operand_read *read, void *context, const char **at);
void state_logic_free(struct state_logic *logic); /* NULL: does nothing */

/* The value of an operand, with a reference that the caller of the function gives back. */
typedef struct state_value state_operand_value(void *context, int operand);

/* NULL always holds. */
bool state_logic_holds(const struct state_logic *logic, struct state_texts *texts, state_operand_value *value, void *context);

#endif
