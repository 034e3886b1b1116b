/*
 * iterate: what libtracecmd's own iterator takes to walk a trace.dat file: all events, CPUs merged, none decoded.
 *
 *	iterate FILE	prints how many there are, and a sum over their times and CPUs
 *	iterate FILE -l	prints the time and the CPU of each
 *
 * trace-import is held against this.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <trace-cmd.h>

struct sum {
	uint64_t events, hash;
	bool list;
};

static int see(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *context)
{
	struct sum *sum = context;

	(void)handle;
	if (sum->list)
		printf("%llu.%09llu %d\n", record->ts / 1000000000, record->ts % 1000000000, cpu);
	sum->events++;
	sum->hash = sum->hash * 31 + record->ts * 7 + (uint64_t)cpu;
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *handle = argc == 2 || argc == 3 ? tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS) : NULL;
	struct sum sum = {.list = argc == 3};

	if (!handle) {
		fprintf(stderr, "usage: iterate TRACE.DAT [-l]\n");
		return 2;
	}
	if (tracecmd_iterate_events(handle, NULL, 0, see, &sum) != 0) {
		fprintf(stderr, "iterate: libtracecmd failed\n");
		return 1;
	}
	if (!sum.list)
		printf("%llu events, %016llx\n", (unsigned long long)sum.events, (unsigned long long)sum.hash);
	tracecmd_close(handle);
	return 0;
}
