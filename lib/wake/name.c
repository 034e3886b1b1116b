#include "wake/name.h"

#include <stdlib.h>
#include <string.h>

#include "event/machine.h"

struct irq_name {
	int32_t number;
	bool receives;
	char *name;
	UT_hash_handle hh;
};

struct text_name {
	char *text;
	char *function; /* that has this text as the name of its events; NULL: none, or one without a chart */
	int16_t index;
	UT_hash_handle hh;
};

enum { CALLS_MAX = 1024 };

struct name_table {
	struct irq_name *irqs;
	ARRAY(struct text_name *) texts; /* of calls, locks and work queues */
	struct text_name *by_text;
	uint32_t machine;	      /* that the stream comes from; see event/machine.h */
	int16_t by_number[CALLS_MAX]; /* index of the call + 1; 0: not asked for yet */
};

struct name_table *name_table_new(void)
{
	struct name_table *names = NEW(struct name_table);

	names->machine = machine_of("");
	return names;
}

static void forget_irqs(struct name_table *names)
{
	struct irq_name *irq, *next;

	HASH_ITER(hh, names->irqs, irq, next) {
		HASH_DEL(names->irqs, irq);
		free(irq->name);
		free(irq);
	}
}

void name_table_begin(struct name_table *names, const char *machine)
{
	forget_irqs(names);
	memset(names->by_number, 0, sizeof(names->by_number));
	names->machine = machine_of(machine);
}

void name_table_free(struct name_table *names)
{
	forget_irqs(names);
	HASH_CLEAR(hh, names->by_text);
	for (size_t i = 0; i < names->texts.count; i++) {
		free(names->texts.items[i]->text);
		free(names->texts.items[i]->function);
		free(names->texts.items[i]);
	}
	free(names->texts.items);
	free(names);
}

static void note_irq(struct name_table *names, int32_t number, const char *name)
{
	struct irq_name *irq = NEW(struct irq_name);

	irq->number = number;
	irq->name = memory_text(name, strlen(name));
	HASH_ADD_INT(names->irqs, number, irq);
}

static struct irq_name *find_irq(const struct name_table *names, int32_t number)
{
	struct irq_name *irq;

	HASH_FIND_INT(names->irqs, &number, irq);
	return irq;
}

void name_receiver(struct name_table *names, int32_t number)
{
	struct irq_name *irq = find_irq(names, number);

	if (irq)
		irq->receives = true;
}

bool name_receives(const struct name_table *names, int32_t number)
{
	const struct irq_name *irq = find_irq(names, number);

	return irq && irq->receives;
}

const char *name_irq(const struct name_table *names, int32_t number)
{
	const struct irq_name *irq = find_irq(names, number);

	return irq ? irq->name : NULL;
}

int32_t name_vector(struct name_table *names, int16_t name)
{
	int32_t number = -2 - name;

	if (name != CALL_NONE && !name_irq(names, number))
		note_irq(names, number, names->texts.items[name]->text);
	return number;
}

int16_t name_text(struct name_table *names, const char *text)
{
	struct text_name *name;

	HASH_FIND_STR(names->by_text, text, name);
	if (name)
		return name->index;
	if (names->texts.count == INT16_MAX)
		return CALL_NONE;
	name = NEW(struct text_name);
	name->text = memory_text(text, strlen(text));
	name->index = (int16_t)names->texts.count;
	*ARRAY_ADD(&names->texts) = name;
	HASH_ADD_KEYPTR(hh, names->by_text, name->text, strlen(name->text), name);
	return name->index;
}

int16_t name_call(struct wake *wake, int number)
{
	struct name_table *names = wake->names;
	char name[64];
	int16_t call;

	if (number < 0)
		return CALL_NONE;
	if (number < CALLS_MAX && names->by_number[number])
		return (int16_t)(names->by_number[number] - 1);
	machine_spell_call(names->machine, number, name, sizeof(name));
	call = reason_syscall(wake->reasons, name);
	if (number < CALLS_MAX)
		names->by_number[number] = (int16_t)(call + 1);
	return call;
}

const char *name_at(const struct name_table *names, int16_t index, const char *none)
{
	return index == CALL_NONE ? none : names->texts.items[index]->text;
}

uint64_t name_disk(struct name_table *names, const char *name)
{
	int16_t index = name_text(names, name);

	return index == CALL_NONE ? 0 : UINT64_MAX - (uint64_t)index;
}

const char *name_of_disk(const struct name_table *names, uint64_t disk)
{
	uint64_t index = UINT64_MAX - disk;

	return index < names->texts.count ? names->texts.items[index]->text : NULL;
}

void name_function(struct name_table *names, const char *event, char *function)
{
	int16_t index = name_text(names, event);

	if (index == CALL_NONE) {
		free(function);
		return;
	}
	free(names->texts.items[index]->function);
	names->texts.items[index]->function = function;
}

const char *name_of_function(const struct name_table *names, int16_t index)
{
	return index == CALL_NONE ? NULL : names->texts.items[index]->function;
}
