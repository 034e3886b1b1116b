/* What code lies where in a process, as far as records tell, and /proc where they cannot. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "program/lookup.h"
#include "program/spaces.h"

static struct lookup *lookup;

static const uint64_t here = (uint64_t)(uintptr_t)&getpid; /* in the C library, of which the process knows better */
static const uint64_t nowhere = 4096;

static const char *name_at(struct spaces *spaces, int32_t process, uint64_t address)
{
	const struct mapping *mapping = spaces_find(spaces, process, address);

	return mapping && mapping->code ? code_name(mapping->code) : "";
}

static bool is_program(const char *name)
{
	return strstr(name, "libc") || strcmp(name, "program_spaces") == 0;
}

static void see_map(struct spaces *spaces, int32_t process, uint64_t address, int64_t ts)
{
	struct sampled_record map = {.kind = SAMPLED_MAP, .ts = ts, .process = process, .start = address, .length = 1, .path = "/former"};

	spaces_see(spaces, &map);
}

static void lose(struct spaces *spaces, int64_t ts)
{
	struct sampled_record lost = {.kind = SAMPLED_LOST, .ts = ts};

	spaces_see(spaces, &lost);
}

/* What was known before records were lost may be of another program. */
static void test_lost(void)
{
	struct spaces *spaces = spaces_new(lookup);
	int32_t process = getpid();

	spaces_read_all(spaces);
	assert(is_program(name_at(spaces, process, here)));
	see_map(spaces, process, here, 1);
	assert(strcmp(name_at(spaces, process, here), "former") == 0);
	lose(spaces, 2);
	assert(is_program(name_at(spaces, process, here)));

	see_map(spaces, process, here, 3);
	lose(spaces, 4);
	spaces_settle(spaces, NSEC_PER_SEC);
	assert(strcmp(name_at(spaces, process, here), "former") == 0); /* not so soon again */
	spaces_settle(spaces, 2 + NSEC_PER_SEC);
	assert(is_program(name_at(spaces, process, here)));
	spaces_free(spaces);
}

/* The record of its making, or the parent's, was lost or came before anybody looked. */
static void test_unknown(void)
{
	struct spaces *spaces = spaces_new(lookup);
	struct sampled_record fork = {.kind = SAMPLED_FORK, .ts = 1, .process = getpid(), .parent = 1 << 30};

	assert(is_program(name_at(spaces, getpid(), here)));
	spaces_see(spaces, &fork);
	assert(is_program(name_at(spaces, getpid(), here)));
	spaces_free(spaces);
}

/* Of many that are over and were never known none is kept for ever. */
static void test_gone(void)
{
	struct spaces *spaces = spaces_new(lookup);

	for (int32_t process = 1 << 29; process < (1 << 29) + 1000; process++)
		assert(!spaces_find(spaces, process, nowhere));
	see_map(spaces, 1 << 29, nowhere, 1);
	lose(spaces, 2);
	assert(!spaces_find(spaces, 1 << 29, nowhere));
	spaces_free(spaces);
}

int main(void)
{
	lookup = lookup_new(NULL);
	test_lost();
	test_unknown();
	test_gone();
	lookup_free(lookup);
	return 0;
}
