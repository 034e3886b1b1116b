#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static int fail_number(const char *text, size_t length, const char *what)
{
	fail("'%.*s' is not %s", (int)(length < 64 ? length : 64), text, what);
	return -1; /* so that the compiler, too, knows what is returned */
}

/* Reads eight digits in a few steps: joins each two, then each four, then all. False: they are not all digits. */
static inline bool read_eight(const char *text, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), digits = UINT64_C(0x3030303030303030);
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	if ((word & high) != digits || ((word + UINT64_C(0x0606060606060606)) & high) != digits)
		return false;
	word = ((word - digits) * (1 + (10 << 8))) >> 8;
	word = ((word & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (100 << 16))) >> 16;
	*value = ((word & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32))) >> 32;
	return true;
#else
	(void)text, (void)value;
	return false;
#endif
}

/* Reads digits; returns their count, or -1 if the value does not fit. */
static int read_digits(const char *text, size_t length, uint64_t *value)
{
	enum { SURE = 19 }; /* a number of 19 digits always fits */
	uint64_t sure = 0;
	size_t i = length >= 8 && read_eight(text, &sure) ? 8 : 0;

	for (; i < length && i < SURE && text[i] >= '0' && text[i] <= '9'; i++)
		sure = 10 * sure + (uint64_t)(text[i] - '0');
	*value = sure;
	for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, text[i] - '0', value))
			return -1;
	return (int)i;
}

int number_count(const char *text, size_t length, uint64_t *value)
{
	uint64_t result;

	if (length == 0 || read_digits(text, length, &result) != (int)length)
		return fail_number(text, length, "a whole number");
	*value = result;
	return 0;
}

static int read_hex(const char *text, size_t length, uint64_t *value)
{
	if (length == 0 || length > 16)
		return -1;
	*value = 0;
	for (size_t i = 0; i < length; i++) {
		const char *digits = "0123456789abcdef", *digit = memchr(digits, text[i] | 0x20, 16);

		if (!digit || text[i] < '0')
			return -1;
		*value = *value << 4 | (uint64_t)(digit - digits);
	}
	return 0;
}

int number_integer(const char *text, size_t length, int64_t *value)
{
	uint64_t magnitude;
	bool negative = length > 1 && text[0] == '-';

	if (length > 2 && text[0] == '0' && text[1] == 'x') {
		if (read_hex(text + 2, length - 2, &magnitude) < 0)
			return fail_number(text, length, "a number");
	} else if (length == (size_t)negative || read_digits(text + negative, length - negative, &magnitude) != (int)(length - negative)) {
		return fail_number(text, length, "a whole number");
	}
	if (negative && magnitude > (uint64_t)INT64_MAX + 1)
		return fail_number(text, length, "a number that fits in 64 bits");
	*value = (int64_t)(negative ? -magnitude : magnitude);
	return 0;
}

int number_double(const char *text, size_t length, double *value)
{
	char copy[64], *end;
	double result;

	if (length == 0 || length >= sizeof(copy))
		return fail_number(text, length, "a number");
	memcpy(copy, text, length);
	copy[length] = '\0';
	result = strtod(copy, &end);
	if (end != copy + length || strspn(copy, "0123456789+-.eE") < length || !isfinite(result)) /* not inf, 0x1p3 */
		return fail_number(text, length, "a number");
	*value = result;
	return 0;
}

/* Reads a number with decimals, times `unit`, rounded; exact as far as long double goes (64 bits on x86). */
static int read_scaled(const char *text, size_t length, long double unit, uint64_t *value)
{
	double number = 0;
	long double result;

	if (number_double(text, length, &number) < 0)
		return -1;
	result = roundl((long double)number * unit);
	if (result < 0 || result >= 9.2e18L)
		return -1;
	*value = (uint64_t)result;
	return 0;
}

int number_size(const char *text, size_t length, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	const char *unit = length ? memchr(units, text[length - 1] | 0x20, 4) : NULL;
	long double scale = unit ? powl(1024, unit - units + 1) : 1;

	if (read_scaled(text, length - (unit != NULL), scale, bytes) < 0)
		return fail_number(text, length, "a size, such as 65536, 64k, 4M or 1G");
	return 0;
}

int number_share(const char *text, size_t length, double *share)
{
	bool percent = length > 1 && text[length - 1] == '%';

	if (number_double(text, length - percent, share) < 0)
		return fail_number(text, length, "a share, such as 5% or 0.05");
	if (percent)
		*share /= 100;
	return *share > 0 && *share <= 1 ? 0 : fail_number(text, length, "a share above 0 and up to 100%");
}

int number_duration(const char *text, size_t length, int64_t *ns)
{
	static const struct {
		const char *name;
		long double ns;
	} units[] = {{"ns", 1}, {"us", 1e3L}, {"ms", 1e6L}, {"s", 1e9L}, {"m", 60e9L}, {"h", 3600e9L}, {"d", 86400e9L}};
	long double scale = 1e9L;
	uint64_t value;
	size_t digits = length;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t name = strlen(units[i].name);

		if (length > name && !memcmp(text + length - name, units[i].name, name) && text[length - name - 1] <= '9') {
			scale = units[i].ns;
			digits = length - name;
			break;
		}
	}
	if (read_scaled(text, digits, scale, &value) < 0)
		return fail_number(text, length, "a duration, such as 200ms, 1.5s or 1h");
	*ns = (int64_t)value;
	return 0;
}

enum { DECIMALS = 9 }; /* of a second in nanoseconds */

int number_time(const char *text, size_t length, int64_t *ns)
{
	bool negative = length > 1 && text[0] == '-';
	const char *at = text + negative, *end = text + length;
	uint64_t seconds, decimals = 0;
	int digits = read_digits(at, (size_t)(end - at), &seconds);
	int64_t value;

	if (digits <= 0)
		return fail_number(text, length, "a time in seconds");
	at += digits;
	if (at < end && *at == '.') {
		int count = end - ++at >= 8 && read_eight(at, &decimals) ? 8 : 0;

		for (at += count; at < end && *at >= '0' && *at <= '9'; at++, count++)
			decimals = count < DECIMALS ? 10 * decimals + (uint64_t)(*at - '0') : decimals;
		for (; count < DECIMALS; count++)
			decimals *= 10;
	}
	if (at != end)
		return fail_number(text, length, "a time in seconds");
	if (seconds > INT64_MAX || __builtin_mul_overflow((int64_t)seconds, NSEC_PER_SEC, &value) ||
	    __builtin_add_overflow(value, (int64_t)decimals, &value))
		return fail_number(text, length, "a time that fits");
	*ns = negative ? -value : value;
	return 0;
}

size_t number_spell_unsigned(char *text, uint64_t value)
{
	char digits[24];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < count; i++)
		text[i] = digits[count - 1 - i];
	text[count] = '\0';
	return count;
}

size_t number_spell_integer(char *text, int64_t value)
{
	if (value >= 0)
		return number_spell_unsigned(text, (uint64_t)value);
	*text = '-';
	return 1 + number_spell_unsigned(text + 1, -(uint64_t)value);
}

size_t number_spell_hex(char *text, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	text[0] = '0';
	text[1] = 'x';
	for (unsigned i = 0; i < digits; i++, value >>= 4)
		text[1 + digits - i] = "0123456789abcdef"[value & 15];
	text[2 + digits] = '\0';
	return 2 + digits;
}

size_t number_spell_time(char *text, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, rest = magnitude % NSEC_PER_SEC;
	size_t length = 0;

	if (ns < 0)
		text[length++] = '-';
	length += number_spell_unsigned(text + length, magnitude / NSEC_PER_SEC);
	text[length] = '.';
	for (int i = 9; i > 0; i--, rest /= 10)
		text[length + (size_t)i] = (char)('0' + rest % 10);
	text[length + 10] = '\0';
	return length + 10;
}

size_t number_spell_double(char *text, double value)
{
	for (int digits = 15;; digits++) {
		int length = snprintf(text, NUMBER_ROOM, "%.*g", digits, value);

		if (digits == 17 || strtod(text, NULL) == value)
			return (size_t)length;
	}
}

size_t number_human_duration(char *text, int64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	double value = fabs((double)ns);
	size_t i = 0;
	int decimals;

	while (i < 3 && value < units[i].ns * 0.9995)
		i++;
	value /= units[i].ns;
	decimals = i == 0 ? 3 : value < 10 ? 2 : value < 99.95 ? 1 : 0;
	if (i == 3)
		decimals = 0;
	return (size_t)snprintf(text, NUMBER_ROOM, "%s%.*f %s", ns < 0 ? "-" : "", decimals, value, units[i].name);
}

size_t number_human_count(char *text, uint64_t value)
{
	char digits[24];
	size_t count = number_spell_unsigned(digits, value), length = 0;

	for (size_t i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			text[length++] = ',';
		text[length++] = digits[i];
	}
	text[length] = '\0';
	return length;
}

size_t number_human_size(char *text, uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t i = 0;

	while (value >= 1023.95 && i < 4) {
		value /= 1024;
		i++;
	}
	return (size_t)snprintf(text, NUMBER_ROOM, "%.*f %s", i ? 1 : 0, value, units[i]);
}
