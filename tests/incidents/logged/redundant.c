/* Nancy: a page asks for the same view over and over. */
#include <unistd.h>

#include "serve.h"

METHOD int resolve_view(const char *name, int culture)
{
	usleep(4000);
	return *name + culture;
}

METHOD int handle(int request)
{
	int found = 0;

	for (int i = 0; i < (request % 4 == 3 ? 6 : 1); i++)
		found = resolve_view("Home/Index", 1033);
	return found;
}

int main(void)
{
	serve(handle);
	return 0;
}
