#include "event/names.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/exited_tids.h"
#include "base/fail.h"
#include "base/memory.h"
#include "event/event.h"

/* A large machine has some 100,000 threads at a time; the kernel's largest tid is 2^22. */
enum { COMM_SIZE = 16, THREADS_MAX = BUFFER_SIZE(1 << 18, 1 << 6), TIDS = 1 << 22 };

struct thread_entry {
	int32_t tid, tgid;
	char comm[COMM_SIZE];
	bool gone, kernels, stage; /* kernels: it is the kernel's */
	bool named; /* again, since drop_oldest() last looked at it */
	int64_t called_since; /* the name with the script holds from then on */
	char *called; /* "python3 app.py", where it goes by the name of an interpreter; NULL: by its own */
	UT_hash_handle hh;
};

struct device_entry {
	uint64_t dev;
	struct device device;
	UT_hash_handle hh;
};

struct names {
	struct thread_entry *threads; /* the oldest first */
	struct device_entry *devices;
	struct exited_tids exited;
	bool brief;
	uint8_t *dropped; /* a bit for each tid that was forgotten for want of room; NULL: there are none */
	uint64_t missed;
};

struct names *names_new(void)
{
	return NEW(struct names);
}

static void remove_thread(struct names *names, struct thread_entry *thread)
{
	HASH_DEL(names->threads, thread);
	free(thread->called);
	free(thread);
}

void names_forget(struct names *names)
{
	struct thread_entry *thread, *next_thread;
	struct device_entry *device, *next_device;

	HASH_ITER(hh, names->threads, thread, next_thread)
		remove_thread(names, thread);
	HASH_ITER(hh, names->devices, device, next_device) {
		HASH_DEL(names->devices, device);
		free(device);
	}
	free(names->dropped);
	names->dropped = NULL;
}

void names_free(struct names *names)
{
	names_forget(names);
	free(names);
}

static struct thread_entry *find_thread(const struct names *names, int32_t tid)
{
	struct thread_entry *entry;

	HASH_FIND_INT(names->threads, &tid, entry);
	return entry;
}

static void set_dropped(struct names *names, int32_t tid, bool dropped)
{
	uint8_t *place, bit = (uint8_t)(1 << tid % 8);

	if (!names->dropped && dropped)
		names->dropped = memory_new(TIDS / 8, 1);
	if (!names->dropped)
		return;
	place = &names->dropped[tid % TIDS / 8];
	*place = dropped ? *place | bit : *place & (uint8_t)~bit;
}

/* Drops the thread that was named longest ago, roughly: one that was named again since the last look is passed over once. */
static void drop_oldest(struct names *names)
{
	struct thread_entry *oldest;

	for (oldest = names->threads; oldest->named; oldest = names->threads) {
		oldest->named = false;
		HASH_DEL(names->threads, oldest);
		HASH_ADD_INT(names->threads, tid, oldest);
	}
	set_dropped(names, oldest->tid, true);
	remove_thread(names, oldest);
}

bool names_miss(struct names *names, int32_t tid)
{
	if (tid < 0 || !names->dropped || !(names->dropped[tid % TIDS / 8] & 1 << tid % 8))
		return false;
	set_dropped(names, tid, false);
	names->missed++;
	return true;
}

uint64_t names_missed(const struct names *names)
{
	return names->missed;
}

static struct thread_entry *thread(struct names *names, int32_t tid)
{
	struct thread_entry *entry = find_thread(names, tid);

	if (!entry) {
		if (HASH_COUNT(names->threads) >= THREADS_MAX)
			drop_oldest(names);
		entry = NEW(struct thread_entry);
		entry->tid = tid;
		HASH_ADD_INT(names->threads, tid, entry);
		set_dropped(names, tid, false);
	}
	return entry;
}

void names_keep_living(struct names *names)
{
	names->brief = true;
}

static void forget_called(struct thread_entry *entry)
{
	free(entry->called);
	entry->called = NULL;
}

void names_thread(struct names *names, int32_t tid, const char *comm)
{
	struct thread_entry *entry;

	if (tid <= 0 || !*comm)
		return;
	entry = thread(names, tid);
	if (entry->called && strncmp(entry->comm, comm, COMM_SIZE - 1) != 0)
		forget_called(entry);
	strncpy(entry->comm, comm, COMM_SIZE - 1);
	entry->named = true;
}

static void thread_ends(struct names *names, int32_t tid)
{
	struct thread_entry *entry = find_thread(names, tid);

	if (entry)
		entry->stage = false; /* another may have its number next */
	if (!entry || !names->brief)
		return;
	entry->gone = true;
	entry = find_thread(names, exited_tids_add(&names->exited, tid));
	if (entry && entry->gone)
		remove_thread(names, entry);
}

/* Whether the thread goes by the name of the program, "/usr/bin/python3 /srv/app.py": it has no name of its own. */
static bool is_of_program(const char *comm, const struct fields *fields)
{
	const struct field *program = fields_find(fields, "program");
	size_t length = program ? program->value_length : 0, first = 0, begin;

	while (first < length && program->value[first] != ' ')
		first++;
	for (begin = first; begin > 0 && program->value[begin - 1] != '/'; begin--) {
	}
	return first - begin == strlen(comm) && memcmp(program->value + begin, comm, first - begin) == 0;
}

/*
 * One name for a process everywhere: where an interpreter runs a script, that stands behind its name. A script that the same thread ran
 * before, under the same name, is not what it runs now, and the other way round.
 */
static int read_script(struct thread_entry *entry, const struct fields *fields, bool began)
{
	char *script = fields_copy(fields, "script"), *called = NULL;
	int64_t ts = INT64_MIN;

	if (fields_time(fields, "ts", &ts) < 0) {
		free(script);
		return -1;
	}
	if (script && is_of_program(entry->comm, fields))
		called = memory_format("%s %s", entry->comm, script);
	free(script);
	if (called && entry->called && strcmp(called, entry->called) == 0) {
		free(called);
		return 0;
	}
	forget_called(entry);
	entry->called = called;
	entry->called_since = began ? ts : INT64_MIN;
	return 0;
}

int names_read_task(struct names *names, const struct fields *fields)
{
	int64_t tid = 0, tgid = 0;
	char comm[COMM_SIZE] = "";
	struct thread_entry *entry;

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "tgid", &tgid) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return fail("a task needs a tid");
	if (fields_is(fields, "ended", "yes")) {
		thread_ends(names, (int32_t)tid);
		return 0;
	}
	fields_text(fields, "comm", comm, sizeof(comm));
	names_thread(names, (int32_t)tid, comm);
	entry = find_thread(names, (int32_t)tid);
	if (entry)
		entry->gone = false;
	if ((tgid > 0 && tgid <= INT32_MAX) || fields_is(fields, "began", "yes")) {
		entry = thread(names, (int32_t)tid);
		entry->tgid = (int32_t)tgid;
		entry->kernels = fields_is(fields, "kernel", "yes");
		return read_script(entry, fields, fields_is(fields, "began", "yes"));
	}
	return 0;
}

int names_read_stage(struct names *names, const struct fields *fields)
{
	int64_t tid = 0;

	if (fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return fail("a stage needs a tid");
	thread(names, (int32_t)tid)->stage = true;
	return 0;
}

bool names_of_pipe(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	if (entry && !entry->stage && entry->tgid > 0)
		entry = find_thread(names, entry->tgid);
	return entry && entry->stage;
}

static int read_dev(const struct fields *fields, const char *key, uint64_t *dev)
{
	const struct field *field = fields_find(fields, key);

	return field ? device_parse(field->value, field->value_length, dev) : 0;
}

int names_read_device(struct names *names, const struct fields *fields)
{
	uint64_t dev = 0, disk = 0;
	struct device_entry *entry;

	if (!fields_find(fields, "dev"))
		return fail("a device needs a dev");
	if (read_dev(fields, "dev", &dev) < 0 || read_dev(fields, "disk", &disk) < 0)
		return -1;
	HASH_FIND(hh, names->devices, &dev, sizeof(dev), entry);
	if (!entry) {
		entry = NEW(struct device_entry);
		entry->dev = dev;
		HASH_ADD(hh, names->devices, dev, sizeof(dev), entry);
	}
	fields_text(fields, "name", entry->device.name, sizeof(entry->device.name));
	fields_text(fields, "scheduler", entry->device.scheduler, sizeof(entry->device.scheduler));
	entry->device.swap = fields_is(fields, "swap", "yes");
	entry->device.disk = fields_find(fields, "disk") ? disk : dev;
	return 0;
}

const char *names_comm(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry && *entry->comm ? entry->comm : NULL;
}

const char *names_called(const struct names *names, int32_t tid, int64_t at)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry && entry->called && entry->called_since <= at ? entry->called : NULL;
}

int32_t names_tgid(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry ? entry->tgid : 0;
}

bool names_is_kernels(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry && entry->kernels;
}

void names_each(const struct names *names, void (*call)(void *context, int32_t tid, const char *comm), void *context)
{
	for (const struct thread_entry *entry = names->threads; entry; entry = entry->hh.next)
		if (*entry->comm)
			call(context, entry->tid, entry->comm);
}

const struct device *names_device(const struct names *names, uint64_t dev)
{
	struct device_entry *entry;

	HASH_FIND(hh, names->devices, &dev, sizeof(dev), entry);
	return entry ? &entry->device : NULL;
}
