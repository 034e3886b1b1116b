/*
 * feasible: from the times of messages between two hosts, the lines that turn one clock into the other.
 *
 * A message leaves before it arrives. If it leaves the host at x and reaches the reference at y, the line is at most y at x. If it leaves the
 * reference at y and reaches the host at x, the line is at least y at x. Lines that contradict no message lie below the lower hull of the points
 * of the first direction, and above the upper hull of those of the second (Duda, Harrus, Haddad, Bernard: Estimating global time in distributed
 * systems, ICDCS 1987). The line taken is midway between the flattest and the steepest of these. The possible error is the distance between
 * the outermost of these lines: the width, which is largest at one end of the time for which the line holds.
 *
 * This assumes that clocks run within 1,000 ppm of each other, and that time stamps are whole nanoseconds.
 */
#ifndef CLOCK_FEASIBLE_H
#define CLOCK_FEASIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, which bounds the line. */
struct bound {
	int64_t x, y; /* the host's time, the reference's; ns */
	bool upper;   /* the line is at most y at x; else at least */
};

/* reference = x + offset + slope * (x - origin) */
struct clock_line {
	int64_t from, to; /* the host's times for which it holds */
	int64_t origin, offset;
	double slope;
	double width; /* ns; INFINITY: not known */
	size_t bounds; /* the number of messages that it was found from */
};

int64_t line_at(const struct clock_line *line, int64_t x);

/* The nearest whole number that fits. */
int64_t line_rounded(long double value);

/*
 * Finds the lines for the host's times `from` to `to`. `bounds` are in order of x. Each line holds for as many bounds as one line can; if the
 * next line can take over earlier, it does so where the clocks' difference jumps most. Several lines mean that a clock was stepped, or ran
 * differently. The caller frees *lines. Returns their number; 0: there are no messages in one direction or in both, or the clocks are so far
 * apart that no line can have such an offset.
 */
size_t feasible_lines(const struct bound *bounds, size_t count, int64_t from, int64_t to, struct clock_line **lines);

#endif
