/* CMS-Foundation: an image is deleted while somebody edits it; what is told in the end is another exception. */
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "serve.h"

extern "C" {
METHOD int open_image(const char *path, int id)
{
	usleep(200);
	if (id == 321)
		throw std::runtime_error(std::string("no such file: ") + path);
	return id;
}

METHOD int image_properties(int id)
{
	try {
		return open_image(id == 321 ? "/img/321.png" : "/img/1.png", id);
	} catch (const std::runtime_error &) {
		throw std::logic_error("failed to get image properties: check that the image is not corrupt");
	}
}

METHOD int handle(int request)
{
	try {
		return image_properties(request % 4 == 3 ? 321 : request);
	} catch (const std::exception &) {
		return -1;
	}
}
}

int main()
{
	serve(handle);
}
