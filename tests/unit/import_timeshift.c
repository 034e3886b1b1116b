/* Times of guests, of processor ticks, with an offset; that they are libtracecmd's was seen on files of all kinds. */
#include <assert.h>
#include <string.h>

#include "import/timeshift.h"

static char bytes[1024];
static size_t length;

static void put(uint64_t number, size_t size)
{
	memcpy(bytes + length, &number, size);
	length += size;
}

/* The option TIME_SHIFT of one CPU with these samples. */
static int read_samples(struct timeshift *shift, uint64_t flags, uint64_t count, const int64_t (*samples)[2], size_t cut)
{
	length = 0;
	put(4711, 8);
	put(flags, 4);
	put(1, 4);
	put(count, 4);
	for (uint64_t i = 0; i < count; i++)
		put((uint64_t)samples[i][0], 8);
	for (uint64_t i = 0; i < count; i++)
		put((uint64_t)samples[i][1], 8);
	for (uint64_t i = 0; i < count; i++)
		put(1, 8);
	return timeshift_read_samples(shift, (struct cursor){.at = bytes, .end = bytes + length - cut});
}

static void check_samples(void)
{
	static const int64_t samples[][2] = {{300, 2500}, {100, 1000}, {200, 2000}};
	struct timeshift between = {0}, steps = {0}, one = {0}, damaged = {0};

	assert(read_samples(&between, 1, 3, samples, 0) == 0);
	assert(timeshift_apply(&between, 0, 150) == 150 + 1500);
	assert(timeshift_apply(&between, 0, 250) == 250 + 2250);
	assert(timeshift_apply(&between, 0, 400) == 400 + 3000); /* beyond the last two, by these */
	assert(timeshift_apply(&between, 1, 150) == 150);	 /* a CPU without samples */
	assert(read_samples(&steps, 0, 3, samples, 0) == 0);
	assert(timeshift_apply(&steps, 0, 150) == 150 + 1000);
	assert(timeshift_apply(&steps, 0, 250) == 250 + 2000);
	assert(read_samples(&one, 1, 1, samples, 0) == 0);
	assert(timeshift_apply(&one, 0, 5) == 5 + 2500);
	assert(read_samples(&damaged, 1, 3, samples, 1) < 0);
	timeshift_free(&between);
	timeshift_free(&steps);
	timeshift_free(&one);
	timeshift_free(&damaged);
}

static void check_ticks(void)
{
	const struct timeshift ticks = {.mult = 1 << 20, .shift = 22}; /* four ticks a nanosecond */
	const struct timeshift offset = {.offset = -10};

	assert(timeshift_apply(&ticks, 0, 4000) == 1000);
	assert(timeshift_apply(&ticks, 0, UINT64_C(1) << 40) == INT64_C(1) << 38);
	assert(timeshift_apply(&offset, 0, 15) == 5);
	assert(timeshift_is_needed(&ticks) && timeshift_is_needed(&offset));
}

int main(void)
{
	check_samples();
	check_ticks();
	return 0;
}
