/* See incident.h. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "incident.h"

enum { REQUESTS = 300, FIRST_SLOW = 150, SLOW_EVERY = 50, PAUSE_US = 1000 };

static bool is_slow;
static cpu_set_t allowed_cpus; /* at the start, before any thread is bound */

struct thread_start {
	const char *name;
	void (*body)(void);
};

_Noreturn void incident_fail(const char *what)
{
	err(1, "%s", what);
}

bool incident_is_slow(void)
{
	return is_slow;
}

__attribute__((constructor)) static void remember_cpus(void)
{
	if (sched_getaffinity(0, sizeof(allowed_cpus), &allowed_cpus) < 0)
		incident_fail("sched_getaffinity");
}

int incident_run(void (*call)(void), void (*disturb)(void))
{
	incident_name("victim");
	for (int n = 1; n < REQUESTS; n++) {
		is_slow = n >= FIRST_SLOW && n % SLOW_EVERY == 0;
		if (is_slow && disturb)
			disturb();
		call();
		incident_sleep(PAUSE_US);
	}
	return 0;
}

void incident_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static void *thread_main(void *argument)
{
	struct thread_start start = *(struct thread_start *)argument;

	free(argument);
	incident_name(start.name);
	start.body();
	return NULL;
}

pthread_t incident_thread(const char *name, void (*body)(void))
{
	struct thread_start *start = malloc(sizeof(*start));
	pthread_t thread;

	if (!start)
		incident_fail("malloc");
	*start = (struct thread_start){name, body};
	errno = pthread_create(&thread, NULL, thread_main, start);
	if (errno)
		incident_fail("pthread_create");
	return thread;
}

pid_t incident_process(const char *name, void (*body)(void))
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		incident_fail("fork");
	if (child > 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* died before the line above */
		_exit(0);
	incident_name(name);
	body();
	_exit(0);
}

long incident_cpu_time_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

void incident_sleep(long us)
{
	struct timespec left = {us / 1000000, us % 1000000 * 1000};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

void incident_wait(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0)
		if (errno != EINTR)
			incident_fail("sem_wait");
}

void incident_read(int fd, void *buffer, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(fd, (char *)buffer + done, size - done);

		if (got == 0)
			pthread_exit(NULL);
		if (got < 0 && errno != EINTR)
			incident_fail("read");
		if (got > 0)
			done += got;
	}
}

void incident_write(int fd, const void *buffer, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = write(fd, (const char *)buffer + done, size - done);

		if (put < 0 && errno != EINTR)
			incident_fail("write");
		if (put > 0)
			done += put;
	}
}

void incident_pin(int nth)
{
	cpu_set_t one;
	int chosen = -1;

	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE && seen <= nth; cpu++)
		if (CPU_ISSET(cpu, &allowed_cpus) && (seen++ == nth || chosen < 0))
			chosen = cpu;
	CPU_ZERO(&one);
	CPU_SET(chosen, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0)
		incident_fail("sched_setaffinity");
}

void incident_real_time(void)
{
	struct sched_param param = {.sched_priority = 10};

	if (sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		incident_fail("cannot become a real-time thread; run as root");
}

void *incident_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		incident_fail("mmap");
	return memory;
}

sem_t *incident_semaphore(void)
{
	sem_t *semaphore = incident_shared(sizeof(*semaphore));

	sem_init(semaphore, 1, 0);
	return semaphore;
}

static sem_t *hold, *held; /* of the keeper */

int incident_open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	if (fd < 0)
		incident_fail("/proc/self/exe");
	return fd;
}

static void keeper(void)
{
	int file = incident_open_self();

	for (;;) {
		incident_wait(hold);
		flock(file, LOCK_EX);
		sem_post(held);
		incident_compute(TROUBLE_MS * 1000);
		flock(file, LOCK_UN);
	}
}

void incident_keeper(void)
{
	hold = incident_semaphore();
	held = incident_semaphore();
	incident_process("keeper", keeper);
}

void incident_keep(void)
{
	sem_post(hold);
	incident_wait(held);
}

pthread_mutex_t *incident_mutex(void)
{
	pthread_mutex_t *mutex = incident_shared(sizeof(*mutex));
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(mutex, &attributes);
	return mutex;
}

void incident_pair(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		incident_fail("socketpair");
}

void incident_tcp_pair(int pair[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(address);

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0 ||
	    connect(pair[0], (struct sockaddr *)&address, size) < 0)
		incident_fail("loopback connection");
	pair[1] = accept(listener, NULL, NULL);
	if (pair[1] < 0)
		incident_fail("accept");
	close(listener);
}

void incident_ask(int fd, long us)
{
	incident_write(fd, &us, sizeof(us));
	incident_read(fd, &us, sizeof(us));
}

void incident_serve(int fd)
{
	long us;

	for (;;) {
		incident_read(fd, &us, sizeof(us));
		incident_compute(us);
		incident_write(fd, &us, sizeof(us));
	}
}

void incident_terminal(int pair[2])
{
	struct termios raw;

	pair[0] = posix_openpt(O_RDWR | O_NOCTTY);
	if (pair[0] < 0 || unlockpt(pair[0]) < 0)
		incident_fail("posix_openpt");
	pair[1] = open(ptsname(pair[0]), O_RDWR | O_NOCTTY);
	if (pair[1] < 0 || tcgetattr(pair[1], &raw) < 0)
		incident_fail("ptsname");
	cfmakeraw(&raw);
	tcsetattr(pair[1], TCSANOW, &raw);
}
