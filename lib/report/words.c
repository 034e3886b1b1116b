#include "report/words.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "base/clean.h"
#include "base/number.h"

char *words_clean(const char *text)
{
	return clean_text(text, strlen(text));
}

static bool goes_on(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * How many columns this character of so many bytes takes: 2 in the scripts of East Asia, none for a mark over the one before. The C
 * library knows that, in its own locale for UTF-8; where it has none, it is one.
 */
static size_t columns_of(const char *text, size_t length)
{
	static locale_t utf8;
	mbstate_t state = {0};
	locale_t before;
	wchar_t code;
	int columns = -1;

	if (length == 1)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	before = uselocale(utf8);
	if (mbrtowc(&code, text, length, &state) == length)
		columns = wcwidth(code);
	uselocale(before);
	return columns < 0 ? 1 : (size_t)columns;
}

/* The length of the first character. */
static size_t character(const char *text, size_t *columns)
{
	size_t length = 1;

	while (goes_on(text[length]))
		length++;
	*columns = columns_of(text, length);
	return length;
}

size_t words_columns(const char *text)
{
	size_t all = 0, columns;

	for (; *text; all += columns)
		text += character(text, &columns);
	return all;
}

/* The bytes of the longest beginning with at most so many columns. */
static size_t head_of(const char *text, size_t room)
{
	size_t bytes = 0, length, columns;

	for (; text[bytes]; bytes += length) {
		length = character(text + bytes, &columns);
		if (columns > room)
			break;
		room -= columns;
	}
	return bytes;
}

/* The longest end with at most so many columns. */
static const char *tail_of(const char *text, size_t room)
{
	size_t all = words_columns(text), length, columns;

	for (; *text; text += length) {
		length = character(text, &columns);
		if (all <= room && columns > 0)
			break;
		all -= columns;
	}
	return text;
}

char *words_shorten(const char *text, size_t columns)
{
	size_t head;

	if (words_columns(text) <= columns || columns < 5)
		return memory_text(text, head_of(text, columns));
	head = (columns - 3 + 1) / 2;
	return memory_format("%.*s...%s", (int)head_of(text, head), text, tail_of(text, columns - 3 - head));
}

char *words_abridge(const char *text, size_t columns)
{
	size_t room = columns > 5 ? columns - 5 : 0, head = (room + 1) / 2;
	const char *end, *begin;

	if (words_columns(text) <= columns || room == 0)
		return words_shorten(text, columns);
	end = text + head_of(text, head);
	begin = tail_of(text, room - head);
	while (end > text && *end != ' ')
		end--;
	if (begin > text && begin[-1] != ' ')
		begin += strcspn(begin, " ");
	begin += *begin == ' ';
	if (end == text || !*begin)
		return words_shorten(text, columns);
	return memory_format("%.*s ... %s", (int)(end - text), text, begin);
}

char *words_count(uint64_t count, const char *noun)
{
	char number[NUMBER_ROOM];

	number_human_count(number, count);
	return memory_format("%s %s%s", number, noun, count == 1 ? "" : "s");
}

char *words_seconds(double seconds)
{
	char text[NUMBER_ROOM];
	double ns = seconds * NSEC_PER_SEC;

	if (!(fabs(ns) < 9e18))
		return memory_format("%g s", seconds);
	if (fabs(ns) < 0.5)
		return memory_format("0");
	number_human_duration(text, llround(fabs(ns)));
	return memory_format("%s%s", ns < 0 ? "-" : "", text);
}

static void utc(int64_t unix_time, struct tm *tm, int64_t *fraction)
{
	time_t seconds;

	*fraction = unix_time % NSEC_PER_SEC;
	seconds = unix_time / NSEC_PER_SEC;
	if (*fraction < 0) {
		*fraction += NSEC_PER_SEC;
		seconds--;
	}
	gmtime_r(&seconds, tm); /* years of 64-bit nanoseconds always fit */
}

void words_clock(const struct clock *clock, int64_t ts, char *text)
{
	struct tm tm;
	int64_t fraction;

	if (!clock->has_wall) {
		snprintf(text, WORDS_CLOCK_ROOM, "%.6f s", ts / 1e9);
		return;
	}
	utc(time_sum(clock->wall, ts), &tm, &fraction);
	snprintf(text, WORDS_CLOCK_ROOM, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		 (int)(fraction / 1000000));
}

void words_day(int64_t unix_time, char *text)
{
	struct tm tm;
	int64_t fraction;

	utc(unix_time, &tm, &fraction);
	strftime(text, WORDS_CLOCK_ROOM, "%Y-%m-%d", &tm);
}

void words_date(int64_t unix_time, char *text)
{
	struct tm tm;
	int64_t fraction;

	utc(unix_time, &tm, &fraction);
	strftime(text, WORDS_CLOCK_ROOM, "%Y-%m-%d %H:%M:%S", &tm);
}

void words_iso_time(int64_t unix_time, char *text)
{
	struct tm tm;
	int64_t fraction;
	size_t length;

	utc(unix_time, &tm, &fraction);
	length = strftime(text, WORDS_CLOCK_ROOM, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + length, WORDS_CLOCK_ROOM - length, ".%09" PRId64 "Z", fraction);
}

char *words_value(enum unit unit, double value)
{
	char number[NUMBER_ROOM];

	switch (unit) {
	case UNIT_SECONDS:
		return words_seconds(value);
	case UNIT_SHARE:
		return memory_format("%.*g %%", value < 0.0995 ? 2 : 3, 100 * value);
	case UNIT_RATE:
		if (!(value >= 100 && value < 1e15))
			return memory_format("%.3g a second", value);
		number_human_count(number, (uint64_t)llround(value));
		return memory_format("%s a second", number);
	default:
		if (!(fabs(value) >= 1e6 && fabs(value) < 1e15))
			return memory_format("%g", value);
		number_human_count(number, (uint64_t)llround(fabs(value)));
		return memory_format("%s%s", value < 0 ? "-" : "", number);
	}
}

char *words_limits(enum unit unit, double center, double limit)
{
	char *bound, *middle, *words;
	const char *name = unit == UNIT_SHARE || unit == UNIT_RATE ? "normally" : "median";

	if (isnan(limit))
		return NULL;
	if (limit == 0 && center == 0 && (unit == UNIT_SHARE || unit == UNIT_RATE))
		return memory_format("normally none");
	bound = words_value(unit, limit);
	middle = words_value(unit, center);
	words = isnan(center) ? memory_format("limit %s", bound) : memory_format("limit %s, %s %s", bound, name, middle);
	free(bound);
	free(middle);
	return words;
}
