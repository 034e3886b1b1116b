#include "source/exception_ask.h"

#include <stdio.h>

#include "source/argument_record.h"
#include "source/selection.h"

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

bool exception_text(const struct exception_event *event, int number, char text[ARGUMENT_TEXT_MOST + 1])
{
	return argument_record_text(event->selected->arguments, number, event->payload, event->size, text);
}

uint64_t exception_number(const struct exception_event *event, int number)
{
	uint64_t value;

	return argument_record_number(event->selected->arguments, number, event->payload, event->size, &value) ? value : 0;
}
