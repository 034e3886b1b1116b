/*
 * What a probe's hit costs, for probes.sh:
 *
 *	probe FUNCTION		the offset of a function in this file
 *	probe FUNCTION CALLS	the CPU time of a call, in nanoseconds
 *
 * "plain" is push, pop, ret, a byte each; "marked" has endbr64 before these.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void plain(void), marked(void);
__asm__(".text\n.globl plain, marked\n.type plain, @function\n.type marked, @function\n.p2align 4\n"
	"plain:\tpush %rbp\n\tpop %rbp\n\tret\n.size plain, . - plain\n.p2align 4\n"
	"marked:\tendbr64\n\tpush %rbp\n\tpop %rbp\n\tret\n.size marked, . - marked\n");

static int print_offset(struct dl_phdr_info *info, size_t size, void *function)
{
	unsigned long address = (unsigned long)function - info->dlpi_addr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && address - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_filesz)
			printf("%lu\n", (unsigned long)(address - info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_offset));
	return 1; /* the first is the program */
}

static double cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	void (*function)(void) = argc > 1 && strcmp(argv[1], "marked") == 0 ? marked : plain;
	long calls = argc > 2 ? atol(argv[2]) : 0;
	double begin;

	if (!calls) {
		dl_iterate_phdr(print_offset, (void *)function);
		return 0;
	}
	function();
	begin = cpu_time();
	for (long i = 0; i < calls; i++)
		function();
	printf("%.1f\n", (cpu_time() - begin) / (double)calls);
	return 0;
}
