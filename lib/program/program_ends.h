/*
 * program_ends: how calls of a program's functions end. It asks a process without rights (program/lookup.h) about the program, its libraries,
 * and those that throw stacks away. program/ends.h explains the answers.
 *
 * A program of C may have loaded a library that throws through it, or load one later (dlopen). What it has loaded is seen while it runs. What
 * it will load cannot be known. If it does not run yet, everything is still to come, so it is taken for one that exceptions may leave.
 * If it runs and has loaded nothing that throws, its functions have return probes: nearly every large server in C can load modules, hardly
 * any throw, and a probe at a `ret` costs ten times as much as one behind a return. program_ends_may_load() tells of that; whoever places the
 * probes then watches what the program maps, takes them off when it is something new (program_ends_has_new), and puts them back if that does not throw
 * (program_ends_has_loaded).
 *
 * Calls that began before do no harm: an exception ends a program if a return probe's address lies on the stack between the throw and the
 * catch. Nothing that was on the stack before the first such library was loaded can lie there, because code of C catches nothing. So the
 * probes must be off before such a library throws, and the kernel tells of a mapping only while the program runs on, 90 to 400 ms on a busy
 * machine. But to throw, a library needs the unwinder of exceptions, or where the process has that already (backtrace() loads it), a runtime
 * of C++ (program_ends_needs), and a process that opens that is made to wait (source/gate.h).
 *
 * A gap remains: a program that has both already, as redis-server with jemalloc has; a library that brings them within itself
 * (-static-libgcc) or has them in a folder of its own; a throw without a runtime of C++ in a process that has the unwinder; and a kernel without such
 * permissions. Nothing that is allowed everywhere closes it. A BPF program at the unwinder's entry could put the callers' addresses
 * back (task_struct.utask has them), but a kernel that is locked down, as with secure boot, refuses bpf_probe_write_user(). To stop the program
 * meanwhile by a signal would show to its parent, and leave it stopped if the collector is killed just then.
 */
#ifndef PROGRAM_PROGRAM_ENDS_H
#define PROGRAM_PROGRAM_ENDS_H

#include "program/ends.h"
#include "program/lookup_program.h"

struct program_ends;

/* Of a program or library. NULL after fail(). The lookup must live as long. */
struct program_ends *program_ends_new(struct lookup *lookup, const char *path);
void program_ends_free(struct program_ends *calls); /* NULL: nothing */

/* Tells whether calls of its functions may be left unseen, by an exception or by longjmp(): the stack pointer tells where. */
bool program_ends_may_jump(const struct program_ends *calls);

/*
 * The paths of the file that a library of its process would have to open before it throws: the unwinder of exceptions, or a runtime of C++. None,
 * if a process of it has both. The caller frees the paths. Returns their number.
 */
enum { PROGRAM_ENDS_NEEDS = 8 };

size_t program_ends_needs(const struct program_ends *calls, char *found[PROGRAM_ENDS_NEEDS]);

/* Tells whether it may yet load a library whose exceptions its functions' return probes would not survive. */
bool program_ends_may_load(const struct program_ends *calls);

/* Tells whether one of these threads (count 0: any) runs it, and a process of it has loaded a library that is new here. Reads no file: it is quick. */
bool program_ends_has_new(struct program_ends *calls, const int32_t *tids, size_t count);

/* Tells whether a library that its processes have loaded since throws. The lookup may be another one. */
bool program_ends_has_loaded(struct program_ends *calls, struct lookup *lookup);

/* As ends_find(). */
int program_ends_find(const struct program_ends *calls, const char *function, uint64_t offset, struct ends *ends);

/* Where stacks are thrown away, in the program and in the libraries that it has; the caller frees the paths. Returns how many. */
struct program_ends_switch {
	char *path;
	struct ends_switch at;
};

enum { PROGRAM_ENDS_SWITCHES = 3 * ENDS_SWITCHES };

size_t program_ends_switches(const struct program_ends *calls, struct program_ends_switch found[PROGRAM_ENDS_SWITCHES]);

#endif
