/* Names that look like one that was not found. */
#include <assert.h>
#include <string.h>

#include "base/suggestions.h"

int main(void)
{
	struct suggestions suggestions = suggestions_begin("reqest");

	assert(!strcmp(suggestions_text(&suggestions), ""));
	suggestions_offer(&suggestions, "main");
	suggestions_offer(&suggestions, "respond_to_all");
	assert(suggestions.count == 0);
	suggestions_offer(&suggestions, "tempest");
	suggestions_offer(&suggestions, "request");
	suggestions_offer(&suggestions, "request");
	assert(!strcmp(suggestions_text(&suggestions), "; is it 'request' or 'tempest'?"));
	suggestions_offer(&suggestions, "handle_reqest");
	suggestions_offer(&suggestions, "request2");
	suggestions_offer(&suggestions, "requests");
	assert(suggestions.count == SUGGESTIONS_NAMES && suggestions.distance[0] == 1 && suggestions.distance[SUGGESTIONS_NAMES - 1] == 2);
	assert(!strcmp(suggestions_text(&suggestions), "; is it 'request', 'handle_reqest' or 'request2'?"));

	suggestions = suggestions_begin("sched_switch");
	suggestions_offer(&suggestions, "sched_ext");
	suggestions_offer_as(&suggestions, "sched_switch", "sched:sched_switch");
	suggestions_offer_as(&suggestions, "sched_stick", "sched:sched_stick");
	assert(!strcmp(suggestions_text(&suggestions), "; is it 'sched:sched_switch'?"));
	return 0;
}
