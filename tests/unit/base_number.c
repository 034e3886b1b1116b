/* Numbers, durations, sizes and times, from text and to text. */
#include <assert.h>
#include <string.h>

#include "base/number.h"

static int64_t duration(const char *text)
{
	int64_t ns = -1;

	return number_duration(text, strlen(text), &ns) < 0 ? -1 : ns;
}

static int64_t a_time(const char *text)
{
	int64_t ns = -1;

	return number_time(text, strlen(text), &ns) < 0 ? -1 : ns;
}

static uint64_t size(const char *text)
{
	uint64_t bytes = 1;

	return number_size(text, strlen(text), &bytes) < 0 ? 1 : bytes;
}

static double share(const char *text)
{
	double value = -1;

	return number_share(text, strlen(text), &value) < 0 ? -1 : value;
}

static const char *human(int64_t ns)
{
	static char text[NUMBER_ROOM];

	number_human_duration(text, ns);
	return text;
}

int main(void)
{
	char text[NUMBER_ROOM];
	int64_t integer;
	uint64_t count;
	double real;

	assert(duration("200ms") == 200000000 && duration("1.5s") == 1500000000 && duration("2") == 2 * NSEC_PER_SEC);
	assert(duration("1h") == 3600 * NSEC_PER_SEC && duration("10ns") == 10 && duration("0") == 0);
	assert(duration("-1s") == -1 && duration("s") == -1 && duration("") == -1 && duration("1x") == -1);
	assert(duration("1e30s") == -1);

	assert(a_time("12.345678901") == 12345678901 && a_time("0.5") == 500000000 && a_time("7") == 7 * NSEC_PER_SEC);
	assert(a_time("1.0000000019") == 1000000001 && a_time("-0.000000005") == -5);
	assert(a_time("99999999999999999999") == -1 && a_time("1.2.3") == -1 && a_time(".5") == -1);

	assert(size("64M") == 64 << 20 && size("4k") == 4096 && size("1G") == 1 << 30 && size("0") == 0);
	assert(size("1Z") == 1 && size("-4") == 1);

	assert(share("5%") == 0.05 && share("0.05") == 0.05 && share("100%") == 1 && share("1") == 1);
	assert(share("5") == -1 && share("0") == -1 && share("%") == -1 && share("-5%") == -1 && share("101%") == -1 && share("") == -1);

	assert(number_count("18446744073709551615", 20, &count) == 0 && count == UINT64_MAX);
	assert(number_count("18446744073709551616", 20, &count) < 0);
	assert(number_integer("-18", 3, &integer) == 0 && integer == -18);
	assert(number_integer("0x1f", 4, &integer) == 0 && integer == 31);
	assert(number_integer("0x", 2, &integer) < 0 && number_integer("-", 1, &integer) < 0);
	assert(number_integer("-9223372036854775808", 20, &integer) == 0 && integer == INT64_MIN);
	assert(number_integer("-9223372036854775809", 20, &integer) < 0);
	assert(number_double("1.5e3", 5, &real) == 0 && real == 1500);
	assert(number_double("nan", 3, &real) < 0 && number_double("0x1p3", 5, &real) < 0 && number_double("1e999", 5, &real) < 0);

	number_spell_time(text, -1500000001);
	assert(!strcmp(text, "-1.500000001"));
	number_spell_integer(text, INT64_MIN);
	assert(!strcmp(text, "-9223372036854775808"));
	number_spell_double(text, 0.1);
	assert(!strcmp(text, "0.1"));
	number_spell_double(text, 1.0 / 3);
	assert(number_double(text, strlen(text), &real) == 0 && real == 1.0 / 3);

	assert(!strcmp(human(2293000000), "2.293 s") && !strcmp(human(41200000), "41.2 ms"));
	assert(!strcmp(human(127000), "127 us") && !strcmp(human(58), "58 ns") && !strcmp(human(0), "0 ns"));
	assert(!strcmp(human(999999999), "1.000 s"));
	number_human_count(text, 1204331);
	assert(!strcmp(text, "1,204,331"));
	number_human_size(text, 32715571);
	assert(!strcmp(text, "31.2 MiB"));
	return 0;
}
