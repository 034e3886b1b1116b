/* replay: gives files to a target, one by one, as libFuzzer would; a folder stands for its files. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "fuzz.h"

static int replay(const char *path)
{
	size_t length;
	char *text = file_read(path, &length);
	uint8_t *exact;

	if (!text) {
		fprintf(stderr, "%s\n", fail_text());
		return -1;
	}
	exact = malloc(length ? length : 1); /* not a byte behind the end */
	memcpy(exact, text, length);
	free(text);
	fprintf(stderr, "%s\n", path); /* the last one told is the one that failed */
	LLVMFuzzerTestOneInput(exact, length);
	free(exact);
	return 0;
}

static int replay_folder(const char *path)
{
	DIR *folder = opendir(path);
	int status = 0;

	for (struct dirent *entry; status == 0 && (entry = readdir(folder));) {
		char *name = memory_format("%s/%s", path, entry->d_name);

		if (*entry->d_name != '.')
			status = replay(name);
		free(name);
	}
	closedir(folder);
	return status;
}

int main(int argc, char **argv)
{
	int status = argc > 1 ? 0 : -1;

	for (int i = 1; i < argc && status == 0; i++) {
		DIR *folder = opendir(argv[i]);

		status = folder ? replay_folder(argv[i]) : replay(argv[i]);
		if (folder)
			closedir(folder);
	}
	return status == 0 ? 0 : 1;
}
