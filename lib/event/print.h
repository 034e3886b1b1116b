/*
 * print: a raw event's fields as the kernel's own `trace` file prints them, by the print format that came with it.
 */
#ifndef EVENT_PRINT_H
#define EVENT_PRINT_H

#include <stdbool.h>

#include "event/event.h"

struct printer;

struct printer *printer_new(void);
void printer_free(struct printer *printer);

/*
 * What stands behind "name: " in the trace file; valid until the next call. NULL: the print format asks for what only
 * the kernel can do, or the payload is not whole, so that it cannot be printed that way.
 *
 * `clean` is called for each text field of the event before it is printed, on a copy, with its name; it may be NULL.
 */
typedef void printer_clean(const char *field, char *text, size_t length);
const char *printer_print(struct printer *printer, const struct event *event, printer_clean *clean);

#endif
