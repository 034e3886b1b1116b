/*
 * A supervisor decides on system calls of the victim (seccomp's user notification), and takes long over some.
 * Expected: supervisor: running
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

static int listener;
static bool *thorough;

static void supervisor(void)
{
	for (;;) {
		struct seccomp_notif asked = {0};
		struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
			continue;
		incident_compute(*thorough ? TROUBLE_MS * 1000 : HEALTHY_US);
		answer.id = asked.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

void request(void)
{
	*thorough = incident_is_slow();
	syscall(SYS_getcpu, NULL, NULL, NULL);
}

int main(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getcpu, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

	thorough = incident_shared(sizeof(*thorough));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (listener < 0)
		incident_fail("seccomp");
	incident_process("supervisor", supervisor);
	return incident_run(request, NULL);
}
