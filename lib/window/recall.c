#include "window/recall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/recorder_question.h"
#include "stream/reader.h"

struct recall {
	int call;
	struct reader *reader;
	uint64_t kept; /* events that the recorder had kept by its last answer */
};

bool recall_is_for(const struct fields *offer, int fd)
{
	struct stat file;
	uint64_t pipe;

	return fields_unsigned(offer, "pipe", &pipe) == 1 && fstat(fd, &file) == 0 && S_ISFIFO(file.st_mode) &&
	       file.st_ino == pipe;
}

static int call(const struct fields *offer)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t head = offsetof(struct sockaddr_un, sun_path) + 1;
	char name[sizeof(address.sun_path) - 1];
	int fd;

	if (fields_text(offer, "socket", name, sizeof(name)) != 1)
		return fail("a recorder record without socket");
	memcpy(address.sun_path + 1, name, strlen(name));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, head + (socklen_t)strlen(name)) < 0) {
		fail_errno("cannot call the recorder at '@%s'", name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

struct recall *recall_open(const struct fields *offer)
{
	struct recall *recall;
	int fd = call(offer);

	if (fd < 0)
		return NULL;
	recall = NEW(struct recall);
	recall->call = fd;
	recall->reader = reader_attach(fd, "the recorder");
	return recall;
}

void recall_close(struct recall *recall)
{
	if (!recall)
		return;
	reader_close(recall->reader); /* closes the connection, too */
	free(recall);
}

/* The next record of the answer; -1 after fail(): the recorder has gone. */
static int next(struct recall *recall, struct record *record)
{
	enum reader_result result;

	do
		result = reader_next(recall->reader, record);
	while (result == READER_SEGMENT);
	return result == READER_END ? fail("the recorder has gone") : result;
}

static int time_of(struct recall *recall, const struct record *record, const char *key, int64_t *ts)
{
	const struct fields *fields = reader_fields(recall->reader, record);

	return fields ? fields_time(fields, key, ts) : -1;
}

int recall_ask(struct recall *recall, int64_t from, int64_t to, int64_t *floor)
{
	struct recorder_question question = {from, to};
	struct record record;

	*floor = INT64_MIN;
	if (send(recall->call, &question, sizeof(question), MSG_NOSIGNAL) != sizeof(question))
		return fail_errno("cannot ask the recorder");
	if (next(recall, &record) < 0)
		return -1;
	if (record.kind != KIND_RECORDER)
		return fail("the recorder's answer makes no sense");
	return time_of(recall, &record, "floor", floor) < 0 ? -1 : 0;
}

int recall_tell(struct recall *recall)
{
	struct recorder_question question = {0};

	/* a full socket has many such questions already */
	if (send(recall->call, &question, sizeof(question), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
		return fail_errno("cannot tell of a signal");
	return 0;
}

int recall_next(struct recall *recall, struct record *record, int64_t *ts)
{
	const struct fields *fields;

	if (next(recall, record) < 0)
		return -1;
	*ts = record->ts;
	if (!record->packed && time_of(recall, record, "ts", ts) < 0)
		return -1;
	if (record->kind != KIND_TICK)
		return 1;
	fields = reader_fields(recall->reader, record);
	return fields && fields_unsigned(fields, "kept", &recall->kept) >= 0 ? 0 : -1;
}

uint64_t recall_kept(const struct recall *recall)
{
	return recall->kept;
}
