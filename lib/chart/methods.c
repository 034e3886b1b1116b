/* The list of the methods. */
#include "base/listing.h"
#include "chart/method.h"

#define METHODS(M) M(pot) M(imr) M(paper) M(xbar_r) M(xbar_s) M(ewma) M(p) M(u) M(laney_p) M(laney_u)

#define DECLARE(name) extern const struct method method_##name;
METHODS(DECLARE)
#undef DECLARE

#define ROW(name) &method_##name,
static const struct method *const methods[] = {METHODS(ROW)};
#undef ROW

enum { COUNT = sizeof(methods) / sizeof(*methods) };

const struct method *method_at(size_t index)
{
	return index < COUNT ? methods[index] : NULL;
}

const char *method_name(size_t index)
{
	return index < COUNT ? methods[index]->name : NULL;
}

const struct method *method_find(const char *name)
{
	int index = listing_find("method", name, method_name);

	return index < 0 ? NULL : methods[index];
}
