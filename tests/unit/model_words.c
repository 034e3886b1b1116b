/* Text made safe to display, shortened, counted. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock.h"
#include "model/display.h"
#include "model/value.h"

static void expect(char *words, const char *expected)
{
	assert(strcmp(words, expected) == 0);
	free(words);
}

static void clean_text_stays(void)
{
	expect(display_clean(""), "");
	expect(display_clean("kworker/u4:1-ev"), "kworker/u4:1-ev");
	expect(display_clean("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80"), "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void harm_is_spelled_out(void)
{
	expect(display_clean("a\tb\n\x1b[31m\x7f"), "a\\x09b\\x0a\\x1b[31m\\x7f");
	expect(display_clean("\xc2\x9b" "31m"), "\\xc2\\x9b31m");		  /* a control character beyond ASCII */
	expect(display_clean("\xff\xfe"), "\\xff\\xfe");
	expect(display_clean("\xc3"), "\\xc3");				  /* cut */
	expect(display_clean("\xe2\x82"), "\\xe2\\x82");
	expect(display_clean("\xc0\xaf"), "\\xc0\\xaf");			  /* longer than need be */
	expect(display_clean("\xed\xa0\x80"), "\\xed\\xa0\\x80");		  /* half of a pair */
	expect(display_clean("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  /* beyond the last */
	expect(display_clean("\xe2\x80\xae" "txt"), "\\xe2\\x80\\xaetxt");  /* turns the direction of writing */
	expect(display_clean("\xd8\x9c" "txt"), "\\xd8\\x9ctxt");		  /* marks one */
}

static void names_lose_their_middle(void)
{
	expect(display_shorten("short", 5), "short");
	expect(display_shorten("0123456789", 9), "012...789");
	expect(display_shorten("0123456789", 8), "012...89");
	expect(display_shorten("\xc3\xa4\xc3\xb6\xc3\xbc" "456789", 8), "\xc3\xa4\xc3\xb6\xc3\xbc...89");
	expect(display_shorten("0123456789", 2), "01");
	expect(display_shorten("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e" "45678", 9), "\xe6\x97\xa5...678"); /* wide ones */
	expect(display_shorten("a\xcc\x81" "bcd", 4), "a\xcc\x81" "bcd");					 /* a mark over an a */
	assert(display_columns("\xc3\xa4" "b\xf0\x9f\x98\x80") == 4);
}

static void numbers_agree_with_nouns(void)
{
	expect(value_count(0, "thread"), "0 threads");
	expect(value_count(1, "thread"), "1 thread");
	expect(value_count(9412, "request"), "9,412 requests");
	expect(value_seconds(0), "0");
	expect(value_seconds(2.293), "2.293 s");
	expect(value_seconds(-0.0412), "-41.2 ms");
	expect(value_seconds(1e300), "1e+300 s");
}

static void plain_numbers_tell_near_ones_apart(void)
{
	expect(value_words(UNIT_NONE, 17), "17");
	expect(value_words(UNIT_NONE, 101.41824), "101.418");
	expect(value_words(UNIT_NONE, 10000090), "10,000,090");
	expect(value_words(UNIT_NONE, -1e6), "-1,000,000");
	expect(value_words(UNIT_NONE, 1e300), "1e+300");
}

static void times_are_utc(void)
{
	char text[TIME_ROOM];

	time_date(1795189387250000000, text);
	assert(strcmp(text, "2026-11-20 15:43:07") == 0);
	time_iso(1795189387250000000, text);
	assert(strcmp(text, "2026-11-20T15:43:07.250000000Z") == 0);
	time_iso(-1, text);
	assert(strcmp(text, "1969-12-31T23:59:59.999999999Z") == 0);
}

static void whole_words_stay(void)
{
	expect(display_abridge("on CPU 0 while victim was runnable", 34), "on CPU 0 while victim was runnable");
	expect(display_abridge("python3: on CPU 0 while ksoftirqd/0 was runnable", 40), "python3: on CPU 0 ... was runnable");
	expect(display_abridge("softirq NET_RX: outside event for ksoftirqd/0", 40), "softirq NET_RX: ... for ksoftirqd/0");
	expect(display_abridge("averyveryverylongname", 10), "aver...ame");
	expect(display_abridge("a verylongnameindeedlonger", 12), "a ver...nger");
}

int main(void)
{
	whole_words_stay();
	clean_text_stays();
	harm_is_spelled_out();
	names_lose_their_middle();
	numbers_agree_with_nouns();
	plain_numbers_tell_near_ones_apart();
	times_are_utc();
	return 0;
}
