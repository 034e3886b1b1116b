/* Sentences in the outbox: the newest of those about the same thing is the one that is sent. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/outbox.h"
#include "fleet/parcel.h"

/* The next message that waits is this sentence, and there are no more. Notes it as sent. */
static void sends(struct outbox *outbox, const char *sentence)
{
	const char *name = outbox_next(outbox);
	struct parcel parcel;
	char *bytes;
	size_t size;

	assert(name && outbox_read(outbox, name, &bytes, &size) == 0 && parcel_open(&parcel, bytes, size) == 0);
	assert(!strcmp(parcel.told, sentence));
	outbox_sent(outbox, name, true);
	assert(!outbox_next(outbox));
	parcel_free(&parcel);
	free(bytes);
}

int main(void)
{
	char path[] = "/tmp/fleet-outbox-XXXXXX", *made = mkdtemp(path);
	struct outbox *outbox = made ? outbox_open(path, 1 << 20) : NULL;

	assert(outbox);
	assert(outbox_tell(outbox, "k", "", "dropped", "dropped 5 messages") == 0);
	sends(outbox, "dropped 5 messages");
	/* the connection is lost and comes back: what was sent may be lost, too */
	outbox_again(outbox);
	sends(outbox, "dropped 5 messages");
	/* it is lost again, and more is dropped before it is back */
	assert(outbox_tell(outbox, "k", "", "dropped", "dropped 12 messages") == 0);
	outbox_again(outbox);
	sends(outbox, "dropped 12 messages");
	outbox_free(outbox);

	assert(chdir(path) == 0 && unlink("runs/told-dropped.sent") == 0 && rmdir("runs") == 0 && unlink("secret") == 0 && rmdir(path) == 0);
	return 0;
}
