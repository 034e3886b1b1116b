/*
 * debug_source: where the debug file of an image comes from. The reader of images opens no file; it asks for those at these places, one by one,
 * and looks whether each belongs to the image.
 */
#ifndef PROGRAM_DEBUG_SOURCE_H
#define PROGRAM_DEBUG_SOURCE_H

#include <stddef.h>

enum debug_place {
	DEBUG_BUILD_ID,	      /* in the folder of debug files, by its build id */
	DEBUG_FOLDER,	      /* there, by its link, where the program's path leads */
	DEBUG_BESIDE,	      /* by its link, beside the program */
	DEBUG_BESIDE_IN_DEBUG, /* in the folder .debug there */
	DEBUG_SHARED,	      /* by a link of another debug file, in the folder of debug files: what several have in common */
	DEBUG_PLACES
};

/* The file, open, at that place for this text: a build id, or a link ("": the program's own name with .debug). -1: there is none. */
struct debug_source {
	int (*open)(void *context, enum debug_place place, const void *text, size_t length);
	void *context;
};

#endif
