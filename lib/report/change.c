/* What blame-rank --diff found: diff records become lines of the summary. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"
#include "report/words.h"

static char *say_sure(const struct fields *fields, uint64_t good, uint64_t bad)
{
	double p = 1;

	if (fields_double(fields, "p", &p) <= 0)
		return memory_format("too few moments to be sure: %llu good, %llu bad", (unsigned long long)good,
				     (unsigned long long)bad);
	return memory_format("%s: p %.2g, %llu good and %llu bad moments",
			     fields_is(fields, "sure", "yes") ? "sure" : "not sure", p, (unsigned long long)good,
			     (unsigned long long)bad);
}

int gather_change(struct model *model, const struct record *record)
{
	const struct fields *fields = gather_fields(model, record);
	double good, bad;
	uint64_t good_moments = 0, bad_moments = 0;
	char *name, *words, *sure;

	if (!fields)
		return -1;
	if (fields_double(fields, "good", &good) != 1 || fields_double(fields, "bad", &bad) != 1) {
		fail("a diff record needs good= and bad= as numbers");
		return gather_wrong(model);
	}
	if (fields_unsigned(fields, "good_moments", &good_moments) < 0 ||
	    fields_unsigned(fields, "bad_moments", &bad_moments) < 0)
		return gather_wrong(model);
	name = clean_field(fields, "name");
	words = words_culprit(model, name, 0);
	sure = say_sure(fields, good_moments, bad_moments);
	*ARRAY_ADD(&model->changes) =
		memory_format("blamed more than in the good stream: %s, %.1f %% of the time instead of %.1f %% (%s)", words,
			      100 * bad, 100 * good, sure);
	free(name);
	free(words);
	free(sure);
	return STREAM_PASS;
}
