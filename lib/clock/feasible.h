/*
 * feasible: from the times of messages between two hosts, the lines that turn one clock into the other.
 *
 * A message leaves before it arrives. One that leaves the host at x and reaches the reference at y says that the line is at most y at x;
 * one from the reference at y, which reaches the host at x, says that it is at least y. Lines that contradict no message lie above the upper
 * hull of the points of one direction and below the lower hull of the other's (Duda, Harrus, Haddad, Bernard: Estimating global time in
 * distributed systems, ICDCS 1987). Of these, the one between the flattest and the steepest is taken. The distance
 * to the outermost other lines is the possible error: its width, largest at one end of the time for which the line is to hold.
 *
 * Clocks are taken to run within 1,000 ppm of each other, and time stamps to be whole nanoseconds.
 */
#ifndef CLOCK_FEASIBLE_H
#define CLOCK_FEASIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message: where the line must not be. */
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
	size_t bounds; /* by how many messages */
};

int64_t line_at(const struct clock_line *line, int64_t x);

/*
 * The lines for the host's times `from` to `to`, by bounds in order of x: the first line holds as long as any line can, then the
 * next, and so on. If there are several, a clock was stepped, or ran differently. *lines is the caller's to free. Returns their number; 0: there are
 * no messages in one direction or in both.
 */
size_t feasible_lines(const struct bound *bounds, size_t count, int64_t from, int64_t to, struct clock_line **lines);

#endif
