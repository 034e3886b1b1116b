/*
 * The victim asks a server that runs under Python, where a thread answers and another one computes now and then, for long
 * within one call, so that it keeps the interpreter's lock. The answering thread asks for the lock every 5 ms, in vain.
 * Expected: cruncher: running
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "incident.h"

static const char script[] =
    "import ctypes, socket, sys, threading, time\n"
    "libc = ctypes.PyDLL(None)\n" /* calls keep the lock */
    "name = lambda text: libc.prctl(15, text, 0, 0, 0)\n"
    "go = threading.Semaphore(0)\n"
    "def crunch():\n"
    "    name(b'cruncher')\n"
    "    numbers = list(range(1500000))\n"
    "    while True:\n"
    "        go.acquire()\n"
    "        end = time.monotonic() + 0.1\n"
    "        sorted(numbers, key=numbers.__getitem__, reverse=True)\n"
    "threading.Thread(target=crunch, daemon=True).start()\n"
    "listener = socket.socket(socket.AF_UNIX)\n"
    "listener.bind(sys.argv[1])\n"
    "listener.listen()\n"
    "peer = listener.accept()[0]\n"
    "name(b'server')\n"
    "while True:\n"
    "    asked = peer.recv(1)\n"
    "    if not asked: break\n"
    "    if asked == b's':\n"
    "        go.release()\n"
    "        time.sleep(0.001)\n"
    "    peer.send(b'x')\n";

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int server;

static void python(void)
{
	execlp("python3", "python3", "-c", script, address.sun_path, (char *)NULL);
	incident_fail("python3");
}

void request(void)
{
	char answer;

	incident_write(server, incident_is_slow() ? "s" : "f", 1);
	incident_read(server, &answer, 1);
}

int main(void)
{
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/incident-python.%d", getpid());
	incident_process("python3", python);
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	for (int tries = 0; connect(server, (struct sockaddr *)&address, sizeof(address)) < 0; tries++) {
		if (tries == 1000)
			incident_fail("no answer from python3");
		incident_sleep(10000);
	}
	unlink(address.sun_path);
	return incident_run(request, NULL);
}
