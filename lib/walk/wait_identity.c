#include "walk/wait_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/number.h"
#include "source/file_call.h"
#include "wake/reason.h"
#include "wake/stack.h"
#include "walk/whole_words.h"

enum { TEXT_ROOM = 192, OBJECT_BITS = 10, FUTEX_WAIT_BITSET = 9, FUTEX_OPERATION = 0x7f, CONDITION_BYTES = 8 };

struct descriptor { /* one that a thread waited for, or whose inode is known */
	struct {
		int32_t process, fd;
	} key;
	uint32_t closed; /* how often since then */
	uint64_t inode; /* 0: not known */
	UT_hash_handle hh;
};

struct object { /* the numbers of which a wait's identity is made, and the identity */
	uint64_t object;
	uint32_t function, generation, identity;
	int16_t call, reason;
	bool set;
};

struct identities {
	struct wake *wake;
	struct whole *whole;
	ARRAY(struct call_words) calls; /* by reason */
	ARRAY(struct stack_words) stacks; /* by number */
	ARRAY(uint32_t) waits; /* words, by identity; 0: not made yet */
	ARRAY(uint32_t) objects_of; /* words, by reason; 0: not made yet */
	struct descriptor *descriptors;
	struct object objects[1 << OBJECT_BITS]; /* a cache, by hash */
};

struct identities *identities_new(struct wake *wake)
{
	struct identities *identities = NEW(struct identities);

	identities->wake = wake;
	return identities;
}

void identities_begin(struct identities *identities, struct whole *whole)
{
	HASH_FREE(identities->descriptors);
	identities->whole = whole;
	identities->calls.count = identities->stacks.count = identities->waits.count = identities->objects_of.count = 0;
	memset(identities->objects, 0, sizeof(identities->objects));
}

void identities_free(struct identities *identities)
{
	if (!identities)
		return;
	identities_begin(identities, NULL);
	free(identities->calls.items);
	free(identities->stacks.items);
	free(identities->waits.items);
	free(identities->objects_of.items);
	free(identities);
}

/* Tells whether the call sends, and so may wait for room. A thread in a call that receives makes room, and ends that wait. */
static bool is_sending(const char *syscall)
{
	static const char *const calls[] = {"write", "pwrite", "send", "splice", "vmsplice", "tee"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strncmp(syscall, calls[i], strlen(calls[i])))
			return true;
	return false;
}

const struct call_words *identities_call(struct identities *identities, int16_t reason)
{
	const char *name = reason_at(identities->wake->reasons, reason)->syscall;
	struct call_words *call;

	while (identities->calls.count <= (size_t)reason)
		*ARRAY_ADD(&identities->calls) = (struct call_words){0};
	call = &identities->calls.items[reason];
	if (call->word || !name)
		return call;
	*call = (struct call_words){
		.word = whole_word_of(identities->whole, "call=", name),
		.name = whole_word_of(identities->whole, "", name),
		.more = whole_word_of(identities->whole, name, " more"),
		.zero = whole_word_of(identities->whole, name, " 0"),
		.futex = !strncmp(name, "futex", 5),
		.closes = !strcmp(name, "close"),
		.replaces = !strcmp(name, "dup2") || !strcmp(name, "dup3"),
		.descriptor = file_call_named(name) || !strncmp(name, "epoll_", 6),
		.sends = is_sending(name),
		.returns = !strcmp(name, "rt_sigreturn"),
		.receives = file_call_named(name) && reason_at(identities->wake->reasons, reason)->receives,
	};
	return call;
}

uint32_t identities_result(struct identities *identities, int16_t reason, int64_t ret)
{
	enum { ERRORS = 4096 };
	const struct call_words *call = identities_call(identities, reason);
	char text[NUMBER_ROOM + 1] = " ";

	if (ret == 0)
		return call->zero;
	if (ret > 0 || ret <= -ERRORS) /* an address may have its top bit set */
		return call->more;
	number_spell_integer(text + 1, ret);
	return whole_word_of(identities->whole, reason_at(identities->wake->reasons, reason)->syscall, text);
}

struct stack_words identities_stack(struct identities *identities, uint32_t number)
{
	struct stack_words *stack;
	char *function, *functions;

	if (!number || number > STACKS_MAX)
		return (struct stack_words){0};
	while (identities->stacks.count <= number)
		*ARRAY_ADD(&identities->stacks) = (struct stack_words){0};
	stack = &identities->stacks.items[number];
	if (stack->known)
		return *stack;
	function = stack_function(identities->wake, number);
	functions = stack_functions(identities->wake, number);
	*stack = (struct stack_words){
		.function = function ? whole_word_of(identities->whole, "", function) : 0,
		.functions = functions ? whole_word(identities->whole, functions) : 0,
		.known = true,
	};
	free(function);
	free(functions);
	return *stack;
}

static struct descriptor *descriptor_of(struct identities *identities, int32_t process, int32_t fd, bool make)
{
	struct descriptor *descriptor, wanted = {.key = {process, fd}};

	HASH_FIND(hh, identities->descriptors, &wanted.key, sizeof(wanted.key), descriptor);
	if (!descriptor && make) {
		descriptor = NEW(struct descriptor);
		descriptor->key = wanted.key;
		HASH_ADD(hh, identities->descriptors, key, sizeof(descriptor->key), descriptor);
	}
	return descriptor;
}

void identities_closed(struct identities *identities, int32_t process, int32_t fd)
{
	struct descriptor *descriptor = descriptor_of(identities, process, fd, false);

	if (!descriptor)
		return;
	descriptor->closed++;
	descriptor->inode = 0;
}

void identities_file(struct identities *identities, int32_t process, int32_t fd, uint64_t inode)
{
	struct descriptor *descriptor = descriptor_of(identities, process, fd, true);

	descriptor->closed += descriptor->inode && descriptor->inode != inode;
	descriptor->inode = inode;
}

void identities_new_stack(struct identities *identities, int64_t number)
{
	if (number == INDEX_NONE)
		identities->stacks.count = 0;
	else if (number >= 0 && (uint64_t)number < identities->stacks.count)
		identities->stacks.items[number] = (struct stack_words){0};
}

/* A condition variable waits for two futexes in turn, which lie in the same eight bytes. Only condition variables wait by a bit set. */
static uint64_t futex_of(const struct made_call *made)
{
	bool condition = (made->second & FUTEX_OPERATION) == FUTEX_WAIT_BITSET;

	return condition ? made->first & ~(uint64_t)(CONDITION_BYTES - 1) : made->first;
}

static uint32_t spell_object(struct identities *identities, const struct object *object, const struct call_words *call,
			     const struct reason *reason)
{
	char text[TEXT_ROOM] = "";

	if (call && call->futex)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)object->object);
	else if (call && call->descriptor && object->generation)
		snprintf(text, sizeof(text), "%d#%u", (int)(int32_t)object->object, object->generation + 1);
	else if (call && call->descriptor)
		snprintf(text, sizeof(text), "%d", (int)(int32_t)object->object);
	else if (!call && (reason->lock || reason->purpose))
		snprintf(text, sizeof(text), "%s", reason->lock ? reason->lock : reason->purpose);
	return whole_word_of(identities->whole, "", text);
}

static uint32_t spell_identity(struct identities *identities, const struct object *object)
{
	const struct call_words *call = object->call == CALL_NONE ? NULL : identities_call(identities, object->call);
	const struct reason *reason = reason_at(identities->wake->reasons, object->reason);

	return whole_identity(identities->whole, (struct wait_identity){.syscall = call ? call->name : 0,
								  .object = spell_object(identities, object, call, reason),
								  .function = object->function});
}

/* The cache's entry for the object: the object itself if found, else the place to keep it. */
static struct object *cached(struct identities *identities, const struct object *object, bool *found)
{
	uint64_t hash = (object->object ^ (uint64_t)object->function << 40 ^ (uint64_t)object->generation << 24 ^
			 (uint64_t)(uint16_t)object->call << 8 ^ (uint16_t)object->reason) * UINT64_C(0x9e3779b97f4a7c15);
	struct object *known = &identities->objects[hash >> (64 - OBJECT_BITS)];

	*found = known->set && known->object == object->object && known->function == object->function &&
		 known->generation == object->generation && known->call == object->call && known->reason == object->reason;
	return known;
}

/* The number of an identity. Outside of calls the identity is that of `reason`: what the thread waited for in the kernel. */
static uint32_t number_of(struct identities *identities, const struct made_call *made, int16_t reason, uint32_t function)
{
	const struct call_words *call = made->reason == CALL_NONE ? NULL : identities_call(identities, made->reason);
	struct object object = {.function = function, .call = made->reason, .reason = CALL_NONE, .set = true}, *known;
	bool found;

	if (call) {
		object.object = call->futex ? futex_of(made) : call->descriptor ? (uint32_t)made->fd : 0;
		if (call->descriptor)
			object.generation = descriptor_of(identities, made->process, made->fd, true)->closed;
	} else {
		object.reason = reason;
	}
	known = cached(identities, &object, &found);
	if (!found) {
		object.identity = spell_identity(identities, &object);
		*known = object;
	}
	return known->identity;
}

/* A word for the kind of object that the reason names; 0: none. */
static uint32_t object_word(struct identities *identities, int16_t reason)
{
	const char *object = reason_at(identities->wake->reasons, reason)->object;
	uint32_t *word;

	if (!object)
		return 0;
	while (identities->objects_of.count <= (size_t)reason)
		*ARRAY_ADD(&identities->objects_of) = 0;
	word = &identities->objects_of.items[reason];
	if (!*word)
		*word = whole_word_of(identities->whole, "", object);
	return *word;
}

uint32_t identities_wait(struct identities *identities, uint32_t number)
{
	struct wait_identity identity = whole_identity_at(identities->whole, number);
	char text[TEXT_ROOM];

	while (identities->waits.count <= number)
		*ARRAY_ADD(&identities->waits) = 0;
	if (!identities->waits.items[number]) {
		snprintf(text, sizeof(text), "%s,%s,%s", whole_text(identities->whole, identity.syscall), whole_text(identities->whole, identity.object),
			 whole_text(identities->whole, identity.function));
		identities->waits.items[number] = whole_word_of(identities->whole, "wait=", text);
	}
	return identities->waits.items[number];
}

uint32_t identities_of(struct identities *identities, const struct thread *thread, size_t wait, const struct made_call *made)
{
	int16_t reason = thread->pieces.items[wait].call;
	uint32_t function = identities_stack(identities, stack_number(identities->wake, thread, wait)).function;
	uint32_t number = number_of(identities, made, reason, function);
	bool is_of_file = made->reason != CALL_NONE && identities_call(identities, made->reason)->descriptor;

	whole_kind(identities->whole, number, is_of_file ? object_word(identities, reason) : 0);
	return number;
}

uint32_t identities_awake(struct identities *identities, const struct made_call *made)
{
	return number_of(identities, made, CALL_NONE, 0);
}
