/*
 * A server sleeps, and forty others ask it before the victim does: it answers all of them first. They are not to blame.
 * Expected: timer: nanosleep of server, behind 40 others, mostly flood
 */
#include <unistd.h>

#include "incident.h"

enum { CLIENTS = 41, VICTIM = CLIENTS - 1, STALL = -1, SERVICE_US = 100 };

static int questions[2], answers[CLIENTS][2];
static sem_t *go, *asked;

static void make_pipe(int ends[2])
{
	if (pipe(ends) < 0)
		incident_fail("pipe");
}

static void server(void)
{
	for (int client;;) {
		incident_read(questions[0], &client, sizeof(client));
		if (client == STALL) {
			incident_sleep(TROUBLE_MS * 1000);
			continue;
		}
		incident_compute(SERVICE_US);
		incident_write(answers[client][1], &client, sizeof(client));
	}
}

static void ask(int client)
{
	incident_write(questions[1], &client, sizeof(client));
}

static void flood(int client)
{
	for (;;) {
		incident_wait(go);
		ask(client);
		sem_post(asked);
		incident_read(answers[client][0], &client, sizeof(client));
	}
}

static int next_client;

static void next_flood(void)
{
	flood(next_client);
}

static void disturb(void)
{
	ask(STALL);
	for (int i = 0; i < VICTIM; i++)
		sem_post(go);
	for (int i = 0; i < VICTIM; i++)
		incident_wait(asked);
}

void request(void)
{
	int client = VICTIM;

	ask(client);
	incident_read(answers[client][0], &client, sizeof(client));
}

int main(void)
{
	make_pipe(questions);
	for (int i = 0; i < CLIENTS; i++)
		make_pipe(answers[i]);
	go = incident_semaphore();
	asked = incident_semaphore();
	incident_process("server", server);
	for (; next_client < VICTIM; next_client++)
		incident_process("flood", next_flood);
	return incident_run(request, disturb);
}
