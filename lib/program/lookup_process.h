/*
 * lookup_process: the process without rights that reads programs. Part of lookup, see lookup.h.
 */
#ifndef PROGRAM_LOOKUP_PROCESS_H
#define PROGRAM_LOOKUP_PROCESS_H

/* Runs as that process, after the fork, until its parent is gone. The number of its first answer says which rights it could not drop. */
_Noreturn void lookup_serve(int socket);

#endif
