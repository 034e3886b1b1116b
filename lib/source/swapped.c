#include "source/swapped.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/proc.h"
#include "source/selection.h"

enum {
	ID_OUT = SELECT_OWN_IDS,
	STATUS_ROOM = 8192, /* long lists of groups are before the line that is wanted */
	PROCESSES_MAX = 1 << 16,
	REST = 200,	    /* the pause after a look is this number of times as long as the look */
	LEAST = 256 << 10,  /* bytes of a process; fewer do not slow anybody down */
};

static const int64_t between_looks = NSEC_PER_SEC / 5;

struct swap_owner {
	int32_t pid;
	uint64_t bytes; /* in swap space, at the last look */
	uint64_t look;	/* number of the last look at which the process existed */
	UT_hash_handle hh;
};

/* An event in the format below. */
struct out_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	int32_t pid, unused;
	uint64_t since, bytes, all;
};

static const char format[] =
	"swap\0name: out\nID: 65519\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 since;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 bytes;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 all;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"pid=%d since=%llu bytes=%llu all=%llu\", REC->pid, REC->since, REC->bytes, REC->all\n";

static void forget(struct swapped *swapped, struct swap_owner *owner)
{
	HASH_DEL(swapped->owners, owner);
	free(owner);
}

void swapped_free(struct swapped *swapped)
{
	struct swap_owner *owner, *next;

	HASH_ITER(hh, swapped->owners, owner, next) {
		forget(swapped, owner);
	}
}

/* False: the machine has no swap space. */
static bool swap_used(uint64_t *bytes)
{
	struct sysinfo info = {0};

	*bytes = sysinfo(&info) == 0 ? (uint64_t)(info.totalswap - info.freeswap) * info.mem_unit : 0;
	return info.totalswap > 0;
}

/* Bytes of the process in swap space, by the line "VmSwap:      1234 kB" of its status; 0: none, or not known. */
static uint64_t swap_of(int32_t pid)
{
	char status[STATUS_ROOM];
	const char *line = proc_read(pid, "status", status, sizeof(status)) > 0 ? strstr(status, "\nVmSwap:") : NULL;

	return line ? strtoull(line + strlen("\nVmSwap:"), NULL, 10) << 10 : 0;
}

/* Returns by how much the process has grown in swap space since the last look; 0 at the first look. */
static uint64_t growth_of(struct swapped *swapped, int32_t pid)
{
	uint64_t bytes = swap_of(pid), before;
	struct swap_owner *owner;

	HASH_FIND_INT(swapped->owners, &pid, owner);
	if (!bytes && !owner)
		return 0;
	if (!owner) {
		if (HASH_COUNT(swapped->owners) >= PROCESSES_MAX)
			return 0;
		owner = NEW(struct swap_owner);
		owner->pid = pid;
		HASH_ADD_INT(swapped->owners, pid, owner);
	}
	before = owner->bytes;
	owner->bytes = bytes;
	owner->look = swapped->looks;
	return swapped->looks > 1 && bytes > before ? bytes - before : 0;
}

/* Looks at all processes. Fills in the one that has grown most, by how many bytes, and by how many all have. */
static void look_at_all(struct swapped *swapped, struct out_event *event)
{
	struct swap_owner *owner, *next;
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	swapped->looks++;
	while (proc && (entry = readdir(proc))) {
		int32_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		uint64_t growth = pid ? growth_of(swapped, pid) : 0;

		event->all += growth;
		if (growth > event->bytes) {
			event->bytes = growth;
			event->pid = pid;
		}
	}
	if (proc)
		closedir(proc);
	HASH_ITER(hh, swapped->owners, owner, next) {
		if (owner->look != swapped->looks)
			forget(swapped, owner);
	}
}

/* The machine's own loss of free swap space counts, too: a process may be gone, or its long list of groups may hide the line. */
static int look_and_write(struct swapped *swapped, struct event_writer *writer, int64_t ts)
{
	struct out_event event = {.common_type = ID_OUT, .since = (uint64_t)swapped->since};
	struct record record = {.kind = KIND_EVENT, .packed = true, .text = (const char *)&event, .length = sizeof(event), .ts = ts};
	const struct record formats = {.kind = KIND_FORMAT, .packed = true, .text = format, .length = sizeof(format) - 1};
	uint64_t grown = swapped->used > swapped->used_then ? swapped->used - swapped->used_then : 0;

	look_at_all(swapped, &event);
	if (grown > event.all)
		event.all = grown;
	swapped->used_then = swapped->used;
	if (event.bytes < LEAST || event.bytes < event.all / 2)
		return 0;
	event.common_pid = event.pid;
	if (!swapped->told && event_writer_put(writer, 0, &formats) < 0)
		return -1;
	swapped->told = true;
	return event_writer_put(writer, event.pid, &record);
}

int swapped_look(struct swapped *swapped, struct event_writer *writer, const struct trace_clock *clock, int64_t ts)
{
	int64_t now = clock_now(clock), cost;
	uint64_t before = swapped->used;
	int status = 0;

	if (now < swapped->next)
		return 0;
	cost = now_by(CLOCK_THREAD_CPUTIME_ID);
	if (swap_used(&swapped->used) && (swapped->used > before || !swapped->looks)) { /* the first look shows what there was before */
		status = look_and_write(swapped, writer, ts);
		swapped->since = now;
	}
	cost = (now_by(CLOCK_THREAD_CPUTIME_ID) - cost) * REST;
	swapped->next = now + (cost > between_looks ? cost : between_looks);
	return status;
}
