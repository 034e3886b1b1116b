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

/* From now on each function also gets a probe at its entry by which stacks are sampled (struct selected, sampled). */
void probes_sample(struct probes *probes);

enum { PROBES_LEFT_OUT = 1 };

/*
 * Makes the probes of a function and selects their events, which the stream calls `start` (NULL: only the end is probed) and `end`
 * ("func:prog__request"). The event of the end has the result if the arguments (program/argument.h) name it, that of the start has the others;
 * NULL: none. Does nothing if the probes are there already. They are removed with the instance (instance_remove). -1 after fail();
 * PROBES_LEFT_OUT after fail(): not all of its ends can be found, and a return probe might end the program.
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
 * Makes a probe at an offset in a file, of this event of the group, to be read by perf_event_open(2). It is not in the selection, because the
 * kernel does not let both tracefs and perf read one event. Several probes may have the same event. -1 after fail().
 */
int probes_bare(const char *path, uint64_t offset, const char *event);

/* A function that is probed in several programs, whose events are alike in all of them. */
struct probe_line {
	const char *function;
	const char *arguments; /* each with its type; NULL: none */
	const char *members;   /* lines for members_choose(); "": none */
	const char *start, *end; /* end NULL: the return is not probed */
	bool slow;	       /* probe it even if the kernel has to step over an instruction, at ten times the cost */
};

/*
 * Probes the line's function in the program at `path`. Sets *cost to the cost of a call in nanoseconds, as measured on one machine, and *why
 * to the reason why some arguments are unknown, which the caller frees; NULL: all are known. Arguments at written-down places are in the events
 * only while `check` holds. -1 after fail(); PROBES_LEFT_OUT after fail(): there is no such function, or its probes would be slow, or might end
 * the program.
 */
int probes_line(struct probes *probes, const char *path, const struct probe_line *line, struct member_check *check, unsigned *cost, char **why);

/* Call it after the last function. Probes the places where stacks are thrown away, if that may end calls of a function. -1 after fail(). */
int probes_finish(struct probes *probes);

/* Tells whether a program with return probes may load a library that throws; then probes_look() needs the threads that map code. */
bool probes_at_risk(const struct probes *probes);

/*
 * Adds the programs with return probes to the gate, which is not started yet: one that opens the unwinder of exceptions then waits until its
 * probes are off in the instance. Returns the number of these programs. The gate must live as long as probes_look() is called.
 */
size_t probes_gate(struct probes *probes, struct gate *gate, struct tracefs_instance *instance);

/*
 * These threads mapped code since the last call; count 0: any thread may have. Turns off the probes of each program that loaded something
 * new. If that does not throw, turns them on again, else says that they stay off. Returns for how many programs probes were off; -1 after fail().
 */
typedef void probes_say(const char *format, ...);
int probes_look(struct probes *probes, struct tracefs_instance *instance, const int32_t *tids, size_t count, probes_say *say);

/* Says for each program at the gate that its probes are off, because the gate was stopped. Returns for how many programs. */
int probes_ungate(struct probes *probes, probes_say *say);

/* Says, for each program, how many functions have probes at their returns, and which probes were not possible. */
void probes_tell(const struct probes *probes, probes_say *say);

#endif
