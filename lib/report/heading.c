#include "report/heading.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

#define DAY (86400 * NSEC_PER_SEC)
#define NO_DAY INT64_MIN

static int64_t day_of(int64_t unix_time)
{
	return unix_time / DAY - (unix_time % DAY < 0);
}

static int64_t day_of_moment(const struct moment *moment)
{
	const struct story *story = moment_story(moment);
	int64_t began;

	if (!moment->clock.has_wall || !moment_began(moment, story, &began))
		return NO_DAY;
	return day_of(time_sum(moment->clock.wall, began));
}

static char *say(const struct site *site, const char *host, int64_t day)
{
	char date[TIME_ROOM] = "";

	if (day != NO_DAY)
		time_day(day * DAY, date);
	if (site->hosts.count < 2)
		return memory_format("moments on %s", date);
	return memory_format("moments of %s%s%s", *host ? host : "an unknown host", *date ? " on " : "", date);
}

static void begin(struct heading *heading, const struct site *site, const struct moment *moment)
{
	heading->host = memory_format("%s", site->hosts.items[0]);
	heading->first_host = memory_format("%s", moment->host);
	heading->first_day = day_of_moment(moment);
	heading->day = site->has_wall && site->seen.first <= site->seen.last ? day_of(site->seen.first) : heading->first_day;
}

char *heading_next(struct heading *heading, const struct site *site, const struct moment *moment)
{
	int64_t day = day_of_moment(moment);
	bool first = !heading->host, other_host, other_day;

	if (first)
		begin(heading, site, moment);
	other_host = strcmp(heading->host, moment->host) != 0;
	other_day = day != NO_DAY && day != heading->day;
	if (!other_host && !other_day)
		return NULL;
	heading->began |= first;
	heading->dated |= other_day;
	free(heading->host);
	heading->host = memory_format("%s", moment->host);
	if (other_day)
		heading->day = day;
	return say(site, moment->host, heading->dated ? day : NO_DAY);
}

char *heading_first(const struct heading *heading, const struct site *site)
{
	bool dated;

	if (!heading->host || heading->began)
		return NULL;
	dated = heading->first_day != NO_DAY && site_has_days(site);
	if (!dated && site->hosts.count < 2)
		return NULL;
	return say(site, heading->first_host, dated ? heading->first_day : NO_DAY);
}

void heading_free(struct heading *heading)
{
	free(heading->host);
	free(heading->first_host);
}
