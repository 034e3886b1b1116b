#include "chart/disarmed_keys.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/memory.h"

enum { DISARMED_KEYS_MAX = 1 << 14 };

struct disarmed_key {
	int64_t key[CHART_KEYS_MAX];
	struct disarmed_key *next_free;
	UT_hash_handle hh;
};

struct disarmed_keys {
	struct disarmed_key *by_key, *unused;
};

struct disarmed_keys *disarmed_keys_new(void)
{
	return NEW(struct disarmed_keys);
}

void disarmed_keys_clear(struct disarmed_keys *keys)
{
	HASH_FREE(keys->by_key);
}

void disarmed_keys_free(struct disarmed_keys *keys)
{
	if (!keys)
		return;
	disarmed_keys_clear(keys);
	while (keys->unused) {
		struct disarmed_key *key = keys->unused;

		keys->unused = key->next_free;
		free(key);
	}
	free(keys);
}

static struct disarmed_key *find(const struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX])
{
	struct disarmed_key *found;

	HASH_FIND(hh, keys->by_key, key, sizeof(found->key), found);
	return found;
}

bool disarmed_keys_has(const struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX])
{
	return find(keys, key) != NULL;
}

void disarmed_keys_add(struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX])
{
	struct disarmed_key *entry;

	if (find(keys, key))
		return;
	if (HASH_COUNT(keys->by_key) >= DISARMED_KEYS_MAX)
		disarmed_keys_clear(keys);
	entry = keys->unused;
	if (entry)
		keys->unused = entry->next_free;
	else
		entry = NEW(struct disarmed_key);
	memcpy(entry->key, key, sizeof(entry->key));
	HASH_ADD(hh, keys->by_key, key, sizeof(entry->key), entry);
}

void disarmed_keys_remove(struct disarmed_keys *keys, const int64_t key[CHART_KEYS_MAX])
{
	struct disarmed_key *entry = find(keys, key);

	if (!entry)
		return;
	HASH_DEL(keys->by_key, entry);
	entry->next_free = keys->unused;
	keys->unused = entry;
}
