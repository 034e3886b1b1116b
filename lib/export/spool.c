#include "export/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/open_files.h"

struct entry { /* before each payload */
	int64_t ts;
	uint64_t missed;
	uint32_t size;
};

struct file {
	struct spool_cpu sums;
	uint64_t missed; /* since the last event */
	FILE *stream;    /* NULL: no event yet */
};

struct spool {
	const char *folder;
	struct file *files;
	uint32_t cpus, largest;
	char *payload;
	uint32_t room;
};

struct spool *spool_new(const char *folder)
{
	struct spool *spool = NEW(struct spool);

	spool->folder = folder;
	open_files_raise(); /* one for each CPU */
	return spool;
}

void spool_free(struct spool *spool)
{
	for (uint32_t cpu = 0; cpu < spool->cpus; cpu++)
		if (spool->files[cpu].stream)
			fclose(spool->files[cpu].stream);
	free(spool->files);
	free(spool->payload);
	free(spool);
}

static struct file *file_of(struct spool *spool, uint32_t cpu)
{
	if (cpu >= spool->cpus) {
		spool->files = memory_grow(spool->files, cpu + 1, sizeof(*spool->files));
		memset(spool->files + spool->cpus, 0, (cpu + 1 - spool->cpus) * sizeof(*spool->files));
		spool->cpus = cpu + 1;
	}
	return &spool->files[cpu];
}

static int open_file(struct spool *spool, struct file *file)
{
	file->stream = file_temporary(spool->folder);
	return file->stream ? 0 : -1;
}

int spool_add(struct spool *spool, uint32_t cpu, int64_t ts, const char *payload, uint32_t size)
{
	struct file *file = file_of(spool, cpu);
	struct entry entry = {.ts = ts, .missed = file->missed, .size = size};

	if (!file->stream && open_file(spool, file) < 0)
		return -1;
	if (fwrite(&entry, sizeof(entry), 1, file->stream) != 1 || fwrite(payload, 1, size, file->stream) != size)
		return fail_errno("cannot write a temporary file in '%s'", spool->folder);
	file->missed = 0;
	file->sums.events++;
	if (size > spool->largest)
		spool->largest = size;
	return 0;
}

void spool_lost(struct spool *spool, uint32_t cpu, uint64_t count)
{
	struct file *file = file_of(spool, cpu);

	file->missed += count;
	file->sums.missed += count;
}

uint32_t spool_cpus(const struct spool *spool)
{
	return spool->cpus;
}

const struct spool_cpu *spool_cpu(const struct spool *spool, uint32_t cpu)
{
	return &spool->files[cpu].sums;
}

uint32_t spool_largest(const struct spool *spool)
{
	return spool->largest;
}

int spool_rewind(struct spool *spool, uint32_t cpu)
{
	FILE *stream = spool->files[cpu].stream;

	if (stream && (fflush(stream) || fseeko(stream, 0, SEEK_SET) < 0))
		return fail_errno("cannot write a temporary file in '%s'", spool->folder);
	return 0;
}

int spool_next(struct spool *spool, uint32_t cpu, struct spooled *event)
{
	FILE *stream = spool->files[cpu].stream;
	struct entry entry;

	if (!stream || (fread(&entry, sizeof(entry), 1, stream) != 1 && feof(stream)))
		return 0;
	if (entry.size > spool->room) {
		spool->room = spool->largest;
		spool->payload = memory_grow(spool->payload, spool->room, 1);
	}
	if (ferror(stream) || fread(spool->payload, 1, entry.size, stream) != entry.size)
		return fail_errno("cannot read a temporary file in '%s'", spool->folder);
	*event =
	    (struct spooled){.ts = entry.ts, .missed = entry.missed, .size = entry.size, .payload = spool->payload};
	return 1;
}
