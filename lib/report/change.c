/* What blame-rank --diff found: diff records become lines of the summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"
#include "report/words.h"

static char *say_sure(const struct change *change)
{
	if (isnan(change->p))
		return memory_format("%s", "");
	return memory_format(" (%s: p %.2g)", strcmp(change->sure, "yes") ? "not sure" : "sure", change->p);
}

/* Shares that one decimal does not tell apart are small, or nearly the same. */
static char *say_share(double bad, double good)
{
	bool apart = round(1000 * bad) != round(1000 * good);

	return memory_format(apart ? "%.1f %% of the time instead of %.1f %%" : "%.3g %% of the time instead of %.3g %%", 100 * bad, 100 * good);
}

char *words_changes(const struct model *model)
{
	const char *what = "moments compared";

	if (!model->compared)
		return NULL;
	if (model->changes.count == 0)
		what = "nothing is blamed more than in the good stream; moments compared";
	else if (isnan(model->changes.items[0].p))
		what = "too few moments to be sure of that";
	return memory_format("%s: %llu good, %llu bad", what, (unsigned long long)model->good_moments,
			     (unsigned long long)model->bad_moments);
}

void change_free(struct change *change)
{
	free(change->name);
	free(change->deed);
	free(change->sure);
	free(change->words);
}

int gather_change(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct change change = {.p = NAN};
	char *words, *share, *sure;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "good_moments", &model->good_moments) < 0 ||
	    fields_unsigned(fields, "bad_moments", &model->bad_moments) < 0)
		return gather_wrong(model);
	model->compared = true;
	if (!fields_find(fields, "name")) /* there was no difference */
		return STREAM_PASS;
	if (fields_double(fields, "good", &change.good) != 1 || fields_double(fields, "bad", &change.bad) != 1) {
		fail("a diff record needs good= and bad= as numbers");
		return gather_wrong(model);
	}
	fields_double(fields, "p", &change.p);
	change.name = clean_field(fields, "name");
	change.sure = clean_field(fields, "sure");
	change.deed = deed_of_record(model, fields);
	words = words_culprit(change.deed, 0, 0);
	sure = say_sure(&change);
	share = say_share(change.bad, change.good);
	change.words = memory_format("blamed more than in the good stream: %s, %s%s", words, share, sure);
	*ARRAY_ADD(&model->changes) = change;
	free(words);
	free(share);
	free(sure);
	return STREAM_PASS;
}
