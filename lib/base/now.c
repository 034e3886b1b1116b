#include "base/now.h"

#include "base/number.h"

int64_t now_by(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) < 0 ? 0 : (int64_t)now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}
