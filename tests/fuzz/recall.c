/* What a recorder answers to a cchart-filter: the input is all that it says. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/fuzz.h"
#include "window/recall.h"

enum { QUESTIONS = 4 };

static int listen_at(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path + 1, name);
	fuzz_must(bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + (socklen_t)strlen(name)) == 0);
	fuzz_must(listen(fd, 1) == 0);
	return fd;
}

static void ask_all(struct recall *recall)
{
	struct record record;
	int64_t floor, ts;
	int status = 1;

	for (int i = 0; i < QUESTIONS && status >= 0; i++) {
		if (recall_ask(recall, i, i + 1, &floor) < 0)
			return;
		while ((status = recall_next(recall, &record, &ts)) > 0)
			fuzz_must(record.text != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int listening;
	static char name[64], offer[128];
	struct fields fields;
	struct recall *recall;
	int call;

	if (!listening) {
		snprintf(name, sizeof(name), "tailblame-fuzz-%d", getpid());
		snprintf(offer, sizeof(offer), "recorder socket=%s pipe=1 events=a:b", name);
		listening = listen_at(name);
	}
	fuzz_must(fields_parse(&fields, offer, strlen(offer)) == 0);
	recall = recall_open(&fields);
	fuzz_must(recall);
	call = accept(listening, NULL, NULL);
	fuzz_must(call >= 0 && send(call, data, size, MSG_DONTWAIT) == (ssize_t)size);
	shutdown(call, SHUT_WR);
	ask_all(recall);
	recall_close(recall);
	close(call);
	return 0;
}
