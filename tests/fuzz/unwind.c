/*
 * A thread's registers and stack as it left them, and the program that it runs: the input is 17 registers, 1024 bytes of stack, and the
 * file. The program lies at 0x400000, and the stack where its register says.
 */
#include <string.h>
#include <unistd.h>

#include "program/lookup.h"
#include "program/unwind.h"
#include "support/fuzz.h"

enum { PROCESS = 1 << 29, RETURN = STEP_RETURN };

static const uint64_t start = 0x400000;

static struct lookup *lookup;
static struct spaces *spaces;
static struct unwinder *unwinder;

static void end(void)
{
	unwinder_free(unwinder);
	spaces_free(spaces);
	lookup_free(lookup);
}

static void begin(void)
{
	if (lookup)
		return;
	lookup = lookup_new(NULL);
	spaces = spaces_new(lookup);
	unwinder = unwinder_new(spaces);
	atexit(end);
}

/* What was mapped before is forgotten, and its file. */
static void map(const char *path, size_t size)
{
	struct sampled_record exec = {.kind = SAMPLED_EXEC, .process = PROCESS};
	struct sampled_record map = {.kind = SAMPLED_MAP, .process = PROCESS, .start = start, .length = size, .path = path};

	spaces_see(spaces, &exec);
	spaces_mark(spaces);
	unwinder_sweep(unwinder);
	spaces_sweep(spaces);
	spaces_see(spaces, &map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sampled_record record = {.kind = SAMPLED_SLEEP, .process = PROCESS, .user = true};
	int32_t frames[UNWIND_USER];
	int count;

	if (size < sizeof(record.registers) + SAMPLE_STACK)
		return 0;
	begin();
	memcpy(record.registers, data, sizeof(record.registers));
	record.stack = data + sizeof(record.registers);
	record.stack_size = SAMPLE_STACK;
	data += sizeof(record.registers) + SAMPLE_STACK;
	size -= sizeof(record.registers) + SAMPLE_STACK;
	map(fuzz_file(FUZZ_INPUT, data, size), size);
	record.registers[RETURN] = start + record.registers[RETURN] % (size + 1);
	count = unwind_user(unwinder, &record, frames);
	fuzz_must(count > 0 && count <= UNWIND_USER);
	for (int i = 0; i < count; i++)
		for (const char *c = unwind_text(unwinder, frames[i]); *c; c++)
			fuzz_must((unsigned char)*c >= ' ' && *c != ';' && *c != 0x7f);
	return 0;
}
