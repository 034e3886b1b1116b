/* The inputs and outputs of targets: files in memory. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static int files[FUZZ_FILES];
static char paths[FUZZ_FILES][64];
static char folder[] = "/dev/shm/tailblame-fuzz-XXXXXX";

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
