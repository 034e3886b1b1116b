/*
 * ftrace_prefix: removes prefixes of a line of ftrace text.
 *
 * A kernel that dumps its trace into its log, as ftrace_dump_on_oops asks for, puts the log's time before each line, and
 * syslog puts its own before that. trace-cmd report names the instance, or the file, if it prints several.
 */
#ifndef IMPORT_FTRACE_PREFIX_H
#define IMPORT_FTRACE_PREFIX_H

#include "import/span.h"

/*
 * The rest of a line after "Nov 21 10:00:00 host kernel: <4>[  281.043459][    T1] ", or after forms of this by dmesg and the journal, such
 * as "kern  :warn  : [Fri Nov 21 10:00:01 2026] ". Any part may be absent.
 */
struct span prefix_log(struct span line);

/*
 * Removes "NAME: " before a thread's name, which the kernel and trace-cmd pad with blanks to this width. Returns NAME; empty: there is
 * none.
 */
struct span prefix_buffer(struct span *thread, size_t width);

/* The same before a word in place of a thread: "NAME: cpus=2", "NAME: CPU:0 [LOST 12 EVENTS]". */
struct span prefix_word(struct span *line);

#endif
