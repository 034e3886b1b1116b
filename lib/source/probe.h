/*
 * probe: uprobes at the begin and the end of functions, in this process's group.
 *
 * A function mostly ends at a return probe. If an exception or another stack may leave it (program/ends.h), it has a probe at each instruction that
 * returns, and the field `sp` of its events, the stack pointer, pairs them. A call that was left otherwise ends at an event func:unwind, whose
 * fields `from` and `to` are the bounds of the stack that was thrown away.
 *
 *	probes_new(), probes_function() ..., probes_finish(), probes_tell()
 *	probes_look()		while tracing, if probes_at_risk()
 *	probes_free()		the probes themselves go with the instance (instance_remove)
 */
#ifndef SOURCE_PROBE_H
#define SOURCE_PROBE_H

#include "program/argument.h"
#include "source/member_check.h"
#include "source/selection.h"

struct probes;
struct lookup;
struct gate;

/*
 * The lookup reads programs, and must live as long. `alone`: each function has an event of its own in tracefs, so that it can be turned
 * off by itself; else all share a few, which are made and removed far more quickly.
 */
struct probes *probes_new(struct selection *selection, struct lookup *lookup, bool alone);
void probes_free(struct probes *probes);

/* From now on each function has, where its calls begin, a probe for samples of the stack as well (struct selected, sampled). */
void probes_sample(struct probes *probes);

enum { PROBES_LEFT_OUT = 1 };

/*
 * Makes the probes of a function and selects their events, which the stream calls `start` (NULL: only the end is probed) and `end`
 * ("func:prog__request"). The events have these arguments (program/argument.h), that of the end also the result; NULL: neither.
 * Does nothing if the probes are there already. They are removed with the instance (instance_remove). -1 after fail(); PROBES_LEFT_OUT after fail():
 * not all of its ends can be found, and a return probe might end the program.
 */
int probes_function(struct probes *probes, const char *binary, const char *function, const char *arguments, const char *start, const char *end);

/* Likewise a probe at a function's entry only, whose event has no end. -1 after fail(). */
int probes_entry(struct probes *probes, const char *binary, const char *function, const char *arguments, const char *event);

/* Likewise, with arguments at places that the caller gives. The function must not have a probe yet. */
int probes_told(struct probes *probes, const char *binary, const char *function, const struct arguments *arguments, const struct argument_found *found,
		const char *event);

/* Likewise a probe at an instruction, FUNCTION+OFFSET (program/symbol.h), whose event has no end. -1 after fail(). */
int probes_instruction(struct probes *probes, const char *binary, const char *place, const char *arguments, const char *event);

/*
 * A probe of this event of the group at an offset in a file, for perf_event_open(2): it is not in the selection: the kernel does not let one event be
 * read both by tracefs and by perf. Several may have one event. -1 after fail().
 */
int probes_bare(const char *path, uint64_t offset, const char *event);

/* A function that is probed in several programs, whose events are alike in all of them. */
struct probe_line {
	const char *function;
	const char *arguments; /* each with its type; NULL: none */
	const char *members;   /* lines for members_choose(); "": none */
	const char *start, *end; /* end NULL: the return is not probed */
	bool slow;	       /* also where the kernel has to step over an instruction, at ten times the cost */
};

/*
 * Likewise, of a program at a path. Sets *cost to the cost of a call in nanoseconds, as measured on one machine, and *why to the reason why
 * some arguments cannot be told, which the caller frees; NULL: all can. Its events have members whose places were written down as long as
 * `check` holds. PROBES_LEFT_OUT after fail(): it has no such function, or it would be slow, or might end the program.
 */
int probes_line(struct probes *probes, const char *path, const struct probe_line *line, struct member_check *check, unsigned *cost, char **why);

/* After the last function: probes where stacks are thrown away, if that may end calls of one of them. -1 after fail(). */
int probes_finish(struct probes *probes);

/* Tells whether a program with return probes may load a library that throws; then probes_look() needs the threads that map code. */
bool probes_at_risk(const struct probes *probes);

/*
 * With the gate, not started yet: a program with return probes that opens the unwinder of exceptions waits until they are off in the instance. Returns for
 * how many programs; the gate must live as long as probes_look() is called.
 */
size_t probes_gate(struct probes *probes, struct gate *gate, struct tracefs_instance *instance);

/*
 * These threads mapped code since the last call; count 0: any thread may have. Turns off the probes of each program that loaded something
 * new; on again if that does not throw, else it says so. Returns for how many programs probes were off; -1 after fail().
 */
typedef void probes_say(const char *format, ...);
int probes_look(struct probes *probes, struct tracefs_instance *instance, const int32_t *tids, size_t count, probes_say *say);

/* The gate no longer keeps programs, and their probes are off: says so. Returns for how many programs. */
int probes_ungate(struct probes *probes, probes_say *say);

/* Says, for each program, how many functions have probes at their returns, and which probes were not possible. */
void probes_tell(const struct probes *probes, probes_say *say);

#endif
