#include "chart/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* Relative error of sums and logarithms. */
#define ROUNDING 1e-9

double rules_above(double value, double line)
{
	return fabs(value - line) > ROUNDING * fmax(fabs(value), fabs(line)) ? value - line : 0;
}

int rules_side(const struct chart_lines *lines, double value)
{
	double above = rules_above(value, lines->center);

	return (above > 0) - (above < 0);
}

static struct rules_point place(const struct chart_lines *lines, double value)
{
	struct rules_point point = {value, rules_side(lines, value), 0};

	for (int i = 0; i < 2; i++)
		if (rules_above(value, lines->upper[i]) > 0 || rules_above(value, lines->lower[i]) < 0)
			point.beyond = i + 1;
	return point;
}

static void remember(struct rules_past *past, struct rules_point point)
{
	memmove(past->point + 1, past->point, sizeof(past->point) - sizeof(*past->point));
	past->point[0] = point;
	past->count += past->count < RULES_REACH;
}

/* The number of the newest `among` points that are beyond `sigma` sigma on this side. */
static int count_beyond(const struct rules_past *past, int among, int sigma, int side)
{
	int count = 0;

	for (int i = 0; i < among && i < past->count; i++)
		count += past->point[i].side == side && past->point[i].beyond >= sigma;
	return count;
}

/* Rules without side give the same answer for each side. */
typedef bool rule(const struct rules_past *past, const struct chart_lines *lines, int side);

static bool is_outside(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	double value = past->point[0].value;

	return side > 0 ? rules_above(value, lines->ucl) > 0 : rules_above(value, lines->lcl) < 0;
}

static bool are_on_one_side(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	(void)lines;
	return count_beyond(past, 9, 0, side) == 9;
}

static bool is_a_trend(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	(void)lines;
	for (int i = 0; i < 5; i++)
		if (i + 1 >= past->count || !(side * rules_above(past->point[i].value, past->point[i + 1].value) > 0))
			return false;
	return true;
}

static bool are_alternating(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	double step, before = 0;

	(void)lines;
	(void)side;
	for (int i = 0; i < 13; i++, before = step) {
		if (i + 1 >= past->count)
			return false;
		step = rules_above(past->point[i].value, past->point[i + 1].value);
		if (step == 0 || (before > 0 && step > 0) || (before < 0 && step < 0))
			return false;
	}
	return true;
}

static bool are_two_of_three(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	(void)lines;
	return count_beyond(past, 1, 2, side) == 1 && count_beyond(past, 3, 2, side) >= 2;
}

static bool are_four_of_five(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	(void)lines;
	return count_beyond(past, 1, 1, side) == 1 && count_beyond(past, 5, 1, side) >= 4;
}

static bool are_all_within(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	(void)lines;
	(void)side;
	for (int i = 0; i < 15; i++)
		if (i >= past->count || past->point[i].beyond > 0)
			return false;
	return true;
}

static bool are_all_beyond(const struct rules_past *past, const struct chart_lines *lines, int side)
{
	(void)lines;
	(void)side;
	return count_beyond(past, 8, 1, 1) + count_beyond(past, 8, 1, -1) == 8;
}

static rule *const rules[RULES + 1] = {NULL,		 is_outside,	   are_on_one_side, is_a_trend,	   are_alternating,
				       are_two_of_three, are_four_of_five, are_all_within,  are_all_beyond};

unsigned rules_judge(struct rules_past *past, const struct chart_lines *lines, enum sides sides, unsigned wanted, double value)
{
	unsigned hold = 0;

	remember(past, place(lines, value));
	for (int i = 1; i <= RULES; i++)
		if ((wanted & RULE(i)) && (((sides & SIDES_UPPER) && rules[i](past, lines, 1)) ||
					   ((sides & SIDES_LOWER) && rules[i](past, lines, -1))))
			hold |= RULE(i);
	return hold;
}

void rules_spell(unsigned hold, char text[RULES_ROOM])
{
	int length = 0;

	text[0] = '\0';
	for (int i = 1; i <= RULES; i++)
		if (hold & RULE(i))
			length += snprintf(text + length, RULES_ROOM - (size_t)length, "%s%d", length ? "," : "", i);
	if (hold & RULE(RULE_SHIFT))
		length += snprintf(text + length, RULES_ROOM - (size_t)length, "%sshift", length ? "," : "");
	if (hold & RULE(RULE_FIXED))
		snprintf(text + length, RULES_ROOM - (size_t)length, "%sfixed", length ? "," : "");
}

unsigned rules_parse(const char *text)
{
	static const char shift[] = "shift";
	unsigned wanted = 0;

	for (const char *at = text;; at++) {
		if (!strncmp(at, shift, strlen(shift))) {
			wanted |= RULE(RULE_SHIFT);
			at += strlen(shift);
		} else if (*at >= '1' && *at <= '0' + RULES) {
			wanted |= RULE(*at++ - '0');
		} else {
			break;
		}
		if (!*at)
			return wanted;
		if (*at != ',')
			break;
	}
	fail("'%s' is not a list of rules, such as 1,2,5; there are 1 to %d and shift", text, RULES);
	return 0;
}
