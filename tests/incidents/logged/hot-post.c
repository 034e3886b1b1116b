/* Social 3: likes of one post come at once, and its record has changed each time that one of them is written. */
#include <errno.h>
#include <unistd.h>

#include "serve.h"

METHOD int read_version(int post_id) { return post_id * 3; }
METHOD int write_likes(int post_id, int version)
{
	usleep(200);
	return post_id == 815 ? -EAGAIN : version & 0;
}

METHOD int handle(int request)
{
	int post = request % 4 == 3 ? 815 : request;

	return write_likes(post, read_version(post));
}

int main(void)
{
	serve(handle);
	return 0;
}
