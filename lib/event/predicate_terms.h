/*
 * predicate_terms: the kernel's words for conditions, read into a condition (event/condition.h). Used by predicate*.c only.
 */
#ifndef EVENT_PREDICATE_TERMS_H
#define EVENT_PREDICATE_TERMS_H

#include "base/memory.h"
#include "event/condition.h"
#include "event/event.h"

/* Fields that every event has, whether or not its format names them. */
enum predicate_common { COMMON_NONE, COMMON_CPU, COMMON_NAME, COMMON_TID };

/* The sort of value that a field is compared with. PREDICATE_KERNELS: an address or the like, which only the kernel knows. */
enum predicate_as { PREDICATE_NUMBER, PREDICATE_TEXT, PREDICATE_KERNELS };

struct predicate_field {
	struct event_field *field;
	enum predicate_common common;
	enum predicate_as as;
};

struct predicate_terms { /* all zero is empty */
	struct condition *condition;
	ARRAY(struct predicate_field) fields; /* the condition's named values */
};

/* 0; -1 after fail(), which says where the text is wrong. Call predicate_terms_free() in either case. */
int predicate_terms_read(struct predicate_terms *terms, struct event_type *type, const char *text);
void predicate_terms_free(struct predicate_terms *terms);

#endif
