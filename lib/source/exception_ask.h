/*
 * exception_ask: the arguments of an event at a runtime's function. They are values some steps away from its registers, and numbered in the order
 * in which they are asked for.
 */
#ifndef SOURCE_EXCEPTION_ASK_H
#define SOURCE_EXCEPTION_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/argument.h"

struct selected;

#if defined(__x86_64__)
enum { ASK_FIRST = 5, ASK_SECOND = 4, ASK_THIRD = 1, ASK_STACK = 7 }; /* arguments, and the stack pointer, as DWARF numbers registers */
#else
enum { ASK_FIRST = 0, ASK_SECOND = 1, ASK_THIRD = 2, ASK_LINK = 30, ASK_STACK = 31 };
#endif

/* All zero at first; at most ARGUMENTS_MAX. */
struct asked {
	struct arguments arguments;
	struct argument_found found[ARGUMENTS_MAX];
};

/* Asks for the value that lies `derefs` steps from a register: a number of 64 bits, or text. */
void exception_ask(struct asked *asked, enum argument_form form, uint8_t start, const int *offsets, int derefs);

/* An event at such a function, with the kernel's payload. */
struct exception_event {
	const struct selected *selected;
	const char *payload;
	size_t size;
	int32_t tid;
	int64_t ts;
};

/* The event's argument with this number. False, and 0: unknown. */
bool exception_text(const struct exception_event *event, int number, char text[ARGUMENT_TEXT_MOST + 1]);
uint64_t exception_number(const struct exception_event *event, int number);

#endif
