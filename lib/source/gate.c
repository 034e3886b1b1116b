#include "source/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/open_files.h"
#include "program/helpers.h"
#include "source/guardian.h"

enum { PROGRAMS = 256, EVENTS_ROOM = 4096, FIRST_FREE = 2, PRIORITY = -20 };

struct gated {
	struct cached_stat file;
	ARRAY(char *) events;
};

/* The memory that both processes share. */
struct gate_state {
	atomic_uint begun, done; /* programs whose probes were turned off */
	atomic_bool closed[PROGRAMS];
};

struct gate {
	int group; /* of fanotify */
	int pipe;
	pid_t pid; /* 0: it was not started */
	unsigned seen;
	struct gate_state *state;
	ARRAY(struct gated) programs;
};

struct gate *gate_new(void)
{
	int group = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC | O_LARGEFILE);
	struct gate_state *state = MAP_FAILED;
	struct gate *gate;

	if (group >= 0)
		state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (state == MAP_FAILED) {
		if (group >= 0)
			close(group);
		return NULL;
	}
	gate = NEW(struct gate);
	gate->group = group;
	gate->pipe = -1;
	gate->state = state;
	return gate;
}

void gate_watch(struct gate *gate, const char *file)
{
	fanotify_mark(gate->group, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, file);
}

size_t gate_add(struct gate *gate, const struct cached_stat *program)
{
	*ARRAY_ADD(&gate->programs) = (struct gated){.file = *program};
	return gate->programs.count - 1;
}

void gate_add_event(struct gate *gate, size_t program, const char *enable)
{
	*ARRAY_ADD(&gate->programs.items[program].events) = memory_format("%s", enable);
}

/* --- the process ------------------------------------------------------------------------------------------------------- */

static void turn_off(struct gate *gate, size_t number)
{
	struct gated *program = &gate->programs.items[number];

	if (number >= PROGRAMS || atomic_exchange(&gate->state->closed[number], true))
		return;
	atomic_fetch_add(&gate->state->begun, 1);
	for (size_t i = 0; i < program->events.count; i++) {
		int fd = open(program->events.items[i], O_WRONLY | O_CLOEXEC);

		if (fd < 0)
			continue; /* tracing is over */
		if (write(fd, "0", 1) < 0) {
			/* likewise */
		}
		close(fd);
	}
	atomic_fetch_add(&gate->state->done, 1);
}

/* Turns off the probes of the program that the process runs. Process 0 is in another PID namespace, and may run any of the programs. */
static void let_in(struct gate *gate, int32_t pid)
{
	struct cached_stat runs = {0};
	char exe[32];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	if (pid != 0 && !cached_stat_at(exe, &runs))
		return;
	for (size_t i = 0; i < gate->programs.count; i++)
		if (pid == 0 || cached_stat_is_same(&gate->programs.items[i].file, &runs))
			turn_off(gate, i);
}

static void answer_all(struct gate *gate)
{
	_Alignas(struct fanotify_event_metadata) char buffer[EVENTS_ROOM];
	ssize_t length = read(gate->group, buffer, sizeof(buffer));
	const struct fanotify_event_metadata *event = (const void *)buffer;

	for (; length > 0 && FAN_EVENT_OK(event, length); event = FAN_EVENT_NEXT(event, length)) {
		struct fanotify_response answer = {.fd = event->fd, .response = FAN_ALLOW};

		if (event->fd < 0)
			continue;
		if (event->mask & FAN_OPEN_PERM) {
			let_in(gate, event->pid);
			if (write(gate->group, &answer, sizeof(answer)) < 0) {
				/* the opener was killed meanwhile */
			}
		}
		close(event->fd);
	}
}

static _Noreturn void keep(struct gate *gate)
{
	struct pollfd ends[] = {{.fd = gate->pipe, .events = POLLIN}, {.fd = gate->group, .events = POLLIN}};

	while (poll(ends, 2, -1) >= 0 || errno == EINTR) {
		if (ends[0].revents)
			break;
		answer_all(gate);
	}
	_exit(0);
}

/* Closes the collector's files, because others wait for their ends. The two that the process needs are moved below the rest. */
static _Noreturn void begin(struct gate *gate, int pipe)
{
	int group = fcntl(gate->group, F_DUPFD_CLOEXEC, pipe + 1);

	dup2(pipe, 0);
	dup2(group, 1);
	gate->pipe = 0;
	gate->group = 1;
	guardian_detach("tailblame-gate");
	guardian_leave_group();
	open_files_close(FIRST_FREE);
	setpriority(PRIO_PROCESS, 0, PRIORITY); /* if permitted, because openers wait */
	mlockall(MCL_CURRENT);
	if (group < 0 || chdir("/") < 0)
		_exit(1);
	keep(gate);
}

/* --- the collector ----------------------------------------------------------------------------------------------------- */

int gate_start(struct gate *gate)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno("cannot make a pipe");
	gate->pid = fork();
	if (gate->pid == 0) {
		close(ends[1]);
		begin(gate, ends[0]);
	}
	close(ends[0]);
	gate->pipe = ends[1];
	close(gate->group); /* so that the kernel lets openers go on when the process ends */
	gate->group = -1;
	if (gate->pid < 0) {
		gate->pid = 0;
		return fail_errno("cannot fork");
	}
	helpers_add(gate->pid);
	return 0;
}

static void await_end(const struct gate *gate)
{
	while (waitpid(gate->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

bool gate_keep(struct gate *gate)
{
	int status;

	if (gate->pid == 0 || waitpid(gate->pid, &status, WNOHANG | WUNTRACED) <= 0)
		return true;
	for (size_t i = 0; i < gate->programs.count; i++)
		turn_off(gate, i);
	if (WIFSTOPPED(status)) {
		kill(gate->pid, SIGKILL);
		await_end(gate);
	}
	helpers_remove(gate->pid);
	gate->pid = 0;
	return false;
}

bool gate_closed(const struct gate *gate, size_t program)
{
	return program < PROGRAMS && atomic_load(&gate->state->closed[program]);
}

bool gate_writes(struct gate *gate)
{
	unsigned done = atomic_load(&gate->state->done), begun = atomic_load(&gate->state->begun);
	bool writes = begun != done || done != gate->seen;

	gate->seen = done;
	return writes;
}

void gate_end(struct gate *gate)
{
	if (!gate)
		return;
	if (gate->group >= 0)
		close(gate->group);
	if (gate->pipe >= 0)
		close(gate->pipe);
	if (gate->pid > 0) {
		helpers_remove(gate->pid);
		await_end(gate);
	}
	for (size_t i = 0; i < gate->programs.count; i++) {
		for (size_t j = 0; j < gate->programs.items[i].events.count; j++)
			free(gate->programs.items[i].events.items[j]);
		free(gate->programs.items[i].events.items);
	}
	free(gate->programs.items);
	munmap(gate->state, sizeof(*gate->state));
	free(gate);
}
