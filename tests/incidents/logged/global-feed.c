/* Social 1: a post was deleted, but for its id in the feed: each feed asks the store for it, in vain and slowly. */
#include <stddef.h>
#include <unistd.h>

#include "serve.h"

struct post { int id; };

METHOD struct post *query_store(const char *table, int post_id)
{
	static struct post found;

	usleep(post_id == 4711 ? 30000 : 300);
	found.id = *table ? post_id : 0;
	return post_id == 4711 ? NULL : &found;
}

METHOD int render(const struct post *post) { return post ? post->id : -1; }
METHOD int handle(int request) { return render(query_store("posts", request % 4 == 3 ? 4711 : request)); }

int main(void)
{
	serve(handle);
	return 0;
}
