/*
 * types: event types by name and by the kernel's id, and their fields' offsets. Part of struct events; see event.h.
 */
#ifndef EVENT_TYPES_H
#define EVENT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

struct types;

struct types *types_new(void);
void types_free(struct types *types);

struct event_type *types_named(struct types *types, const char *name, size_t length); /* makes it on first mention */
struct event_type *types_numbered(const struct types *types, int id);		      /* NULL: its format is missing */

/* Reads a `format` record's body (system, NUL, format text) and resolves the fields asked for. -1 after fail(). */
int types_learn(struct types *types, const char *body, size_t length, bool swapped);

/* From now on, types_learn() reads print formats, too. */
void types_printable(struct types *types);

/* Keep the name of the kernel's function that begins `offset` bytes before this address; or the format of a trace_printk(). */
void types_symbol(struct types *types, uint64_t address, uint64_t offset, const char *name);
void types_printk(struct types *types, uint64_t address, const char *format);

/* Writes the function at an address, from types_symbol(): "hrtimer_wakeup", "do_sys_open+0x1a". Returns its length; 0: none is known. */
size_t types_spell_symbol(const struct types *types, uint64_t address, char *text, size_t room);

/* Forgets all formats and symbols; handles stay valid. */
void types_forget(struct types *types);

/* Looks the field up in its type's format, if that has arrived. */
void field_resolve(struct event_field *field);

#endif
