/* Social 2: of a popular user who follows nobody there is no count in the cache, so that each time the store is asked. */
#include <unistd.h>

#include "serve.h"

struct user { int id; const char *name; };

METHOD int cached_count(const struct user *user) { return user->id == 7 ? -1 : user->id; }
METHOD int count_following(const struct user *user)
{
	usleep(25000);
	return user->id == 7 ? 0 : user->id;
}

METHOD int handle(int request)
{
	struct user user = {request % 4 == 3 ? 7 : request + 8, request % 4 == 3 ? "ada" : "bob"};
	int count = cached_count(&user);

	return count < 0 ? count_following(&user) : count;
}

int main(void)
{
	serve(handle);
	return 0;
}
