/* The bytes of a trace.dat file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "import/tracedat.h"

enum { LOADED_MORE = 64 << 10 }; /* heads of sections are loaded once more with the beginning */

int tracedat_use_file(struct tracedat *file, int fd)
{
	struct stat about;

	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0 || fstat(file->fd, &about) < 0)
		return fail_errno("cannot read '%s'", file->name);
	file->size = (uint64_t)about.st_size;
	return 0;
}

int tracedat_read(struct tracedat *file, char *bytes, size_t size, uint64_t at, size_t *length)
{
	struct stat about;

	*length = 0;
	while (*length < size) {
		ssize_t got = pread(file->fd, bytes + *length, size - *length, (off_t)(at + *length));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_errno("cannot read '%s'", file->name);
		if (got == 0)
			break;
		*length += (size_t)got;
	}
	if (*length < size && fstat(file->fd, &about) == 0 && (uint64_t)about.st_size < file->size)
		file->size = (uint64_t)about.st_size; /* somebody has cut it meanwhile */
	return 0;
}

int tracedat_load(struct tracedat *file, uint64_t at, uint64_t size, struct cursor *cursor)
{
	struct tracedat_piece *piece = ARRAY_ADD(&file->pieces);
	uint64_t left = at < file->size ? file->size - at : 0;

	*piece = (struct tracedat_piece){.at = at};
	if (size > left)
		size = left;
	if (file->loaded + size > 2 * file->size + LOADED_MORE)
		return fail("%s: its parts lie one upon the other", file->name);
	file->loaded += size;
	piece->bytes = memory_new((size_t)size + 1, 1);
	if (tracedat_read(file, piece->bytes, (size_t)size, at, &piece->length) < 0)
		return -1;
	*cursor = (struct cursor){.at = piece->bytes, .end = piece->bytes + piece->length, .swapped = file->layout.swapped};
	return 0;
}

uint64_t tracedat_place(const struct tracedat *file, const char *at)
{
	for (size_t i = 0; i < file->pieces.count; i++) {
		const struct tracedat_piece *piece = &file->pieces.items[i];

		if (at >= piece->bytes && at <= piece->bytes + piece->length)
			return piece->at + (uint64_t)(at - piece->bytes);
	}
	return UINT64_MAX;
}

int tracedat_fail(const struct tracedat *file, const char *at, const char *sentence)
{
	uint64_t place = tracedat_place(file, at);

	if (place == UINT64_MAX)
		return fail("%s: in a compressed part: %s", file->name, sentence);
	return fail("%s: byte %llu: %s", file->name, (unsigned long long)place, sentence);
}

void tracedat_forget_pieces(struct tracedat *file)
{
	for (size_t i = 0; i < file->pieces.count; i++)
		free(file->pieces.items[i].bytes);
	free(file->pieces.items);
	file->pieces.items = NULL;
	file->pieces.count = file->pieces.room = 0;
}
