/*
 * The victim opens files; a guard that inspects each before it may be opened (fanotify) takes long over some.
 * Expected: guard: running
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "incident.h"

static char path[] = "/tmp/incident-guard.XXXXXX";
static int opens;
static bool *thorough;

static void guard(void)
{
	struct fanotify_event_metadata event;

	for (;;) {
		incident_read(opens, &event, sizeof(event));
		incident_compute(*thorough ? TROUBLE_MS * 1000 : HEALTHY_US);
		struct fanotify_response answer = {.fd = event.fd, .response = FAN_ALLOW};
		incident_write(opens, &answer, sizeof(answer));
		close(event.fd);
	}
}

void request(void)
{
	*thorough = incident_is_slow();
	int file = open(path, O_RDONLY);

	if (file < 0)
		incident_fail(path);
	close(file);
}

int main(void)
{
	int file = mkstemp(path), status;

	opens = fanotify_init(FAN_CLASS_CONTENT, O_RDONLY);
	if (file < 0 || opens < 0 || fanotify_mark(opens, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path) < 0)
		incident_fail("fanotify");
	close(file);
	thorough = incident_shared(sizeof(*thorough));
	incident_process("guard", guard);
	status = incident_run(request, NULL);
	unlink(path);
	return status;
}
