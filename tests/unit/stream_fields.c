/* Records whose keys are guessed from those before are cut as without guesses; and number by number, as strtoull() has them. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "stream/fields.h"
#include "stream/keys.h"
#include "stream/guess.h"

enum { RECORDS = 20000, LINE = 512 };
enum { ID, START, NAME, ABSENT, COUNT };
static const char *const names[COUNT] = {[ID] = "id", [START] = "start", [NAME] = "name", [ABSENT] = "absent"};

static unsigned pick(unsigned below)
{
	static unsigned seed = 1;

	seed = seed * 1103515245 + 12345;
	return seed / 65536 % below;
}

/* Most records have these keys in this order; some lack a key, have one twice, another, or are malformed. */
static size_t make_line(char *line)
{
	static const char *const kinds[] = {"node", "edge", "event"};
	static const char *const keys[] = {"graph", "id", "name", "start", "a_key_of_sixteen", "a_key_of_fifteen", "x", "start", "starts"};
	static const char *const values[] = {"1", "12392.495324302", "\"a b\"", "\"with \\\" quote\"", "!", "\"\"", "a\303\251\"", "\"open", "\"x\"y", "=", ""};
	size_t length = (size_t)sprintf(line, "%s", kinds[pick(3)]);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (pick(8))
			length += (size_t)sprintf(line + length, "%s%s=%s", pick(9) ? " " : "\t ", keys[pick(20) ? i : pick(9)], values[pick(60) ? pick(6) : pick(11)]);
	if (!pick(50))
		length += (size_t)sprintf(line + length, " ");
	return length;
}

static void expect_same(const struct fields *plain, const struct fields *guessed)
{
	assert(plain->count == guessed->count && plain->kind == guessed->kind && plain->kind_length == guessed->kind_length);
	for (int i = 0; i < plain->count; i++) {
		const struct field *one = &plain->item[i], *other = &guessed->item[i];

		assert(one->key == other->key && one->key_length == other->key_length);
		assert(one->value == other->value && one->value_length == other->value_length && one->escaped == other->escaped);
	}
}

static void test_guesses(void)
{
	static struct fields plain, guessed;
	struct guess guesses[GUESSES] = {0};
	struct keys keys = {.names = names, .count = COUNT};
	const struct field *found[COUNT];
	char line[LINE];
	int bad = 0, places = 0;

	for (int n = 0; n < RECORDS; n++) {
		size_t length = make_line(line);
		char *copy = memcpy(malloc(length), line, length); /* for a sanitizer: nothing behind it is read */
		int status = fields_parse(&plain, copy, length);

		assert(fields_parse_next(&guessed, guesses, copy, length) == status);
		bad += status < 0;
		if (status == 0) {
			expect_same(&plain, &guessed);
			keys_find(&keys, &guessed, found);
			for (int i = 0; i < COUNT; i++) {
				const struct field *field = fields_find(&plain, names[i]);

				assert(field ? found[i] && found[i]->value == field->value : !found[i]);
			}
			for (int i = 0; i < guessed.count; i++)
				places += guessed.item[i].place != GUESS_NOWHERE;
		}
		free(copy);
	}
	assert(bad > RECORDS / 50 && bad < RECORDS / 2 && places > 3 * RECORDS);
}

static void test_digits(void)
{
	char text[32];

	for (int n = 0; n < RECORDS; n++) {
		size_t length = pick(20);
		uint64_t value = 0;
		int64_t ns;

		for (size_t i = 0; i < length; i++)
			text[i] = (char)('0' + pick(10));
		text[length] = '\0';
		assert(number_count(text, length, &value) == (length ? 0 : -1) && value == strtoull(text, NULL, 10));
		if (!length || length > 18)
			continue;
		memmove(text + 2, text, length + 1);
		memcpy(text, "7.", 2);
		assert(number_time(text, length + 2, &ns) == 0);
		snprintf(text + length + 2, sizeof(text) - length - 2, "000000000");
		text[2 + 9] = '\0';
		assert(ns == 7 * NSEC_PER_SEC + strtoll(text + 2, NULL, 10));
		text[2 + pick(9)] = "/:; "[pick(4)];
		assert(number_time(text, 11, &ns) < 0);
	}
}

int main(void)
{
	test_guesses();
	test_digits();
	return 0;
}
