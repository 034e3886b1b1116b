/* MrCMS: the name of a thumbnail is that of its image and more: too long for the file system, which nobody checks. */
#include <stdexcept>
#include <string.h>
#include <unistd.h>

#include "serve.h"

extern "C" {
METHOD int create_file(const char *path)
{
	usleep(200);
	if (strlen(path) > 100)
		throw std::length_error("path too long");
	return 3;
}

METHOD int make_thumbnail(const char *image, int width)
{
	char path[512];

	strcat(strcat(strcpy(path, "/media/"), image), width > 99 ? "_w200_h200.png" : "_w64_h64.png");
	return create_file(path);
}

METHOD int handle(int request)
{
	static const char name[] = "a-holiday-of-which-somebody-could-not-stop-to-tell-in-the-name-of-its-picture-however-long-it-was";

	try {
		return make_thumbnail(request % 4 == 3 ? name : "cat", 200);
	} catch (const std::exception &) {
		return -1;
	}
}
}

int main()
{
	serve(handle);
}
