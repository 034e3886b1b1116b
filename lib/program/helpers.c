#include "program/helpers.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/now.h"
#include "base/number.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int32_t living[HELPERS_MAX];
static int64_t before; /* CPU time of processes that were removed, ns */

static int64_t spent_by(int32_t process)
{
	clockid_t clock;

	return process && clock_getcpuclockid(process, &clock) == 0 ? now_by(clock) : 0;
}

static void replace(int32_t old, int32_t new)
{
	for (int i = 0; i < HELPERS_MAX; i++)
		if (living[i] == old) {
			living[i] = new;
			return;
		}
}

void helpers_add(int32_t process)
{
	pthread_mutex_lock(&lock);
	replace(0, process);
	pthread_mutex_unlock(&lock);
}

void helpers_remove(int32_t process)
{
	pthread_mutex_lock(&lock);
	before += spent_by(process);
	replace(process, 0);
	pthread_mutex_unlock(&lock);
}

void helpers_list(int32_t processes[HELPERS_MAX])
{
	pthread_mutex_lock(&lock);
	memcpy(processes, living, sizeof(living));
	pthread_mutex_unlock(&lock);
}

int64_t helpers_spent(void)
{
	int64_t spent;

	pthread_mutex_lock(&lock);
	spent = before;
	for (int i = 0; i < HELPERS_MAX; i++)
		spent += spent_by(living[i]);
	pthread_mutex_unlock(&lock);
	return spent;
}
