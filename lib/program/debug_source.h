/*
 * debug_source: where the debug file of an image comes from. The image reader opens no file itself; it asks for the files at these places,
 * one by one, and checks whether each belongs to the image.
 */
#ifndef PROGRAM_DEBUG_SOURCE_H
#define PROGRAM_DEBUG_SOURCE_H

#include <stddef.h>

enum debug_place {
	DEBUG_BUILD_ID,	      /* in the folder of debug files, by its build id */
	DEBUG_FOLDER,	      /* in the folder of debug files, by its link, below the program's path */
	DEBUG_BESIDE,	      /* by its link, beside the program */
	DEBUG_BESIDE_IN_DEBUG, /* by its link, in the folder .debug beside the program */
	DEBUG_SHARED,	      /* in the folder of debug files, by a link in another debug file: what several debug files share */
	DEBUG_PLACES
};

/* Opens the file at a place. `text`: a build id, or a link ("": the program's own name with .debug). Returns a descriptor; -1: there is none. */
struct debug_source {
	int (*open)(void *context, enum debug_place place, const void *text, size_t length);
	void *context;
};

#endif
