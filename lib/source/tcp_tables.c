#include "source/tcp_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"

enum { LISTEN = 0x0A, NETWORKS_MAX = 256 /* 64 kB each */, LINE_ROOM = 512 };

bool tcp_tables_late(const struct tcp_tables *tables)
{
	return tables->until < INT64_MAX && now_by(CLOCK_MONOTONIC) > tables->until;
}

static void take_line(struct tcp_table *table, const char *line)
{
	char own[33], other[33];
	unsigned own_port, other_port, state;
	unsigned long long inode;

	if (sscanf(line, " %*d: %32[0-9A-F]:%4x %32[0-9A-F]:%4x %2x %*s %*s %*s %*s %*s %llu", own, &own_port, other, &other_port, &state,
		   &inode) != 6 ||
	    own_port >= TCP_PORTS || other_port >= TCP_PORTS)
		return;
	table->listens[own_port] |= state == LISTEN;
	if (inode)
		*ARRAY_ADD(&table->sockets) =
			(struct tcp_socket){inode, (uint16_t)own_port, (uint16_t)other_port, strcmp(own, other) == 0, state == LISTEN};
}

static void read_table(const struct tcp_tables *tables, struct tcp_table *table, int32_t pid, const char *name)
{
	char path[48], line[LINE_ROOM];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, name);
	file = fopen(path, "re");
	while (file && !tcp_tables_late(tables) && fgets(line, sizeof(line), file))
		take_line(table, line);
	if (tcp_tables_late(tables))
		table->sockets.count = 0;
	if (file)
		fclose(file);
}

static int by_inode(const void *a, const void *b)
{
	const struct tcp_socket *one = a, *other = b;

	return (one->inode > other->inode) - (one->inode < other->inode);
}

const struct tcp_table *tcp_table_of(struct tcp_tables *tables, int32_t pid)
{
	char path[48], name[sizeof(tables->tables.items[0]->name)];
	struct tcp_table *table;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	length = readlink(path, name, sizeof(name) - 1);
	if (length < 0)
		return NULL;
	name[length] = '\0';
	for (size_t i = 0; i < tables->tables.count; i++)
		if (strcmp(tables->tables.items[i]->name, name) == 0)
			return tables->tables.items[i];
	if (tables->tables.count == NETWORKS_MAX)
		return NULL;
	table = *ARRAY_ADD(&tables->tables) = NEW(struct tcp_table);
	memcpy(table->name, name, sizeof(name));
	read_table(tables, table, pid, "tcp");
	read_table(tables, table, pid, "tcp6");
	if (table->sockets.count)
		qsort(table->sockets.items, table->sockets.count, sizeof(struct tcp_socket), by_inode);
	return table;
}

const struct tcp_socket *tcp_table_find(const struct tcp_table *table, const char *link)
{
	struct tcp_socket key = {0};
	unsigned long long inode;

	if (!table || !table->sockets.count || sscanf(link, "socket:[%llu]", &inode) != 1)
		return NULL;
	key.inode = inode;
	return bsearch(&key, table->sockets.items, table->sockets.count, sizeof(key), by_inode);
}

uint64_t tcp_table_other_end(const struct tcp_table *table, const struct tcp_socket *socket)
{
	uint64_t found = 0;

	for (size_t i = 0; socket->here && !socket->listens && i < table->sockets.count; i++) {
		const struct tcp_socket *other = &table->sockets.items[i];

		if (!other->here || other->listens || other->own != socket->other || other->other != socket->own || other->inode == socket->inode)
			continue;
		if (found) /* two addresses of this machine have connections with these ports */
			return 0;
		found = other->inode;
	}
	return found;
}

void tcp_tables_free(struct tcp_tables *tables)
{
	for (size_t i = 0; i < tables->tables.count; i++) {
		free(tables->tables.items[i]->sockets.items);
		free(tables->tables.items[i]);
	}
	ARRAY_FREE(&tables->tables);
}
