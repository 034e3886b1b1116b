/* The table of the methods. A new one needs a line in both lists. */
#include <string.h>

#include "base/listing.h"
#include "chart/method.h"

extern const struct method method_pot, method_imr, method_paper, method_xbar_r, method_xbar_s, method_ewma, method_p, method_u,
    method_laney_p, method_laney_u;

static const struct method *const methods[] = {
	&method_pot, &method_imr, &method_paper, &method_xbar_r, &method_xbar_s, &method_ewma,
	&method_p, &method_u, &method_laney_p, &method_laney_u,
};

enum { METHODS = sizeof(methods) / sizeof(*methods) };

const struct method *method_at(size_t index)
{
	return index < METHODS ? methods[index] : NULL;
}

const char *method_name(size_t index)
{
	return index < METHODS ? methods[index]->name : NULL;
}

const struct method *method_find(const char *name)
{
	int index = listing_find("method", name, method_name);

	return index < 0 ? NULL : methods[index];
}
