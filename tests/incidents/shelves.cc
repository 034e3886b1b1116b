/*
 * A thread of a C++ program keeps two shelves, one of which is slow to put in order now and then. The victim waits for whichever it
 * was given.
 * Expected, with --stack: keeper: running in library::Shelf<library::Maps>::put_in_order
 */
#define _Noreturn [[noreturn]]
extern "C" {
#include "incident.h"
}

#include <condition_variable>
#include <mutex>

namespace library {

struct Books {
	static long effort() { return HEALTHY_US / 3; }
};

struct Maps {
	static long effort() { return incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US / 3; }
};

template <typename Kind> class Shelf {
	std::mutex mutex;
	std::condition_variable changed;
	bool wanted = false, ready = false;

public:
	__attribute__((noinline)) void fetch()
	{
		std::unique_lock<std::mutex> lock(mutex);
		wanted = true;
		changed.notify_all();
		changed.wait(lock, [this] { return ready; });
		ready = false;
	}

	__attribute__((noinline)) void put_in_order()
	{
		std::unique_lock<std::mutex> lock(mutex);
		changed.wait(lock, [this] { return wanted; });
		wanted = false;
		incident_compute(Kind::effort());
		ready = true;
		changed.notify_all();
	}
};

/* Never destroyed, for the keeper waits on them to the end. */
static Shelf<Books> &books = *new Shelf<Books>;
static Shelf<Maps> &maps = *new Shelf<Maps>;

static void keeper()
{
	for (;;) {
		books.put_in_order();
		maps.put_in_order();
	}
}

} // namespace library

extern "C" void request(void)
{
	library::books.fetch();
	library::maps.fetch();
}

int main()
{
	incident_thread("keeper", library::keeper);
	return incident_run(request, nullptr);
}
