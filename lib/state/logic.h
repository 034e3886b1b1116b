/*
 * logic: the conditions of state files and of `state-query when`: == != < <= > >=, && || !, and parentheses.
 *
 * A comparison with a null value is false, even !=. Only the word null tests for it: [P] == null, [P] != null. A number never equals a text: of
 * the two, != is true, == < > <= >= are false. Texts are compared by their bytes. An operand in quotes is a text; a number compared with it is
 * compared as the text that spells the number.
 *
 * The caller reads the other operands, those that are no number, text or null: a field of an event, an attribute, a pattern of attributes.
 */
#ifndef STATE_LOGIC_H
#define STATE_LOGIC_H

#include "event/condition.h"
#include "state/value.h"

/*
 * Reads an operand at *at and moves *at past it. Returns the number, from 0, by which state_logic_holds() asks for its value; -1 after fail().
 */
typedef int state_operand_read(void *context, const char **at);

struct state_logic;

/* Reads a condition. NULL after fail(); *at is then the place of the error in the text. */
struct state_logic *state_logic_read(const char *text, state_operand_read *read, void *context, const char **at);
void state_logic_free(struct state_logic *logic); /* NULL: does nothing */

/* The value of an operand, with a reference that state_logic_holds() drops. */
typedef struct state_value state_operand_value(void *context, int operand);

/* Tells whether the condition holds. NULL always does. */
bool state_logic_holds(const struct state_logic *logic, struct state_texts *texts, state_operand_value *value, void *context);

#endif
