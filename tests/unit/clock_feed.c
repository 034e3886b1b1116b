/* A feed reads a descriptor a turn at a time, to the end, so that one host does not keep others waiting. */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#include "clock/feed.h"

enum { RECORDS = 10000, TURN = 4096 };

static int take(void *context, const struct held *held, const char *text)
{
	unsigned *taken = context;

	(void)held, (void)text;
	++*taken;
	return 0;
}

int main(void)
{
	FILE *file = tmpfile();
	unsigned taken = 0, before;
	struct feed *feed;
	int status;

	assert(file);
	for (int n = 1; n <= RECORDS; n++)
		fprintf(file, "event ts=%d.0 cpu=0 tid=1 comm=a name=b:c\n", n);
	assert(fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0);
	feed = feed_open("a=file", dup(fileno(file)), take, &taken);
	assert(feed);
	do {
		before = taken;
		status = feed_run(feed);
		assert(status >= 0 && taken - before <= TURN);
		assert(feed->more == (status > 0));
	} while (status > 0);
	assert(taken == RECORDS);
	assert(feed_close(feed) == 0);
	feed_free(feed);
	fclose(file);
	return 0;
}
