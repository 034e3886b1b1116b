/*
 * interpreters: the script, module, class or archive that an interpreter runs, by its command line.
 *
 * The options that may stand before it are data: charts/formats/interpreters.
 */
#ifndef SOURCE_INTERPRETERS_H
#define SOURCE_INTERPRETERS_H

/* Reads that file, once; any thread may ask. -1 after fail() for the thread that asked first: then no script is known. */
int interpreters_load(void);

/*
 * `words` are those of /proc/PID/cmdline behind the first one, each with NUL behind it. Returns what the interpreter `program` runs, which lies
 * within the words; NULL: not known.
 */
const char *interpreters_script(const char *program, const char *words, const char *end);

#endif
