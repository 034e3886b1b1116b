#include "walk/normal_stream.h"

#include <stdlib.h>
#include <string.h>

#include "walk/intern.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

struct normal_stream {
	const struct whole *mine, *theirs;
	struct intern common;
	uint32_t *words[2]; /* by word of mine (0) and of theirs (1): its number in `common` */
};

/* Turns "wait=read,7,fetch" into "wait=read,,fetch", because objects differ between streams. */
char *normal_stream_text(const char *text)
{
	static const char wait[] = "wait=";
	const char *first = strncmp(text, wait, strlen(wait)) ? NULL : strchr(text, ','), *last = first ? strchr(first + 1, ',') : NULL;

	return last ? memory_format("%.*s%s", (int)(first - text + 1), text, last) : memory_text(text, strlen(text));
}

struct normal_stream *normal_stream_new(const struct whole *mine, const struct whole *theirs)
{
	struct normal_stream *normal = NEW(struct normal_stream);

	normal->mine = mine;
	normal->theirs = theirs;
	for (int i = 0; i < 2; i++) {
		const struct whole *whole = i ? theirs : mine;

		normal->words[i] = memory_new(whole->words.pieces.count, sizeof(*normal->words[i]));
		for (size_t word = 0; word < whole->words.pieces.count; word++) {
			char *text = normal_stream_text(whole_text(whole, (uint32_t)word));

			normal->words[i][word] = intern_number(&normal->common, text, strlen(text));
			free(text);
		}
	}
	return normal;
}

void normal_stream_free(struct normal_stream *normal)
{
	if (!normal)
		return;
	intern_free(&normal->common);
	free(normal->words[0]);
	free(normal->words[1]);
	free(normal);
}

const struct whole *normal_stream_whole(const struct normal_stream *normal)
{
	return normal->theirs;
}

uint32_t normal_stream_word(const struct normal_stream *normal, bool theirs, uint32_t word)
{
	return normal->words[theirs][word];
}

static bool same(const struct normal_stream *normal, uint32_t mine, uint32_t theirs)
{
	return normal->words[0][mine] == normal->words[1][theirs];
}

bool normal_stream_thread_is(const struct normal_stream *normal, uint32_t mine, uint32_t theirs)
{
	const struct whole_thread *one = &normal->mine->threads.items[mine], *other = &normal->theirs->threads.items[theirs];

	return same(normal, one->name, other->name) && same(normal, one->process, other->process);
}

bool normal_stream_identity_is(const struct normal_stream *normal, uint32_t mine, uint32_t theirs)
{
	struct wait_identity one = whole_identity_at(normal->mine, mine), other = whole_identity_at(normal->theirs, theirs);

	return same(normal, one.syscall, other.syscall) && same(normal, one.function, other.function);
}

uint32_t normal_stream_thread(const struct normal_stream *normal, uint32_t theirs, int64_t from, int64_t to)
{
	for (uint32_t thread = (uint32_t)normal->mine->threads.count; thread-- > 0;) {
		size_t count, first;
		const uint32_t *segments = whole_segments(normal->mine, thread, &count);

		if (!normal_stream_thread_is(normal, thread, theirs))
			continue;
		first = whole_first(normal->mine, thread, from);
		if (first < count && segment_at(normal->mine, segments[first])->start < to)
			return thread;
	}
	return NUMBER_NONE;
}
