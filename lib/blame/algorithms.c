/* The table of the algorithms. */
#include <string.h>

#include "base/listing.h"
#include "blame/algorithm.h"

static const struct blame_algorithm algorithms[] = {
	{"critical", choose_critical},
	{"npt", choose_npt},
	{"tcm", choose_tcm},
	{"ilz", choose_ilz},
	{"exception", choose_exception, .timeless = true},
	{"wanted", choose_wanted},
};

enum { ALGORITHMS = sizeof(algorithms) / sizeof(algorithms[0]) };

const char *blame_algorithm_name(size_t index)
{
	return index < ALGORITHMS ? algorithms[index].name : NULL;
}

const struct blame_algorithm *blame_algorithm(const char *name)
{
	int index = listing_find("algorithm", name, blame_algorithm_name);

	return index < 0 ? NULL : &algorithms[index];
}
