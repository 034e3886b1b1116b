/*
 * The victim touches pages that a pager has to bring first (userfaultfd).
 * Expected: pager: running
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096, PAGES = 512 };

static int faults;
static char *memory, page[PAGE];

static void pager(void)
{
	struct uffd_msg message;

	for (;;) {
		incident_read(faults, &message, sizeof(message));
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~(PAGE - 1ULL),
					   .src = (unsigned long)page,
					   .len = PAGE};
		if (ioctl(faults, UFFDIO_COPY, &copy) < 0)
			incident_fail("UFFDIO_COPY");
	}
}

void request(void)
{
	static int next;

	*(volatile char *)(memory + (size_t)next++ * PAGE) = 1;
}

int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.range.len = (size_t)PAGES * PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING};

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	memory = mmap(NULL, area.range.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.range.start = (unsigned long)memory;
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) < 0 || ioctl(faults, UFFDIO_REGISTER, &area) < 0)
		incident_fail("userfaultfd");
	incident_thread("pager", pager);
	return incident_run(request, NULL);
}
