/* Limits kept in a file. What is read and saved reads the same again. */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "chart/limits.h"
#include "support/fuzz.h"

static char *saved(const struct limits_book *book)
{
	char *path = memory_format("%s/limits", fuzz_folder()), *text;

	fuzz_must(limits_book_save(book, file_draft(path)) == 0);
	text = file_read(path, NULL);
	unlink(path);
	free(path);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limits_book *book = limits_book_read(fuzz_file(FUZZ_INPUT, data, size)), *again;
	char *text, *again_text;

	if (!book)
		return 0;
	text = saved(book);
	again = limits_book_read(fuzz_file(FUZZ_SECOND, text, strlen(text)));
	fuzz_must(again);
	again_text = saved(again);
	fuzz_must(!strcmp(text, again_text));
	free(text);
	free(again_text);
	limits_book_free(book);
	limits_book_free(again);
	return 0;
}
