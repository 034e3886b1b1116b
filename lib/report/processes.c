#include "report/processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/process_table.h"

enum { NAMES_MAX = 64 };

/* A name in the story. */
struct name {
	const char *name;
	int32_t tid; /* 0: the name stands without a number */
	const char *act; /* what a line of blame says it did, such as "running"; NULL: nothing */
	const struct identity *identity;
	bool told;
};

struct names {
	struct name items[NAMES_MAX];
	size_t count;
};

static void add(struct names *names, const char *name, int32_t tid, const char *act, const struct identity *identity)
{
	if (!identity->pid || names->count == NAMES_MAX)
		return;
	for (size_t i = 0; i < names->count; i++)
		if (names->items[i].identity->pid == identity->pid && names->items[i].tid == tid && !strcmp(names->items[i].name, name))
			return;
	names->items[names->count++] = (struct name){name, tid, act, identity, false};
}

static bool is_there(const struct names *names, int32_t pid)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->items[i].identity->pid == pid)
			return true;
	return false;
}

static void collect(struct names *names, const struct story *story, size_t culprits)
{
	const struct signal *signal = story->signal;

	size_t links = story->chain ? story->links.count : 0;

	for (size_t i = 0; i < links; i++)
		add(names, story->links.items[i].name, story->links.items[i].alike ? story->links.items[i].tid : 0, NULL, &story->links.items[i].identity);
	for (size_t i = 0; i < culprits; i++) {
		const struct culprit *culprit = &story->culprits.items[i];

		if (!is_there(names, culprit->identity.pid) || !links)
			add(names, culprit->who, 0, culprit->act, &culprit->identity);
		if (!is_there(names, culprit->whom_identity.pid))
			add(names, culprit->whom, 0, NULL, &culprit->whom_identity);
	}
	if (signal && !is_there(names, signal->identity.pid))
		add(names, signal->comm, signal->tid, NULL, &signal->identity);
	if (signal && signal->client && !is_there(names, signal->client_identity.pid))
		add(names, signal->client, signal->client_tid, NULL, &signal->client_identity);
}

/* "reader, writer and sync are of process 310, /usr/bin/store": says all threads of the process of names[first]. */
static char *say_threads(struct names *names, size_t first, size_t count)
{
	char *words = NULL, *process = identity_words(names->items[first].identity, "");
	size_t size = 0, said = 0;
	FILE *out = open_memstream(&words, &size);

	for (size_t i = first; i < names->count; i++) {
		struct name *name = &names->items[i];

		if (name->identity->pid != names->items[first].identity->pid)
			continue;
		name->told = true;
		fprintf(out, "%s%s", said == 0 ? "" : said + 1 == count ? " and " : ", ", name->name);
		if (name->tid)
			fprintf(out, "/%" PRId32, name->tid);
		said++;
	}
	fprintf(out, " are of %s", process);
	fclose(out);
	free(process);
	return words;
}

/* If two lines of blame have the same name for different processes, adds what was done: "nginx (running)". The caller frees it. */
static char *name_of(const struct names *names, const struct name *name)
{
	bool alike = false;

	for (size_t i = 0; i < names->count; i++)
		alike |= &names->items[i] != name && !strcmp(names->items[i].name, name->name);
	if (!alike || !name->act)
		return memory_format("%s", name->name);
	return memory_format("%s (%s)", name->name, name->act);
}

static void tell(struct processes *processes, struct names *names, size_t which)
{
	struct name *name = &names->items[which];
	char *sentence, *called;
	size_t count = 0;

	if (name->told)
		return;
	for (size_t i = which; i < names->count; i++)
		count += names->items[i].identity->pid == name->identity->pid;
	name->told = true;
	called = name_of(names, name);
	sentence = count > 1 ? say_threads(names, which, count) : identity_sentence(name->identity, called, name->tid);
	if (sentence)
		*ARRAY_ADD(&processes->sentences) = sentence;
	free(called);
}

void processes_find(struct processes *processes, const struct story *story, size_t culprits)
{
	struct names names = {.count = 0};

	*processes = (struct processes){0};
	collect(&names, story, culprits);
	for (size_t i = 0; i < names.count; i++)
		tell(processes, &names, i);
}

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->sentences.count; i++)
		free(processes->sentences.items[i]);
	ARRAY_FREE(&processes->sentences);
}
