/* Deeds that belong together: those who held CPUs, and the threads of a pool. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/deed_family.h"

static struct deed *hold(const char *who, int32_t cpu, const char *whom)
{
	return deed_copy(&(struct deed){.kind = DEED_HOLD_CPU, .cpu = cpu, .who = who, .whom = whom});
}

static struct deed *run(const char *who)
{
	return deed_copy(&(struct deed){.kind = DEED_RUN, .cpu = CPU_NONE, .who = who});
}

static void add(struct deed_family *family, struct deed *deed, double weight)
{
	deed_family_add(family, deed, weight);
	free(deed);
}

static void expect(struct deed_family *family, const char *expected)
{
	struct deed *sum = deed_family_common(family);

	assert(strcmp(sum->name, expected) == 0);
	free(sum);
	deed_family_free(family);
}

static void holders(void)
{
	struct deed_family one = {0}, cpus = {0}, waiters = {0}, sliver = {0}, many = {0};
	char whom[8];

	add(&one, hold("xz", 1, "redis"), 1);
	add(&one, hold("xz", 1, "redis"), 2);
	expect(&one, "xz: on CPU 1 while redis was runnable");
	add(&cpus, hold("xz", 1, "redis"), 1);
	add(&cpus, hold("xz", 0, "redis"), 1);
	expect(&cpus, "xz: on CPU while redis was runnable");
	add(&waiters, hold("xz", 1, "redis"), 1);
	add(&waiters, hold("xz", 1, "web"), 1);
	expect(&waiters, "xz: on CPU while others were runnable");
	add(&sliver, hold("xz", 1, "redis"), 95);
	add(&sliver, hold("xz", 0, "web"), 5);
	expect(&sliver, "xz: on CPU 1 while redis was runnable");
	for (int i = 0; i < 100; i++) {
		snprintf(whom, sizeof(whom), "w%d", i);
		add(&many, hold("xz", 1, whom), i == 0 ? 1 : 0.001);
	}
	expect(&many, "xz: on CPU 1 while w0 was runnable");
}

static void family(const char *who, const char *expected)
{
	struct deed *deed = run(who), *got = deed_pool(deed);

	assert(got ? expected && got->pool && !strcmp(got->who, expected) : !expected);
	free(got);
	free(deed);
}

static struct deed *joined(struct deed *pool, const char *name, const char *expected)
{
	struct deed *deed = run(name), *got = deed_pool_join(pool, deed);

	assert(!strcmp(got->who, expected));
	free(pool);
	free(deed);
	return got;
}

static void pools(void)
{
	struct deed *pool;

	family("worker-12", "worker-*");
	family("http-8080-exec-7", "http-*-exec-*");
	family("redis", NULL);
	family("", NULL);
	family("odd*", NULL); /* which is no number, but its name */
	family("job 1: running", "job *: running");
	pool = joined(joined(joined(run("w-1"), "w-1", "w-1"), "w-22", "w-*"), "w-3", "w-*");
	free(pool);
	pool = joined(joined(run("http-8080-exec-7"), "http-8080-exec-10", "http-8080-exec-*"), "http-8081-exec-3", "http-*-exec-*");
	free(pool);
}

static void covers(struct deed *ranked, struct deed *deed, bool expected)
{
	assert(deed_covers(ranked, deed) == expected);
	free(ranked);
	free(deed);
}

static struct deed *pool_of(const char *first, const char *second)
{
	struct deed *a = run(first), *b = run(second), *pool = deed_pool_join(a, b);

	free(a);
	free(b);
	return pool;
}

static void members(void)
{
	covers(pool_of("w-1", "w-2"), run("w-3"), true);
	covers(pool_of("w-1", "w-2"), run("w-"), false);
	covers(pool_of("w-1", "w-2"), run("w-3x"), false);
	covers(pool_of("w-1", "w-2"), hold("w-3", 1, "v"), false);
	covers(pool_of("http-8080-exec-1", "http-8080-exec-2"), run("http-8081-exec-3"), false);
	covers(run("w-3"), run("w-3"), true);
	covers(run("w-3"), run("w-4"), false);
	covers(run("odd*"), run("odd1"), false);
	covers(hold("xz", CPU_NONE, NULL), hold("xz", 1, "redis"), true);
	covers(hold("xz", CPU_NONE, NULL), hold("gzip", 1, "redis"), false);
}

int main(void)
{
	holders();
	pools();
	members();
	return 0;
}
