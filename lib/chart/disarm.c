#include "chart/disarm.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"

enum { DISARMED_MAX = 1 << 14 };

struct disarmed_key {
	int64_t key[CHART_KEYS_MAX];
	struct disarmed_key *next_free;
	UT_hash_handle hh;
};

struct disarmed {
	struct disarmed_key *keys, *unused;
};

struct disarmed *disarmed_new(void)
{
	return NEW(struct disarmed);
}

void disarmed_clear(struct disarmed *disarmed)
{
	struct disarmed_key *key;

	while ((key = disarmed->keys)) {
		HASH_DEL(disarmed->keys, key);
		free(key);
	}
}

void disarmed_free(struct disarmed *disarmed)
{
	if (!disarmed)
		return;
	disarmed_clear(disarmed);
	while (disarmed->unused) {
		struct disarmed_key *key = disarmed->unused;

		disarmed->unused = key->next_free;
		free(key);
	}
	free(disarmed);
}

static struct disarmed_key *find(const struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX])
{
	struct disarmed_key *found;

	HASH_FIND(hh, disarmed->keys, key, sizeof(found->key), found);
	return found;
}

bool disarmed_has(const struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX])
{
	return find(disarmed, key) != NULL;
}

void disarmed_add(struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX])
{
	struct disarmed_key *entry;

	if (find(disarmed, key))
		return;
	if (HASH_COUNT(disarmed->keys) >= DISARMED_MAX)
		disarmed_clear(disarmed);
	entry = disarmed->unused;
	if (entry)
		disarmed->unused = entry->next_free;
	else
		entry = NEW(struct disarmed_key);
	memcpy(entry->key, key, sizeof(entry->key));
	HASH_ADD(hh, disarmed->keys, key, sizeof(entry->key), entry);
}

void disarmed_remove(struct disarmed *disarmed, const int64_t key[CHART_KEYS_MAX])
{
	struct disarmed_key *entry = find(disarmed, key);

	if (!entry)
		return;
	HASH_DEL(disarmed->keys, entry);
	entry->next_free = disarmed->unused;
	disarmed->unused = entry;
}
