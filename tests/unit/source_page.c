/* Pages of the kernel's ring buffer, made by hand: times, gaps, padding, and pages that end too early. */
#include <assert.h>
#include <string.h>

#include "source/page.h"

static char bytes[4096];
static size_t length;

static void begin(uint64_t ts)
{
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &ts, sizeof(ts));
	length = 0;
}

static void word(uint32_t value)
{
	memcpy(bytes + 16 + length, &value, sizeof(value));
	length += sizeof(value);
}

static void entry(uint32_t type, uint32_t delta)
{
	word(type | delta << 5);
}

static void absolute(uint64_t ts)
{
	entry(31, (uint32_t)(ts & ((1 << 27) - 1)));
	word((uint32_t)(ts >> 27));
	entry(1, 0);
	word(1);
}

static int64_t load(struct page *page, unsigned long flags)
{
	unsigned long commit = length | flags;

	memcpy(bytes + 8, &commit, sizeof(commit));
	return page_load(page, bytes, sizeof(bytes));
}

static void check_lengths(void)
{
	struct page page;

	begin(1000);
	entry(2, 0);
	word(11);
	word(12);
	entry(0, 5); /* a length of its own: 4 + 6 bytes, and padded to a word */
	word(10);
	word(21);
	word(22);
	entry(1, 7);
	word(31);
	assert(load(&page, 0) == 0);
	assert(page_next(&page) && page.ts == 1000 && page.size == 8 && *page.payload == 11);
	assert(page_next(&page) && page.ts == 1005 && page.size == 6 && *page.payload == 21);
	assert(page_next(&page) && page.ts == 1012 && page.size == 4 && *page.payload == 31);
	assert(!page_next(&page));
	assert(!page_next(&page));
}

static void check_times(void)
{
	const uint64_t base = UINT64_C(1795244360816968086); /* tai: more than 59 bits */
	struct page page;

	begin(base);
	entry(30, 1); /* 2^27 + 1 later */
	word(1);
	entry(1, 0);
	word(1);
	absolute(base + 900000000);
	assert(load(&page, 0) == 0);
	assert(page_next(&page) && page.ts == base + (1 << 27) + 1);
	assert(page_next(&page) && page.ts == base + 900000000);
	assert(!page_next(&page));
}

/* The 59 bits of an absolute time begin anew every 18 years; a time a little before the last one is just that. */
static void check_absolute(void)
{
	static const uint64_t wrap = UINT64_C(1) << 59, bases[] = {9000, 3 * (UINT64_C(1) << 59) + 9000};
	struct page page;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		begin(bases[i]);
		absolute(bases[i] - 500);
		absolute(bases[i] + 500);
		load(&page, 0);
		assert(page_next(&page) && page.ts == bases[i] - 500);
		assert(page_next(&page) && page.ts == bases[i] + 500);
		begin(bases[i] - 9000 + wrap - 100);
		absolute(bases[i] - 9000 + wrap + 100);
		load(&page, 0);
		assert(page_next(&page) && page.ts == bases[i] - 9000 + wrap + 100);
	}
}

static void check_padding(void)
{
	struct page page;

	begin(0);
	entry(29, 1); /* an event that was discarded: its length, then three words; 1 stands for no time since the one before */
	word(12);
	word(0);
	word(0);
	entry(1, 3);
	word(1);
	entry(29, 500); /* one that was discarded some time after the one before */
	word(4);
	entry(1, 20);
	word(2);
	entry(29, 0); /* nothing but padding from here */
	word(0);
	entry(1, 3);
	word(3);
	load(&page, 0);
	assert(page_next(&page) && page.ts == 3 && *page.payload == 1);
	assert(page_next(&page) && page.ts == 523 && *page.payload == 2);
	assert(!page_next(&page));
	assert(!page_next(&page));
}

static void check_missed(void)
{
	struct page page;
	long missed = 77;

	begin(0);
	entry(1, 3);
	word(1);
	assert(load(&page, 1UL << 31) == PAGE_MISSED_UNKNOWN);
	assert(page_next(&page) && !page_next(&page));
	memcpy(bytes + 16 + length, &missed, sizeof(missed));
	assert(load(&page, 3UL << 30) == 77);
	assert(page_next(&page) && !page_next(&page));
}

static void check_cut(void)
{
	struct page page;

	begin(0);
	entry(28, 0); /* more than the page has */
	word(1);
	load(&page, 0);
	assert(!page_next(&page));
	begin(0);
	entry(0, 0);
	word(UINT32_MAX);
	load(&page, 0);
	assert(!page_next(&page));
	begin(0);
	entry(29, 1);
	word(UINT32_MAX - 3);
	load(&page, 0);
	assert(!page_next(&page));
	begin(0);
	entry(1, 0);
	load(&page, 0);
	assert(!page_next(&page));
	assert(page_load(&page, bytes, 8) == 0 && !page_next(&page));
	length = 1 << 20; /* larger than the page */
	assert(load(&page, 0) == 0);
	while (page_next(&page))
		assert(page.payload + page.size <= bytes + sizeof(bytes));
}

/* What no kernel writes: more bytes than there are, an event that leaves the page. */
static void check_damage(void)
{
	struct page page;
	unsigned long commit = 5000;

	begin(1000);
	entry(1, 0);
	word(1);
	memcpy(bytes + 8, &commit, sizeof(commit));
	page_load(&page, bytes, sizeof(bytes));
	assert(page.damaged);

	begin(1000);
	entry(1, 0);
	word(1);
	entry(28, 0);
	word(2);
	load(&page, 0);
	assert(!page.damaged && page_next(&page) && !page_next(&page) && page.damaged && !page_next(&page));
}

/* A page of a 32-bit machine of the other byte order: there the type is in the topmost bits of an entry's head. */
static void check_foreign(void)
{
	const struct page_layout layout = {.swapped = true, .long_size = 4};
	uint32_t words[] = {0, 1000, 12, 1 << 27 | 7, 5, 0};
	struct page page;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = __builtin_bswap32(words[i]);
	assert(page_load_as(&page, (const char *)words, sizeof(words), layout) == 0);
	assert(page_next(&page) && page.ts == 1007 && page.size == 4 && page.payload[3] == 5 && page.swapped);
	assert(!page_next(&page) && !page.damaged);
}

int main(void)
{
	check_lengths();
	check_times();
	check_absolute();
	check_padding();
	check_missed();
	check_cut();
	check_damage();
	check_foreign();
	return 0;
}
