/* kshark FILE: what KernelShark's own library reads of a trace, an event a line: "NANOSECONDS CPU TID NAME". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <libkshark.h>

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;
	int trace = argc == 2 && kshark_instance(&context) ? kshark_open(context, argv[1]) : -1;
	ssize_t count = trace < 0 ? -1 : kshark_load_entries(context, trace, &entries);

	for (ssize_t i = 0; i < count; i++) {
		char *name = kshark_get_event_name(entries[i]);

		printf("%" PRId64 " %d %d %s\n", entries[i]->ts, entries[i]->cpu, kshark_get_pid(entries[i]), name ? name : "?");
		free(name);
		free(entries[i]);
	}
	free(entries);
	if (trace >= 0)
		kshark_close(context, trace);
	kshark_free(context);
	return count < 0;
}
