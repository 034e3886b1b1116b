#include "state/glob.h"

#include <string.h>

/* Tells whether the pattern matches the whole text. Only the last `**`, and the last `*` after it, need backtracking. */
static bool matches(const char *pattern, const char *text)
{
	const char *begin = pattern;
	const char *star = NULL, *star_text = NULL, *stars = NULL, *stars_text = NULL;

	for (;;) {
		if (pattern[0] == '*' && pattern[1] == '*') {
			bool whole = (pattern == begin || pattern[-1] == '/') && (pattern[2] == '\0' || pattern[2] == '/');

			pattern += 2;
			if (whole && *text == '\0')
				return false;
			stars = pattern;
			stars_text = text += whole;
			star = NULL;
		} else if (*pattern == '*') {
			star = ++pattern;
			star_text = text;
		} else if (*pattern == *text && *text) {
			pattern++;
			text++;
		} else if (*pattern == '\0' && *text == '\0') {
			return true;
		} else if (star && *star_text && *star_text != '/') {
			pattern = star;
			text = ++star_text;
		} else if (stars && *stars_text) {
			pattern = stars;
			text = ++stars_text;
			star = NULL;
		} else {
			return false;
		}
	}
}

bool glob_matches(const char *pattern, const char *path)
{
	if (*pattern == '/')
		return matches(pattern + 1, path);
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (matches(pattern, at))
			return true;
	}
	return false;
}
