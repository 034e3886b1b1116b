/*
 * The victim's packets go through a tunnel that a program carries (TUN, as of a VPN); it takes long over some.
 * Expected: carrier: running
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

static int tunnel, client;
static bool *thorough;

/* Sends each packet back where it came from. */
static void carrier(void)
{
	char packet[2048], address[4], port[2];

	for (;;) {
		ssize_t size = read(tunnel, packet, sizeof(packet));

		if (size < 28 || packet[9] != 17)
			continue;
		incident_compute(*thorough ? TROUBLE_MS * 1000 : HEALTHY_US);
		memcpy(address, packet + 12, 4);
		memcpy(packet + 12, packet + 16, 4);
		memcpy(packet + 16, address, 4);
		memcpy(port, packet + 20, 2);
		memcpy(packet + 20, packet + 22, 2);
		memcpy(packet + 22, port, 2);
		incident_write(tunnel, packet, (size_t)size);
	}
}

static void set(int socket, unsigned long what, const char *address)
{
	struct ifreq request = {.ifr_name = "tailblame0"};
	struct sockaddr_in *to = (struct sockaddr_in *)&request.ifr_addr;

	to->sin_family = AF_INET;
	inet_pton(AF_INET, address, &to->sin_addr);
	if (ioctl(socket, what, &request) < 0)
		incident_fail("ioctl");
}

void request(void)
{
	char answer;

	*thorough = incident_is_slow();
	if (send(client, "q", 1, 0) != 1 || recv(client, &answer, 1, 0) != 1)
		incident_fail("send");
}

int main(void)
{
	struct ifreq wanted = {.ifr_name = "tailblame0", .ifr_flags = IFF_TUN | IFF_NO_PI};
	struct ifreq up = {.ifr_name = "tailblame0", .ifr_flags = IFF_UP | IFF_RUNNING};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7)};

	if (unshare(CLONE_NEWNET) < 0)
		incident_fail("unshare");
	tunnel = open("/dev/net/tun", O_RDWR);
	if (tunnel < 0 || ioctl(tunnel, TUNSETIFF, &wanted) < 0)
		incident_fail("/dev/net/tun");
	client = socket(AF_INET, SOCK_DGRAM, 0);
	set(client, SIOCSIFADDR, "10.9.8.1");
	set(client, SIOCSIFNETMASK, "255.255.255.0");
	if (ioctl(client, SIOCSIFFLAGS, &up) < 0)
		incident_fail("SIOCSIFFLAGS");
	inet_pton(AF_INET, "10.9.8.2", &to.sin_addr);
	if (connect(client, (struct sockaddr *)&to, sizeof(to)) < 0)
		incident_fail("connect");
	thorough = incident_shared(sizeof(*thorough));
	incident_process("carrier", carrier);
	return incident_run(request, NULL);
}
