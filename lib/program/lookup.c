#include "program/lookup.h"
#include "program/lookup_program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/cached_stat.h"
#include "base/clean.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/proc.h"
#include "program/argument.h"
#include "program/ends.h"
#include "program/helpers.h"
#include "program/lookup_message.h"
#include "program/lookup_process.h"
#include "program/opener.h"
#include "program/symbol.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)

enum { LOOK_MS = 100, WISHES_MAX = 64, FORGOTTEN_MAX = 256, DEATHS = 2 /* with one file alone, before that file is blamed */ };

/* How long to wait for a killed process; if it has not ended then, it waits for a file system. LEFT: the most such processes that are left behind. */
enum { KILL_MS = 250, LEFT = 16 };

/* A process that has not received its question after this time is still closing a file of an earlier question. */
enum { UNHEARD_MS = 250 };

/* A FUSE server says who owns its files, so all of them count as this one user's. */
#define NOBODY ((uid_t)-2)

/* Limits on the names that match a pattern: more than any program has, less than the parent's memory can bear. */
enum { NAMES_MAX = 1 << 20, NAMES_BYTES = 256 << 20 };

struct lookup_file {
	struct opener_file file;
	char *path;
	uint32_t number;
	unsigned holder; /* number of the process that has it */
	uid_t owner;
	bool spent; /* a process died of it, or took too long over it */
};

struct owner {
	uid_t user;
	int strikes;
};

struct lookup {
	int (*stopped)(void);
	pid_t process;
	int socket; /* -1: there is no process */
	int kept;   /* rights that the process could not drop */
	pid_t left[LEFT]; /* killed processes that still wait for a file system; 0: none */
	unsigned processes; /* so far */
	int held, forgotten; /* files that the process has, and how many of them lookup_forget() has dropped */
	uint32_t files;	     /* number of the last lookup_add() */
	int64_t begun, begun_cpu, stopped_at; /* ns; stopped_at: 0 until `stopped` returns nonzero */
	int64_t patience;		      /* how long the process may wait for files in one question, ns */
	int64_t waited, looked;		      /* ns waited in this question; time of the last look at its state */
	uid_t asked, asked_before;	      /* owners of the files of the last two questions */
	ARRAY(struct owner) owners;
	struct cached_stat probed; /* the only file that process number `probing` has read */
	unsigned probing;
	char *path; /* path of the last question, mostly also that of the next one; NULL: none */
	struct opener_file found; /* the file at that path */
	size_t length; /* of the answer's text, without the NUL behind it */
	struct lookup_answer answer;
	char text[ANSWER_ROOM + 1];
};

/* The outcome of a question. */
enum outcome { ANSWERED, DIED, SLOW, UNHEARD /* the process was still busy with an earlier question */, STOPPED };

struct lookup *lookup_new(int (*stopped)(void))
{
	struct lookup *lookup = NEW(struct lookup);

	lookup->stopped = stopped;
	lookup->socket = -1;
	return lookup;
}

/* False: the process still waits for a file system. */
static bool is_reaped(pid_t process)
{
	int64_t begun = now_by(CLOCK_MONOTONIC);
	struct timespec pause = {.tv_nsec = 20000};

	while (waitpid(process, NULL, WNOHANG) == 0) {
		if (now_by(CLOCK_MONOTONIC) - begun > KILL_MS * NSEC_PER_MSEC && proc_state(process) != 'R')
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < NSEC_PER_MSEC)
			pause.tv_nsec *= 2;
	}
	return true;
}

/* Returns a free slot for a process to leave behind; reaps those that have ended. NULL: there is none. */
static pid_t *room_to_leave(struct lookup *lookup)
{
	pid_t *room = NULL;

	for (size_t i = 0; i < LEFT; i++) {
		if (lookup->left[i] && waitpid(lookup->left[i], NULL, WNOHANG) != 0)
			lookup->left[i] = 0;
		room = lookup->left[i] ? room : &lookup->left[i];
	}
	return room;
}

static void end_process(struct lookup *lookup)
{
	pid_t process = lookup->process;

	if (lookup->socket < 0)
		return;
	close(lookup->socket);
	lookup->socket = -1;
	helpers_remove(process);
	kill(process, SIGKILL);
	if (!is_reaped(process))
		*room_to_leave(lookup) = process;
	lookup->held = lookup->forgotten = 0;
}

static void forget_path(struct lookup *lookup)
{
	if (lookup->path)
		close(lookup->found.place);
	free(lookup->path);
	lookup->path = NULL;
}

void lookup_free(struct lookup *lookup)
{
	if (!lookup)
		return;
	end_process(lookup);
	forget_path(lookup);
	free(lookup->owners.items);
	free(lookup);
}

static int64_t cpu_of(const struct lookup *lookup)
{
	clockid_t clock;

	return clock_getcpuclockid(lookup->process, &clock) == 0 ? now_by(clock) : 0;
}

static bool is_stopped(struct lookup *lookup)
{
	if (!lookup->stopped_at && lookup->stopped && lookup->stopped())
		lookup->stopped_at = now_by(CLOCK_MONOTONIC);
	return lookup->stopped_at && now_by(CLOCK_MONOTONIC) - lookup->stopped_at > LOOKUP_STOP_MS * NSEC_PER_MSEC;
}

/* The outcome so far of an unanswered question; ANSWERED: an answer may still come. */
static enum outcome outlook(struct lookup *lookup)
{
	int64_t now = now_by(CLOCK_MONOTONIC);
	bool runs = proc_state(lookup->process) == 'R';

	lookup->waited += runs ? 0 : now - lookup->looked; /* a process that is running or runnable is judged by its CPU time only */
	lookup->looked = now;
	if (is_stopped(lookup))
		return STOPPED;
	if (now - lookup->begun > UNHEARD_MS * NSEC_PER_MSEC && opener_is_unread(lookup->socket) && !runs)
		return UNHEARD;
	return cpu_of(lookup) - lookup->begun_cpu > LOOKUP_CPU_MS * NSEC_PER_MSEC || lookup->waited > lookup->patience ? SLOW : ANSWERED;
}

static bool tell(struct lookup *lookup, const struct lookup_question *question, const void *text, size_t length, int fd)
{
	return lookup_send(lookup->socket, question, sizeof(*question), text, length, fd, MSG_DONTWAIT) == 0;
}

/* Receives the next message. Its content cannot be trusted. */
static enum outcome receive(struct lookup *lookup)
{
	struct iovec parts[2] = {{&lookup->answer, sizeof(lookup->answer)}, {lookup->text, ANSWER_ROOM}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	lookup->looked = now_by(CLOCK_MONOTONIC);
	for (;;) {
		ssize_t got = recvmsg(lookup->socket, &message, 0);
		enum outcome outcome;

		if (got >= (ssize_t)sizeof(lookup->answer) && !(message.msg_flags & MSG_TRUNC)) {
			lookup->length = (size_t)got - sizeof(lookup->answer);
			lookup->text[lookup->length] = '\0';
			return ANSWERED;
		}
		if (got >= 0 || (errno != EAGAIN && errno != EINTR))
			return DIED;
		outcome = outlook(lookup);
		if (outcome != ANSWERED)
			return outcome;
	}
}

/* Receives the answer. Until it comes, opens the debug files that the process asks for. */
static enum outcome await(struct lookup *lookup, const char *path)
{
	struct lookup_question given = {.kind = ASK_GIVEN};

	for (int i = 0; i < WISHES_MAX; i++) {
		enum outcome outcome = receive(lookup);
		bool told;
		int fd;

		if (outcome != ANSWERED || lookup->answer.kind != ANSWER_WISH)
			return outcome;
		fd = lookup->answer.number < DEBUG_PLACES
			     ? code_open_debug(path, (enum debug_place)lookup->answer.number, lookup->text, lookup->length)
			     : -1;
		told = tell(lookup, &given, NULL, 0, fd);
		if (fd >= 0)
			close(fd);
		if (!told)
			return DIED;
	}
	return SLOW;
}

int lookup_start(struct lookup *lookup)
{
	const struct lookup_question question = {.kind = ASK_CONFINED};
	struct timeval pause = {.tv_usec = LOOK_MS * 1000};
	int ends[2], process;

	if (lookup->socket >= 0)
		return lookup->kept;
	if (!room_to_leave(lookup))
		return fail("%d processes that read programs wait for file systems that do not answer", LEFT);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_errno("cannot make a socket");
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &pause, sizeof(pause));
	process = fork();
	if (process == 0)
		lookup_serve(ends[1]);
	close(ends[1]);
	if (process < 0) {
		close(ends[0]);
		return fail_errno("cannot fork");
	}
	helpers_add(process);
	lookup->process = process;
	lookup->socket = ends[0];
	lookup->processes++;
	lookup->begun = now_by(CLOCK_MONOTONIC);
	lookup->begun_cpu = lookup->waited = 0;
	lookup->patience = LOOKUP_WALL_MS * NSEC_PER_MSEC;
	if (tell(lookup, &question, NULL, 0, -1) && receive(lookup) == ANSWERED)
		return lookup->kept = (int)(lookup->answer.number & INT32_MAX);
	end_process(lookup);
	return fail("the process that looks up names ended at once");
}

/* A process that was not asked must have sent nothing; if it did, it has died or was taken over. */
static bool is_waiting(const struct lookup *lookup)
{
	char byte;

	return recv(lookup->socket, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Makes sure that a process waits for a question. False: lookup is stopped, or none can be started. */
static bool ready(struct lookup *lookup)
{
	if (is_stopped(lookup))
		return false;
	if (lookup->socket >= 0 && (lookup->forgotten > FORGOTTEN_MAX || !is_waiting(lookup)))
		end_process(lookup);
	return lookup->socket >= 0 || lookup_start(lookup) >= 0;
}

static struct owner *owner_of(struct lookup *lookup, uid_t user)
{
	for (size_t i = 0; i < lookup->owners.count; i++)
		if (lookup->owners.items[i].user == user)
			return &lookup->owners.items[i];
	*ARRAY_ADD(&lookup->owners) = (struct owner){.user = user};
	return &lookup->owners.items[lookup->owners.count - 1];
}

static uid_t owner_by(const struct opener_file *file)
{
	return file->system == FUSE_SUPER_MAGIC ? NOBODY : file->status.st_uid;
}

/* Asks the process and waits for the first answer. Ends a process that does not answer. */
static enum outcome ask(struct lookup *lookup, const struct lookup_question *question, const char *text, size_t length,
			const struct opener_file *about, int fd, const char *path)
{
	enum outcome outcome;

	lookup->begun = now_by(CLOCK_MONOTONIC);
	lookup->begun_cpu = cpu_of(lookup);
	lookup->waited = 0;
	lookup->patience = (about->system == FUSE_SUPER_MAGIC ? LOOKUP_FUSE_MS : LOOKUP_WALL_MS) * NSEC_PER_MSEC;
	lookup->asked_before = lookup->asked;
	lookup->asked = owner_by(about);
	outcome = tell(lookup, question, text, length, fd) ? await(lookup, path) : DIED;
	if (outcome == UNHEARD)
		owner_of(lookup, lookup->asked_before)->strikes++;
	if (outcome != ANSWERED)
		end_process(lookup);
	return outcome;
}

static bool is_spent(struct lookup *lookup, const struct lookup_file *file)
{
	return file->spent || (file->owner != 0 && owner_of(lookup, file->owner)->strikes >= LOOKUP_STRIKES);
}

struct lookup_file *lookup_add(struct lookup *lookup, const struct opener_file *found, const char *path)
{
	struct lookup_file *file = NEW(struct lookup_file);

	file->file = *found;
	file->path = memory_text(path, strlen(path));
	file->number = ++lookup->files;
	file->owner = owner_by(found);
	return file;
}

/* The process keeps the image. After more than FORGOTTEN_MAX forgotten files, a new process replaces it, which is cheaper. */
void lookup_forget(struct lookup *lookup, struct lookup_file *file)
{
	lookup->forgotten += file->holder && file->holder == lookup->processes;
	close(file->file.place);
	free(file->path);
	free(file);
}

/*
 * The process may die of another file that it read before, or be killed from outside. So a file is blamed only after the process has died
 * DEATHS times with this file alone.
 */
static enum outcome ask_about(struct lookup *lookup, struct lookup_file *file, const struct lookup_question *question, const char *more)
{
	const char *name = basename(file->path);
	char *text = memory_format("%s%c%s", name, '\0', more);
	const size_t length = strlen(name) + 1 + strlen(more);
	enum outcome outcome = DIED;
	int deaths = 0, unheard = 0;

	while ((outcome == DIED && deaths < DEATHS) || (outcome == UNHEARD && unheard < DEATHS)) {
		bool held, alone;
		int fd = -1;

		if (!ready(lookup)) {
			outcome = STOPPED;
			break;
		}
		held = file->holder == lookup->processes;
		alone = lookup->held == (held ? 1 : 0);
		if (!held && (fd = opener_open(&file->file, file->path)) < 0) {
			outcome = STOPPED;
			break;
		}
		outcome = ask(lookup, question, text, length, &file->file, fd, file->path);
		if (fd >= 0)
			close(fd);
		if (outcome == ANSWERED && !held) {
			file->holder = lookup->processes;
			lookup->held++;
		}
		deaths += outcome == DIED && alone;
		unheard += outcome == UNHEARD;
	}
	free(text);
	if (outcome == DIED || outcome == SLOW) {
		file->spent = true;
		owner_of(lookup, file->owner)->strikes++;
	}
	return outcome;
}

static void take_step(const struct lookup_answer *answer, struct step *step)
{
	*step = (struct step){
		.known = answer->known && answer->base < STEP_REGISTERS,
		.interrupted = answer->interrupted != 0,
		.indirect = answer->indirect != 0,
		.base = answer->base < STEP_REGISTERS ? answer->base : 0,
		.offset = answer->offset,
	};
	for (int i = 0; i < STEP_REGISTERS; i++) {
		int32_t rule = answer->registers[i].rule;

		step->registers[i].rule = rule >= STEP_SAME && rule <= STEP_LOST ? (uint8_t)rule : STEP_LOST;
		step->registers[i].at = answer->registers[i].at;
	}
}

static void take_functions(const struct lookup *lookup, struct lookup_place *place)
{
	const char *at = lookup->text, *end = lookup->text + lookup->length;

	while (place->count < IMAGE_FUNCTIONS && (uint32_t)place->count < lookup->answer.count && at < end) {
		size_t length = strlen(at);

		if (length == 0 || length > TEXT_MAX)
			return;
		place->functions[place->count++] = clean_text(at, length);
		at += length + 1;
	}
}

void lookup_place(struct lookup *lookup, struct lookup_file *file, uint64_t offset, struct lookup_place *place)
{
	struct lookup_question question = {.kind = ASK_PLACE, .image = file->number, .offset = offset};

	*place = (struct lookup_place){0};
	if (is_spent(lookup, file) || ask_about(lookup, file, &question, "") != ANSWERED || lookup->answer.kind != ANSWER_PLACE ||
	    !lookup->answer.number)
		return;
	take_step(&lookup->answer, &place->step);
	take_functions(lookup, place);
}

/* The line comes from the process, so it is not trusted: ends it within its room, and cleans it. */
static void clean_line(char line[IMAGE_LINE])
{
	char *clean = clean_text(line, strnlen(line, IMAGE_LINE - 1));

	snprintf(line, IMAGE_LINE, "%s", clean);
	free(clean);
}

void lookup_block(struct lookup *lookup, struct lookup_file *file, uint64_t offset, uint64_t behind, struct image_block *block)
{
	struct lookup_question question = {.kind = ASK_BLOCK, .image = file->number, .offset = offset};
	char number[NUMBER_ROOM];

	*block = (struct image_block){0};
	snprintf(number, sizeof(number), "%lld", (long long)behind);
	if (is_spent(lookup, file) || ask_about(lookup, file, &question, number) != ANSWERED || lookup->answer.kind != ANSWER_DONE ||
	    lookup->length != sizeof(*block))
		return;
	memcpy(block, lookup->text, sizeof(*block));
	clean_line(block->first);
	clean_line(block->branch);
	if (!comparison_is_sane(&block->comparison))
		block->comparison.what = COMPARISON_UNKNOWN;
}

char *lookup_variable_at(struct lookup *lookup, struct lookup_file *file, uint64_t offset, int64_t distance, uint64_t *byte)
{
	struct lookup_question question = {.kind = ASK_VARIABLE_AT, .image = file->number, .offset = offset};
	char number[NUMBER_ROOM];

	snprintf(number, sizeof(number), "%lld", (long long)distance);
	if (is_spent(lookup, file) || ask_about(lookup, file, &question, number) != ANSWERED || lookup->answer.kind != ANSWER_DONE || !lookup->length)
		return NULL;
	*byte = lookup->answer.number;
	return clean_text(lookup->text, lookup->length);
}

/* Asks about a file that the process need not keep. */
static enum outcome ask_once(struct lookup *lookup, const struct lookup_question *question, const char *text, size_t length,
			     const struct opener_file *file, const char *path)
{
	enum outcome outcome = UNHEARD;

	for (int i = 0; i < DEATHS && outcome == UNHEARD; i++) {
		int fd = ready(lookup) ? opener_open(file, path) : -1;

		if (fd < 0)
			return STOPPED;
		outcome = ask(lookup, question, text, length, file, fd, path);
		close(fd);
	}
	return outcome;
}

size_t lookup_build_id(struct lookup *lookup, const struct opener_file *found, const char *path, unsigned char id[CODE_BUILD_ID])
{
	struct lookup_question question = {.kind = ASK_BUILD_ID};
	struct lookup_file file = {.owner = owner_by(found)};
	enum outcome outcome;

	if (is_spent(lookup, &file))
		return 0;
	outcome = ask_once(lookup, &question, NULL, 0, found, path);
	if (outcome == DIED || outcome == SLOW)
		owner_of(lookup, file.owner)->strikes++;
	if (outcome != ANSWERED || lookup->answer.kind != ANSWER_DONE || lookup->length > CODE_BUILD_ID)
		return 0;
	memcpy(id, lookup->text, lookup->length);
	return lookup->length;
}

/* Only a process that has read no other file may say where a probe goes: another file may have taken it over. */
static void ask_only_about(struct lookup *lookup, const struct stat *status)
{
	struct cached_stat file = {status->st_dev, status->st_ino, S_IFREG};

	if (!cached_stat_is_same(&file, &lookup->probed) || lookup->probing != lookup->processes || lookup->held > 0)
		end_process(lookup);
	lookup->probed = file;
	lookup->probing = lookup->processes + (lookup->socket < 0);
}

/* Callers ask about the functions of one program in a row, so the last path is kept. A path in /proc is not: what it leads to changes. */
static int find_path(struct lookup *lookup, const char *path)
{
	if (lookup->path && strcmp(lookup->path, path) == 0 && strncmp(path, "/proc/", strlen("/proc/")) != 0)
		return 0;
	forget_path(lookup);
	if (opener_find(path, &lookup->found) < 0)
		return fail_errno("cannot open '%s'", path);
	lookup->path = memory_text(path, strlen(path));
	return 0;
}

static int fail_outcome(const char *path, enum outcome outcome)
{
	return fail("cannot read '%s': %s", path,
		    outcome == DIED ? "the process that read it died" : outcome == SLOW ? "it takes too long" : "stopped");
}

/* Asks about the file at a path that the user gave, or that a process has mapped. */
static int ask_path(struct lookup *lookup, struct lookup_question question, const char *path, const char *text)
{
	size_t length = strlen(path) + 1 + strlen(text);
	char *both, *reason;
	enum outcome outcome;

	if (length > QUESTION_ROOM)
		return fail("cannot look into '%s': its name is too long", path);
	if (find_path(lookup, path) < 0)
		return -1;
	ask_only_about(lookup, &lookup->found.status);
	both = memory_format("%s%c%s", path, '\0', text);
	outcome = ask_once(lookup, &question, both, length, &lookup->found, path);
	free(both);
	if (outcome != ANSWERED)
		return fail_outcome(path, outcome);
	if (lookup->answer.kind != ANSWER_FAILED)
		return 0;
	reason = clean_text(lookup->text, lookup->length);
	fail("%s", reason);
	free(reason);
	return -1;
}

int lookup_offset(struct lookup *lookup, const char *path, const char *function, uint64_t *offset)
{
	if (ask_path(lookup, (struct lookup_question){.kind = ASK_OFFSET}, path, function) < 0)
		return -1;
	*offset = lookup->answer.number;
	return 0;
}

int lookup_variable(struct lookup *lookup, const char *path, const char *variable, uint64_t *address, uint64_t *size)
{
	if (ask_path(lookup, (struct lookup_question){.kind = ASK_VARIABLE}, path, variable) < 0)
		return -1;
	if (lookup->answer.kind != ANSWER_DONE || lookup->length != sizeof(*size))
		return fail("cannot read '%s': nobody can tell where variables are", path);
	*address = lookup->answer.number;
	memcpy(size, lookup->text, sizeof(*size));
	return 0;
}

int lookup_matching(struct lookup *lookup, const char *path, const char *pattern, struct symbol_names *names)
{
	size_t bytes = 0;
	enum outcome outcome = ANSWERED;

	if (ask_path(lookup, (struct lookup_question){.kind = ASK_MATCHING}, path, pattern) < 0)
		return -1;
	for (int i = 0; lookup->answer.kind == ANSWER_MORE && i < NAMES_MAX && bytes < NAMES_BYTES; i++) {
		bytes += lookup->length;
		*ARRAY_ADD(names) = clean_text(lookup->text, lookup->length);
		outcome = receive(lookup);
		if (outcome != ANSWERED)
			lookup->answer.kind = ANSWER_FAILED;
	}
	if (lookup->answer.kind == ANSWER_DONE)
		return 0;
	end_process(lookup);
	return outcome == ANSWERED ? fail("cannot read '%s': it has too many symbols", path) : fail_outcome(path, outcome);
}

int lookup_traits(struct lookup *lookup, const char *path, unsigned *traits, char *text, size_t room)
{
	size_t length;

	if (ask_path(lookup, (struct lookup_question){.kind = ASK_TRAITS}, path, "") < 0)
		return -1;
	*traits = (unsigned)lookup->answer.number;
	length = lookup->length < room ? lookup->length : room;
	if (text)
		memcpy(text, lookup->text, length + (length == lookup->length));
	if (text)
		text[length] = '\0';
	return (int)length;
}

int lookup_ends(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool unsafe, struct ends *ends)
{
	*ends = (struct ends){0};
	if (ask_path(lookup, (struct lookup_question){.kind = ASK_ENDS, .image = unsafe, .offset = offset}, path, function) < 0)
		return -1;
	ends->start = lookup->answer.number;
	ends->at_exits = lookup->answer.known;
	ends->count = lookup->length / sizeof(*ends->exits);
	ends->exits = memory_new(ends->count + 1, sizeof(*ends->exits));
	memcpy(ends->exits, lookup->text, ends->count * sizeof(*ends->exits));
	return 0;
}

/* Returns 0 if `to` of any switch holds a character that no operand has. */
size_t lookup_switches(struct lookup *lookup, const char *path, struct ends_switch *found)
{
	size_t count;

	if (ask_path(lookup, (struct lookup_question){.kind = ASK_SWITCHES}, path, "") < 0)
		return 0;
	count = lookup->length / sizeof(*found);
	count = count < ENDS_SWITCHES ? count : ENDS_SWITCHES;
	memcpy(found, lookup->text, count * sizeof(*found));
	for (size_t i = 0; i < count; i++) {
		found[i].to[sizeof(found[i].to) - 1] = '\0';
		if (found[i].to[strspn(found[i].to, "%+-()0123456789abcdefghijklmnopqrstuvwxyz")])
			return 0;
	}
	return count;
}

int lookup_instruction(struct lookup *lookup, const char *path, const char *function, uint64_t offset, uint64_t behind, uint64_t *at)
{
	if (behind > UINT32_MAX)
		return fail("no function has 0x%llx bytes", (unsigned long long)behind);
	if (ask_path(lookup, (struct lookup_question){.kind = ASK_INSTRUCTION, .image = (uint32_t)behind, .offset = offset}, path, function) < 0)
		return -1;
	*at = lookup->answer.number;
	return 0;
}

/* Copies the first `count` arguments of the answer if all of them are sane. */
static int take_found(const struct lookup *lookup, const char *path, int count, struct argument_found *found)
{
	if (lookup->answer.kind != ANSWER_DONE || count > ARGUMENTS_MAX || lookup->length / sizeof(*found) < (size_t)count)
		return fail("cannot read '%s': nobody can tell where arguments are", path);
	memcpy(found, lookup->text, (size_t)count * sizeof(*found));
	for (int i = 0; i < count; i++)
		if (!argument_is_sane(&found[i]))
			return fail("cannot read '%s': nobody can tell where arguments are", path);
	return count;
}

int lookup_arguments(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool at_entry, const char *text,
		     struct argument_found *found)
{
	const struct lookup_question question = {.kind = ASK_ARGUMENTS, .image = at_entry ? ASK_AT_ENTRY : ASK_IN_FUNCTION, .offset = offset};
	char *both = memory_format("%s\n%s", function, text);
	int status = ask_path(lookup, question, path, both);

	free(both);
	return status < 0 ? -1 : take_found(lookup, path, (int)(lookup->length / sizeof(*found)), found);
}

int lookup_arguments_leniently(struct lookup *lookup, const char *path, const char *function, uint64_t offset, const char *text,
			       const char *lines, struct argument_found *found, char **why)
{
	const struct lookup_question question = {.kind = ASK_ARGUMENTS, .image = ASK_LENIENTLY, .offset = offset};
	struct arguments arguments;
	size_t used;
	int status;
	char *all;

	*why = NULL;
	if (arguments_parse(text, &arguments) < 0)
		return -1;
	all = memory_format("%s\n%s\n%s", function, text, lines);
	status = ask_path(lookup, question, path, all);
	free(all);
	if (status < 0 || take_found(lookup, path, arguments.count, found) < 0)
		return -1;
	used = (size_t)arguments.count * sizeof(*found);
	if (lookup->length > used)
		*why = clean_text(lookup->text + used, lookup->length - used);
	return arguments.count;
}

char *lookup_type(struct lookup *lookup, const char *name)
{
	const struct lookup_question question = {.kind = ASK_TYPE};
	const struct opener_file none = {.place = -1};
	enum outcome outcome = UNHEARD;

	for (int i = 0; i < DEATHS && outcome == UNHEARD; i++)
		outcome = ready(lookup) ? ask(lookup, &question, name, strlen(name), &none, -1, "") : STOPPED;
	return outcome == ANSWERED && lookup->answer.kind == ANSWER_DONE && lookup->length ? clean_text(lookup->text, lookup->length) : NULL;
}

char *lookup_parameters(struct lookup *lookup, const char *path, const char *function, uint64_t offset)
{
	static const char by_convention[] = "%1,%2,%3,%4,%5,%6,ret";
	struct arguments all;

	if (ask_path(lookup, (struct lookup_question){.kind = ASK_PARAMETERS, .offset = offset}, path, function) < 0)
		return NULL;
	if (lookup->answer.kind != ANSWER_DONE || lookup->answer.number == 0 || (*lookup->text && arguments_parse(lookup->text, &all) < 0))
		return memory_text(by_convention, strlen(by_convention));
	return memory_text(lookup->text, strlen(lookup->text));
}
