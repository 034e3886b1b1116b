/*
 * walk: a bare walk over the pages of a trace.dat file, CPU after CPU: what any reader must do at least.
 *
 *	walk FILE	prints how many events there are
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/fail.h"
#include "import/tracedat.h"

int main(int argc, char **argv)
{
	struct tracedat file = {0};
	struct merge merge = {0};
	unsigned long long events = 0;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		errx(2, "usage: walk TRACE.DAT");
	if (tracedat_open(&file, argv[1], fd) < 0 || tracedat_rings(&file, &file.buffers.items[0], &merge) < 0)
		errx(1, "%s", fail_text());
	for (int i = 0; i < merge.count; i++)
		while (ring_next(&merge.rings[i]) > 0)
			events++;
	printf("%llu events\n", events);
	tracedat_rings_free(&merge);
	tracedat_close(&file);
	return 0;
}
