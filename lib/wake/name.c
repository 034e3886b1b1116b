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
	char *function; /* that goes by this text in its events; NULL: it is of no function, or of one without a chart */
	int16_t index;
	UT_hash_handle hh;
};

enum { CALLS_MAX = 1024 };

struct wake_names {
	struct irq_name *irqs;
	ARRAY(struct text_name *) texts; /* of calls, locks and work queues */
	struct text_name *by_text;
	uint32_t machine;	      /* that the stream is from; see event/machine.h */
	int16_t by_number[CALLS_MAX]; /* index of the call + 1; 0: not asked for yet */
};

struct wake_names *wake_names_new(void)
{
	struct wake_names *names = NEW(struct wake_names);

	names->machine = machine_of("");
	return names;
}

static void forget_irqs(struct wake_names *names)
{
	struct irq_name *irq, *next;

	HASH_ITER(hh, names->irqs, irq, next) {
		HASH_DEL(names->irqs, irq);
		free(irq->name);
		free(irq);
	}
}

void wake_names_begin(struct wake_names *names, const char *machine)
{
	forget_irqs(names);
	memset(names->by_number, 0, sizeof(names->by_number));
	names->machine = machine_of(machine);
}

void wake_names_free(struct wake_names *names)
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

static void name_irq(struct wake_names *names, int32_t number, const char *name)
{
	struct irq_name *irq = NEW(struct irq_name);

	irq->number = number;
	irq->name = memory_text(name, strlen(name));
	HASH_ADD_INT(names->irqs, number, irq);
}

static struct irq_name *find_irq(const struct wake_names *names, int32_t number)
{
	struct irq_name *irq;

	HASH_FIND_INT(names->irqs, &number, irq);
	return irq;
}

void wake_name_receiver(struct wake_names *names, int32_t number)
{
	struct irq_name *irq = find_irq(names, number);

	if (irq)
		irq->receives = true;
}

bool wake_receives(const struct wake_names *names, int32_t number)
{
	const struct irq_name *irq = find_irq(names, number);

	return irq && irq->receives;
}

const char *wake_irq_name(const struct wake_names *names, int32_t number)
{
	const struct irq_name *irq = find_irq(names, number);

	return irq ? irq->name : NULL;
}

int32_t wake_vector(struct wake_names *names, int16_t name)
{
	int32_t number = -2 - name;

	if (name != CALL_NONE && !wake_irq_name(names, number))
		name_irq(names, number, names->texts.items[name]->text);
	return number;
}

int16_t wake_name_text(struct wake_names *names, const char *text)
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

int16_t wake_number_call(struct wake *wake, int number)
{
	struct wake_names *names = wake->names;
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

const char *wake_text(const struct wake_names *names, int16_t index, const char *none)
{
	return index == CALL_NONE ? none : names->texts.items[index]->text;
}

uint64_t wake_name_disk(struct wake_names *names, const char *name)
{
	int16_t index = wake_name_text(names, name);

	return index == CALL_NONE ? 0 : UINT64_MAX - (uint64_t)index;
}

const char *wake_disk_name(const struct wake_names *names, uint64_t disk)
{
	uint64_t index = UINT64_MAX - disk;

	return index < names->texts.count ? names->texts.items[index]->text : NULL;
}

void wake_name_function(struct wake_names *names, const char *event, char *function)
{
	int16_t index = wake_name_text(names, event);

	if (index == CALL_NONE) {
		free(function);
		return;
	}
	free(names->texts.items[index]->function);
	names->texts.items[index]->function = function;
}

const char *wake_function(const struct wake_names *names, int16_t index)
{
	return index == CALL_NONE ? NULL : names->texts.items[index]->function;
}

const char *wake_comm(const struct wake *wake, const struct thread *thread)
{
	return thread->comm ? thread->comm : events_called(wake->events, thread->tid, wake->now);
}
