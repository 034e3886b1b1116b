/*
 * may: what a machine's own file allows to be recorded. Orders come from the network: a job's file that came with one says no more than that
 * file allows. run-edge(1) has its words.
 *
 *	may = may_load("/etc/tailblame/edge");
 *	text = may_filter(may, order->text, &left);
 *	may_free(may);
 */
#ifndef FLEET_MAY_H
#define FLEET_MAY_H

#include <stdbool.h>

struct may;

/* NULL after fail(): the file is malformed. A file that is not there allows nothing. */
struct may *may_load(const char *path);
void may_free(struct may *may);

/* Tells whether runs of this program may be recorded, and a filter of the kernel may have its name. */
bool may_record(const struct may *may, const char *program);

/*
 * The lines of a job's file that are allowed, which the caller frees, and in *left, in words, those that are not ("": all are; the caller
 * frees it). NULL after fail(): it names no program, or one that may not be recorded.
 */
char *may_filter(const struct may *may, const char *text, char **left);

/* A job's file with these programs, which have blanks between them, in place of its own. The caller frees it. */
char *may_with_programs(const char *text, const char *programs);

#endif
