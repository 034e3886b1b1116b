#include "base/cached_stat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

bool cached_stat_at(const char *path, struct cached_stat *seen)
{
	struct statx about;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO, &about) < 0)
		return false;
	*seen = (struct cached_stat){makedev(about.stx_dev_major, about.stx_dev_minor), about.stx_ino, about.stx_mode & S_IFMT};
	return true;
}
