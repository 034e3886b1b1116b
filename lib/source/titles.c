#include "source/titles.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"

/* LOOKS: titles that are read in one look. With 1,024 titles, each is read every four seconds. */
enum { LOOKS = 25, SCANNED = 64, BORN_LOOKED = 32, TITLED_MAX = 1 << 10, BORN_MAX = 1 << 8, TOLD_MAX = 1 << 10 };

static const int64_t childhood = NSEC_PER_SEC;

struct titled {
	int32_t pid;
	int fd; /* its command line in /proc */
	char title[PROGRAM_TITLE_ROOM];
	UT_hash_handle hh;
};

struct born {
	int32_t tid;
	int64_t ts;
};

struct titles {
	const struct trace_clock *clock;
	struct execs *execs; /* NULL: none */
	pthread_mutex_t lock;	/* of what the two threads share, which follows */
	struct born born[BORN_MAX];
	size_t first_born, born_count;
	ARRAY(int32_t) wanted;
	ARRAY(struct title_told) told;
	size_t handed;
	/* only for the thread of program_reader */
	struct titled *titled; /* the one whose last look is the longest ago comes first */
	DIR *scan;	       /* NULL: the look over the machine is over */
};

/* --- in the thread of program_reader -------------------------------------------------------------------------------------------- */

static void tell(struct titles *titles, const struct titled *titled)
{
	struct title_told told = {.pid = titled->pid, .ts = clock_now(titles->clock)};

	memcpy(told.title, titled->title, sizeof(told.title));
	pthread_mutex_lock(&titles->lock);
	if (titles->told.count < TOLD_MAX)
		*ARRAY_ADD(&titles->told) = told;
	pthread_mutex_unlock(&titles->lock);
}

static void drop(struct titles *titles, struct titled *titled)
{
	HASH_DEL(titles->titled, titled);
	close(titled->fd);
	free(titled);
}

/* The file is kept open, so it reads as empty after its process has ended, even if another has the number by now. False: there is no title. */
static bool read_title(int fd, struct program *program)
{
	char line[512];
	ssize_t length = pread(fd, line, sizeof(line) - 1, 0);

	if (length <= 0)
		return false;
	line[length] = '\0';
	program_words(program, line, (size_t)length + 1, true);
	return !program->script && strchr(program->words, ' ');
}

static void add(struct titles *titles, int32_t pid, const char *title)
{
	struct titled *titled;
	char path[48];
	int fd;

	HASH_FIND_INT(titles->titled, &pid, titled);
	if (titled || HASH_COUNT(titles->titled) >= TITLED_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	titled = NEW(struct titled);
	titled->pid = pid;
	titled->fd = fd;
	memcpy(titled->title, title, strlen(title) + 1);
	HASH_ADD_INT(titles->titled, pid, titled);
	tell(titles, titled);
}

/* Leaves out a `pid` that is a thread, but not its process's first. */
static void look_first(struct titles *titles, int32_t pid)
{
	struct program program;

	if (syscall(SYS_tgkill, pid, pid, 0) != 0)
		return;
	program_read(&program, pid);
	if (*program.title)
		add(titles, pid, program.title);
}

/* A process that ends, or runs another program, has no title any more. */
static void look_again(struct titles *titles, struct titled *titled)
{
	struct program program;

	if (!read_title(titled->fd, &program)) {
		drop(titles, titled);
		return;
	}
	HASH_DEL(titles->titled, titled);
	HASH_ADD_INT(titles->titled, pid, titled);
	if (strncmp(titled->title, program.words, sizeof(titled->title) - 1) == 0)
		return;
	snprintf(titled->title, sizeof(titled->title), "%.*s", (int)sizeof(titled->title) - 1, program.words);
	tell(titles, titled);
}

static void learn(struct titles *titles, int32_t pid)
{
	struct program program;

	program_read(&program, pid);
	if (titles->execs)
		execs_learn(titles->execs, pid, &program);
	if (*program.title)
		add(titles, pid, program.title);
}

static void scan(struct titles *titles)
{
	for (int i = 0; titles->scan && i < SCANNED; i++) {
		struct dirent *entry = readdir(titles->scan);

		if (!entry) {
			closedir(titles->scan);
			titles->scan = NULL;
		} else if (atoi(entry->d_name) > 0) {
			learn(titles, atoi(entry->d_name));
		}
	}
}

/* The next process that was asked for, or was made long enough ago; 0: there is none. */
static int32_t take_new(struct titles *titles)
{
	const struct born *born;
	int32_t pid = 0;

	pthread_mutex_lock(&titles->lock);
	born = &titles->born[titles->first_born];
	if (titles->wanted.count) {
		pid = titles->wanted.items[--titles->wanted.count];
	} else if (titles->born_count && born->ts < clock_now(titles->clock) - childhood) {
		pid = born->tid;
		titles->first_born = (titles->first_born + 1) % BORN_MAX;
		titles->born_count--;
	}
	pthread_mutex_unlock(&titles->lock);
	return pid;
}

static void look(void *context)
{
	struct titles *titles = context;
	unsigned count = HASH_COUNT(titles->titled);
	int32_t pid;

	for (unsigned i = 0; i < LOOKS && i < count && titles->titled; i++)
		look_again(titles, titles->titled);
	for (int i = 0; i < BORN_LOOKED && (pid = take_new(titles)); i++)
		look_first(titles, pid);
	scan(titles);
}

/* --- in others -------------------------------------------------------------------------------------------------------- */

struct titles *titles_new(const struct trace_clock *clock, struct program_reader *reader, struct execs *execs)
{
	struct titles *titles = NEW(struct titles);

	titles->clock = clock;
	titles->execs = execs;
	titles->scan = opendir("/proc");
	pthread_mutex_init(&titles->lock, NULL);
	program_reader_often(reader, look, titles);
	return titles;
}

void titles_free(struct titles *titles)
{
	if (!titles)
		return;
	while (titles->titled)
		drop(titles, titles->titled);
	if (titles->scan)
		closedir(titles->scan);
	free(titles->wanted.items);
	free(titles->told.items);
	pthread_mutex_destroy(&titles->lock);
	free(titles);
}

void titles_add(struct titles *titles, int32_t pid)
{
	pthread_mutex_lock(&titles->lock);
	if (titles->wanted.count < TITLED_MAX)
		*ARRAY_ADD(&titles->wanted) = pid;
	pthread_mutex_unlock(&titles->lock);
}

/* If there is no room, the oldest gives way: if many processes are made, few last. */
void titles_born(struct titles *titles, int32_t tid)
{
	int64_t now = clock_now(titles->clock);

	pthread_mutex_lock(&titles->lock);
	if (titles->born_count == BORN_MAX) {
		titles->first_born = (titles->first_born + 1) % BORN_MAX;
		titles->born_count--;
	}
	titles->born[(titles->first_born + titles->born_count++) % BORN_MAX] = (struct born){tid, now};
	pthread_mutex_unlock(&titles->lock);
}

bool titles_next(struct titles *titles, struct title_told *told)
{
	bool there;

	pthread_mutex_lock(&titles->lock);
	there = titles->handed < titles->told.count;
	if (there)
		*told = titles->told.items[titles->handed++];
	else
		titles->handed = titles->told.count = 0;
	pthread_mutex_unlock(&titles->lock);
	return there;
}
