#include "source/disk_ring.h"

#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/place.h"
#include "source/ring_file.h"
#include "source/recorder.h"
#include "stream/block.h"
#include "stream/fields.h"
#include "stream/line.h"

enum { KEY_ROOM = 48, STORES_MOST = 1 << 16 };

#define TITLE " title" /* ends the key of a thread's later title */

struct meaning { /* a record that gives later ones their meaning */
	uint64_t at; /* offset of its piece in the file */
	size_t length;
	char *bytes; /* with its head */
};

struct kept { /* the last record about its subject that has left the newest part */
	char key[KEY_ROOM]; /* the record's kind and the numbers of its subject */
	uint64_t order;
	struct meaning meaning;
	UT_hash_handle hh;
};

struct disk_ring {
	char *path;
	uint64_t size;
	struct ring_file *file;
	char head[STREAM_HEAD_SIZE];
	bool begun;
	uint64_t from, to; /* the newest part, which the ring holds */
	int pipe;	   /* it gets the same stream; -1: none */
	struct recorder teller; /* the connection to a cchart-filter that tells of signals */
	bool told;
	uint64_t stored_to; /* end of the part that was stored last */
	ARRAY(uint64_t) pieces; /* where each piece written since `from` ends in the file, which is between blocks */
	size_t first;
	ARRAY(struct meaning) meanings; /* in these pieces */
	size_t first_meaning;
	struct kept *kept;
	uint64_t order; /* of the next record in `kept` */
	/* The part that a thread is storing. */
	bool storing;
	atomic_bool stored;
	pthread_t thread;
	struct store *store;
};

/* A part of the ring that is written to a file with a name. */
struct store {
	struct disk_ring *ring;
	char *path;
	uint64_t from, to;
	struct ring_file_view *view; /* of the part */
	char *front; /* records for its beginning */
	size_t front_length;
	uint64_t records, lost;
	uint32_t number; /* of the next block */
	char failure[256]; /* "": none */
};

static volatile sig_atomic_t asked;

void disk_ring_ask(void)
{
	asked = 1;
}

struct disk_ring *disk_ring_open(const char *path, uint64_t size)
{
	char *copy = memory_text(path, strlen(path));
	struct disk_ring *ring = NEW(struct disk_ring);
	int folder = place_folder(dirname(copy));

	free(copy);
	ring->path = memory_text(path, strlen(path));
	ring->size = size;
	ring->file = folder < 0 ? NULL : ring_file_open(folder, size);
	if (folder >= 0 && !ring->file)
		fail_prefix("cannot make a file for '%s'", path);
	if (folder >= 0)
		close(folder);
	ring->pipe = -1;
	ring->teller = (struct recorder){.listening = -1, .call = -1};
	if (ring->file)
		return ring;
	free(ring->path);
	free(ring);
	return NULL;
}

int disk_ring_fd(const struct disk_ring *ring)
{
	return ring_file_fd(ring->file);
}

void disk_ring_pass(struct disk_ring *ring, int pipe)
{
	ring->pipe = pipe;
}

int disk_ring_offer(struct disk_ring *ring, struct stream *stream)
{
	return ring->pipe < 0 ? 0 : recorder_offer(&ring->teller, NULL, stream, ring->pipe);
}

/*
 * Makes a key of the kind and the subject's numbers: a stack's id, a file's tid and descriptor. "": the record is about no such subject, and is kept
 * for ever. A thread's later title does not say its name again, so it has a key of its own.
 */
static void key_of(const struct record_head *head, const char *text, size_t length, char key[KEY_ROOM])
{
	static const struct {
		enum kind kind;
		const char *fields[2];
	} about[] = {{KIND_STACK, {"id"}}, {KIND_TASK, {"tid"}}, {KIND_FILE, {"tid", "fd"}}, {KIND_TIMER, {"address"}}, {KIND_SYMBOL, {"address"}},
		     {KIND_TRACED, {"tids", "gone"}}};
	struct fields fields;
	size_t begin;

	*key = '\0';
	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++) {
		if (about[i].kind != head->kind || head->form != RECORD_SPELLED || fields_parse(&fields, text, length) < 0)
			continue;
		begin = (size_t)snprintf(key, KEY_ROOM, "%u", head->kind);
		for (int k = 0; k < 2 && about[i].fields[k]; k++) {
			const struct field *field = fields_find(&fields, about[i].fields[k]);

			if (field)
				snprintf(key + strlen(key), KEY_ROOM - strlen(key), " %.*s", (int)field->value_length, field->value);
		}
		if (!key[begin])
			*key = '\0';
		else if (head->kind == KIND_TASK && fields_find(&fields, "title") && !fields_find(&fields, "comm"))
			snprintf(key + strlen(key), KEY_ROOM - strlen(key), TITLE);
	}
}

static void forget(struct disk_ring *ring, const char *key)
{
	struct kept *kept;

	HASH_FIND_STR(ring->kept, key, kept);
	if (!kept)
		return;
	HASH_DEL(ring->kept, kept);
	free(kept->meaning.bytes);
	free(kept);
}

/* Tells whether the record says that a thread has ended. */
static bool is_end(const struct record_head *head, const char *text, size_t length)
{
	struct fields fields;

	return head->kind == KIND_TASK && head->form == RECORD_SPELLED && fields_parse(&fields, text, length) == 0 && fields_is(&fields, "ended", "yes");
}

/*
 * The record has left the newest part. It takes the place of an earlier one about the same subject. If it says that a thread has ended, nothing
 * of the thread is kept.
 */
static void keep(struct disk_ring *ring, struct meaning meaning)
{
	struct record_head head;
	struct kept *kept;
	char key[KEY_ROOM], title[KEY_ROOM + sizeof(TITLE)];

	memcpy(&head, meaning.bytes, sizeof(head));
	key_of(&head, meaning.bytes + sizeof(head), meaning.length - sizeof(head), key);
	if (*key && is_end(&head, meaning.bytes + sizeof(head), meaning.length - sizeof(head))) {
		snprintf(title, sizeof(title), "%s" TITLE, key);
		forget(ring, key);
		forget(ring, title);
		free(meaning.bytes);
		return;
	}
	if (!*key)
		snprintf(key, sizeof(key), "= %llu", (unsigned long long)ring->order);
	HASH_FIND_STR(ring->kept, key, kept);
	if (kept) {
		free(kept->meaning.bytes);
	} else {
		kept = NEW(struct kept);
		strcpy(kept->key, key);
		HASH_ADD_STR(ring->kept, key, kept);
	}
	kept->order = ring->order++;
	kept->meaning = meaning;
}

/* Tells whether records of this kind give later ones their meaning. Events, and records about a time, do not. */
static bool says_meaning(uint8_t kind)
{
	static const enum kind of_a_time[] = {KIND_EVENT, KIND_LOST, KIND_GAP, KIND_TICK, KIND_SAMPLE, KIND_USAGE, KIND_END, KIND_EXCEPTION, KIND_STATE, KIND_QUOTA, KIND_ASYNC};

	for (size_t i = 0; i < sizeof(of_a_time) / sizeof(of_a_time[0]); i++)
		if (kind == of_a_time[i])
			return false;
	return true;
}

/* Notes the records of a block that give later ones their meaning. */
static void note_meanings(struct disk_ring *ring, const char *records, size_t size)
{
	struct record_head head;

	for (size_t at = 0; at + sizeof(head) <= size; at += head.size) {
		memcpy(&head, records + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > size - at)
			return;
		if (says_meaning(head.kind))
			*ARRAY_ADD(&ring->meanings) = (struct meaning){ring->to, head.size, memcpy(memory_new(head.size, 1), records + at, head.size)};
	}
}

/* Notes the records in these blocks. At the very first the stream's head precedes the blocks; returns its length, else 0. */
static size_t note_blocks(struct disk_ring *ring, const char *bytes, size_t length, bool events)
{
	size_t at = 0;
	struct block_head head;

	if (!ring->begun && length >= STREAM_HEAD_SIZE) {
		memcpy(ring->head, bytes, STREAM_HEAD_SIZE);
		ring->begun = true;
		at = STREAM_HEAD_SIZE;
	}
	for (size_t block = at; !events && block + BLOCK_HEAD_SIZE <= length; block += BLOCK_HEAD_SIZE + head.size) {
		memcpy(&head, bytes + block, sizeof(head));
		if (head.size > length - block - BLOCK_HEAD_SIZE)
			break;
		note_meanings(ring, bytes + block + BLOCK_HEAD_SIZE, head.size);
	}
	return at;
}

/* Forgets the oldest pieces beyond the ring's size, but none while a part is being stored. */
static int forget_old(struct disk_ring *ring, size_t coming)
{
	uint64_t before = ring->from;

	while (!ring->storing && ring->first < ring->pieces.count && ring->to + coming - (ring->from - ring->from % RING_FILE_CHUNK) > ring->size)
		ring->from = ring->pieces.items[ring->first++];
	for (; ring->first_meaning < ring->meanings.count && ring->meanings.items[ring->first_meaning].at < ring->from; ring->first_meaning++)
		keep(ring, ring->meanings.items[ring->first_meaning]);
	if (ring->first > ring->pieces.count / 2) {
		ARRAY_REMOVE(&ring->pieces, 0, ring->first);
		ring->first = 0;
	}
	if (ring->first_meaning > ring->meanings.count / 2) {
		ARRAY_REMOVE(&ring->meanings, 0, ring->first_meaning);
		ring->first_meaning = 0;
	}
	return ring->from == before ? 0 : ring_file_forget(ring->file, ring->from);
}

static int compare_order(const struct kept *a, const struct kept *b)
{
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Makes the records at the beginning of the stored stream, as one text. */
static void fill_front(struct store *store)
{
	struct line front = {0};

	HASH_SORT(store->ring->kept, compare_order);
	for (const struct kept *kept = store->ring->kept; kept; kept = kept->hh.next)
		line_append(&front, kept->meaning.bytes, kept->meaning.length);
	store->front = front.text;
	store->front_length = front.length;
}

static int put_block(struct store *store, FILE *out, char *block, size_t size)
{
	block_seal(block, size, store->number++, false);
	return fwrite(block, 1, BLOCK_HEAD_SIZE + size, out) == BLOCK_HEAD_SIZE + size ? 0 : fail_errno("cannot write '%s'", store->path);
}

/* Counts whole records, and leaves out the stream's own end: returns how many bytes are left. */
static size_t count_records(struct store *store, const char *records, size_t size)
{
	struct record_head head;
	struct fields fields;
	uint64_t lost;
	size_t at = 0;

	for (; at + sizeof(head) <= size; at += head.size) {
		memcpy(&head, records + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > size - at || head.kind == KIND_END)
			break;
		store->records++;
		lost = 0;
		if (head.kind == KIND_LOST && fields_parse(&fields, records + at + sizeof(head), head.size - sizeof(head)) == 0 &&
		    fields_unsigned(&fields, "count", &lost) >= 0)
			store->lost += lost;
	}
	return at;
}

static int put_front(struct store *store, FILE *out, char *block)
{
	size_t at = 0, size;
	struct record_head head;

	while (at < store->front_length) {
		for (size = 0; at + size < store->front_length; size += head.size) {
			memcpy(&head, store->front + at + size, sizeof(head));
			if (size && size + head.size > BLOCK_SIZE)
				break;
		}
		memcpy(block + BLOCK_HEAD_SIZE, store->front + at, size);
		count_records(store, block + BLOCK_HEAD_SIZE, size);
		if (put_block(store, out, block, size) < 0)
			return -1;
		at += size;
	}
	return 0;
}

static int put_part(struct store *store, FILE *out, char *block)
{
	struct block_head head;
	size_t size;

	for (uint64_t at = store->from; at < store->to; at += BLOCK_HEAD_SIZE + head.size) {
		if (ring_file_read(store->view, (char *)&head, sizeof(head), at) < 0)
			return -1;
		if (head.size > RECORD_SIZE_MAX || head.size > store->to - at - BLOCK_HEAD_SIZE)
			return fail("the file of --ring is damaged");
		if (ring_file_read(store->view, block + BLOCK_HEAD_SIZE, head.size, at + BLOCK_HEAD_SIZE) < 0)
			return -1;
		size = count_records(store, block + BLOCK_HEAD_SIZE, head.size);
		if (size && put_block(store, out, block, size) < 0)
			return -1;
	}
	return 0;
}

static int put_end(struct store *store, FILE *out, char *block)
{
	char *text = memory_format("end records=%llu lost=%llu", (unsigned long long)store->records, (unsigned long long)store->lost);
	struct record_head head = {(uint32_t)(sizeof(head) + strlen(text)), KIND_END, RECORD_SPELLED, 0, 0};

	memcpy(block + BLOCK_HEAD_SIZE, &head, sizeof(head));
	memcpy(block + BLOCK_HEAD_SIZE + sizeof(head), text, strlen(text));
	free(text);
	return put_block(store, out, block, head.size);
}

/* The `end` record counts the records before it. */
static int write_store(struct store *store)
{
	struct file_draft *draft = file_draft_record(store->path);
	char *block;
	FILE *out;
	int status;

	if (!draft)
		return -1;
	block = memory_new(BLOCK_HEAD_SIZE + RECORD_SIZE_MAX + BLOCK_SIZE, 1);
	out = file_draft_stream(draft);
	status = fwrite(store->ring->head, 1, STREAM_HEAD_SIZE, out) == STREAM_HEAD_SIZE && put_front(store, out, block) == 0 &&
				 put_part(store, out, block) == 0 && put_end(store, out, block) == 0
			 ? 0
			 : -1;
	free(block);
	return file_draft_keep(draft) < 0 ? -1 : status;
}

static void *store_apart(void *context)
{
	struct store *store = context;

	if (write_store(store) < 0)
		snprintf(store->failure, sizeof(store->failure), "%s", fail_text());
	atomic_store(&store->ring->stored, true);
	return NULL;
}

static struct store *store_new(struct disk_ring *ring, char *path)
{
	struct store *store = NEW(struct store);

	store->ring = ring;
	store->path = path;
	store->from = ring->from;
	store->to = ring->to;
	store->view = ring_file_view(ring->file, ring->from, ring->to);
	fill_front(store);
	return store;
}

/* -1 after fail(). */
static int store_free(struct store *store)
{
	int status = *store->failure ? fail("%s", store->failure) : 0;

	ring_file_view_free(store->view);
	free(store->path);
	free(store->front);
	free(store);
	return status;
}

static int finish_storing(struct disk_ring *ring)
{
	pthread_join(ring->thread, NULL);
	ring->storing = false;
	return store_free(ring->store);
}

/* PATH.1, or the next number that no file has, not even a link that leads nowhere. The caller frees it. */
static char *free_path(const struct disk_ring *ring)
{
	for (int number = 1; number < STORES_MOST; number++) {
		char *path = memory_format("%s.%d", ring->path, number);

		if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return path;
		free(path);
	}
	return memory_format("%s.%d", ring->path, STORES_MOST);
}

static int begin_storing(struct disk_ring *ring)
{
	asked = 0;
	ring->told = false;
	ring->stored_to = ring->to;
	ring->store = store_new(ring, free_path(ring));
	atomic_store(&ring->stored, false);
	errno = pthread_create(&ring->thread, NULL, store_apart, ring->store);
	if (errno) {
		fail_errno("cannot start a thread");
		store_free(ring->store);
		return -1;
	}
	ring->storing = true;
	return 0;
}

/* A reader that has left is no failure, because the ring must still be stored. */
static int pass_on(struct disk_ring *ring, const char *bytes, size_t length)
{
	while (length > 0 && ring->pipe >= 0) {
		ssize_t done = write(ring->pipe, bytes, length);

		if (done < 0 && errno == EPIPE)
			ring->pipe = -1;
		else if (done < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = ring->pipe, .events = POLLOUT}, 1, -1);
		else if (done < 0 && errno != EINTR)
			return fail_errno("cannot write to standard output");
		bytes += done > 0 ? done : 0;
		length -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* SIGUSR1 stores the ring at once; a signal of the charts stores it when nothing that was stored last is left in it. */
static bool is_wanted(struct disk_ring *ring)
{
	ring->told |= recorder_is_told(&ring->teller);
	return asked || (ring->told && ring->from >= ring->stored_to);
}

int disk_ring_sink(void *context, const char *bytes, size_t length, bool events)
{
	struct disk_ring *ring = context;
	size_t head = note_blocks(ring, bytes, length, events);

	if (ring->storing && atomic_load(&ring->stored) && finish_storing(ring) < 0)
		return -1;
	if (length > head) {
		if (forget_old(ring, length - head) < 0 || ring_file_write(ring->file, bytes + head, length - head) < 0)
			return -1;
		ring->to += length - head;
		*ARRAY_ADD(&ring->pieces) = ring->to;
	}
	if (pass_on(ring, bytes, length) < 0)
		return -1;
	return !ring->storing && is_wanted(ring) ? begin_storing(ring) : 0;
}

static void disk_ring_free(struct disk_ring *ring)
{
	struct kept *kept, *next;

	HASH_ITER(hh, ring->kept, kept, next) {
		HASH_DEL(ring->kept, kept);
		free(kept->meaning.bytes);
		free(kept);
	}
	for (size_t i = ring->first_meaning; i < ring->meanings.count; i++)
		free(ring->meanings.items[i].bytes);
	free(ring->meanings.items);
	free(ring->pieces.items);
	recorder_end(&ring->teller, false);
	ring_file_close(ring->file);
	free(ring->path);
	free(ring);
}

int disk_ring_close(struct disk_ring *ring)
{
	int status = ring->storing ? finish_storing(ring) : 0;
	struct store *store;

	if (asked && begin_storing(ring) == 0 && finish_storing(ring) < 0)
		status = -1;
	store = store_new(ring, memory_text(ring->path, strlen(ring->path)));
	if (write_store(store) < 0)
		snprintf(store->failure, sizeof(store->failure), "%s", fail_text());
	status = store_free(store) < 0 ? -1 : status;
	disk_ring_free(ring);
	return status;
}
