/*
 * Two threads of one process that have one name serve each request, the one by indexing a page, the other by compressing it, which
 * takes long now and then. Only the function tells them apart.
 * Expected, with --stack: worker: running in compress_page
 */
#include "incident.h"

static sem_t to_index, to_compress, done;

__attribute__((noinline)) static void index_page(void)
{
	incident_compute(HEALTHY_US / 3);
	sem_post(&done);
}

__attribute__((noinline)) static void compress_page(void)
{
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US / 3);
	sem_post(&done);
}

static void indexer(void)
{
	for (;;) {
		incident_wait(&to_index);
		index_page();
	}
}

static void compressor(void)
{
	for (;;) {
		incident_wait(&to_compress);
		compress_page();
	}
}

void request(void)
{
	sem_post(&to_index);
	sem_post(&to_compress);
	incident_wait(&done);
	incident_wait(&done);
}

int main(void)
{
	incident_thread("worker", indexer);
	incident_thread("worker", compressor);
	return incident_run(request, NULL);
}
