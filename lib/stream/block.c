#include "stream/block.h"

#include <string.h>

#include <xxhash.h>
#ifdef __x86_64__
#include <xxh_x86dispatch.h> /* three times as fast where the CPU has AVX2 */
#endif

enum { CHECKED = offsetof(struct block_head, head) }; /* bytes of a head under its own checksum */

static void swap(struct block_head *head)
{
	head->size = __builtin_bswap32(head->size);
	head->number = __builtin_bswap32(head->number);
	head->records = __builtin_bswap64(head->records);
	head->head = __builtin_bswap64(head->head);
}

void block_seal(char *at, size_t size, uint32_t number, bool swapped)
{
	struct block_head head = {
		.magic = BLOCK_MAGIC, .size = (uint32_t)size, .number = number, .records = XXH3_64bits(at + sizeof(head), size)};

	if (swapped)
		swap(&head);
	head.head = XXH3_64bits(&head, CHECKED);
	if (swapped)
		head.head = __builtin_bswap64(head.head);
	memcpy(at, &head, sizeof(head));
}

bool block_read_head(const char *at, bool swapped, struct block_head *head)
{
	memcpy(head, at, sizeof(*head));
	if (memcmp(head->magic, BLOCK_MAGIC, sizeof(head->magic)))
		return false;
	if (swapped)
		swap(head);
	return head->head == XXH3_64bits(at, CHECKED) && head->size > 0 && head->size <= RECORD_SIZE_MAX;
}

bool block_is_whole(const char *records, const struct block_head *head)
{
	return XXH3_64bits(records, head->size) == head->records;
}

static bool is_head(const char *at, size_t length, bool swapped)
{
	struct block_head head;

	if (length >= STREAM_MAGIC_SIZE && !memcmp(at, STREAM_MAGIC, STREAM_MAGIC_SIZE))
		return true;
	return length >= sizeof(head) && block_read_head(at, swapped, &head);
}

const char *block_search(const char *bytes, size_t length, bool swapped)
{
	static const char common[] = "\r\n"; /* at the same offset in both magic numbers */
	enum { BEFORE = STREAM_MAGIC_SIZE - 2 };
	const char *at = bytes + BEFORE, *end = bytes + length;

	while (at < end && (at = memmem(at, (size_t)(end - at), common, 2))) {
		if (is_head(at - BEFORE, (size_t)(end - at) + BEFORE, swapped))
			return at - BEFORE;
		at++;
	}
	return NULL;
}
