/*
 * host_listeners: the listeners of a stream of several hosts, one for each. Private to lib/stream.
 *
 * A listener is what is attached to the stream for one host: watches, and the context of the handlers. The current listener is stored in place,
 * so that a stream of one host costs nothing more; to switch to another swaps the two. The first listener is that of the first host, or of a
 * stream without hosts.
 */
#ifndef STREAM_HOST_LISTENERS_H
#define STREAM_HOST_LISTENERS_H

#include "base/memory.h"
#include "stream/fields.h"
#include "stream/output.h"
#include "stream/stream.h"

enum { WATCHES_MAX = 4 /* of one kind */, STREAM_HOSTS_MAX = 1024 };

struct host_listener {
	struct {
		record_handler *call;
		void *context;
	} watches[KINDS][WATCHES_MAX];
	void *context; /* of the handlers */
	bool (*knows)(void *context, const struct record *event); /* see stream_knows() */
	void *knower;
	event_speller *speller; /* see stream_speller() */
	void *spelling;
};

struct stream_host {
	char *name; /* NULL: no host was named so far */
	char *line; /* its first `host` record in this segment; NULL: none came */
	bool told;  /* `line` was written */
	uint64_t lost; /* lost events and damaged places in the host's `lost` records so far */
	struct host_listener *away; /* its listener, while another is the current one */
};

struct host_listeners {
	struct host_listener current;
	size_t number; /* of the current listener */
	bool hosted;   /* a `host` record came in this segment */
	ARRAY(struct stream_host) hosts;
};

void host_listeners_begin(struct host_listeners *listeners);
void host_listeners_free(struct host_listeners *listeners);

/* The number of the listener of the host with this name, made if there is none; -1 after fail(): there are too many hosts. */
int host_listeners_find(struct host_listeners *listeners, const char *name);

/* Makes this listener the current one. */
void host_listeners_enter(struct host_listeners *listeners, size_t number);

/* Ends a segment: forgets its `host` records, and switches to the first listener. */
void host_listeners_segment_over(struct host_listeners *listeners);

/* Makes the `stream` record of a host: the fields of `stream`, except those that describe a host, which come from the `host` record. */
void host_listeners_stream_line(struct line *line, const struct fields *stream, const struct fields *host);

#endif
