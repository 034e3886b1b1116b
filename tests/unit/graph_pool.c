/* Threads of a pool, by the names of what they did. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "graph/pool.h"

static void family(const char *name, const char *expected)
{
	char *got = pool_family(name);

	assert(got ? expected && !strcmp(got, expected) : !expected);
	free(got);
}

static void joined(const char *pool, const char *name, const char *expected)
{
	char *got = pool_join(pool, name);

	assert(!strcmp(got, expected));
	free(got);
}

int main(void)
{
	family("worker-12: running", "worker-*: running");
	family("GC Thread#3: on CPU 12 while java was runnable", "GC Thread#*: on CPU 12 while java was runnable");
	family("wal4: write of 8:0 in service", "wal*: write of 8:0 in service");
	family("http-8080-exec-7: spinning for a kernel lock", "http-*-exec-*: spinning for a kernel lock");
	family("redis: running", NULL);
	family("queue of 8:0: held back read by worker-1", NULL);
	family("timer: sleep of worker-1", NULL);
	family("softirq NET_RX", NULL);
	family("", NULL);

	joined("w-1: running", "w-1: running", "w-1: running");
	joined("w-1: running", "w-22: running", "w-*: running");
	joined("w-*: running", "w-3: running", "w-*: running");
	joined("http-8080-exec-7: running", "http-8080-exec-10: running", "http-8080-exec-*: running");
	joined("http-8080-exec-*: running", "http-8081-exec-10: running", "http-*-exec-*: running");

	assert(pool_has("w-*: running", "w-3: running"));
	assert(pool_has("w-3: running", "w-3: running"));
	assert(pool_has("odd*: running", "odd*: running"));
	assert(!pool_has("w-3: running", "w-4: running"));
	assert(!pool_has("w-*: running", "w-3: work on 8:0"));
	assert(!pool_has("http-8080-exec-*: running", "http-8081-exec-3: running"));
	return 0;
}
