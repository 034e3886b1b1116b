#include "program/lookup_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libelf.h>

#include "base/confine.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/open_files.h"
#include "program/demangle.h"
#include "program/ends.h"
#include "program/image_file.h"
#include "program/lookup_message.h"
#include "program/opener.h"
#include "program/language.h"
#include "program/symbol.h"

enum { SOCKET = STDERR_FILENO + 1, MEMORY = 768 << 20, MEMORY_SHARE = 4 /* of the machine's, at most */, PRIORITY = -20 };

static struct {
	ARRAY(struct image *) images; /* index: the image's number */
	struct lookup_question question;
	char text[QUESTION_ROOM + 1];
	size_t length;
	int fd; /* that came with the question; -1: none */
} asked;

static unsigned confined; /* result of confine_wholly() */

/* Receives the next question. Exits if the asker is gone or the message is too short. */
static void receive(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec parts[2] = {{&asked.question, sizeof(asked.question)}, {asked.text, QUESTION_ROOM}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t got = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	if (got < (ssize_t)sizeof(asked.question))
		_exit(0);
	asked.length = (size_t)got - sizeof(asked.question);
	asked.text[asked.length] = '\0';
	asked.fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS) {
		memcpy(&asked.fd, CMSG_DATA(head), sizeof(asked.fd));
		asked.fd = opener_receive(asked.fd);
	}
}

static void answer(const struct lookup_answer *head, const char *text, size_t length)
{
	if (lookup_send(SOCKET, head, sizeof(*head), text, length, -1, 0) < 0)
		_exit(0);
}

static void answer_text(enum answer_kind kind, const char *text)
{
	struct lookup_answer head = {.kind = kind};
	size_t length = strlen(text);

	answer(&head, text, length < TEXT_MAX ? length : TEXT_MAX);
}

static void answer_number(uint64_t number)
{
	struct lookup_answer head = {.kind = ANSWER_DONE, .number = number};

	answer(&head, NULL, 0);
}

static int wish(void *context, enum debug_place place, const void *text, size_t length)
{
	struct lookup_answer head = {.kind = ANSWER_WISH, .number = place};

	(void)context;
	answer(&head, text, length < TEXT_MAX ? length : TEXT_MAX);
	receive();
	return asked.fd;
}

/* The image of the question. A file that came along replaces the image of that number. */
static struct image *image_asked(void)
{
	static const struct debug_source source = {.open = wish};
	struct image **image;

	while (asked.images.count <= asked.question.image)
		*ARRAY_ADD(&asked.images) = NULL;
	image = &asked.images.items[asked.question.image];
	if (asked.fd >= 0 && *image)
		image_free(*image);
	if (asked.fd >= 0 || !*image)
		*image = image_new(asked.fd, asked.text, &source);
	return *image;
}

static void set_step(struct lookup_answer *head, const struct step *step)
{
	head->known = step->known;
	head->interrupted = step->interrupted;
	head->indirect = step->indirect;
	head->base = step->base;
	head->offset = step->offset;
	for (int i = 0; i < STEP_REGISTERS; i++) {
		head->registers[i].rule = step->registers[i].rule;
		head->registers[i].at = step->registers[i].at;
	}
}

static size_t add_text(char *texts, size_t at, const char *text)
{
	size_t length = strnlen(text, TEXT_MAX - 1);

	memcpy(texts + at, text, length);
	texts[at + length] = '\0';
	return at + length + 1;
}

static void tell_place(void)
{
	static char texts[ANSWER_ROOM];
	struct lookup_answer head = {.kind = ANSWER_PLACE};
	uint64_t offset = asked.question.offset, address;
	struct image *image = image_asked();
	char *names[IMAGE_FUNCTIONS];
	struct step step;
	size_t length = 0;

	if (image_address(image, offset, &address)) {
		image_step(image, address, &step);
		set_step(&head, &step);
		head.number = 1;
		/* The code that a signal's handler returns to called nothing: the address is not behind a call. */
		head.count = (uint32_t)image_functions(image, address + step.interrupted, names);
	}
	for (uint32_t i = 0; i < head.count; i++) {
		length = add_text(texts, length, names[i]);
		free(names[i]);
	}
	answer(&head, texts, length);
}

static const char *second_text(void)
{
	const char *nul = memchr(asked.text, '\0', asked.length);

	return nul ? nul + 1 : "";
}

static void tell_block(void)
{
	const int64_t behind = strtoll(second_text(), NULL, 10);
	const uint64_t offset = asked.question.offset;
	struct lookup_answer head = {.kind = ANSWER_DONE};
	struct image_block block;

	image_block(image_asked(), offset, (uint64_t)behind, &block);
	answer(&head, (const char *)&block, sizeof(block));
}

static void tell_variable_at(void)
{
	const int64_t distance = strtoll(second_text(), NULL, 10);
	const uint64_t offset = asked.question.offset;
	struct lookup_answer head = {.kind = ANSWER_DONE};
	char *name = image_variable(image_asked(), offset, distance, &head.number);

	if (name)
		answer(&head, name, strnlen(name, TEXT_MAX));
	else
		answer_text(ANSWER_FAILED, "");
	free(name);
}

static void tell_build_id(void)
{
	struct lookup_answer head = {.kind = ANSWER_DONE};
	Elf *elf = elf_begin(asked.fd, ELF_C_READ, NULL);
	const void *id = NULL;
	ssize_t size = image_file_build_id(elf, &id);

	answer(&head, id, size > 0 && size <= TEXT_MAX ? (size_t)size : 0);
	elf_end(elf);
}

static void tell_offset(void)
{
	const char *function = second_text();
	uint64_t offset;

	if (symbol_offset(asked.fd, asked.text, function, &offset) < 0 || language_allows_probes(asked.fd, asked.text, function) < 0)
		answer_text(ANSWER_FAILED, fail_text());
	else
		answer_number(offset);
}

static void tell_variable(void)
{
	struct lookup_answer head = {.kind = ANSWER_DONE};
	uint64_t size;

	if (symbol_variable(asked.fd, asked.text, second_text(), &head.number, &size) < 0)
		answer_text(ANSWER_FAILED, fail_text());
	else
		answer(&head, (const char *)&size, sizeof(size));
}

static void tell_matching(void)
{
	const char *pattern = second_text();
	struct symbol_names names = {0};
	size_t told = 0;

	if (language_allows_probes(asked.fd, asked.text, pattern) == 0)
		symbol_matching(asked.fd, asked.text, pattern, &names);
	for (size_t i = 0; i < names.count; i++) {
		if (language_allows_probes(asked.fd, asked.text, names.items[i]) == 0) {
			answer_text(ANSWER_MORE, names.items[i]);
			told++;
		}
		free(names.items[i]);
	}
	free(names.items);
	if (told == 0)
		answer_text(ANSWER_FAILED, fail_text()); /* no function matches, or language_allows_probes() allows none */
	else
		answer_number(told);
}

/* The file of the question; read only when it is another file than last time. NULL after fail(). */
static const struct ends_file *ends_asked(void)
{
	static struct ends_file *file;
	static struct stat known;
	struct stat status;

	if (fstat(asked.fd, &status) < 0)
		return NULL;
	if (file && status.st_ino == known.st_ino && status.st_dev == known.st_dev)
		return file;
	ends_close(file);
	known = status;
	return file = ends_open(asked.fd, asked.text);
}

static void tell_traits(void)
{
	const struct ends_file *file = ends_asked();
	struct lookup_answer head = {.kind = ANSWER_DONE};
	static char text[ENDS_TEXT];
	size_t length = 0;

	if (!file) {
		answer_text(ANSWER_FAILED, fail_text());
		return;
	}
	head.number = ends_traits(file, text, sizeof(text), &length);
	answer(&head, text, length);
}

static void tell_ends(void)
{
	const struct ends_file *file = ends_asked();
	struct lookup_answer head = {.kind = ANSWER_DONE};
	struct ends ends;

	if (!file || ends_find(file, second_text(), asked.question.offset, asked.question.image, &ends) < 0) {
		answer_text(ANSWER_FAILED, fail_text());
		return;
	}
	head.number = ends.start;
	head.known = ends.at_exits;
	if (ends.count * sizeof(*ends.exits) <= ANSWER_ROOM - sizeof(head))
		answer(&head, (const char *)ends.exits, ends.count * sizeof(*ends.exits));
	else
		answer_text(ANSWER_FAILED, "it returns in too many places");
	free(ends.exits);
}

static void tell_instruction(void)
{
	const struct ends_file *file = ends_asked();
	uint64_t at;

	if (!file || ends_instruction(file, second_text(), asked.question.offset, asked.question.image, &at) < 0)
		answer_text(ANSWER_FAILED, fail_text());
	else
		answer_number(at);
}

static void tell_switches(void)
{
	const struct ends_file *file = ends_asked();
	struct lookup_answer head = {.kind = ANSWER_DONE};
	struct ends_switch found[ENDS_SWITCHES];
	size_t count = file ? ends_switches(file, found) : 0;

	answer(&head, (const char *)found, count * sizeof(*found));
}

/* Answers where each argument is, or why one of them cannot be found. */
static void tell_found(struct image *image, const char *function, const struct lookup_question *question, const struct arguments *arguments)
{
	struct {
		struct argument_found found[ARGUMENTS_MAX];
		char why[TEXT_MAX]; /* room for the reason, which is stored right behind the last argument */
	} told;
	struct lookup_answer head = {.kind = ANSWER_DONE};
	char why[TEXT_MAX] = "", *end = (char *)&told.found[arguments->count];

	for (int i = 0; i < arguments->count; i++) {
		if (image_argument(image, question->offset, question->image != ASK_IN_FUNCTION, function, &arguments->items[i], &told.found[i]) == 0)
			continue;
		if (question->image != ASK_LENIENTLY) {
			answer_text(ANSWER_FAILED, fail_text());
			return;
		}
		told.found[i] = argument_absent(&arguments->items[i]);
		if (!*why)
			snprintf(why, sizeof(why), "%s", fail_text());
	}
	memcpy(end, why, strlen(why));
	answer(&head, (const char *)&told, (size_t)(end - (char *)&told) + strlen(why));
}

/* Keeps copies of the question, because asking for a debug file overwrites `asked`. The image owns the file. */
static void tell_arguments(void)
{
	static const struct debug_source source = {.open = wish};
	const char *slash = strrchr(asked.text, '/'), *second = second_text(), *line = strchr(second, '\n');
	char *function = memory_text(second, line ? (size_t)(line - second) : 0);
	const char *lines = line ? strchr(line + 1, '\n') : NULL;
	char *text = memory_text(line ? line + 1 : "", line ? strcspn(line + 1, "\n") : 0);
	struct image *image = image_new(asked.fd, slash ? slash + 1 : asked.text, &source);
	const struct lookup_question question = asked.question;
	struct arguments arguments;

	if (lines)
		image_choose_members(image, lines + 1);
	if (arguments_parse(text, &arguments) < 0)
		answer_text(ANSWER_FAILED, fail_text());
	else
		tell_found(image, function, &question, &arguments);
	image_free(image);
	free(text);
	free(function);
}

static void tell_type(void)
{
	char *name = demangle_type(asked.text);

	answer_text(name ? ANSWER_DONE : ANSWER_FAILED, name ? name : "");
	free(name);
}

/* Answers with expressions for all that a call of the function can show. */
static void tell_parameters(void)
{
	static const struct debug_source source = {.open = wish};
	const char *slash = strrchr(asked.text, '/'), *second = second_text();
	char *function = memory_text(second, strlen(second)), text[ARGUMENT_LIST_ROOM];
	const uint64_t offset = asked.question.offset;
	struct image *image = image_new(asked.fd, slash ? slash + 1 : asked.text, &source);
	int count = image_arguments(image, offset, function, text);
	struct lookup_answer head = {.kind = ANSWER_DONE, .number = count >= 0};

	answer(&head, text, count > 0 ? strlen(text) : 0);
	image_free(image);
	free(function);
}

static void tell_confined(void)
{
	const struct lookup_answer head = {.kind = ANSWER_DONE, .number = confined};

	answer(&head, NULL, 0);
}

static const struct {
	void (*tell)(void);
	bool keeps_file;
} questions[QUESTIONS] = {
	[ASK_PLACE] = {tell_place, true},
	[ASK_BUILD_ID] = {tell_build_id},
	[ASK_OFFSET] = {tell_offset},
	[ASK_VARIABLE] = {tell_variable},
	[ASK_MATCHING] = {tell_matching},
	[ASK_TRAITS] = {tell_traits},
	[ASK_ENDS] = {tell_ends},
	[ASK_SWITCHES] = {tell_switches},
	[ASK_INSTRUCTION] = {tell_instruction},
	[ASK_ARGUMENTS] = {tell_arguments, true},
	[ASK_TYPE] = {tell_type},
	[ASK_PARAMETERS] = {tell_parameters, true},
	[ASK_BLOCK] = {tell_block, true},
	[ASK_VARIABLE_AT] = {tell_variable_at, true},
	[ASK_CONFINED] = {tell_confined},
};

/* Closes everything but the socket. Ignores the signals that are meant for the process that asks. */
static void leave_all(int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	socket = dup(socket); /* it may be in the way */
	for (int fd = 0; fd < SOCKET; fd++)
		dup2(null, fd);
	dup2(socket, SOCKET);
	open_files_close(SOCKET + 1);
}

static uint64_t memory_allowed(void)
{
	uint64_t share = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_SHARE;

	return share < MEMORY ? share : MEMORY;
}

_Noreturn void lookup_serve(int socket)
{
	prctl(PR_SET_NAME, "tailblame-names");
	setpriority(PRIO_PROCESS, 0, PRIORITY); /* where that is allowed: while a collector waits for this process, its ring buffers fill */
	leave_all(socket);
	confined = confine_wholly(memory_allowed());
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it */
	elf_version(EV_CURRENT);
	for (;;) {
		enum question_kind kind;
		int fd;

		receive();
		kind = asked.question.kind < QUESTIONS ? (enum question_kind)asked.question.kind : ASK_GIVEN;
		fd = asked.fd;
		if (!questions[kind].tell)
			_exit(1);
		questions[kind].tell();
		if (fd >= 0 && !questions[kind].keeps_file)
			close(fd);
	}
}
