/* Names that look like one that was not found. */
#include <assert.h>
#include <string.h>

#include "base/near.h"

int main(void)
{
	struct near near = near_begin("reqest");

	assert(!strcmp(near_text(&near), ""));
	near_offer(&near, "main");
	near_offer(&near, "respond_to_all");
	assert(near.count == 0);
	near_offer(&near, "tempest");
	near_offer(&near, "request");
	near_offer(&near, "request");
	assert(!strcmp(near_text(&near), "; is it 'request' or 'tempest'?"));
	near_offer(&near, "handle_reqest");
	near_offer(&near, "request2");
	near_offer(&near, "requests");
	assert(near.count == NEAR_NAMES && near.distance[0] == 1 && near.distance[NEAR_NAMES - 1] == 2);
	assert(!strcmp(near_text(&near), "; is it 'request', 'handle_reqest' or 'request2'?"));

	near = near_begin("sched_switch");
	near_offer(&near, "sched_ext");
	near_offer_as(&near, "sched_switch", "sched:sched_switch");
	near_offer_as(&near, "sched_stick", "sched:sched_stick");
	assert(!strcmp(near_text(&near), "; is it 'sched:sched_switch'?"));
	return 0;
}
