#include "program/spaces.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <uthash.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/proc.h"

struct known_code { /* by path and identity */
	char *key;
	struct code *code;
	UT_hash_handle hh;
};

struct space {
	int32_t process, parent; /* 0: not known */
	uint64_t known;		 /* value of `doubts` when its mappings were last known to be right */
	bool over; /* its first thread has exited, or it was already gone when its mappings were to be read */
	int64_t ended;
	ARRAY(struct mapping) mappings; /* sorted by address */
	UT_hash_handle hh;
};

/* The time spent so far on reading the mappings of a user's processes. */
struct reading {
	uint32_t user;
	int64_t spent; /* CPU time, ns */
};

struct spaces {
	struct lookup *lookup;
	int64_t begun; /* CLOCK_MONOTONIC */
	ARRAY(struct reading) readings;
	struct known_code *codes;
	struct space *by_process;
	size_t over;
	size_t room; /* how many files' code may be kept before a sweep */
	uint64_t doubts; /* how often mappings became doubtful, counted from 1 */
	bool lost;	 /* records were lost since `doubts` was last increased */
	int64_t doubted, now; /* times of the last doubt and of the last record */
};

enum { OVER_MAX = 256, CODES = 1024, PARENTS = 4 };

/*
 * A process may have 65,530 mappings, which take a tenth of a second to read, and a user may have thousands of processes. So reading for
 * one user other than root takes at most two seconds of CPU time plus a tenth of the elapsed time. Where the rest of that user's processes
 * have code is not known.
 */
static const int64_t first_share = 2 * NSEC_PER_SEC, later_share = 10;

struct spaces *spaces_new(struct lookup *lookup)
{
	struct spaces *spaces = NEW(struct spaces);

	spaces->lookup = lookup;
	spaces->begun = now_by(CLOCK_MONOTONIC);
	spaces->room = CODES;
	spaces->doubts = 1;
	spaces->doubted = INT64_MIN;
	return spaces;
}

static void forget(struct spaces *spaces, struct space *space)
{
	spaces->over -= space->over;
	HASH_DEL(spaces->by_process, space);
	free(space->mappings.items);
	free(space);
}

static void forget_code(struct spaces *spaces, struct known_code *known)
{
	HASH_DEL(spaces->codes, known);
	code_free(known->code);
	free(known->key);
	free(known);
}

void spaces_free(struct spaces *spaces)
{
	struct known_code *known, *next_known;
	struct space *space, *next;

	if (!spaces)
		return;
	HASH_ITER(hh, spaces->by_process, space, next)
		forget(spaces, space);
	HASH_ITER(hh, spaces->codes, known, next_known)
		forget_code(spaces, known);
	free(spaces->readings.items);
	free(spaces);
}

static struct space *find(const struct spaces *spaces, int32_t process)
{
	struct space *space;

	HASH_FIND_INT(spaces->by_process, &process, space);
	return space;
}

/* Makes an empty space for the process, whatever was there before. */
static struct space *fresh(struct spaces *spaces, int32_t process)
{
	struct space *space = find(spaces, process);
	int32_t parent = space ? space->parent : 0;

	if (space)
		forget(spaces, space);
	space = NEW(struct space);
	space->process = process;
	space->parent = parent;
	space->known = spaces->doubts;
	HASH_ADD_INT(spaces->by_process, process, space);
	return space;
}

/* The index + 1 of the mapping that begins at or last before the address. */
static size_t position(const struct space *space, uint64_t address)
{
	return COUNT_UNTIL(space->mappings.items, space->mappings.count, start, address);
}

/* Cuts [start, end) out of the known mappings. */
static void clear(struct space *space, uint64_t start, uint64_t end)
{
	size_t at = position(space, start);

	at -= at > 0;
	while (at < space->mappings.count && space->mappings.items[at].start < end) {
		struct mapping *old = &space->mappings.items[at], upper = *old;

		if (old->end <= start) {
			at++;
			continue;
		}
		upper.offset += end - upper.start;
		upper.start = end;
		if (old->start < start) {
			old->end = start;
			at++;
		} else {
			ARRAY_REMOVE(&space->mappings, at, 1);
		}
		if (upper.end > end)
			*ARRAY_INSERT(&space->mappings, at) = upper;
	}
}

static void map(struct space *space, const struct mapping *mapping)
{
	clear(space, mapping->start, mapping->end);
	*ARRAY_INSERT(&space->mappings, position(space, mapping->start)) = *mapping;
}

static char *code_key(const char *path, const struct code_identity *identity)
{
	char id[2 * SAMPLE_BUILD_ID + 1] = "";

	for (size_t i = 0; i < identity->build_id_size && i < SAMPLE_BUILD_ID; i++)
		sprintf(id + 2 * i, "%02x", identity->build_id[i]);
	return memory_format("%s %s %" PRIu64 " %jx", path, id, identity->inode, (uintmax_t)identity->device);
}

/* Writes the process, and behind it its parents; returns the number of parents. */
static int find_parents(const struct spaces *spaces, int32_t process, int32_t processes[1 + PARENTS])
{
	const struct space *space = find(spaces, process);
	int count = 0;

	for (processes[0] = process; space && space->parent && count < PARENTS; space = find(spaces, space->parent))
		processes[++count] = space->parent;
	return count;
}

/*
 * Adds code. A file that could not be opened before may be within reach of a process that maps it now. Places that were looked up in the
 * missing one keep their result.
 */
static struct code *add_code(struct spaces *spaces, struct known_code *missing, char *key, struct code *code)
{
	struct known_code *known;

	if (missing && code_is_missing(code)) {
		code_free(code);
		free(key);
		return missing->code;
	}
	if (missing) {
		HASH_DEL(spaces->codes, missing);
		missing->key = memory_grow(missing->key, strlen(missing->key) + 2, 1);
		strcat(missing->key, "?");
		HASH_ADD_KEYPTR(hh, spaces->codes, missing->key, strlen(missing->key), missing);
	}
	known = NEW(struct known_code);
	known->key = key;
	known->code = code;
	HASH_ADD_KEYPTR(hh, spaces->codes, known->key, strlen(known->key), known);
	return code;
}

static struct code *code_of(struct spaces *spaces, const char *path, int32_t process, const struct mapping *mapping,
			      const struct code_identity *identity)
{
	int32_t processes[1 + PARENTS];
	struct known_code *known;
	char *key;
	int parents;

	if (*path != '/' || strncmp(path, "//anon", 6) == 0)
		return NULL;
	key = code_key(path, identity);
	HASH_FIND_STR(spaces->codes, key, known);
	if (known && !code_is_missing(known->code)) {
		free(key);
		return known->code;
	}
	parents = find_parents(spaces, process, processes);
	return add_code(spaces, known, key, code_open(spaces->lookup, path, processes, parents, mapping->start, mapping->end, identity));
}

/* "55d0c8a00000-55d0c8a25000 r-xp 00002000 fe:01 1835 /usr/bin/cat" */
static void read_line(struct spaces *spaces, struct space *space, const char *line)
{
	const char *blank = strchr(line, ' ');
	struct code_identity identity = {0};
	struct mapping mapping = {0};
	unsigned major, minor;
	char access[5];
	int path = 0;

	if (!blank || strnlen(blank, 4) < 4 || blank[3] != 'x')
		return;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &mapping.start, &mapping.end, access,
		   &mapping.offset, &major, &minor, &identity.inode, &path) < 7 ||
	    access[2] != 'x')
		return;
	identity.device = makedev(major, minor);
	mapping.code = code_of(spaces, line + path, space->process, &mapping, &identity);
	map(space, &mapping);
}

static void read_maps(struct spaces *spaces, int32_t process)
{
	char path[32], *text;
	struct space *space;

	snprintf(path, sizeof(path), "/proc/%d/maps", process);
	text = file_read(path, NULL);
	if (!text)
		return;
	space = fresh(spaces, process);
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		read_line(spaces, space, line);
	}
	free(text);
}

static struct reading *reading_of(struct spaces *spaces, uint32_t user)
{
	for (size_t i = 0; i < spaces->readings.count; i++)
		if (spaces->readings.items[i].user == user)
			return &spaces->readings.items[i];
	*ARRAY_ADD(&spaces->readings) = (struct reading){user};
	return &spaces->readings.items[spaces->readings.count - 1];
}

/* Reads the process's mappings. False: reading for its user has cost too much already. */
static bool read_if_cheap(struct spaces *spaces, int32_t process)
{
	uint32_t user = proc_user(process);
	int64_t elapsed = now_by(CLOCK_MONOTONIC) - spaces->begun, begun = now_by(CLOCK_THREAD_CPUTIME_ID);
	struct reading *reading = reading_of(spaces, user);

	if (user != 0 && reading->spent > first_share + elapsed / later_share)
		return false;
	read_maps(spaces, process);
	reading->spent += now_by(CLOCK_THREAD_CPUTIME_ID) - begun;
	return true;
}

void spaces_read_all(struct spaces *spaces)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name))
			read_if_cheap(spaces, atoi(entry->d_name));
	if (proc)
		closedir(proc);
}

static void see_map(struct spaces *spaces, const struct sampled_record *record)
{
	struct mapping mapping = {record->start, record->start + record->length, record->offset, NULL};
	struct code_identity identity = {record->build_id, record->build_id_size, record->inode, record->device};
	struct space *space = find(spaces, record->process);

	if (!space) {
		space = fresh(spaces, record->process);
		space->known = 0; /* this is not its only mapping */
	}
	mapping.code = code_of(spaces, record->path, record->process, &mapping, &identity);
	map(space, &mapping);
}

static void see_fork(struct spaces *spaces, const struct sampled_record *record)
{
	struct space *space = fresh(spaces, record->process);
	const struct space *parent = find(spaces, record->parent);

	space->parent = record->parent;
	space->known = parent ? parent->known : 0;
	if (!parent || !parent->mappings.count)
		return;
	space->mappings.items = memory_new(parent->mappings.count, sizeof(struct mapping));
	memcpy(space->mappings.items, parent->mappings.items, parent->mappings.count * sizeof(struct mapping));
	space->mappings.count = space->mappings.room = parent->mappings.count;
}

/* Its other threads may live on, so the space is forgotten only after many others have ended too. */
static void see_exit(struct spaces *spaces, int32_t process, int64_t ts)
{
	struct space *space = find(spaces, process), *oldest = NULL, *each, *next;

	if (!space || space->over)
		return;
	space->over = true;
	space->ended = ts;
	if (++spaces->over <= OVER_MAX)
		return;
	HASH_ITER(hh, spaces->by_process, each, next) {
		if (each->over && (!oldest || each->ended < oldest->ended))
			oldest = each;
	}
	forget(spaces, oldest);
}

void spaces_see(struct spaces *spaces, const struct sampled_record *record)
{
	spaces->now = record->ts;
	switch (record->kind) {
	case SAMPLED_MAP:
		see_map(spaces, record);
		break;
	case SAMPLED_FORK:
		see_fork(spaces, record);
		break;
	case SAMPLED_EXEC:
		fresh(spaces, record->process);
		break;
	case SAMPLED_EXIT:
		see_exit(spaces, record->process, record->ts);
		break;
	case SAMPLED_LOST:
		spaces->lost = true;
		spaces_settle(spaces, record->ts);
		break;
	default:
		break;
	}
}

void spaces_settle(struct spaces *spaces, int64_t now)
{
	if (!spaces->lost || (spaces->doubted != INT64_MIN && now - spaces->doubted < NSEC_PER_SEC))
		return;
	spaces->doubts++;
	spaces->doubted = now;
	spaces->lost = false;
}

/* Reads the process's mappings again. If the process has ended, none are known any more. */
static struct space *find_again(struct spaces *spaces, struct space *space, int32_t process)
{
	if (space && space->over) {
		space->mappings.count = 0;
		space->known = spaces->doubts;
		return space;
	}
	if (!read_if_cheap(spaces, process))
		return fresh(spaces, process);
	space = find(spaces, process);
	if (space && space->known == spaces->doubts)
		return space;
	fresh(spaces, process);
	see_exit(spaces, process, spaces->now);
	return find(spaces, process);
}

const struct mapping *spaces_find(struct spaces *spaces, int32_t process, uint64_t address)
{
	struct space *space = find(spaces, process);
	size_t at;

	if ((!space || space->known != spaces->doubts) && process > 0)
		space = find_again(spaces, space, process);
	at = space ? position(space, address) : 0;

	return at > 0 && address < space->mappings.items[at - 1].end ? &space->mappings.items[at - 1] : NULL;
}

bool spaces_are_full(const struct spaces *spaces)
{
	return HASH_COUNT(spaces->codes) > spaces->room;
}

void spaces_mark(struct spaces *spaces)
{
	for (struct known_code *known = spaces->codes; known; known = known->hh.next)
		code_mark(known->code, false);
	for (struct space *space = spaces->by_process; space; space = space->hh.next)
		for (size_t i = 0; i < space->mappings.count; i++)
			if (space->mappings.items[i].code)
				code_mark(space->mappings.items[i].code, true);
}

void spaces_sweep(struct spaces *spaces)
{
	struct known_code *known, *next;

	HASH_ITER(hh, spaces->codes, known, next) {
		if (!code_is_mapped(known->code))
			forget_code(spaces, known);
	}
	spaces->room = 2 * HASH_COUNT(spaces->codes) > CODES ? 2 * HASH_COUNT(spaces->codes) : CODES;
}
