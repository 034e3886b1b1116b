/* The inputs and outputs of targets: files in memory, which are read piece by piece. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

static int files[FUZZ_FILES];
static char paths[FUZZ_FILES][64];
static char folder[] = "/dev/shm/tailblame-fuzz-XXXXXX";

/*
 * Each read() of the libraries gives a piece only, as one from a pipe may, so that the ends of what was read lie anywhere in the input.
 * The linker makes it of theirs (--wrap=read).
 */
static size_t piece = SIZE_MAX;

/* Where time flies, it passes that much between two looks at it. */
static int64_t step, passed;

ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size);

ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
	return __real_read(fd, bytes, size < piece ? size : piece);
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int status = __real_clock_gettime(clock, now);

	if (step && clock != CLOCK_PROCESS_CPUTIME_ID) {
		int64_t ns = now->tv_nsec + (passed += step);

		now->tv_sec += ns / 1000000000;
		now->tv_nsec = ns % 1000000000;
	}
	return status;
}

void fuzz_time(int64_t ns)
{
	step = ns;
	passed = 0;
}

unsigned fuzz_variant(const uint8_t *data, size_t size, unsigned count)
{
	return size > 1 && data[0] == '#' && data[1] > ' ' ? (unsigned)(data[1] - '0') % count : 0;
}

const char *fuzz_path(int number)
{
	if (!files[number]) {
		files[number] = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(paths[number], sizeof(paths[number]), "/proc/self/fd/%d", files[number]);
	}
	return paths[number];
}

int fuzz_output(int number)
{
	fuzz_path(number);
	if (ftruncate(files[number], 0) < 0 || lseek(files[number], 0, SEEK_SET) < 0)
		abort();
	return files[number];
}

const char *fuzz_file(int number, const void *data, size_t size)
{
	if (write(fuzz_output(number), data, size) != (ssize_t)size)
		abort();
	piece = 1 + size / 16 + size % 61;
	return paths[number];
}

char *fuzz_content(int number, size_t *length)
{
	struct stat file;
	char *text;

	if (fstat(files[number], &file) < 0)
		abort();
	*length = (size_t)file.st_size;
	text = malloc(*length + 1);
	if (pread(files[number], text, *length, 0) != file.st_size)
		abort();
	text[*length] = '\0';
	return text;
}

static void remove_folder(void)
{
	rmdir(folder);
}

const char *fuzz_folder(void)
{
	static bool made;

	if (!made && mkdtemp(folder))
		atexit(remove_folder);
	made = true;
	return folder;
}
