/*
 * The victim asks a server that runs under Node.js, whose event loop a slow callback blocks now and then.
 * Expected: node: running (the thread is called MainThread by newer versions)
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "incident.h"

static const char script[] =
    "require('net').createServer(s => s.on('data', ms => {"
    "const end = performance.now() + Number(ms); while (performance.now() < end); s.write('x'); }))"
    ".listen(process.argv[1]); setInterval(() => {}, 1000)";

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int server;

static void node(void)
{
	execlp("node", "node", "-e", script, address.sun_path, (char *)NULL);
	incident_fail("node");
}

void request(void)
{
	char text[16];

	snprintf(text, sizeof(text), "%g", incident_is_slow() ? TROUBLE_MS : HEALTHY_US / 1000.);
	incident_write(server, text, strlen(text));
	incident_read(server, text, 1);
}

int main(void)
{
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/incident-node.%d", getpid());
	incident_process("node", node);
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	for (int tries = 0; connect(server, (struct sockaddr *)&address, sizeof(address)) < 0; tries++) {
		if (tries == 500)
			incident_fail("no answer from node");
		incident_sleep(10000);
	}
	unlink(address.sun_path);
	return incident_run(request, NULL);
}
