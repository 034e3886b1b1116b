#include "run/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "event/machine.h"

/* Most architectures number their calls from 0 to about 500; a few add an offset. */
enum { DIRECT = 1024, ODD_MAX = 4096 };

struct odd_call {
	int64_t number;
	struct call call;
	UT_hash_handle hh;
};

struct call_name {
	char *name;
	uint32_t id;
	UT_hash_handle hh;
};

struct calls {
	const struct job *job;
	uint32_t machine;
	struct call direct[DIRECT];
	bool known[DIRECT];
	struct odd_call *odd;
	struct call_name *names;
	ARRAY(const char *) by_id;
};

static const struct {
	const char *name;
	enum call_deed deed;
} deeds[] = {
	{"execve", CALL_EXEC}, {"execveat", CALL_EXEC}, {"fork", CALL_FORK}, {"vfork", CALL_FORK},
	{"clone", CALL_CLONE}, {"clone3", CALL_FORK},	{"exit", CALL_EXIT}, {"exit_group", CALL_EXIT_GROUP},
};

struct calls *calls_new(const struct job *job)
{
	struct calls *calls = NEW(struct calls);

	calls->job = job;
	calls->machine = MACHINE_UNKNOWN;
	return calls;
}

static void forget_numbers(struct calls *calls)
{
	memset(calls->known, 0, sizeof(calls->known));
	HASH_FREE(calls->odd);
}

void calls_free(struct calls *calls)
{
	struct call_name *name, *next;

	forget_numbers(calls);
	HASH_ITER(hh, calls->names, name, next) {
		HASH_DEL(calls->names, name);
		free(name->name);
		free(name);
	}
	free(calls->by_id.items);
	free(calls);
}

bool calls_machine(struct calls *calls, uint32_t machine)
{
	if (machine == calls->machine)
		return false;
	forget_numbers(calls);
	calls->machine = machine;
	return true;
}

static uint32_t id_of(struct calls *calls, const char *name)
{
	struct call_name *entry;

	HASH_FIND_STR(calls->names, name, entry);
	if (!entry) {
		entry = NEW(struct call_name);
		entry->name = memory_text(name, strlen(name));
		entry->id = (uint32_t)calls->by_id.count;
		*ARRAY_ADD(&calls->by_id) = entry->name;
		HASH_ADD_KEYPTR(hh, calls->names, entry->name, strlen(entry->name), entry);
	}
	return entry->id;
}

static enum call_deed deed_of(const char *name)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (!strcmp(deeds[i].name, name))
			return deeds[i].deed;
	return CALL_PLAIN;
}

static void describe(struct calls *calls, int64_t number, struct call *call)
{
	char name[64];

	machine_spell_call(calls->machine, number, name, sizeof(name));
	if (!strncmp(name, "syscall_", 8))
		snprintf(name, sizeof(name), "sys_%lld", (long long)number);
	call->deed = deed_of(name);
	call->result_is_size = job_result_is_size(calls->job, name);
	call->size_argument = (int8_t)job_size_argument(calls->job, name);
	call->id = id_of(calls, job_call_name(calls->job, name));
}

static const struct call *find_odd(struct calls *calls, int64_t number)
{
	struct odd_call *odd;

	HASH_FIND(hh, calls->odd, &number, sizeof(number), odd);
	if (!odd && HASH_COUNT(calls->odd) >= ODD_MAX) {
		number = -1; /* one entry for all further numbers */
		HASH_FIND(hh, calls->odd, &number, sizeof(number), odd);
	}
	if (odd)
		return &odd->call;
	odd = NEW(struct odd_call);
	odd->number = number;
	if (number < 0)
		odd->call = (struct call){.id = id_of(calls, "sys_other"), .size_argument = -1};
	else
		describe(calls, number, &odd->call);
	HASH_ADD(hh, calls->odd, number, sizeof(odd->number), odd);
	return &odd->call;
}

const struct call *calls_find(struct calls *calls, int64_t number)
{
	if (number < 0)
		return NULL;
	if (number >= DIRECT)
		return find_odd(calls, number);
	if (!calls->known[number]) {
		describe(calls, number, &calls->direct[number]);
		calls->known[number] = true;
	}
	return &calls->direct[number];
}

const char *calls_name(const struct calls *calls, uint32_t id)
{
	return calls->by_id.items[id];
}
