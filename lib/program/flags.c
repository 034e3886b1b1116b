#include "program/flags.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/proc.h"
#include "program/symbol.h"
#include "program/global.h"

struct watch_point { /* a breakpoint of a thread on a CPU, and of the threads that inherit it */
	uint64_t id;
	int fd;
	int flag;
	bool writes; /* watches writes only */
	UT_hash_handle hh;
};

/* --- what is to be watched ---------------------------------------------------------------------------------------------- */

struct wanted {
	int32_t process;
	char *symbol;
	uint64_t offset, length; /* length 0: not given */
	bool reads;
};

/* Cuts `word` off the end of the text. False: the text does not end in it. */
static bool cut_word(char *text, const char *word)
{
	size_t length = strlen(text), part = strlen(word);

	if (length <= part || strcmp(text + length - part, word) != 0)
		return false;
	text[length - part] = '\0';
	return true;
}

/* Reads from the end, because a C++ name contains colons. */
static int read_wanted(char *text, struct wanted *wanted)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t process = 0;
	char *colon, *symbol = text + digits + 1;
	size_t name;

	if (!digits || text[digits] != ':' || number_count(text, digits, &process) < 0 || process == 0 || process > INT32_MAX)
		return fail("it begins with the number of a process: PID:SYMBOL");
	wanted->process = (int32_t)process;
	wanted->reads = cut_word(symbol, ":rw");
	if (!wanted->reads)
		cut_word(symbol, ":w");
	colon = strrchr(symbol, ':');
	if (colon && isdigit((unsigned char)colon[1]) && number_count(colon + 1, strlen(colon + 1), &wanted->length) == 0)
		*colon = '\0';
	if (colon && !*colon && (wanted->length == 0 || wanted->length > 8 || wanted->length & (wanted->length - 1)))
		return fail("the length is 1, 2, 4 or 8 bytes");
	name = symbol_place(symbol, &wanted->offset);
	wanted->symbol = memory_text(symbol, name ? name : strlen(symbol));
	return *wanted->symbol ? 0 : fail("it names a variable: PID:SYMBOL");
}

static char *name_of(const struct wanted *wanted)
{
	char comm[32];

	proc_comm(wanted->process, comm, sizeof(comm));
	return wanted->offset ? memory_format("%s:%s+%" PRIu64, comm, wanted->symbol, wanted->offset) : memory_format("%s:%s", comm, wanted->symbol);
}

/* Chooses the bytes of the variable to watch. */
static int choose(const struct wanted *wanted, const struct global *global, struct flag *flag)
{
	uint64_t size = global->size, length = wanted->length ? wanted->length : size - wanted->offset;

	if (!wanted->length && (size <= wanted->offset || length > 8 || length & (length - 1)))
		return fail("'%s' has %" PRIu64 " bytes; say which 1, 2, 4 or 8 of them, as %s+8:4", wanted->symbol, size, wanted->symbol);
	if (size && wanted->offset + length > size)
		return fail("'%s' has %" PRIu64 " bytes only", wanted->symbol, size);
	flag->address = global->address + wanted->offset;
	flag->length = (unsigned)length;
	return flag->address % length ? fail("a breakpoint of %" PRIu64 " bytes lies at a multiple of that, and '%s' does not", length, flag->name) : 0;
}

/* Finds the variable, or the memory at an address, which stands for a variable without a name, as in an allocated object. */
static int find_memory(const struct wanted *wanted, struct lookup *lookup, struct global *global)
{
	char *end;

	if (strncmp(wanted->symbol, "0x", strlen("0x")) != 0)
		return global_find(wanted->process, wanted->symbol, lookup, global);
	*global = (struct global){.address = strtoull(wanted->symbol, &end, 16)};
	if (*end || !wanted->length)
		return fail("memory at an address needs its length in bytes: PID:0xADDRESS:LENGTH");
	return global_has_memory(wanted->process, global->address + wanted->offset, wanted->length);
}

static int find(const struct flags *flags, const struct wanted *wanted, struct lookup *lookup, struct flag *flag)
{
	struct global global;

	if (find_memory(wanted, lookup, &global) < 0)
		return -1;
	flag->process = wanted->process;
	flag->reads = wanted->reads;
	flag->name = name_of(wanted);
	if (choose(wanted, &global, flag) < 0)
		return -1;
	for (size_t i = 0; i < flags->list.count; i++)
		if (strcmp(flags->list.items[i].name, flag->name) == 0)
			return fail("'%s' is watched already; the two could not be told apart", flag->name);
	return 0;
}

int flags_add(struct flags *flags, const char *text, struct lookup *lookup)
{
	char *copy = memory_text(text, strlen(text));
	struct wanted wanted = {0};
	struct flag flag = {0};
	int status = read_wanted(copy, &wanted) < 0 || find(flags, &wanted, lookup, &flag) < 0 ? -1 : 0;

	if (status == 0)
		*ARRAY_ADD(&flags->list) = flag;
	else
		free(flag.name);
	free(wanted.symbol);
	free(copy);
	return status;
}

/* --- breakpoints -------------------------------------------------------------------------------------------------------- */

/* The bits of rcx and rip in the kernel's numbering of registers (asm/perf_regs.h). */
enum { COUNTER_AND_PLACE = 1 << 2 | 1 << 8 };

static int open_point(const struct perf_event_attr *common, const struct flag *flag, bool writes, int32_t thread, int cpu)
{
	struct perf_event_attr attributes = *common;

	attributes.type = PERF_TYPE_BREAKPOINT;
	attributes.bp_type = writes ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
	attributes.bp_addr = flag->address;
	attributes.bp_len = flag->length;
	attributes.sample_period = 1;
	attributes.inherit = attributes.inherit_thread = 1; /* child processes have their own variables, */
	attributes.remove_on_exec = 1;			    /* and another program has other data there */
	return (int)syscall(SYS_perf_event_open, &attributes, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void close_points(struct flags *flags, int flag)
{
	struct watch_point *point, *next;

	HASH_ITER(hh, flags->points, point, next) {
		if (flag >= 0 && point->flag != flag)
			continue;
		HASH_DEL(flags->points, point);
		close(point->fd);
		free(point);
	}
}

void flags_free(struct flags *flags)
{
	close_points(flags, -1);
	for (size_t i = 0; i < flags->list.count; i++)
		free(flags->list.items[i].name);
	ARRAY_FREE(&flags->list);
}

/* How many more breakpoints a thread could have. */
static int count_free(const struct perf_event_attr *common, const struct flag *flag)
{
	enum { MOST = 32 };
	int fds[MOST], count = 0, free_ones;

	while (count < MOST && (fds[count] = open_point(common, flag, true, flag->process, -1)) >= 0)
		count++;
	free_ones = count;
	while (count > 0)
		close(fds[--count]);
	return free_ones;
}

static int fail_registers(struct flags *flags, const struct perf_event_attr *common, const struct flag *flag)
{
	char status[4096], *text, *tracer;
	int needed = 0, there, pid = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	close_points(flags, -1);
	there = count_free(common, flag);
	for (size_t i = 0; i < flags->list.count; i++) {
		const struct flag *other = &flags->list.items[i];

		if (other->process != flag->process)
			continue;
		fprintf(out, "%s'%s' %d", needed ? ", " : "", other->name, other->reads ? 2 : 1);
		needed += other->reads ? 2 : 1;
	}
	proc_read(flag->process, "status", status, sizeof(status));
	tracer = strstr(status, "\nTracerPid:");
	if (tracer && sscanf(tracer, "\nTracerPid: %d", &pid) == 1 && pid > 0)
		fprintf(out, "; process %d, which debugs it, may have some", pid);
	fclose(out);
	fail("the machine has %d debug registers left, and %d are needed: %s", there, needed, text);
	free(text);
	return -1;
}

static int add_point(struct flags *flags, int fd, int flag, bool writes, const struct flags_output *output)
{
	struct watch_point *point = NEW(struct watch_point);

	*point = (struct watch_point){.fd = fd, .flag = flag, .writes = writes};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &point->id) < 0 || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, output->fd) < 0) {
		close(fd);
		free(point);
		return fail_errno("cannot watch '%s' on CPU %u", flags->list.items[flag].name, output->cpu);
	}
	HASH_ADD(hh, flags->points, id, sizeof(point->id), point);
	return 0;
}

/* A thread that is found late may have inherited its breakpoints, and then there is no room for these. */
static int open_thread(struct flags *flags, int number, int32_t thread, bool late, const struct perf_event_attr *common, const struct flags_output *output)
{
	const struct flag *flag = &flags->list.items[number];

	for (int reads = 0; reads < (flag->reads ? 2 : 1); reads++) {
		int fd = open_point(common, flag, !reads, thread, (int)output->cpu);

		if (fd < 0 && (errno == ESRCH || (late && errno == ENOSPC)))
			return 0;
		if (fd < 0 && errno == ENOSPC)
			return fail_registers(flags, common, flag);
		if (fd < 0 && (errno == EINVAL || errno == E2BIG))
			return fail("cannot watch '%s': that needs Linux 5.13, and a processor that watches %u bytes", flag->name, flag->length);
		if (fd < 0)
			return fail_errno("cannot watch '%s'", flag->name);
		if (add_point(flags, fd, number, !reads, output) < 0)
			return -1;
	}
	return 0;
}

/* Adds the threads of the process that are not in the list yet. Returns their number; -1 after fail(). */
static int list_threads(int32_t process, int32_t **threads, size_t *count)
{
	char *path = memory_format("/proc/%d/task", process);
	DIR *folder = opendir(path);
	const struct dirent *entry;
	size_t before = *count;

	free(path);
	if (!folder)
		return fail("there is no process %d", process);
	while ((entry = readdir(folder))) {
		int32_t thread = atoi(entry->d_name);
		size_t i = 0;

		while (i < before && (*threads)[i] != thread)
			i++;
		if (thread <= 0 || i < before)
			continue;
		*threads = memory_grow(*threads, *count + 1, sizeof(**threads));
		(*threads)[(*count)++] = thread;
	}
	closedir(folder);
	return (int)(*count - before);
}

enum { ROUNDS = 8 /* of searching for threads that unwatched threads created meanwhile */ };

static int open_flag(struct flags *flags, int number, const struct perf_event_attr *common, const struct flags_output *outputs, int count)
{
	int32_t *threads = NULL;
	size_t found = 0, done = 0;
	int status = 0;

	for (int round = 0; round < ROUNDS && status == 0; round++) {
		int more = list_threads(flags->list.items[number].process, &threads, &found);

		if (more <= 0) {
			status = more;
			break;
		}
		for (; done < found && status == 0; done++)
			for (int i = 0; i < count && status == 0; i++)
				status = open_thread(flags, number, threads[done], round > 0, common, &outputs[i]);
	}
	free(threads);
	return status;
}

int flags_open(struct flags *flags, const struct perf_event_attr *common, const struct flags_output *outputs, int count)
{
	struct perf_event_attr attributes = *common;

	attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	attributes.read_format = 0;
	attributes.sample_stack_user = 0;
	attributes.exclude_callchain_user = 0;
	attributes.sample_max_stack = 0;
	attributes.sample_regs_intr = COUNTER_AND_PLACE;
	flags->user_registers = (unsigned)__builtin_popcountll(common->sample_regs_user);
	for (size_t i = 0; i < flags->list.count; i++)
		if (open_flag(flags, (int)i, &attributes, outputs, count) < 0)
			return -1;
	return 0;
}

int flags_switch(struct flags *flags, unsigned long request)
{
	for (struct watch_point *point = flags->points; point; point = point->hh.next)
		if (ioctl(point->fd, request, 0) < 0)
			return fail_errno("cannot watch '%s'", flags->list.items[point->flag].name);
	return 0;
}

/* --- hits --------------------------------------------------------------------------------------------------------------- */

struct hit { /* a record of a hit */
	const struct watch_point *point;
	int32_t process, thread;
	uint64_t stream; /* id of the breakpoint itself, or of one that inherited it */
	struct perf_cursor user;
	bool in_kernel;
	uint64_t counter, at; /* rcx, and the address of the instruction behind the one that hit */
};

enum { MOST_REGISTERS = 8, RECORD_MOST = 512 };

static const struct watch_point *point_of(const struct flags *flags, uint64_t id)
{
	struct watch_point *point;

	HASH_FIND(hh, flags->points, &id, sizeof(id), point);
	return point;
}

/* False: the record is not a hit of a flag. */
static bool read_hit(const struct flags *flags, const unsigned char *bytes, struct hit *hit)
{
	struct perf_event_header header;
	struct perf_cursor cursor;

	memcpy(&header, bytes, sizeof(header));
	cursor = (struct perf_cursor){.at = bytes + sizeof(header), .end = bytes + header.size, .ok = true};
	*hit = (struct hit){.in_kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL};
	hit->point = header.type == PERF_RECORD_SAMPLE ? point_of(flags, perf_take_number(&cursor)) : NULL;
	if (!hit->point)
		return false;
	hit->process = (int32_t)perf_take_short(&cursor);
	hit->thread = (int32_t)perf_take_short(&cursor);
	perf_take_number(&cursor); /* the time */
	hit->stream = perf_take_number(&cursor);
	perf_take_number(&cursor); /* the CPU */
	hit->user = cursor;
	if (perf_take_number(&cursor) != PERF_SAMPLE_REGS_ABI_NONE)
		perf_take(&cursor, flags->user_registers * sizeof(uint64_t));
	perf_take_number(&cursor); /* which kind of registers follow */
	hit->counter = perf_take_number(&cursor);
	hit->at = perf_take_number(&cursor);
	return cursor.ok;
}

static bool is_among(const uint64_t *streams, size_t count, uint64_t stream)
{
	for (size_t i = 0; i < count; i++)
		if (streams[i] == stream)
			return true;
	return false;
}

/*
 * One instruction hits each breakpoint on the flag once: that for writes and that for reads and writes, and each a second time if the
 * thread both inherited them and was given them. Their records follow each other; joins them.
 */
static void join(const struct flags *flags, struct perf_ring *ring, struct hit *hit, bool *writes)
{
	uint64_t streams[MOST_REGISTERS] = {hit->stream};
	struct perf_ring ahead;

	for (size_t count = 1; count < MOST_REGISTERS && perf_ring_ahead(ring, &ahead); count++) {
		struct perf_event_header header = perf_ring_header(&ahead);
		unsigned char bytes[RECORD_MOST];
		struct hit next;

		if (header.size > sizeof(bytes))
			return;
		perf_ring_copy(&ahead, bytes, header.size);
		if (!read_hit(flags, bytes, &next) || next.point->flag != hit->point->flag || next.thread != hit->thread || next.at != hit->at ||
		    next.counter != hit->counter || is_among(streams, count, next.stream))
			return;
		*writes |= next.point->writes;
		streams[count] = next.stream;
		*ring = ahead;
	}
}

/* Tells whether this hit continues a copy: the kernel copies byte by byte, and counts rcx down (rep movsb), so each byte of the flag hits. */
static bool goes_on(struct flag *flag, const struct hit *hit)
{
	bool same = hit->in_kernel && flag->copier == hit->thread && hit->counter + 1 == flag->copied;

	flag->copier = hit->in_kernel ? hit->thread : 0;
	flag->copied = hit->counter;
	return same;
}

/* Tells whether the flag, with this hit, was hit more than FLAG_HITS_MOST times within a second. */
static bool is_too_often(struct flag *flag, int64_t ts)
{
	if (flag->hits == 0 || ts - flag->since >= NSEC_PER_SEC) {
		flag->since = ts;
		flag->hits = 0;
	}
	return ++flag->hits > FLAG_HITS_MOST;
}

/* The number of the flag whose hits the kernel drops, because they are too many; -1: the record is of another kind. */
static int throttled(const struct flags *flags, const unsigned char *bytes)
{
	const struct watch_point *point;
	struct {
		struct perf_event_header header;
		uint64_t ts, id;
	} record;

	memcpy(&record.header, bytes, sizeof(record.header));
	if (record.header.type != PERF_RECORD_THROTTLE)
		return -1;
	memcpy(&record, bytes, sizeof(record));
	point = point_of(flags, record.id);
	return point ? point->flag : -1;
}

enum flags_taken flags_take(struct flags *flags, struct perf_ring *ring, const unsigned char *bytes, struct flags_hit *taken)
{
	int number = throttled(flags, bytes);
	int64_t ts = ring->ts;
	struct flag *flag;
	struct hit hit;

	if (number >= 0) {
		*taken = (struct flags_hit){.flag = number, .last = true};
	} else if (read_hit(flags, bytes, &hit)) {
		flag = &flags->list.items[hit.point->flag];
		*taken = (struct flags_hit){.flag = hit.point->flag, .process = hit.process, .thread = hit.thread, .writes = hit.point->writes, .user = hit.user};
		join(flags, ring, &hit, &taken->writes);
		taken->last = is_too_often(flag, ts);
		if (goes_on(flag, &hit) && !taken->last)
			return FLAGS_NOTHING_NEW;
	} else {
		return FLAGS_NOT_THEIRS;
	}
	if (taken->last) {
		flags->list.items[taken->flag].off = true;
		close_points(flags, taken->flag);
	}
	return FLAGS_HIT;
}
