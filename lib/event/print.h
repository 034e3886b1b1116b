/*
 * print: prints a raw event's fields as the kernel's `trace` file does, by the print format in the stream.
 */
#ifndef EVENT_PRINT_H
#define EVENT_PRINT_H

#include <stdbool.h>

#include "event/event.h"

struct printer;

struct printer *printer_new(void);
void printer_free(struct printer *printer);

/*
 * The text that follows "name: " in the trace file; valid until the next call. NULL: only the kernel can print this
 * format, or the payload is cut.
 *
 * Calls `clean`, unless it is NULL, for each text field, on a copy, before it prints the field.
 */
typedef void printer_clean(const char *field, char *text, size_t length);
const char *printer_print(struct printer *printer, const struct event *event, printer_clean *clean);

#endif
