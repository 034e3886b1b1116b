/*
 * program_ends: how calls of a program's functions end. It asks a process without rights (program/lookup.h) about the program, its
 * libraries, and the functions that throw stacks away. program/ends.h explains the answers.
 *
 * A C program may have loaded a library that throws through it, or may load one later (dlopen). /proc shows what a running program has
 * loaded; what it will load cannot be known. If no process runs the program yet, any library may still come, so its functions count as
 * functions that exceptions may leave. If one runs and has loaded nothing that throws, its functions get return probes: nearly every large
 * C server can load modules, hardly any module throws, and a probe at a `ret` costs ten times as much as a return probe.
 * program_ends_may_load() then returns true; whoever places the probes watches what the program maps, removes them when it maps something
 * new (program_ends_has_new), and puts them back if that does not throw (program_ends_has_loaded).
 *
 * Calls that began earlier do no harm: an exception kills a program if a return probe's address lies on the stack between the throw and the
 * catch. Nothing that was on the stack before the first such library was loaded can lie there, because C code catches nothing. So the
 * probes must be off before such a library throws. But the kernel reports a mapping while the program already runs on, and the removal
 * takes 90 to 400 ms on a busy machine. To throw, a library needs the unwinder of exceptions, or, where the process has that already
 * (backtrace() loads it), a C++ runtime (program_ends_needs); a process that opens that file is made to wait (source/gate.h).
 *
 * A gap remains: a program that has both already, as redis-server with jemalloc has; a library that has them linked in (-static-libgcc) or
 * in a folder of its own; a throw without a C++ runtime in a process that has the unwinder; and a kernel without such permission events. No
 * mechanism that is allowed everywhere closes it. A BPF program at the unwinder's entry could put the callers' addresses back
 * (task_struct.utask has them), but a locked-down kernel, as with secure boot, refuses bpf_probe_write_user(). Stopping the program by a
 * signal meanwhile would show to its parent, and would leave it stopped if the collector is killed just then.
 */
#ifndef PROGRAM_PROGRAM_ENDS_H
#define PROGRAM_PROGRAM_ENDS_H

#include "program/ends.h"
#include "program/lookup_program.h"

struct program_ends;

/* For the program or library at `path`. NULL after fail(). The lookup must outlive the result. */
struct program_ends *program_ends_new(struct lookup *lookup, const char *path);
void program_ends_free(struct program_ends *calls); /* NULL: nothing */

/* Tells whether an exception or longjmp() may end calls of its functions unseen; then only the stack pointer shows that they ended. */
bool program_ends_may_jump(const struct program_ends *calls);

/*
 * Finds the files that a library in one of its processes would have to open before it can throw: the unwinder of exceptions, or, where a
 * process has that, a C++ runtime. Finds none if a process has both. The caller frees the paths. Returns their number.
 */
enum { PROGRAM_ENDS_NEEDS = 8 };

size_t program_ends_needs(const struct program_ends *calls, char *found[PROGRAM_ENDS_NEEDS]);

/* Tells whether the program may yet load a library whose exceptions the return probes of its functions would not survive. */
bool program_ends_may_load(const struct program_ends *calls);

/*
 * Tells whether one of these threads (count 0: any) runs the program, and a process of the program has loaded a library that is new here.
 * Reads no library, so it is quick.
 */
bool program_ends_has_new(struct program_ends *calls, const int32_t *tids, size_t count);

/* Tells whether a library that the program's processes have loaded since then throws. The lookup may be another one. */
bool program_ends_has_loaded(struct program_ends *calls, struct lookup *lookup);

/* As ends_find(). */
int program_ends_find(const struct program_ends *calls, const char *function, uint64_t offset, struct ends *ends);

/* Finds the places where the program or one of its libraries throws a stack away. The caller frees the paths. Returns their number. */
struct program_ends_switch {
	char *path;
	struct ends_switch at;
};

enum { PROGRAM_ENDS_SWITCHES = 3 * ENDS_SWITCHES };

size_t program_ends_switches(const struct program_ends *calls, struct program_ends_switch found[PROGRAM_ENDS_SWITCHES]);

#endif
