#include "wake/part.h"

#define PART_ROW(NUMBER, name) [PART_##NUMBER] = &name##_part,
static const struct part *const parts[] = {PARTS(PART_ROW)};
#undef PART_ROW

struct wake *wake_new(struct events *events)
{
	return core_new(events, parts);
}
