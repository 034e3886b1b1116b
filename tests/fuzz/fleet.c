/* What comes over the network: messages as they are, messages that unpack to the input, and orders; and command lines. */
#include <string.h>

#include "base/memory.h"
#include "fleet/order.h"
#include "fleet/parcel.h"
#include "fleet/permission.h"
#include "fleet/program_search.h"
#include "support/fuzz.h"

/* What was opened is opened again, and is the same. */
static void open_message(const char *bytes, size_t size)
{
	struct parcel parcel, again;
	char *packed;
	size_t packed_size;

	if (parcel_open(&parcel, bytes, size) < 0)
		return;
	fuzz_must(parcel.id && parcel.length > 0 && parcel.text[parcel.length - 1] == '\n');
	fuzz_must(parcel_pack(parcel.text, parcel.length, &packed, &packed_size) == 0);
	fuzz_must(parcel_open(&again, packed, packed_size) == 0 && again.length == parcel.length && !memcmp(again.text, parcel.text, parcel.length));
	if (parcel.moments) /* nothing that report would refuse, and blame-rank */
		fuzz_must(stage_report(fuzz_file(FUZZ_SECOND, parcel.text, parcel.length), FUZZ_THIRD, 0) != 1 &&
			  stage_rank(fuzz_path(FUZZ_SECOND), FUZZ_THIRD, 0) != 1);
	free(packed);
	parcel_free(&again);
	parcel_free(&parcel);
}

/* What the machine's file lists and what needs no leave, line by line. */
static void check_job(char *job)
{
	static const char *const words[] = {"program", "sysctl", "map", "size", "salt"};
	char *rest = NULL;

	for (char *line = strtok_r(job, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool known = false;

		line += strspn(line, " \t\r");
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			known |= !strncmp(line, words[i], strlen(words[i])) && strspn(line + strlen(words[i]), " \t\r#") + !line[strlen(words[i])] > 0;
		fuzz_must(known);
	}
}

static void read_orders(const char *text, size_t size)
{
	struct orders orders = {0}, again = {0};
	char *spelled, *left, *job;
	struct permission *permission = permission_load(fuzz_file(FUZZ_FIRST, "program wget curl*\nsysctl net.*\n", 33));

	fuzz_must(permission);
	if (orders_read(&orders, text, size) == 0) {
		spelled = orders_spell(&orders);
		fuzz_must(orders_read(&again, spelled, strlen(spelled)) == 0 && again.all.count == orders.all.count);
		for (size_t i = 0; i < orders.all.count; i++)
			if ((job = permission_filter(permission, orders.all.items[i].text, &left))) {
				check_job(job);
				free(job);
				free(left);
			}
		free(spelled);
	}
	orders_free(&orders);
	orders_free(&again);
	permission_free(permission);
}

/* A name that is in a command line as a word is found in it. */
static void seek(const char *line, size_t size)
{
	size_t length = strnlen(line, size);
	char *word = memory_text(line, length);

	program_search_is_named("files.example.org", line, size);
	fuzz_must(length == 0 || program_search_is_named(word, line, length));
	free(word);
}

static void read_may(const char *path)
{
	struct permission *permission = permission_load(path);

	if (permission)
		permission_free(permission);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes;
	size_t packed;

	open_message((const char *)data, size);
	if (parcel_pack((const char *)data, size, &bytes, &packed) == 0) {
		open_message(bytes, packed);
		free(bytes);
	}
	read_orders((const char *)data, size);
	seek((const char *)data, size);
	read_may(fuzz_file(FUZZ_INPUT, data, size));
	return 0;
}
