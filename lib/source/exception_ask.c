#include "source/exception_ask.h"

#include <stdio.h>

void exception_ask(struct asked *asked, enum argument_form form, uint8_t start, const int *offsets, int derefs)
{
	int number = asked->arguments.count++;
	struct argument_found *found = &asked->found[number];
	bool text = form == ARGUMENT_FORM_TEXT;

	snprintf(asked->arguments.items[number].label, ARGUMENT_WORD, "a%d", number);
	asked->arguments.items[number].base = ARGUMENT_NUMBERED;
	*found = (struct argument_found){.form = (uint8_t)form, .size = text ? ARGUMENT_TEXT_MOST : 8, .value = {.start = start, .derefs = (uint8_t)derefs}};
	for (int i = 0; i < derefs; i++)
		found->value.offset[i] = offsets[i];
}
