#!/bin/sh
# before_others.sh COMMAND...: runs it in a session that has the CPUs before all others, where the kernel shares them out by sessions (sched(7),
# autogroup; there nice(1) says only how a session shares out its part). What else a busy machine does would rightly be blamed for a CPU that it
# takes away, and a collector that gets none loses events.
# shellcheck disable=SC2016 # the arguments are the inner shell's
exec setsid -w sh -c '{ echo -20 >/proc/self/autogroup; } 2>/dev/null; exec "$@"' - "$@"
