/* Social 4: a post whose date is no date cannot be indexed; its job fails, and is tried again and again. */
#include <stdlib.h>
#include <unistd.h>

#include "serve.h"

METHOD int parse_date(const char *text)
{
	usleep(200);
	return atoi(text + 5) > 12 ? -1 : atoi(text);
}

METHOD int add_terms(int year) { return year > 0 ? 0 : -1; }
METHOD int handle(int request)
{
	return add_terms(parse_date(request % 4 == 3 ? "2018-13-45" : "2018-07-11"));
}

int main(void)
{
	serve(handle);
	return 0;
}
