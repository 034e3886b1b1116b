/* The list of the algorithms. */
#include "base/listing.h"
#include "blame/algorithm.h"

#define ALGORITHMS(A) A(critical) A(npt) A(tcm) A(ilz) A(exception) A(wanted)

#define DECLARE(name) extern const struct blame_algorithm algorithm_##name;
ALGORITHMS(DECLARE)
#undef DECLARE

#define ROW(name) &algorithm_##name,
static const struct blame_algorithm *const algorithms[] = {ALGORITHMS(ROW)};
#undef ROW

enum { COUNT = sizeof(algorithms) / sizeof(*algorithms) };

const char *blame_algorithm_name(size_t index)
{
	return index < COUNT ? algorithms[index]->name : NULL;
}

const struct blame_algorithm *blame_algorithm(const char *name)
{
	int index = listing_find("algorithm", name, blame_algorithm_name);

	return index < 0 ? NULL : algorithms[index];
}
